// Times on the command line, in the time zone of the machine.

import TappetCore
import TappetPlatform
import Testing

@testable import TappetKioskTool

@Suite struct HistoryTimeTests {
  // 2026-08-01 10:51:07 in any time zone.
  private let now = WallTime.unixSeconds(
    dayOf: WallTime.unixSeconds(localDate: UTCTime(unixSeconds: 1_785_542_400)), hour: 10, minute: 51, second: 7)

  private func text(_ words: String, isEnd: Bool = false, after start: Int64? = nil) -> String? {
    HistoryTime.unixMilliseconds(words, now: now * 1000, isEnd: isEnd, after: start)
      .map { WallTime.second(unixMilliseconds: $0) }
  }

  @Test(arguments: [
    ("30min", "2026-08-01 10:21:07"), ("2h", "2026-08-01 08:51:07"), ("today", "2026-08-01 00:00:00"),
    ("yesterday", "2026-07-31 00:00:00"), ("Yesterday 14:30", "2026-07-31 14:30:00"), ("9:05", "2026-08-01 09:05:00"),
    ("2026-07-01", "2026-07-01 00:00:00"), ("2026-07-01 23:59:59", "2026-07-01 23:59:59"),
    ("2026-07-01T08:00", "2026-07-01 08:00:00"), ("28.7.2026", "2026-07-28 00:00:00"),
    ("28.07.2026 12:00", "2026-07-28 12:00:00"), ("2026/07/28", "2026-07-28 00:00:00"),
    ("18:00", "2026-07-31 18:00:00"), ("10:51:07", "2026-08-01 10:51:07"), ("today 18:00", "2026-08-01 18:00:00"),
    ("1 day", "2026-07-31 10:51:07"), ("2 weeks ago", "2026-07-18 10:51:07"), ("3 hours", "2026-08-01 07:51:07"),
  ])
  func `times are accepted in common notations`(_ words: String, _ meant: String) { #expect(text(words) == meant) }

  @Test(arguments: [
    ("18:00", "22:00", "2026-07-31 22:00:00"), ("22:00", "6:00", "2026-08-01 06:00:00"),
    ("8:00", "9:30", "2026-08-01 09:30:00"), ("9:00", "12:00", "2026-08-01 12:00:00"),
    ("yesterday", "12:00", "2026-07-31 12:00:00"), ("2h", "2026-07-31", "2026-08-01 00:00:00"),
  ])
  func `an end that is a time alone follows the start`(_ start: String, _ end: String, _ meant: String) throws {
    let start = try #require(HistoryTime.unixMilliseconds(start, now: now * 1000))
    #expect(text(end, isEnd: true, after: start) == meant)
  }

  @Test func `a day given as the end is included, and anything else is not a time`() {
    #expect(text("yesterday", isEnd: true) == "2026-08-01 00:00:00")
    #expect(text("2026-07-31", isEnd: true) == "2026-08-01 00:00:00")
    #expect(text("2026-07-31 12:00", isEnd: true) == "2026-07-31 12:00:00")
    for words in [
      "", "noon", "25:00", "12:60", "12", "tomorrow 12", "yesterday noon", "2026-13-01", "1:2:3:4", "31.6.2026",
      "1 ago", "2 d d", "28.7", "7d ago ago", "5ss",
    ] {
      #expect(text(words) == nil, "\(words)")
    }
  }
}
