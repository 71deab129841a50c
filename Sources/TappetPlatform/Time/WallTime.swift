// Wall-clock times as text: in the machine's time zone for people, in UTC for programs.

import CPlatform
import TappetBase

/// Conversions between wall-clock times and text.
package enum WallTime {
  /// Returns a time for programs: `2026-11-21T10:51:07.250Z` (RFC 3339); `nil` outside the years 0 to 9999.
  @export(interface)
  package static func utc(unixMilliseconds: Int64) -> String? {
    let rest = unixMilliseconds % 1000
    let milliseconds = rest < 0 ? rest + 1000 : rest
    var time = time_t(floored(unixMilliseconds))
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil, (-1900...8099).contains(parts.tm_year) else { return nil }
    return digits(parts.tm_year + 1900, 4) + "-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))T"
      + timeOfDay(parts) + "." + digits(Int32(milliseconds), 3) + "Z"
  }

  /// Parses a text written by `utc`; returns milliseconds since 1970, `nil` for any other text.
  @export(interface)
  package static func unixMilliseconds(utc text: String) -> Int64? {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int32? {
      guard bytes[range].allSatisfy({ $0.isASCIIDigit }) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) }
    }
    guard bytes.count == 24, let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let milliseconds = number(20..<23)
    else { return nil }
    var parts = tm()
    parts.tm_year = year - 1900
    parts.tm_mon = month - 1
    parts.tm_mday = day
    parts.tm_hour = hour
    parts.tm_min = minute
    parts.tm_sec = second
    return Int64(timegm(&parts)) * 1000 + Int64(milliseconds)
  }

  /// Returns a time for people: `10:51:07` if it is at most a day before `now`, otherwise with the date.
  package static func brief(unixMilliseconds: Int64, now: Int64) -> String {
    (now - 86_400_000...now).contains(unixMilliseconds)
      ? timeOfDay(unixMilliseconds: unixMilliseconds) : minute(unixSeconds: floored(unixMilliseconds))
  }

  /// Returns a time of day for people: `10:51:07`.
  package static func timeOfDay(unixMilliseconds: Int64) -> String { timeOfDay(local(floored(unixMilliseconds))) }

  /// Returns a date and time for people: `2026-11-21 10:51`.
  @export(interface)
  package static func minute(unixSeconds: Int64) -> String {
    let parts = local(unixSeconds)
    return digits(parts.tm_year + 1900, 4) + "-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2)) "
      + "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2))"
  }

  /// Returns the UTC offset of the process's time zone at the given time, in seconds.
  package static func secondsEastOfUTC(unixSeconds: Int64) -> Int64 { Int64(local(unixSeconds).tm_gmtoff) }

  /// Whether a text can be the name of a time zone.
  @export(interface)
  package static func isZoneName(_ name: String) -> Bool {
    name.utf8.first.map { $0 != 0x2F } ?? false
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/_-+".utf8.contains($0) }
  }

  /// Whether the system has the time zone, as a file in /usr/share/zoneinfo.
  @export(interface)
  package static func isInstalled(timeZone name: String) -> Bool {
    var file = stat()
    return isZoneName(name) && stat("/usr/share/zoneinfo/" + name, &file) == 0
      && file.st_mode & UInt32(S_IFMT) == UInt32(S_IFREG)
  }

  /// Sets the process's time zone, unless the system does not have it; must be called before other threads exist,
  /// because they may read the environment.
  package static func adopt(timeZone name: String) {
    guard isInstalled(timeZone: name) else { return }
    setenv("TZ", ":" + name, 1)
    tzset()
  }

  /// Whether `adopt` has set the process's time zone.
  package static func isAdopted(timeZone name: String) -> Bool {
    guard isInstalled(timeZone: name), let zone = getenv("TZ") else { return false }
    return String(cString: zone) == ":" + name
  }

  /// Returns a date and time for people: `2026-11-21 10:51:07`.
  package static func second(unixMilliseconds: Int64) -> String {
    let parts = local(floored(unixMilliseconds))
    return digits(parts.tm_year + 1900, 4) + "-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2)) "
      + timeOfDay(parts)
  }

  /// Returns the first second of a date in the local time zone; ignores the date's time of day.
  @export(interface)
  package static func unixSeconds(localDate date: UTCTime) -> Int64 {
    var parts = tm()
    parts.tm_year = Int32(date.year) - 1900
    parts.tm_mon = Int32(date.month) - 1
    parts.tm_mday = Int32(date.day)
    parts.tm_isdst = -1
    return Int64(mktime(&parts))
  }

  /// Returns a time of the local day that contains the given time, or of a day before or after it.
  @export(interface)
  package static func unixSeconds(
    dayOf unixSeconds: Int64, shiftedBy days: Int32 = 0, hour: Int32 = 0, minute: Int32 = 0, second: Int32 = 0
  ) -> Int64 {
    var parts = local(unixSeconds)
    parts.tm_mday += days
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (hour, minute, second, -1)
    return Int64(mktime(&parts))
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

  /// Returns whole seconds, rounded down even before 1970.
  private static func floored(_ milliseconds: Int64) -> Int64 {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return rest < 0 ? seconds - 1 : seconds
  }

  private static func digits(_ number: Int32, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
