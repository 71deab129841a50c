// When an action may be done: days, hours, holidays, both changes of the clock, and a clock that nobody knows.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct ActionTimesTests {
  /// Berlin in 2026: summer time from 29 March to 25 October, 01:00 UTC.
  private static let berlin = LocalCalendar(
    holidays: [CalendarDay(number: 20_812)],
    secondsEastOfUTC: { (1_774_746_000..<1_792_890_000).contains($0) ? 7200 : 3600 })

  /// Seconds since 1970 of a time in UTC: `2026-03-29 01:00`.
  private static func unix(_ text: String) throws -> Int64 {
    try #require(WallTime.unixMilliseconds(utc: text.replacing(" ", with: "T") + ":00.000Z")) / 1000
  }

  private static func times(_ hours: String...) throws -> ActionTimes {
    var times = ActionTimes()
    times.hours = try hours.map { try WeeklyHours($0) }
    return times
  }

  private func fault(_ times: ActionTimes, _ utc: String, second: Int64 = 0) throws -> TimeFault? {
    times.fault(at: try ActionTimesTests.unix(utc) + second, in: ActionTimesTests.berlin)
  }

  @Test func `hours include their start time and exclude their end time`() throws {
    let times = try ActionTimesTests.times("Mon-Fri 07:00-19:30", "Sat 09:00-12:00")
    // Friday, 9 January 2026, in winter.
    #expect(try fault(times, "2026-01-09 05:59", second: 59) == .outsideHours)
    #expect(try fault(times, "2026-01-09 06:00") == nil && fault(times, "2026-01-09 18:29", second: 59) == nil)
    #expect(try fault(times, "2026-01-09 18:30") == .outsideHours)
    #expect(try fault(times, "2026-01-10 08:00") == nil && fault(times, "2026-01-10 11:00") == .outsideHours)
    #expect(try fault(times, "2026-01-11 09:00") == .outsideHours)
  }

  @Test func `24:00 includes the last minute of a day, and excludes midnight`() throws {
    let day = try ActionTimesTests.times("Fri 00:00-24:00")
    #expect(try fault(day, "2026-01-08 22:59", second: 59) == .outsideHours && fault(day, "2026-01-08 23:00") == nil)
    #expect(try fault(day, "2026-01-09 22:59", second: 59) == nil && fault(day, "2026-01-09 23:00") == .outsideHours)
    let last = try ActionTimesTests.times("Fri 23:59-24:00")
    #expect(try fault(last, "2026-01-09 22:58", second: 59) == .outsideHours && fault(last, "2026-01-09 22:59") == nil)
  }

  @Test func `hours follow local time when the clocks change`() throws {
    let night = try ActionTimesTests.times("Sun 02:00-03:00")
    // 29 March: after 01:59:59 comes 03:00:00.
    #expect(try fault(night, "2026-03-29 00:59", second: 59) == .outsideHours)
    #expect(try fault(night, "2026-03-29 01:00") == .outsideHours)
    // 25 October: the hour comes twice.
    #expect(try fault(night, "2026-10-24 23:59", second: 59) == .outsideHours)
    #expect(try fault(night, "2026-10-25 00:00") == nil && fault(night, "2026-10-25 01:59", second: 59) == nil)
    #expect(try fault(night, "2026-10-25 02:00") == .outsideHours)
    let morning = try ActionTimesTests.times("Mon-Sun 07:00-08:00")
    #expect(try fault(morning, "2026-03-28 06:00") == nil && fault(morning, "2026-03-29 05:00") == nil)
    #expect(try fault(morning, "2026-10-24 05:00") == nil && fault(morning, "2026-10-25 06:00") == nil)
  }

  @Test func `hours do not apply on holidays, and actions without hours are unaffected`() throws {
    let christmas = try #require(CalendarDay("2026-12-25"))
    #expect(christmas.number == 20_812)
    let times = try ActionTimesTests.times("Mon-Sun 00:00-24:00")
    #expect(try fault(times, "2026-12-24 22:59", second: 59) == nil && fault(times, "2026-12-24 23:00") == .holiday)
    #expect(try fault(times, "2026-12-25 22:59", second: 59) == .holiday && fault(times, "2026-12-25 23:00") == nil)
    var days = ActionTimes()
    days.until = christmas
    #expect(try fault(days, "2026-12-25 12:00") == nil)
  }

  @Test func `the first and last day are valid for the whole day`() throws {
    var times = ActionTimes()
    times.from = CalendarDay("2026-01-09")
    times.until = CalendarDay("2026-01-10")
    #expect(try fault(times, "2026-01-08 22:59", second: 59) == .notYet && fault(times, "2026-01-08 23:00") == nil)
    #expect(try fault(times, "2026-01-10 22:59", second: 59) == nil && fault(times, "2026-01-10 23:00") == .noLonger)
  }

  @Test(
    arguments: [
      ("", .malformed), ("8", .malformed), ("Mon 07:00", .malformed),
      ("Mon, 07:00-08:00", .malformed), ("Mon 07:00-08:00-09:00", .malformed), ("Mon - 07:00-08:00", .malformed),
      ("Mon 07:00-08:60", .time("08:60")), ("Mon 07:00-24:01", .time("24:01")), ("Mon 0+:00-08:00", .time("0+:00")),
      ("Mon 07:00-8:0", .time("8:0")), ("Mon 007:00-08:00", .time("007:00")),
      ("Fri-Mon 07:00-08:00", .days("Fri-Mon")), ("Mon-Tue-Wed 07:00-08:00", .days("Mon-Tue-Wed")),
      ("Montag 07:00-08:00", .days("Montag")), ("Mo-Fr 07:00-08:00", .days("Mo-Fr")),
    ] as [(String, WeeklyHoursError)])
  func `text that is not valid hours is refused, and the invalid part is reported`(
    _ text: String, _ error: WeeklyHoursError
  ) {
    #expect(throws: error) { try WeeklyHours(text) }
  }

  @Test(arguments: [
    ("Mon-Fri 7:00-19:30", "Mon-Fri 07:00-19:30"), ("Mon - Fri 07:00 - 19:30", "Mon-Fri 07:00-19:30"),
    ("Mon–Fri 07:00 – 19:30", "Mon-Fri 07:00-19:30"), ("sat, SUN  9:00-12:00 ", "Sat-Sun 09:00-12:00"),
    ("Tuesday 8-12", "Tue 08:00-12:00"), ("Thurs,sunday 8-12:30", "Thu,Sun 08:00-12:30"),
    ("Tuesday", "Tue 00:00-24:00"), ("8-12", "Mon-Sun 08:00-12:00"),
  ])
  func `unambiguous hours are accepted in any common notation`(_ text: String, _ meant: String) throws {
    #expect(try WeeklyHours(text).text == meant)
  }

  @Test func `hours that end before they start, nonexistent days and overlaps are refused`() throws {
    for text in ["Mon 19:00-07:00", "Mon 07:00-07:00", "Mon 24:00-24:00"] {
      #expect(throws: WeeklyHoursError.endsBeforeBegin) { try WeeklyHours(text) }
    }
    for text in [
      "2026-02-29", "2026-13-01", "2026-00-10", "2026-1", "26-01-01", "12/31/2026", "31.02.2026", "2026-01-01 12:00",
      "2026-01-32", "x", "2026-01-0a",
    ] {
      #expect(CalendarDay(text) == nil, "\(text)")
    }
    for text in ["31.12.2026", "2026/12/31", "2026-12-31T00:00:00Z"] {
      #expect(CalendarDay(text) == CalendarDay("2026-12-31"), "\(text)")
    }
    for text in ["Mon-Fri 800-1200", "Mon 8-5:5", "Tu 8-9", "Mon 8", "-", "Tuesdays", "Mon 8-25"] {
      #expect(throws: WeeklyHoursError.self, "\(text)") { try WeeklyHours(text) }
    }
    #expect(CalendarDay("2024-02-29") != nil && CalendarDay("1970-01-01")?.number == 0)
    let week = try WeeklyHours("Mon-Fri 07:00-12:00")
    #expect(try week.overlaps(WeeklyHours("Fri,Sat 11:59-13:00")) && !week.overlaps(WeeklyHours("Fri 12:00-13:00")))
    #expect(try !week.overlaps(WeeklyHours("Sat 07:00-12:00")))
  }

  // MARK: The kiosk

  /// A kiosk whose script begins on a Monday at this second of the day, with a tag and a button of one action.
  private func story(
    _ times: ActionTimes, at second: Int64, confirmWithin: Duration? = nil, clockIsGood: Bool = true
  ) throws -> (KioskScript, TagReading) {
    let action = Action(
      name: "door", title: "", index: 1, topic: "t", message: PayloadTemplate("m"), cooldown: .zero,
      confirmWithin: confirmWithin, times: times)
    let story = KioskScript([action], panel: .pressing("door"))
    story.wallOffset = (try #require(CalendarDay("2026-01-05")).number * 86_400 + second) * 1000
    story.startAll(clockIsGood: clockIsGood)
    story.openButtons()
    let secret = TagSecret.of(action, id: "door-1", byte: 0x11)
    story.at(20, .secretsLoaded([secret]))
    return (story, .of(secret))
  }

  @Test func `taps and presses act within the hours, and are refused outside them with the reason`() throws {
    let times = try ActionTimesTests.times("Mon 07:00-19:30")
    let (open, tag) = try story(times, at: 7 * 3600)
    #expect(open.tap(at: 100, tag) == ["store door", "note door-1"])
    let (closed, sameTag) = try story(times, at: 19 * 3600 + 1800)
    #expect(
      closed.tap(at: 100, sameTag) == ["light refused", "report refused wrong time outsideHours for door"])
    let pressed = closed.edge(0, true, at: 5_000)
    #expect(pressed.contains("light refused") && !pressed.contains { $0.hasPrefix("store") }, "\(pressed)")
  }

  @Test func `a tag does nothing if its confirmation would end after the hours`() throws {
    let times = try ActionTimesTests.times("Mon 07:00-19:30")
    let (story, tag) = try story(times, at: 19 * 3600 + 1799, confirmWithin: .seconds(2))
    story.at(100, .reader(.tagArrived(tag.uid)))
    #expect(!story.at(100, .reader(.tagRead(tag))).contains("light refused"))
    let words = story.at(2_200, .timerFired)
    #expect(words.contains("light refused") && !words.contains { $0.hasPrefix("store") }, "\(words)")
  }

  @Test func `while the clock is unknown, the action's own setting applies`() throws {
    var times = try ActionTimesTests.times("Tue 07:00-19:30")
    let (refusing, tag) = try story(times, at: 36_000, clockIsGood: false)
    #expect(refusing.tap(at: 100, tag).contains("report refused wrong time clockUnknown for door"))
    times.allowsUnknownClock = true
    let (allowing, sameTag) = try story(times, at: 36_000, clockIsGood: false)
    #expect(allowing.tap(at: 100, sameTag) == ["store door", "note door-1"])
  }
}
