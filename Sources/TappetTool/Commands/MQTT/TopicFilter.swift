// The rules of MQTT's topic filters (MQTT 5.0 §4.7.1), so that a mistake has a name before the broker refuses it.

import TappetCore

/// Checks topic filters.
enum TopicFilter {
  /// The mistake in a filter; `nil` when there is none.
  static func mistake(in filter: String) -> String? {
    if filter.isEmpty { return "the filter is empty; '#' is everything" }
    if filter.utf8.count > 65_535 { return "a filter has at most 65535 bytes" }
    let levels = filter.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, level) in levels.enumerated() {
      if level.contains(UInt8(ascii: "#")), level.count > 1 || index < levels.count - 1 {
        return "'#' is a whole level and the last one: \(filter.quoted)"
      }
      if level.contains(UInt8(ascii: "+")), level.count > 1 {
        return "'+' is a whole level: \(filter.quoted)"
      }
    }
    return nil
  }
}
