// The times at which an action may run. Days and hours are in the kiosk's time zone. The time zone's tables are files,
// which this code does not read: the settings provide the offset at an instant.

/// A calendar day.
package struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1 January 1970.
  package let number: Int64

  /// Creates the day with the given number.
  package init(number: Int64) { self.number = number }

  /// Parses `2026-12-25`, and what people and spreadsheets write with the same meaning: `25.12.2026`, `2026/12/25` or
  /// `2026-12-25 00:00:00`; `nil` for any other format, or a date that does not exist.
  @export(interface)
  package init?(_ text: String) {
    guard let (year, month, day) = CalendarDay.fields(of: text) else { return nil }
    guard (1970...9999).contains(year), (1...12).contains(month) else { return nil }
    // The inverse of the calculation in UTCTime (Howard Hinnant, `days_from_civil`).
    let marchYear = month <= 2 ? year - 1 : year
    let yearOfEra = marchYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = marchYear / 400 * 146_097 + dayOfEra - 719_468
    let back = UTCTime(unixSeconds: number * 86_400)
    guard (back.year, back.month, back.day) == (year, month, day) else { return nil }
  }

  /// Returns the year, month and day of a text in one of the formats; the date may not exist.
  @export(interface)
  package static func fields(of text: String) -> (year: Int64, month: Int64, day: Int64)? {
    let date = text.utf8.prefix { $0 != 0x20 && $0 != UInt8(ascii: "T") }
    guard text.utf8.dropFirst(date.count).allSatisfy({ "T :.0Z".utf8.contains($0) }) else { return nil }
    let marks = date.filter { !$0.isASCIIDigit }
    var parts = date.split(omittingEmptySubsequences: false) { !$0.isASCIIDigit }
    guard parts.count == 3, marks[0] == marks[1] else { return nil }
    switch marks[0] {
    case UInt8(ascii: "."): parts.reverse()
    case UInt8(ascii: "/"), UInt8(ascii: "-"): break
    default: return nil
    }
    guard parts[0].count == 4, parts[1...].allSatisfy({ (1...2).contains($0.count) }) else { return nil }
    let values = parts.map { $0.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
    return (values[0], values[1], values[2])
  }

  /// Orders days chronologically.
  package static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.number < other.number }

  /// The day of the week: 0 is Monday; 1 January 1970 was a Thursday.
  var weekday: Int64 {
    let rest = (number + 3) % 7
    return rest < 0 ? rest + 7 : rest
  }
}

/// The reason why a text does not specify valid hours.
package enum WeeklyHoursError: Error, Hashable, Sendable {
  /// The text does not have the format `Mon-Fri 07:00-19:30`.
  case malformed
  /// This part is not a list of days such as `Mon-Fri` or `Sat,Sun`.
  case days(String)
  /// This part is not a time such as `07:00`.
  case time(String)
  /// The end is not after the start.
  case endsBeforeBegin
}

/// A range of hours that applies on some days of the week.
package struct WeeklyHours: Hashable, Sendable {
  /// One bit for each day; Monday is bit 0.
  let days: UInt8
  /// Minutes since midnight, excluding the end.
  let minutes: Range<Int64>

  private static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// Parses `Mon-Fri 07:00-19:30`, `Sat,Sun 09:00-12:00` or `Mon 00:00-24:00`.
  ///
  /// Also accepts unambiguous variants: `mon - fri 7:00–19:30`, `Tuesday 8-12`. Days alone are whole days, and hours
  /// alone apply on every day.
  @export(interface)
  package init(_ text: String) throws(WeeklyHoursError) {
    var parts = WeeklyHours.words(text)
    if parts.count == 1 {
      if parts[0].first?.isASCIIDigit == true {
        parts.insert(ArraySlice("Mon-Sun".utf8), at: 0)
      } else if !parts[0].contains(where: { $0.isASCIIDigit }) {
        parts.append(ArraySlice("0-24".utf8))
      }
    }
    guard parts.count == 2 else { throw .malformed }
    guard let days = WeeklyHours.days(parts[0]) else { throw .days(String(decoding: parts[0], as: UTF8.self)) }
    let times = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard times.count == 2 else { throw .malformed }
    let (begin, end) = (try WeeklyHours.minute(times[0]), try WeeklyHours.minute(times[1]))
    guard begin < end else { throw .endsBeforeBegin }
    self.days = days
    minutes = begin..<end
  }

  /// Splits a list at its semicolons; one without any range becomes a range that is not valid.
  package static func list(_ text: String) -> [String] {
    let parts = text.utf8.split(separator: UInt8(ascii: ";")).map {
      String(decoding: $0, as: UTF8.self).trimmedLabel ?? ""
    }
    return parts.isEmpty ? [""] : parts
  }

  /// Splits a text into words, with en dashes replaced by hyphens, and without spaces around hyphens and commas.
  private static func words(_ text: String) -> [ArraySlice<UInt8>] {
    func joins(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",") }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == 0x20, joins(bytes.last) { continue }
      bytes.append(byte)
      if bytes.suffix(3).elementsEqual("–".utf8) {
        bytes.removeLast(3)
        bytes.append(UInt8(ascii: "-"))
      }
      guard let last = bytes.last, joins(last) else { continue }
      bytes.removeLast()
      while bytes.last == 0x20 { bytes.removeLast() }
      bytes.append(last)
    }
    return bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
  }

  /// Returns the day bits for a list such as `Mon-Fri`, `Sat` or `Mon,Wed-Thu`.
  private static func days(_ text: ArraySlice<UInt8>) -> UInt8? {
    var days: UInt8 = 0
    for part in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let ends = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { end in
        end.count < 3
          ? nil : names.firstIndex { $0.utf8.prefix(end.count).elementsEqual(end, by: { $0 | 0x20 == $1 | 0x20 }) }
      }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
        return nil
      }
      for day in first...last { days |= 1 << UInt8(day) }
    }
    return days
  }

  /// Returns the minutes from midnight to a time such as `07:30` or `8`; 1440 for `24:00`.
  private static func minute(_ text: ArraySlice<UInt8>) throws(WeeklyHoursError) -> Int64 {
    let numbers = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard numbers.count <= 2, (1...2).contains(numbers[0].count), numbers.dropFirst().allSatisfy({ $0.count == 2 }),
      text.allSatisfy({ (0x30...0x3A).contains($0) })
    else { throw .time(String(decoding: text, as: UTF8.self)) }
    let values = numbers.map { digits in digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
    let past = values.count == 2 ? values[1] : 0
    let minute = values[0] * 60 + past
    guard past < 60, minute <= 1440 else { throw .time(String(decoding: text, as: UTF8.self)) }
    return minute
  }

  /// The text form: `Mon-Fri 07:00-19:30`.
  package var text: String {
    @export(interface) get {
      var parts: [String] = []
      var day = 0
      while day < 7 {
        let first = day
        while day < 7, days & 1 << UInt8(day) != 0 { day += 1 }
        let names = [first, day - 1].map { String(WeeklyHours.names[max(0, $0)].prefix(3)) }
        if day - first == 1 { parts.append(names[0]) }
        if day - first > 1 { parts.append(names.joined(separator: "-")) }
        day += 1
      }
      return parts.joined(separator: ",") + " " + WeeklyHours.clock(minutes.lowerBound) + "-"
        + WeeklyHours.clock(minutes.upperBound)
    }
  }

  private static func clock(_ minute: Int64) -> String {
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
    return two(minute / 60) + ":" + two(minute % 60)
  }

  /// Whether the two ranges share at least one minute of the week.
  package func overlaps(_ other: WeeklyHours) -> Bool { days & other.days != 0 && minutes.overlaps(other.minutes) }

  func contains(_ day: CalendarDay, minute: Int64) -> Bool {
    days & 1 << UInt8(day.weekday) != 0 && minutes.contains(minute)
  }
}

