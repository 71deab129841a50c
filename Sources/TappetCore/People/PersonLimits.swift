// A person's limits, in addition to those of the action: a range of days, hours of the week, and a number of uses. The
// kiosk defines the time zone and the holidays, and the action the rule for an unknown clock.

/// The reason why limits are rejected.
package enum PersonLimitsError: Error, Hashable, Sendable {
  /// The text is not a date.
  case day(String)
  /// The last day precedes the first day.
  case endsBeforeBegin
  /// The text does not specify valid hours.
  case hours(String)
  /// The hours end before they start.
  case hoursEndBeforeBegin(String)
  /// The hours overlap with hours listed before.
  case overlap(String)
  /// There are more periods of hours than allowed.
  case tooManyHours(max: Int)
  /// The number of uses is out of range.
  case uses(max: Int64)
}

/// The limits of a person, which apply to all of the person's tags together.
package struct PersonLimits: Hashable, Sendable {
  /// The times at which the person may act; unrestricted by default.
  package var times = ActionTimes()
  /// Number of taps that are allowed; `nil` means no limit.
  ///
  /// It is 1 for a day ticket.
  package var uses: Int64?
  /// The name under which taps are counted; each grant has a new name.
  package var ticket = ""
  /// The number of taps counted by the store.
  package var used: Int64 = 0

  /// Creates limits that allow everything.
  package init() {}

  /// Creates limits from user input.
  @export(interface)
  package init(
    from: String?, until: String?, hours: [String], uses: Int64?, ticket: String
  ) throws(PersonLimitsError) {
    times.from = try PersonLimits.day(from)
    times.until = try PersonLimits.day(until)
    if let from = times.from, let until = times.until, until < from { throw .endsBeforeBegin }
    guard hours.count <= Limits.hoursMax else { throw .tooManyHours(max: Limits.hoursMax) }
    for text in hours {
      let more = try PersonLimits.hours(text)
      if times.hours.contains(where: { $0.overlaps(more) }) { throw .overlap(text) }
      times.hours.append(more)
    }
    if let uses {
      guard (0...Limits.ticketUsesMax).contains(uses) else { throw .uses(max: Limits.ticketUsesMax) }
      self.uses = uses
      self.ticket = ticket
    }
  }

  private static func day(_ text: String?) throws(PersonLimitsError) -> CalendarDay? {
    guard let text else { return nil }
    guard let day = CalendarDay(text) else { throw .day(text) }
    return day
  }

  private static func hours(_ text: String) throws(PersonLimitsError) -> WeeklyHours {
    do throws(WeeklyHoursError) { return try WeeklyHours(text) } catch {
      switch error {
      case .malformed, .days, .time: throw .hours(text)
      case .endsBeforeBegin: throw .hoursEndBeforeBegin(text)
      }
    }
  }

  /// Whether there are no limits.
  package var isEmpty: Bool { times == ActionTimes() && uses == nil }

  // MARK: As text

  /// The limits as lines of text for the store, one per limit.
  package var lines: [String] {
    @export(interface) get {
      var lines: [String] = []
      if let from = times.from { lines.append("from " + from.text) }
      if let until = times.until { lines.append("until " + until.text) }
      for hours in times.hours { lines.append("hours " + hours.text) }
      if let uses { lines.append("uses \(uses) \(ticket)") }
      return lines
    }
  }

  /// Parses lines from the store; `nil` if a line is unknown or malformed.
  @export(interface)
  package init?(lines: [String]) {
    var (from, until, uses, ticket) = (String?.none, String?.none, Int64?.none, "")
    var hours: [String] = []
    for line in lines {
      let parts = line.utf8.split(separator: 0x20, maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let rest = String(decoding: parts[1], as: UTF8.self)
      if parts[0].elementsEqual("from".utf8) {
        from = rest
      } else if parts[0].elementsEqual("until".utf8) {
        until = rest
      } else if parts[0].elementsEqual("hours".utf8) {
        hours.append(rest)
      } else if parts[0].elementsEqual("uses".utf8) {
        let facts = rest.utf8.split(separator: 0x20)
        guard facts.count == 2, let count = Int64(decimal: facts[0]) else { return nil }
        (uses, ticket) = (count, String(decoding: facts[1], as: UTF8.self))
      } else {
        return nil
      }
    }
    guard
      let known = try? PersonLimits(from: from, until: until, hours: hours, uses: uses, ticket: ticket)
    else { return nil }
    self = known
  }
}

extension CalendarDay {
  /// The date in the form `2026-12-25`.
  package var text: String { String(UTCTime(unixSeconds: number * 86_400).text.prefix(10)) }
}

extension TagSecret {
  /// The name under which uses of the secret are counted; `nil` if uses are not counted.
  var ticket: String? { person?.limits?.uses == nil ? nil : person?.limits?.ticket }

  /// Returns the reason why the secret's owner may not act at the given time; `nil` if there is none.
  func timeRefusal(for action: Action, at now: Moment, clockIsGood: Bool, in calendar: LocalCalendar) -> TapRefusal? {
    guard let person, let times = person.limits?.times, times != ActionTimes() else { return nil }
    let fault: TimeFault?
    if clockIsGood {
      fault = times.fault(at: now.unixSeconds, in: calendar)
    } else {
      fault = action.times?.allowsUnknownClock == true ? nil : .clockUnknown
    }
    return fault.map { .limitedPerson(action: action.name, person: person.name, $0) }
  }
}
