// Parser for the times at which an action is permitted: `valid:`, `hours:` and `clock_unknown:` of an action, and the
// kiosk's `time_zone:` and `holidays:`.

import TappetCore
import TappetPlatform

extension YAMLReader {
  /// Reads the times at which an action is permitted; `nil` if there are no restrictions, or after an error.
  mutating func times(in mapping: YAMLMapping) -> ActionTimes? {
    if let node = mapping["clock_unknown"], mapping["hours"] == nil, mapping["valid"] == nil {
      note(.needsPartner("clock_unknown", partner: "hours"), at: node.position, mapping.node.place)
    }
    guard mapping["hours"] != nil || mapping["valid"] != nil else { return nil }
    var times = ActionTimes()
    if let node = mapping["valid"], let valid = self.mapping(node, keys: ["from", "until"]) {
      times.from = day(valid["from"])
      times.until = day(valid["until"])
      if let from = times.from, let until = times.until, until < from, let node = valid["until"] {
        invalid(node, expected: "a day that does not precede 'from'")
      }
    }
    times.hours = hours(mapping["hours"])
    times.allowsUnknownClock = choice(mapping["clock_unknown"], of: ["refuse", "allow"]) == 1
    return times
  }

  private mutating func hours(_ node: YAMLNode?) -> [WeeklyHours] {
    guard let node, let elements = list(node, max: Limits.hoursMax, of: " hours") else { return [] }
    var known: [WeeklyHours] = []
    for element in elements {
      guard let text = text(element) else { continue }
      do throws(WeeklyHoursError) {
        let hours = try WeeklyHours(text)
        if known.contains(where: { $0.overlaps(hours) }) {
          invalid(element, expected: "hours that do not overlap with other hours in the list")
        }
        known.append(hours)
      } catch {
        switch error {
        case .malformed: invalid(element, expected: "days and hours such as 'Mon-Fri 07:00-19:30'")
        case .days(let part):
          note(.invalidValue(part, expected: "written with days such as 'Mon-Fri' or 'Sat,Sun'"), at: element)
        case .time(let part): note(.invalidValue(part, expected: "written with times such as '07:00'"), at: element)
        case .endsBeforeBegin:
          invalid(element, expected: "hours that end after they start; split them at midnight: 24:00 and 00:00")
        }
      }
    }
    return known
  }

  mutating func holidays(_ node: YAMLNode?) -> Set<CalendarDay> {
    guard let node, let elements = list(node, max: Limits.holidaysMax, of: " holidays") else { return [] }
    var days: Set<CalendarDay> = []
    for element in elements { if let day = day(element) { days.insert(day) } }
    return days
  }

  private mutating func day(_ node: YAMLNode?) -> CalendarDay? {
    guard let node, let text = text(node) else { return nil }
    if let day = CalendarDay(text) { return day }
    invalid(node, expected: "a day such as '2026-12-25'")
    return nil
  }

  /// Reads the name of a time zone; a newer system may no longer have it.
  mutating func timeZone(_ node: YAMLNode?) -> String? {
    guard let node, let name = shortText(node, sizeMax: Limits.timeZoneSizeMax) else { return nil }
    guard WallTime.isZoneName(name) else {
      invalid(node, expected: "the name of a time zone such as 'Europe/Berlin' (a file in /usr/share/zoneinfo)")
      return nil
    }
    if files != .ignored, !WallTime.isInstalled(timeZone: name) { noteFile(.timeZoneMissing(name), at: node) }
    return name
  }
}
