// The part of a tag that may be printed: a signature does not let anyone forge another tag, but copies this one; a key
// forges any.

import TappetCommandLine
import TappetCore
import TappetMessages

/// The parts of a reading that may be printed.
struct TagContents {
  var messageSize: Int?
  /// The records, those in a Smart Poster after it.
  var records: [String] = []
  /// The URL without signature and key, or another URI that is on the tag.
  var shownURL: String?
  /// The first text.
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
      // A damaged tag URL may still hold a key.
      shownURL = uri.isOurs ? "smp://…" : String(decoding: uri, as: UTF8.self).escaped
    }
  }
}
