// The end of entries that wait: their time is over, or a person drops them, and the store agrees.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct KioskExpiryTests {
  // MARK: Expiry

  @Test func `a queued tap expires on time, and is not sent afterwards`() throws {
    let story = KioskScript([.brief])
    story.startOffline()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    story.at(150, .link(.failed(.connectionRefused)))
    let words = story.sleep(until: 5_099)
    #expect(!words.contains("expire"))
    story.at(5_099, .link(.failed(.connectionRefused)))
    #expect(story.at(5_100, .timerFired).contains("expire"))
    #expect(
      story.at(5_110, .brokerOutbox(.expired([entry], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.expired == 1)
  }

  @Test func `an expired entry stays in the store until it is reported, which happens once`() throws {
    let story = KioskScript([.brief])
    story.startOffline()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    story.at(5_100, .timerFired)
    let effects = story.kiosk.handle(.brokerOutbox(.expired([entry], earliest: nil)), at: story.moment(5_110))
    let removed = effects.flatMap {
      if case .store(.remove(_, let entries, _)) = $0 { entries } else { [OutboxEntry]() }
    }
    #expect(removed == [entry])
    // Another one expires, and the store has not removed the first yet.
    let later = story.accept(at: 6_000, .of(.of(.brief, id: "b", byte: 5), uid: 2))
    let second = try #require(later)
    var words: [String] = []
    while !words.contains("expire"), let deadline = story.wakesAt, deadline < 12_000 {
      words = story.at(deadline, .timerFired)
      if words.contains("connect 0") { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire"))
    let told = story.at(story.time, .brokerOutbox(.expired([entry, second], earliest: nil)))
    #expect(told == ["light expired", "report expired brief", "forget"])
    #expect(story.kiosk.counters.expired == 2 && story.kiosk.outboxCount == 0)
  }

  @Test func `the remaining time is right even if the clock is far from the expiry`() {
    let past = Moment(instant: Instant(nanoseconds: 0), unixMilliseconds: -1)
    #expect(Expiry.atUnixMilliseconds(.max).remaining(at: past) > .zero)
    #expect(Expiry.atUnixMilliseconds(5).remaining(at: past) == .milliseconds(6))
  }

  // MARK: Drop

  @Test func `entries in flight cannot be dropped, and nothing is sent during a removal`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let first = try #require(accepted)
    #expect(story.kiosk.inflightCount(of: nil) == 1 && story.kiosk.inflightCount(of: first.id) == 1)
    #expect(story.at(200, .dropAsked(first.id)) == ["drop one but 1"])
    #expect(story.at(210, .store(.dropped([]))) == [])
    #expect(story.at(300, .dropAsked(nil)) == ["drop all but 1"])
    let other = story.accept(at: 400, .of(.garageSecret, uid: 2))
    let second = try #require(other)
    #expect(story.kiosk.inflightCount(of: second.id) == 0)
    #expect(story.at(500, .store(.dropped([second]))) == ["report dropped garage"])
    #expect(story.kiosk.outboxCount == 1)
    #expect(story.at(600, .link(.acknowledged(first.id))).contains("report delivered light"))
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `a drop that failed on disk does not block other entries`() throws {
    let story = KioskScript()
    story.startAll()
    story.at(90, .dropAsked(nil))
    _ = story.accept(at: 100, .of(.lightSecret))
    #expect(story.kiosk.inflightCount(of: nil) == 0)
    #expect(story.at(200, .store(.dropFailed(.ioError))).contains("publish light"))
  }

  @Test func `an expired entry that is still in the store is not sent`() {
    let story = KioskScript([.brief])
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    let over = OutboxEntry.waiting(.brief, sequence: 1, expiry: .at(Instant(nanoseconds: 9_000_000)))
    let words = story.at(20, .brokerOutbox(.fetched([over], reachedEnd: true))) + story.sleep(until: 30)
    #expect(words == ["expire"])
    #expect(
      story.at(40, .brokerOutbox(.expired([over], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
  }

  @Test func `an entry of an earlier start expires by the wall clock, once the clock is set`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(
      summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(15, .brokerOutbox(.fetched([], reachedEnd: true)))
    #expect(story.sleep(until: 3_500) == [])
    #expect(story.at(3_500, .clockChecked(isSynchronized: true)).contains("expire"))
    let entry = OutboxEntry.waiting(.brief, sequence: 1, expiry: .atUnixMilliseconds(unix))
    #expect(
      story.at(3_510, .brokerOutbox(.expired([entry], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
  }

  @Test func `a new entry does not hide the earlier expiry of an older entry`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.failed(.connectionRefused)))
    // This was requested when the clock became known.
    story.at(20, .brokerOutbox(.expired([], earliest: .atUnixMilliseconds(unix))))
    story.accept(at: 100, .of(.lightSecret))
    story.at(500, .link(.failed(.connectionRefused)))
    var words: [String] = []
    while let deadline = story.wakesAt, deadline <= 3_000 {
      words += story.at(deadline, .timerFired)
      if words.last == "connect 0" { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire"))
  }

  @Test func `setting the clock triggers another expiry check for entries of an earlier start`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(
      summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.failed(.connectionRefused)))
    story.accept(at: 100, .of(.lightSecret))
    #expect(story.at(4_000, .clockChecked(isSynchronized: true)).contains("expire"))
  }

  @Test func `an entry that expires in flight and is then acknowledged is delivered`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(story.sleep(until: 5_100) == ["expire but 1"])
    #expect(story.at(5_110, .brokerOutbox(.expired([], earliest: nil))) == [])
    #expect(story.sleep(until: 5_190) == [])
    #expect(
      story.at(5_200, .link(.acknowledged(entry.id))) == [
        "light delivered-by-tag", "report delivered brief", "forget",
      ])
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.expired == 0)
  }

  @Test func `an entry that expires in flight is reported as expired once the link is lost`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    _ = story.sleep(until: 5_100)
    story.at(5_110, .brokerOutbox(.expired([], earliest: nil)))
    #expect(
      story.at(5_200, .link(.lost(.closedByBroker))) == ["closes 1", "expire", "light offline", "report link lost 0"])
    #expect(
      story.at(5_210, .brokerOutbox(.expired([entry], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `an entry excluded from an expiry pass expires in the next one after the link is lost`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(story.sleep(until: 5_100) == ["expire but 1"])
    #expect(story.at(5_105, .link(.lost(.closedByBroker))) == ["closes 1", "light offline", "report link lost 0"])
    #expect(story.at(5_110, .brokerOutbox(.expired([], earliest: nil))) == ["expire"])
    #expect(
      story.at(5_120, .brokerOutbox(.expired([entry], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
  }

  @Test func `an entry that the store is expiring is not sent, even if the clock was set back`() {
    let story = KioskScript([.brief])
    let unix = story.wallOffset + 3_000
    story.start(summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)))
    story.at(5, .reader(.ready(device: "chip")))
    // This was requested when the clock became known.
    story.at(10, .brokerOutbox(.expired([], earliest: .atUnixMilliseconds(unix))))
    #expect(
      story.at(3_000, .link(.connected(sessionPresent: false))) == [
        "expire", "fetch after 0", "light ready", "report link up 0",
      ])
    story.wallOffset -= 2_000
    let entry = OutboxEntry.waiting(.brief, sequence: 1, expiry: .atUnixMilliseconds(unix))
    #expect(story.at(3_010, .brokerOutbox(.fetched([entry], reachedEnd: true))) == [])
    #expect(
      story.at(3_020, .brokerOutbox(.expired([entry], earliest: nil))) == [
        "light expired", "report expired brief", "forget",
      ])
  }

  @Test func `an entry that is acknowledged during its expiry is counted once`() throws {
    let story = KioskScript([.brief, .light])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5), .lightSecret]))
    let other = story.accept(at: 50, .of(.lightSecret, uid: 2))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(other != nil && story.kiosk.outboxCount == 2)
    story.at(200, .link(.acknowledged(entry.id)))
    // The disk did not take the removal, so the row is still there when its time is over.
    story.at(210, .brokerOutbox(.removeFailed(.ioError)))
    #expect(story.sleep(until: 5_210) == ["check store"])
    #expect(story.at(5_220, .store(.checked)).contains("expire but 1"))
    #expect(story.at(5_230, .brokerOutbox(.expired([entry], earliest: nil))) == [])
    #expect(story.kiosk.outboxCount == 1)
  }
}
