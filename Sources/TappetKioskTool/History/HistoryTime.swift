// A time on the command line of tappet history.

import TappetCore
import TappetPlatform

/// Times as people write them.
enum HistoryTime {
  /// Parses `30min`, `12h`, `7d`, `1 day` or `2 weeks ago`, all before `now`; `today`, `yesterday`, a date, a time of
  /// day or a day with a time, all in the local time zone; or a time in the format of --json.
  ///
  /// A day alone means its start or, with `isEnd`, its end. A time alone means the last such time; as an end, it is a
  /// day later if it would precede `earliest`.
  static func unixMilliseconds(
    _ text: String, now: Int64, isEnd: Bool = false, after earliest: Int64? = nil
  ) -> Int64? {
    if let age = age(text) { return now - min(age, Limits.historyAgeMax.wholeMilliseconds) }
    if let time = WallTime.unixMilliseconds(utc: text) { return time }
    let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "T") }.map { String(Substring($0)) }
    guard (1...2).contains(words.count), let last = words.last else { return nil }
    let time = timeOfDay(last)
    guard words.count == 1 || time != nil else { return nil }
    let day = words.count == 2 || time == nil ? start(of: words[0], now / 1000) : now / 1000
    guard let day else { return nil }
    if let (hour, minute, second) = time {
      func milliseconds(_ days: Int32) -> Int64 {
        WallTime.unixSeconds(dayOf: day, shiftedBy: days, hour: hour, minute: minute, second: second) * 1000
      }
      guard words.count == 1 else { return milliseconds(0) }
      let shift: Int32 = milliseconds(0) > now ? -1 : 0
      let isTooEarly = earliest.map { milliseconds(shift) <= $0 } ?? false
      return milliseconds(isTooEarly ? shift + 1 : shift)
    }
    return (isEnd ? WallTime.unixSeconds(dayOf: day, shiftedBy: 1) : day) * 1000
  }

  /// The units of an age and their lengths in seconds; words also as a plural.
  private static let units: KeyValuePairs<String, Int64> = [
    "s": 1, "min": 60, "h": 3600, "d": 86_400, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800,
  ]

  private static func age(_ text: String) -> Int64? {
    let digits = text.utf8.prefix { $0.isASCIIDigit }
    let words = text.utf8.dropFirst(digits.count).split { $0 == UInt8(ascii: " ") }.map { String(Substring($0)) }
    guard let unit = words.first, words.dropFirst().allSatisfy({ $0 == "ago" }), words.count <= 2,
      let seconds = units.first(where: { unit == $0.key || $0.key.utf8.count > 1 && unit == $0.key + "s" })?.value,
      let number = Int64(decimal: digits)
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: seconds * 1000)
    return overflow ? .max : product
  }

  private static func start(of day: String, _ now: Int64) -> Int64? {
    switch day.asciiLowercased {
    case "today": WallTime.unixSeconds(dayOf: now)
    case "yesterday": WallTime.unixSeconds(dayOf: now, shiftedBy: -1)
    case _: CalendarDay(day).map { WallTime.unixSeconds(localDate: UTCTime(unixSeconds: $0.number * 86_400)) }
    }
  }

  private static func timeOfDay(_ text: String) -> (Int32, Int32, Int32)? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy { $0.isASCIIDigit } })
    else { return nil }
    let numbers = parts.map { $0.reduce(Int32(0)) { $0 * 10 + Int32($1 & 15) } }
    guard numbers[0] < 24, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60 else { return nil }
    return (numbers[0], numbers[1], numbers.count < 3 ? 0 : numbers[2])
  }
}