/// The reason why an action may not run now.
package enum TimeFault: Hashable, Sendable, CaseIterable {
  case outsideHours
  case holiday
  case notYet
  case noLonger
  /// The time is not known.
  case clockUnknown
  /// The kiosk's time zone is not installed.
  case zoneUnknown
}

/// The times at which an action may run.
package struct ActionTimes: Hashable, Sendable {
  /// The first day; `nil` means no lower limit.
  package var from: CalendarDay?
  /// The last day; `nil` means no upper limit.
  package var until: CalendarDay?
  /// The hours of the week in which the action may run; empty means every hour, including holidays.
  package var hours: [WeeklyHours] = []
  /// Whether the action may run while the time is not known.
  package var allowsUnknownClock = false

  /// Creates times without any restriction.
  package init() {}

  /// Returns why the action may not run at the given time, in seconds since 1970; `nil` if it may.
  func fault(at unixSeconds: Int64, in calendar: LocalCalendar) -> TimeFault? {
    guard let offset = calendar.secondsEastOfUTC(unixSeconds) else { return .zoneUnknown }
    let local = unixSeconds + offset
    let rest = local % 86_400
    let second = rest < 0 ? rest + 86_400 : rest
    let day = CalendarDay(number: (local - second) / 86_400)
    if let from, day < from { return .notYet }
    if let until, until < day { return .noLonger }
    if hours.isEmpty { return nil }
    if calendar.holidays.contains(day) { return .holiday }
    return hours.contains { $0.contains(day, minute: second / 60) } ? nil : .outsideHours
  }
}

/// The kiosk's time zone and its holidays.
package struct LocalCalendar: Sendable {
  /// The days on which no hours apply.
  package var holidays: Set<CalendarDay>
  /// Returns the zone's offset from UTC, in seconds, at a time in seconds since 1970; `nil` if the zone is not known.
  package var secondsEastOfUTC: @Sendable (_ unixSeconds: Int64) -> Int64?

  /// Creates a calendar with the given holidays, in UTC unless the offset is specified.
  package init(
    holidays: Set<CalendarDay> = [], secondsEastOfUTC: @escaping @Sendable (_ unixSeconds: Int64) -> Int64? = { _ in 0 }
  ) {
    self.holidays = holidays
    self.secondsEastOfUTC = secondsEastOfUTC
  }
}

extension Kiosk {
  /// Returns why a tap, a press or a command may not run the action now.
  func timeRefusal(of action: Action, at now: Moment) -> TapRefusal? {
    guard let times = action.times else { return nil }
    guard clockIsGood else {
      return times.allowsUnknownClock ? nil : .wrongTime(action: action.name, .clockUnknown)
    }
    return times.fault(at: now.unixSeconds, in: settings.calendar).map { .wrongTime(action: action.name, $0) }
  }

  /// Returns why this tag may not run its action now.
  func timeRefusal(of tap: VerifiedTap, at now: Moment) -> TapRefusal? {
    timeRefusal(of: tap.action, at: now)
      ?? tap.secret?.timeRefusal(for: tap.action, at: now, clockIsGood: clockIsGood, in: settings.calendar)
  }
}
