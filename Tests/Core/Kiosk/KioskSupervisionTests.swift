// The reader, the link, the disk and the end: each recovers by itself, and something is always pending or due.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct KioskSupervisionTests {
  // MARK: The reader

  @Test func `a silent reader is killed, and restarted a moment after it ends`() {
    let story = KioskScript()
    story.startAll()
    story.at(3_000, .reader(.heartbeat))
    #expect(story.wakesAt == 15_000)
    #expect(story.at(15_000, .timerFired) == ["kill reader", "light reader-lost", "report reader lost silent"])
    #expect(story.wakesAt == nil)
    #expect(story.at(15_010, .readerEnded(.signaled(9))) == [])
    #expect(story.sleep(until: 15_260) == ["start reader"])
    #expect(story.at(15_300, .reader(.ready(device: "chip"))) == ["light ready", "report reader ready chip"])
  }

  @Test func `a reader that never becomes ready, or hangs on a tag, is killed`() {
    let story = KioskScript()
    story.start()
    #expect(story.sleep(until: 6_000).contains("kill reader"))
    let other = KioskScript()
    other.startAll()
    other.at(1_000, .reader(.tagArrived(.number(1))))
    other.at(4_000, .reader(.heartbeat))
    #expect(other.sleep(until: 6_000).contains("kill reader"))
  }

  @Test func `a reader that reports a lost device is killed if it does not end`() {
    let story = KioskScript()
    story.startAll()
    #expect(
      story.at(1_000, .reader(.lost(.ioError, code: -1))) == ["light reader-lost", "report reader lost ioError -1"])
    #expect(story.sleep(until: 2_000) == ["kill reader"])
    #expect(story.sleep(until: 9_000) == [])
    story.at(9_001, .readerEnded(.signaled(9)))
    #expect(story.sleep(until: 9_251) == ["start reader"])
  }

  @Test func `a reader that keeps failing is restarted at growing intervals, and reported once`() {
    let story = KioskScript()
    story.startAll()
    var time = 1_000
    var delays: [Int] = []
    var reports = story.at(time, .readerEnded(.exited(1))).filter { $0.hasPrefix("report") }
    for _ in 0..<6 {
      let wake = story.wakesAt ?? 0
      delays.append(wake - time)
      time = wake
      #expect(story.at(time, .timerFired) == ["start reader"])
      reports += story.at(time, .readerNotStarted(code: 2)).filter { $0.hasPrefix("report") }
    }
    #expect(delays == [250, 500, 1_000, 1_500, 1_500, 1_500])
    #expect(reports == ["report reader lost exited 1", "report reader lost not started 2"])
  }

  @Test func `a reader that sends garbage is killed once, and its remaining messages are dropped`() {
    let story = KioskScript()
    story.startAll()
    #expect(
      story.at(100, .readerMalformed(.unknownKind(99))) == [
        "kill reader", "light reader-lost", "report reader lost malformed",
      ])
    #expect(story.at(101, .readerMalformed(.truncated(offset: 0))) == [])
    #expect(story.at(102, .reader(.ready(device: "chip"))) == [])
    #expect(story.at(103, .readerNotStarted(code: 2)) == [])
  }

  // MARK: The link

  @Test func `retry delays are random, below a ceiling that doubles up to a minute`() {
    var longest = [Int64](repeating: 0, count: 9)
    for seed in 1...60 {
      let story = KioskScript(seed: UInt64(seed))
      story.start()
      for attempt in 0..<9 {
        story.at(story.time, .link(.failed(.connectionRefused)))
        let delay = story.lastEffects.compactMap { $0.retryIn }.first?.wholeMilliseconds ?? -1
        #expect((1...min(64_000, 1_000 << Int64(attempt))).contains(delay))
        longest[attempt] = max(longest[attempt], delay)
        while let wake = story.wakesAt, !story.at(wake, .timerFired).contains("connect 0") {}
      }
    }
    // With sixty seeds some wait beyond half of each ceiling.
    for (attempt, delay) in longest.enumerated() { #expect(delay > min(64_000, 1_000 << Int64(attempt)) / 2) }
  }

  @Test func `the endpoints are tried in turn`() {
    let story = KioskScript(endpoints: 3)
    story.start()
    var connects: [String] = []
    for _ in 0..<4 {
      story.at(story.time, .link(.failed(.connectionRefused)))
      while let wake = story.wakesAt {
        let words = story.at(wake, .timerFired).filter { $0.hasPrefix("connect") }
        connects += words
        if !words.isEmpty { break }
      }
    }
    #expect(connects == ["connect 1", "connect 2", "connect 0", "connect 1"])
  }

  @Test func `the last working broker is remembered, and the next start begins with it`() {
    let story = KioskScript(endpoints: 3, firstEndpoint: 2)
    #expect(story.at(0, .started(OutboxSummary())).contains("connect 2"))
    #expect(!story.at(10, .link(.connected(sessionPresent: false))).contains { $0.hasPrefix("note broker") })
    story.at(60_000, .link(.lost(.closedByBroker)))
    #expect(story.sleep(until: 61_000).contains("connect 0"))
    #expect(story.at(61_100, .link(.connected(sessionPresent: false))).contains("note broker 0"))
  }

  @Test func `a shortened list of brokers starts with its first broker`() {
    let story = KioskScript(endpoints: 2, firstEndpoint: 5)
    #expect(story.at(0, .started(OutboxSummary())).contains("connect 0"))
  }

  @Test func `events of a link that was not requested have no effect`() {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 20, .of(.lightSecret))
    #expect(story.at(30, .link(.failed(.connectionRefused))) == [])
    #expect(story.at(31, .link(.disconnected)) == [])
    #expect(story.at(32, .link(.acknowledged(EntryID(high: 0, low: 0)))) == [])
    guard let entry = accepted else { return }
    #expect(story.at(33, .link(.acknowledged(entry.id))).last == "forget")
  }

  // MARK: The disk

  @Test func `a tap that could not be stored is refused, and the disk is tried again until it works`() throws {
    let story = KioskScript()
    story.startAll()
    story.tap(at: 100, .of(.lightSecret))
    let entry = try #require(story.lastEffects.compactMap { $0.storedEntry }.first)
    #expect(
      story.at(110, .store(.storeFailed(entry.id, .full))) == [
        "light refused", "light fault", "report store trouble full", "report refused not stored light full",
      ])
    #expect(story.wakesAt == 5_110)
    #expect(story.at(5_110, .timerFired) == ["check store"])
    #expect(story.at(5_120, .store(.checkFailed(.full))) == [])
    #expect(story.sleep(until: 10_120) == ["check store"])
    #expect(story.at(10_130, .store(.checked)) == ["light ready", "report store recovered"])
    #expect(story.tap(at: 10_200, .of(.lightSecret)) == ["store light", "note light-1"])
  }

  @Test func `entries that could not be fetched are fetched once the disk works`() {
    let story = KioskScript()
    story.start(summary: OutboxSummary(count: 1, size: 6))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    #expect(story.at(20, .brokerOutbox(.fetchFailed(.ioError))) == ["light fault", "report store trouble ioError"])
    #expect(story.sleep(until: 5_020) == ["check store"])
    #expect(
      story.at(5_030, .store(.checked)) == ["fetch after 0", "light ready", "report store recovered"])
  }

  @Test func `a full disk is shown at the start, and pending entries are delivered`() {
    let story = KioskScript()
    story.start(summary: OutboxSummary(count: 1, size: 6))
    #expect(story.at(1, .store(.checkFailed(.full))).contains("report store trouble full"))
    story.at(5, .reader(.ready(device: "chip")))
    #expect(story.at(10, .link(.connected(sessionPresent: false))).contains("fetch after 0"))
    #expect(story.kiosk.baseLight == .fault)
    // One that cannot even be read is asked again when it works, and not before.
    #expect(story.at(20, .brokerOutbox(.fetchFailed(.full))).filter { $0.hasPrefix("fetch") } == [])
    #expect(story.sleep(until: 5_020) == ["check store"])
    #expect(story.at(5_030, .store(.checked)) == ["fetch after 0", "light ready", "report store recovered"])
  }

  // MARK: The end

  @Test func `a stop delivers entries in flight, disconnects, and ends`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(story.at(200, .stopRequested) == ["stop reader", "light starting", "report stopping 1"])
    #expect(story.wakesAt == 3_200)
    #expect(story.at(250, .link(.acknowledged(entry.id))).contains("disconnect"))
    #expect(story.at(260, .readerEnded(.exited(0))) == [])
    #expect(story.at(270, .link(.disconnected)) == ["finish", "report link closed"])
    #expect(story.wakesAt == nil)
  }

  @Test func `a second request to stop ends the kiosk immediately`() {
    let story = KioskScript()
    story.startAll()
    story.accept(at: 100, .of(.lightSecret))
    story.at(200, .stopRequested)
    #expect(story.at(210, .stopRequested) == ["finish"])
    #expect(story.at(220, .stopRequested) == [])
  }

  @Test func `an unresponsive broker or reader delays a stop by at most four seconds`() {
    let story = KioskScript()
    story.startAll()
    story.accept(at: 100, .of(.lightSecret))
    story.at(200, .stopRequested)
    #expect(story.sleep(until: 3_200) == ["disconnect", "light starting"] || story.time == 3_200)
    #expect(story.sleep(until: 4_200).contains("finish"))
  }

  @Test func `during a stop, immediate actions are refused, and actions that can wait are queued`() {
    let story = KioskScript(panel: .pressing("garage", "light"))
    story.startAll()
    story.openButtons()
    story.accept(at: 100, .of(.lightSecret))
    story.at(200, .stopRequested)
    #expect(story.edge(0, true, at: 210) == ["light refused", "report refused broker away garage"])
    #expect(story.edge(1, true, at: 220) == ["store light"])
    #expect(story.commit(at: 230).words.first == "light queued")
  }

  // MARK: Progress

  @Test func `an unresponsive store counts as progress for three minutes, and then as stuck`() {
    let story = KioskScript()
    story.startAll()
    story.tap(at: 1_000, .of(.lightSecret, uid: 1))
    let first = story.lastEffects.compactMap { $0.storedEntry }.first
    story.tap(at: 100_000, .of(.lightSecret, uid: 2))
    story.at(180_900, .reader(.heartbeat))
    #expect(!story.kiosk.isStuck(at: story.moment(180_900)))
    #expect(story.kiosk.isStuck(at: story.moment(181_001)))
    // An answer is progress, though another one is pending.
    guard let first else { Issue.record("nothing stored"); return }
    story.at(181_002, .brokerOutbox(.stored(first.id, sequence: 1)))
    story.at(181_003, .timerFired)
    #expect(!story.kiosk.isStuck(at: story.moment(181_010)))
  }

  @Test func `a broker outage of hours does not cause a restart, but a hung thread does`() {
    let story = KioskScript()
    story.startOffline()
    for minute in 1...300 {
      for word in story.sleep(until: minute * 60_000) {
        if word.hasPrefix("connect") { story.at(story.time, .link(.failed(.connectionRefused))) }
        if word == "start reader" { story.at(story.time, .readerNotStarted(code: 2)) }
        if word == "kill reader" { story.at(story.time, .readerEnded(.signaled(9))) }
        #expect(!story.kiosk.isStuck(at: story.moment(story.time)))
      }
    }
    story.at(18_100_000, .timerFired)
    #expect(story.lastEffects.map { $0.words }.contains("connect 0"))
    story.at(18_280_001, .reader(.heartbeat))
    #expect(story.kiosk.isStuck(at: story.moment(18_280_001)))
  }

  @Test func `a loop without a heartbeat counts as stuck`() {
    let story = KioskScript()
    story.startAll()
    #expect(!story.kiosk.isStuck(at: story.moment(190_000)))
    #expect(story.kiosk.isStuck(at: story.moment(193_000)))
  }

  // MARK: Certificates

  @Test func `a certificate that expires soon is shown and reported once a day, and does not affect taps`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.at(20, .certificates(daysLeft: 15)) == [])
    #expect(
      story.at(30, .certificates(daysLeft: 14)) == [
        "light certificate-expiring", "report clock certificateExpiring 14",
      ])
    #expect(story.at(40, .certificates(daysLeft: 14)) == [])
    #expect(story.at(50, .certificates(daysLeft: 13)) == ["report clock certificateExpiring 13"])
    #expect(story.tap(at: 100, .of(.lightSecret)) == ["store light", "note light-1"])
    #expect(story.at(200, .certificates(daysLeft: -1)) == ["report clock certificateExpiring -1"])
    #expect(story.at(300, .certificates(daysLeft: nil)) == ["light ready", "report clock certificatesGood"])
  }

  @Test func `every other fault takes precedence over an expiring certificate`() {
    let story = KioskScript()
    story.startAll()
    story.at(20, .certificates(daysLeft: 3))
    story.at(30, .clockChecked(isSynchronized: false))
    #expect(story.kiosk.baseLight == .clockUnknown)
    story.at(40, .clockChecked(isSynchronized: true))
    #expect(story.kiosk.baseLight == .certificateExpiring)
  }

  // MARK: Lights and sleep

  @Test func `the most serious fault is shown`() {
    let story = KioskScript()
    story.start(clockIsGood: false)
    #expect(story.kiosk.baseLight == .clockUnknown)
    story.at(10, .link(.failed(.connectionRefused)))
    #expect(story.kiosk.baseLight == .offline)
    story.at(20, .readerNotStarted(code: 2))
    #expect(story.kiosk.baseLight == .readerLost)
    story.at(30, .store(.checkFailed(.full)))
    #expect(story.kiosk.baseLight == .fault)
    story.at(40, .store(.checked))
    #expect(story.kiosk.baseLight == .readerLost)
  }

  @Test func `an idle kiosk sleeps until the reader's timeout, and an early timer changes nothing`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.wakesAt == 12_005)
    #expect(story.at(500, .timerFired) == [])
    #expect(story.wakesAt == 12_005)
  }
}
