// Date calculations without a clock or time zone tables, for text that the core itself generates.

/// A time of day and a date in UTC, in the proleptic Gregorian calendar.
package struct UTCTime {
  package var year: Int64
  package var month: Int64
  package var day: Int64
  var secondOfDay: Int64

  /// Converts a time in seconds since 1970.
  ///
  /// Eras of 400 years start on 1 March, so that a leap day is a year's last (Howard Hinnant, "chrono-Compatible
  /// Low-Level Date Algorithms", `civil_from_days`).
  @export(interface)
  package init(unixSeconds: Int64) {
    let days = (unixSeconds - UTCTime.remainder(unixSeconds, 86_400)) / 86_400 + 719_468
    let dayOfEra = UTCTime.remainder(days, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = (days - dayOfEra) / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    secondOfDay = UTCTime.remainder(unixSeconds, 86_400)
  }

  private static func remainder(_ value: Int64, _ divisor: Int64) -> Int64 {
    let rest = value % divisor
    return rest < 0 ? rest + divisor : rest
  }

  /// `2026-11-21T10:51:07Z` (RFC 3339).
  package var text: String {
    @export(interface) get {
      func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
      }
      let (hour, minute) = (secondOfDay / 3_600, secondOfDay / 60 % 60)
      return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2) + "T" + digits(hour, 2) + ":"
        + digits(minute, 2) + ":" + digits(secondOfDay % 60, 2) + "Z"
    }
  }
}
