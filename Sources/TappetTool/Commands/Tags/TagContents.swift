// The part of a tag that may be printed: a signature does not let anyone forge another tag, but copies this one; a key
// forges any.

import TappetCore

/// The parts of a reading that may be printed.
struct TagContents {
  var messageSize: Int?
  /// The URL without signature and key, or another URI that is on the tag.
  var shownURL: String?
  var carriesKey = false

  init(_ reading: TagReading) {
    guard let message = try? reading.message() else { return }
    messageSize = message.count
    guard let uri = try? reading.uri() else { return }
    if let url = try? reading.tagURL() {
      carriesKey = url.carriesKey
      shownURL = "smp://action?idx=\(url.index)&ts=\(url.timestamp)&sig=…" + (url.carriesKey ? "&key=…" : "")
    } else {
      // A damaged tag URL may still hold a key.
      let isForeign = !uri.starts(with: "smp".utf8)
      shownURL = isForeign ? TagContents.printable(uri) : "smp://…"
    }
  }

  /// Control characters could drive the terminal.
  private static func printable(_ text: [UInt8]) -> String {
    String(decoding: text.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
  }
}
