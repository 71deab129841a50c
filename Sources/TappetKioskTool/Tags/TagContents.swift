// The contents of a tag that may be printed. They omit its signature, which is enough to copy the tag, and its key,
// which is enough to forge other tags.

import TappetCommandLine
import TappetCore
import TappetMessages

/// The parts of a reading that may be printed.
struct TagContents {
  var messageSize: Int?
  /// The records, with each Smart Poster followed by the records that it contains.
  var records: [String] = []
  /// The tag URL without its signature and key, or any other URI on the tag.
  var shownURL: String?
  /// The text of the first text record.
  var text: String?
  var carriesKey = false

  init(_ reading: TagReading) {
    guard let message = try? reading.message() else { return }
    messageSize = message.count
    if let decoded = try? NDEFMessage(decoding: message) {
      records = decoded.records.flatMap { [$0.words] + $0.posterRecords().map { "  " + $0.words } }
    }
    text = reading.firstText.map { Array($0.utf8).isOurs ? "smp…" : $0.escaped }
    if let url = try? reading.tagURL() {
      carriesKey = url.carriesKey
      shownURL = "smp://action?idx=\(url.index)&ts=\(url.timestamp)&sig=…" + (url.carriesKey ? "&key=…" : "")
    } else if let uri = try? reading.uri() {
      // A damaged tag URL may still contain a key.
      shownURL = uri.isOurs ? "smp://…" : String(decoding: uri, as: UTF8.self).escaped
    }
  }
}
