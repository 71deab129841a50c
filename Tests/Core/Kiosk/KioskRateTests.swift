// How often a tag may tap, and how many refusals are reported.

import Testing

@testable import TappetCore

@Suite struct KioskRateTests {
  private let forged = SecretKey.repeating(0x99)

  /// Taps of forged tags, one every 100 ms from `start` on; returns the last one's effects as words.
  @discardableResult
  private func hammer(_ story: KioskScript, _ count: Int, from start: Int, uids: ClosedRange<Int>) -> String {
    for number in 0..<count {
      story.tap(at: start + number * 100, .signed(index: 1, key: forged, uid: uids.lowerBound + number % uids.count))
    }
    return story.lastEffects.map { $0.words }.last ?? ""
  }

  @Test func `repeated taps of a forged tag are throttled, and other tags are not`() {
    let story = KioskScript()
    story.startAll()
    #expect(hammer(story, 10, from: 1_000, uids: 7...7) == "report refused forged light")
    #expect(hammer(story, 1, from: 2_000, uids: 7...7) == "report refused too many, wait 5000")
    // The key is right, but the tag is not examined.
    #expect(story.tap(at: 3_000, .of(.lightSecret, uid: 7)).last == "report refused too many, wait 4000")
    #expect(story.tap(at: 3_100, .of(.lightSecret, uid: 8)) == ["store light", "note light-1"])
    #expect(story.tap(at: 7_000, .of(.lightSecret, uid: 7)) == ["store light", "note light-1"])
  }

  @Test func `a tag that was not refused is accepted, however many other tags are forged`() {
    let story = KioskScript()
    story.startAll()
    hammer(story, 200, from: 1_000, uids: 1_000...1_199)
    #expect(story.tap(at: 21_000, .of(.lightSecret, uid: 8)) == ["store light", "note light-1"])
    // A refused tag waits while that many others are refused.
    story.tap(at: 21_100, .signed(index: 1, key: forged, uid: 9))
    #expect(story.tap(at: 21_200, .of(.lightSecret, uid: 9)) == ["light refused"])
    #expect(story.tap(at: 27_100, .of(.lightSecret, uid: 9)) == ["store light", "note light-1"])
  }

  @Test func `a genuine tag is accepted once a second, and not faster`() {
    let action = Action(
      name: "light", title: "Light", index: 1, topic: "t", message: PayloadTemplate("x"), cooldown: .zero)
    let story = KioskScript([action])
    story.startAll()
    var stored = 0
    for number in 0..<100 {
      if story.tap(at: 1_000 + number * 200, .of(.lightSecret)).first == "store light" { stored += 1 }
    }
    // Sixty at once, and one a second during the twenty seconds.
    #expect((78...80).contains(stored))
    #expect(story.tap(at: 21_000, .of(.lightSecret, uid: 2)).first == "store light")
    #expect(story.tap(at: 90_000, .of(.lightSecret)).first == "store light")
  }

  @Test func `at most 600 scans are handled in any minute, however they are spread`() {
    for pause in [0, 10, 99, 150, 199] {
      var rates = TapRateLimiter()
      var taken: [Int] = []
      // Nothing for a minute, and then without a pause.
      for milliseconds in stride(from: 60_000, to: 240_000, by: max(1, pause)) {
        let now = Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
        if rates.takeScan(at: now) == nil { taken.append(milliseconds) }
      }
      #expect(taken.count > 600)
      for (index, start) in taken.enumerated() where index + 600 < taken.count {
        #expect(taken[index + 600] >= start + 60_000, "\(pause)")
      }
    }
  }

  @Test func `the number of tags in memory is bounded, whatever is tapped`() {
    var rates = TapRateLimiter()
    for number in 0..<10_000 {
      rates.recordRefused(.number(number), at: Instant(nanoseconds: Int64(number) * 1_000_000))
    }
    let now = Instant(nanoseconds: 10_000_000_000)
    let known = (0..<10_000).filter { rates.waitToBeVerified(.number($0), at: now) != nil }
    #expect(known == Array(10_000 - Limits.tapRatesMax..<10_000))
  }

  @Test func `thirty refusals a minute are logged individually, and the rest are counted`() {
    let story = KioskScript()
    story.startAll()
    var lines = 0
    for number in 0..<100 {
      let words = story.tap(at: 1_000 + number * 100, .signed(index: 1, key: forged, uid: number))
      #expect(words.first == "light refused")
      lines += words.filter { $0.hasPrefix("report") }.count
    }
    #expect(lines == 30 && story.kiosk.counters.refused == 100)
    story.at(12_000, .reader(.heartbeat))
    story.at(24_000, .reader(.heartbeat))
    story.at(36_000, .reader(.heartbeat))
    story.at(48_000, .reader(.heartbeat))
    story.at(59_000, .reader(.heartbeat))
    #expect(story.wakesAt == 61_000)
    #expect(story.at(61_000, .timerFired) == ["report refused 70 more"])
    #expect(story.wakesAt == 71_000)
    #expect(story.tap(at: 61_100, .signed(index: 1, key: forged, uid: 500)).last == "report refused forged light")
  }

  @Test func `unreported refusals are reported when the kiosk stops`() {
    let story = KioskScript()
    story.startAll()
    hammer(story, 33, from: 1_000, uids: 1...33)
    #expect(story.at(9_000, .stopRequested).contains("report refused 3 more"))
  }
}
