// Wall-clock times as text: for people in the machine's time zone, for programs in UTC.

import CPlatform

/// The texts of a wall-clock time.
package enum WallTime {
  /// For programs: `2026-11-21T10:51:07.250Z` (RFC 3339); `nil` outside the years that it can write, 0 to 9999.
  package static func utc(unixMilliseconds: Int64) -> String? {
    let rest = unixMilliseconds % 1000
    let milliseconds = rest < 0 ? rest + 1000 : rest
    var time = time_t(floored(unixMilliseconds))
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil, (-1900...8099).contains(parts.tm_year) else { return nil }
    return digits(parts.tm_year + 1900, 4) + "-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))T"
      + timeOfDay(parts) + "." + digits(Int32(milliseconds), 3) + "Z"
  }

  /// For people: `10:51:07`.
  package static func timeOfDay(unixMilliseconds: Int64) -> String { timeOfDay(local(floored(unixMilliseconds))) }

  /// For people: `2026-11-21 10:51`.
  package static func minute(unixSeconds: Int64) -> String {
    let parts = local(unixSeconds)
    return digits(parts.tm_year + 1900, 4) + "-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2)) "
      + "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2))"
  }

  private static func local(_ unixSeconds: Int64) -> tm {
    var time = time_t(unixSeconds)
    var parts = tm()
    localtime_r(&time, &parts)
    return parts
  }

  private static func timeOfDay(_ parts: tm) -> String {
    "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
  }

  /// Whole seconds, rounded down also before 1970.
  private static func floored(_ milliseconds: Int64) -> Int64 {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? seconds - 1 : seconds
  }

  private static func digits(_ number: Int32, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
