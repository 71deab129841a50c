// `valid:`, `hours:` and `clock_unknown:` of an action, and the kiosk's `time_zone:` and `holidays:`.

import TappetPlatform
import Testing

@testable import TappetConfig
@testable import TappetCore
@testable import TappetMessages

@Suite struct TimesConfigurationTests {
  private func parse(_ action: String, _ more: String = "") -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: door, topic: t, message: m\(action)}
      \(more)
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  private func mistakes(_ action: String, _ more: String = "") -> [String] {
    guard case .refused(let problems) = parse(action, more) else { return [] }
    return problems.map { $0.sentence }
  }

  @Test func `hours, days, the zone and holidays are read, and all are optional`() throws {
    let outcome = parse(
      ", hours: ['Mon-Fri 07:00-19:30', Sat 09:00-12:00], valid: {from: 2026-01-01, until: 2026-12-31}, "
        + "clock_unknown: allow", "time_zone: Europe/Berlin\nholidays: [2026-12-25, 2026-12-26]")
    guard case .loaded(let configuration) = outcome, let times = configuration.actions[0].times else {
      Issue.record("\(outcome)")
      return
    }
    #expect(times.hours.count == 2 && times.allowsUnknownClock && times.from == CalendarDay("2026-01-01"))
    #expect(configuration.calendar.timeZone == "Europe/Berlin" && configuration.calendar.holidays.count == 2)
    guard case .loaded(let plain) = parse("") else {
      Issue.record("a plain action")
      return
    }
    #expect(plain.actions[0].times == nil && plain.calendar == CalendarSettings())
  }

  @Test func `each error is reported with its place`() {
    let place = "k:3:48: actions[0].hours[0] must be "
    #expect(mistakes(", hours: [Mon 07:00]")[0].hasSuffix("such as 'Mon-Fri 07:00-19:30', not 'Mon 07:00'"))
    #expect(mistakes(", hours: [Mon 7.30-9]") == [place + "written with times such as '07:00', not '7.30'"])
    #expect(
      mistakes(", hours: [Mo-Fr 07:00-09:00]") == [
        place + "written with days such as 'Mon-Fri' or 'Sat,Sun', not 'Mo-Fr'"
      ])
    #expect(
      mistakes(", hours: [Mon 19:00-07:00]") == [
        place + "hours that end after they start; split them at midnight: 24:00 and 00:00, not 'Mon 19:00-07:00'"
      ])
    let overlap = mistakes(", hours: [Mon-Fri 07:00-12:00, Fri 11:00-13:00]")
    #expect(
      overlap.count == 1
        && overlap[0].hasSuffix(
          "actions[0].hours[1] must be hours that do not overlap with other hours in the list, not 'Fri 11:00-13:00'")
    )
    #expect(mistakes(", valid: {from: 2026-02-29}")[0].hasSuffix("a day such as '2026-12-25', not '2026-02-29'"))
    #expect(
      mistakes(", valid: {from: 2026-03-01, until: 2026-02-28}")[0].hasSuffix(
        "a day that does not precede 'from', not '2026-02-28'"))
    #expect(mistakes(", clock_unknown: allow")[0].contains("'clock_unknown' also needs 'hours'"))
    #expect(mistakes("", "holidays: [2026-13-01]")[0].hasPrefix("k:4:12: holidays[0] must be a day"))
  }

  @Test(arguments: ["../../../etc/passwd", "/etc/passwd", "a b"])
  func `a name that no zone can have is an error`(_ name: String) {
    let sentences = mistakes("", "time_zone: \(name)")
    #expect(sentences.count == 1 && sentences[0].hasPrefix("k:4:12: time_zone must be the name of a time zone"))
  }

  @Test(arguments: [
    ("Europe/Berlln", "such as 'Europe/Berlin'; old names are in the package tzdata-legacy"),
    ("Europe", "such as 'Europe/Berlin'"), ("No/Such", "tzdata-legacy"),
  ])
  func `a zone that is not installed is an error in a check, and tolerated at a start`(
    _ name: String, _ words: String
  ) throws {
    let text =
      "actions: [{name: a, topic: t, message: m}]\nbroker: {url: mqtt://h, client_id: k}\ntime_zone: \(name)\n"
    for files in [NamedFiles.used, .required] {
      guard
        case .refused(let problems) = ConfigurationParser.parse(
          Array(text.utf8), name: "k", folder: "/", files: files)
      else {
        Issue.record("\(name) was accepted")
        continue
      }
      #expect(problems.count == 1 && problems[0].sentence.contains(words), "\(problems.map(\.sentence))")
    }
    guard
      case .loaded(let configuration) = ConfigurationParser.parse(
        Array(text.utf8), name: "k", folder: "/", files: .tolerated)
    else {
      Issue.record("\(name) prevents a start")
      return
    }
    #expect(configuration.warnings.map(\.kind) == [.timeZoneMissing(name)] && !configuration.knowsHours)
    #expect(configuration.unknownHoursSentence?.contains(words) == true)
    let times = ActionTimes(hours: ["Mon-Sun 00:00-24:00"])
    #expect(times.fault(at: 1_790_000_000, in: KioskSettings(configuration).calendar) == .zoneUnknown)
  }

  @Test(arguments: [("US/Eastern", "America/New_York"), ("GB", "Europe/London"), ("Europe/Kiev", "Europe/Kyiv")])
  func `the message states the current name of an obsolete zone`(_ old: String, _ modern: String) {
    #expect(OldTimeZone.sentence(old).contains("use 'time_zone: \(modern)'"))
    #expect(WallTime.isInstalled(timeZone: modern))
  }
}

extension ActionTimes {
  fileprivate init(hours: [String]) {
    self.init()
    self.hours = hours.compactMap { try? WeeklyHours($0) }
  }
}
