// The rules for MQTT topic filters (MQTT 5.0 §4.7.1), to report a specific error before the broker refuses a filter.

import TappetCommandLine
import TappetCore

/// Checks topic filters.
enum TopicFilter {
  /// Returns an error message about a filter; `nil` if it is valid.
  static func mistake(in filter: String) -> String? {
    if filter.isEmpty { return "the filter is empty; '#' matches everything" }
    if filter.utf8.count > 65_535 { return "a filter must be at most 65535 bytes long" }
    let levels = filter.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, level) in levels.enumerated() {
      if level.contains(UInt8(ascii: "#")), level.count > 1 || index < levels.count - 1 {
        return "'#' must be an entire level, and the last one: \(filter.quoted)"
      }
      if level.contains(UInt8(ascii: "+")), level.count > 1 {
        return "'+' must be an entire level: \(filter.quoted)"
      }
    }
    return nil
  }

  /// Whether a text has the form `a/#=b/#`.
  static func isMap(_ text: String) -> Bool { TopicMap(text) != nil }
}

/// A mapping `a/#=b/#`: topics below the first are moved below the second.
struct TopicMap {
  private let from: String
  private let to: String

  init?(_ text: String) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.suffix(2).elementsEqual("/#".utf8),
      parts[1].utf8.suffix(2).elementsEqual("/#".utf8), parts[0].utf8.count > 2, parts[1].utf8.count > 2
    else { return nil }
    from = String(parts[0].dropLast())
    to = String(parts[1].dropLast())
  }

  /// Returns the mapped topic; a topic outside the mapping is returned unchanged.
  func applied(to topic: String) -> String {
    topic.begins(with: from) ? to + String(decoding: topic.utf8.dropFirst(from.utf8.count), as: UTF8.self) : topic
  }
}
