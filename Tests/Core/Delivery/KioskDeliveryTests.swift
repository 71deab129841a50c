// The way of an accepted tap: without a broker, without a clock, too many, twice.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct KioskDeliveryTests {
  // MARK: Without a broker

  @Test func `without a broker a tap is queued, and sent when the link returns`() throws {
    let story = KioskScript()
    story.startOffline()
    story.tap(at: 100, .of(.lightSecret))
    let (words, entry) = story.commit(at: 105)
    #expect(words == ["light queued", "report accepted light", "report queued light for the link"])
    let waiting = try #require(entry)
    _ = story.sleep(until: 1_200)
    #expect(
      story.at(1_300, .link(.connected(sessionPresent: false))) == [
        "fetch after 0", "light ready", "report link up 0",
      ])
    #expect(story.at(1_310, .brokerOutbox(.fetched([waiting], reachedEnd: true))) == ["publish light"])
  }

  @Test func `without a broker an action that must not run late is refused`() {
    let story = KioskScript(panel: .pressing("garage"))
    story.startOffline()
    story.openButtons()
    #expect(story.tap(at: 100, .of(.garageSecret)) == ["light refused", "report refused broker away garage"])
    #expect(story.edge(0, true, at: 200) == ["light refused", "report refused broker away garage"])
  }

  @Test func `entries in flight when the link was lost are sent again, once`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(200, .link(.lost(.closedByBroker))) == ["closes 1", "light offline", "report link lost 0"])
    #expect(story.sleep(until: 1_300) == ["connect 0"])
    story.at(1_400, .link(.connected(sessionPresent: false)))
    #expect(story.at(1_410, .brokerOutbox(.fetched([entry], reachedEnd: true))) == ["publish light"])
    #expect(story.at(1_420, .timerFired) == [])
    #expect(
      story.at(1_430, .link(.acknowledged(entry.id))) == [
        "light delivered-by-tag", "report delivered light", "forget",
      ])
    #expect(story.at(1_440, .link(.acknowledged(entry.id))) == [])
    #expect(story.kiosk.counters.delivered == 1)
  }

  @Test func `an entry that was acknowledged but is still in the store is not sent again`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    story.at(110, .link(.acknowledged(entry.id)))
    story.at(120, .brokerOutbox(.removeFailed(.ioError)))
    story.at(130, .link(.lost(.closedByBroker)))
    story.at(5_130, .store(.checked))
    _ = story.sleep(until: 5_200)
    story.at(5_200, .link(.connected(sessionPresent: false)))
    #expect(story.at(5_210, .brokerOutbox(.fetched([entry], reachedEnd: true))) == [])
  }

  @Test func `a permanently refused entry is given up and reported`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(110, .link(.publishRefused(entry.id, code: 135))) == [
        "light refused", "report undeliverable light 135", "give up light",
      ])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test(arguments: [Int32(0x97), 0x80])
  func `a temporarily refused entry is sent again, and delays no other action`(_ code: Int32) throws {
    let story = KioskScript()
    story.startAll()
    let entry = try #require(story.accept(at: 100, .of(.lightSecret)))
    let words = story.at(110, .link(.publishRefused(entry.id, code: code)))
    #expect(words.contains("light queued") && words.contains("report queued light, refused for now \(code)"))
    #expect(story.kiosk.outboxCount == 1 && story.kiosk.counters.undeliverable == 0)
    story.at(111, .brokerOutbox(.fetched([entry], reachedEnd: true)))
    #expect(story.kiosk.delivery.outbox.inflightCount == 0)
    // Another action is sent meanwhile.
    let other = try #require(story.accept(at: 120, .of(.garageSecret, uid: 2)))
    #expect(story.kiosk.delivery.outbox.inflight[other.id] != nil)
    #expect(story.sleep(until: 1_200).contains("fetch after 0"))
    #expect(story.at(1_200, .brokerOutbox(.fetched([entry, other], reachedEnd: true))).contains("publish light"))
    #expect(story.at(1_210, .link(.acknowledged(entry.id))).contains("report delivered light"))
  }

  @Test func `while the broker temporarily refuses an action, one message probes it at growing intervals`() throws {
    let story = KioskScript()
    story.startAll()
    var entries: [OutboxEntry] = []
    for number in 0..<3 {
      entries.append(try #require(story.accept(at: 3_000 * (number + 1), .of(.lightSecret, uid: number))))
    }
    func answerFetch() { story.at(story.time, .brokerOutbox(.fetched(entries, reachedEnd: true))) }
    for entry in entries { story.at(10_000, .link(.publishRefused(entry.id, code: 0x97))) }
    // The first answer is to a fetch of before the last refusal.
    for _ in 0..<2 { answerFetch() }
    var pauses: [Int] = []
    for _ in 0..<6 {
      let from = story.time
      while story.kiosk.delivery.refusals.deadline != nil {
        story.at(max(story.time, story.wakesAt ?? story.time), .timerFired)
        story.at(story.time, .reader(.heartbeat))
      }
      pauses.append(story.time - from)
      answerFetch()
      let tested = story.kiosk.delivery.outbox.inflight.keys
      #expect(tested.count == 1, "\(pauses)")
      for id in tested { story.at(story.time, .link(.publishRefused(id, code: 0x97))) }
      answerFetch()
    }
    #expect(pauses.allSatisfy { (0...32_000).contains($0) } && pauses.contains { $0 > 1_000 }, "\(pauses)")
  }

  @Test func `an entry that the broker refuses until it expires is reported as expired, with the refusal`() throws {
    let story = KioskScript()
    story.startAll()
    let entry = try #require(story.accept(at: 100, .of(.lightSecret)))
    story.at(110, .link(.publishRefused(entry.id, code: 0x97)))
    story.at(86_500_000, .timerFired)
    story.at(86_500_010, .brokerOutbox(.expired([entry], earliest: nil)))
    let refusals = story.lastEffects.compactMap {
      if case .report(.entry(.expired(let expired))) = $0 { expired.refusal } else { nil }
    }
    #expect(refusals == [0x97])
  }

  @Test func `an entry that yields no message is given up and reported`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.garageSecret))
    let entry = try #require(accepted)
    let words = story.at(110, .fillFailed(entry.id, .broker))
    #expect(words == ["light refused", "report undeliverable garage", "give up garage"])
  }

  // MARK: Without a clock

  @Test func `only messages with a token wait for the clock`() throws {
    let story = KioskScript()
    story.startAll(clockIsGood: false)
    story.tap(at: 100, .of(.garageSecret))
    let (words, entry) = story.commit(at: 105)
    #expect(words == ["light queued", "report accepted garage", "report queued garage for the clock"])
    let waiting = try #require(entry)
    story.tap(at: 200, .of(.lightSecret, uid: 2))
    #expect(story.commit(at: 205).words == ["publish light", "light accepted", "report accepted light"])
    #expect(
      story.at(1_000, .clockChecked(isSynchronized: true)) == [
        "expire but 1", "fetch after 0", "light ready", "report clock good",
      ])
    #expect(story.at(1_010, .brokerOutbox(.fetched([waiting], reachedEnd: true))) == ["publish garage"])
  }

  @Test func `an unsynchronized clock is not reported unless something needs it`() {
    let story = KioskScript([.light, .scene])
    story.startAll(clockIsGood: false)
    #expect(story.kiosk.baseLight == .ready && !story.kiosk.status.clock.isNeeded)
    #expect(story.at(100, .clockChecked(isSynchronized: true)).allSatisfy { !$0.hasPrefix("report") })
    story.at(200, .clockChecked(isSynchronized: false))
    // An action with a token needs it, until it is removed.
    let words = story.at(300, .reconfigured(story.settings { $0.actions = [.light, .garage] }, reconnect: false))
    #expect(words.contains("light clock-unknown") && words.contains("report clock unknown"), "\(words)")
    #expect(story.kiosk.status.clock.isNeeded)
    story.at(310, .brokerOutbox(.fetched([], reachedEnd: true)))
    let after = story.at(400, .reconfigured(story.settings { $0.actions = [.light] }, reconnect: false))
    #expect(after.contains("light ready") && story.kiosk.baseLight == .ready, "\(after)")
  }

  @Test func `the need of an earlier start's entry for the clock is reported once`() {
    let story = KioskScript([.light, .scene])
    story.start(summary: OutboxSummary(count: 1, size: 2), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    #expect(story.kiosk.baseLight == .ready)
    #expect(
      story.at(15, .brokerOutbox(.fetched([], reachedEnd: true))) == ["light clock-unknown", "report clock unknown"])
    story.at(20, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 1_100)
    let words = story.at(1_100, .link(.connected(sessionPresent: false)))
    #expect(words.contains("light clock-unknown") && !words.contains("report clock unknown"), "\(words)")
  }

  @Test func `with a trusted clock nothing waits for synchronization`() {
    let story = KioskScript(trustsClock: true)
    story.startAll(clockIsGood: false)
    story.tap(at: 100, .of(.garageSecret))
    #expect(story.commit(at: 105).words == ["publish garage", "light accepted", "report accepted garage"])
  }

  @Test func `the response to a fetch from before the clock was synchronized is dropped`() throws {
    let story = KioskScript([.light, .patient])
    story.start(summary: OutboxSummary(count: 1, size: 2), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    #expect(
      story.at(10, .link(.connected(sessionPresent: false))).contains("fetch after 0 without a clock"))
    // The store has not answered yet; its answer will leave the token's entry out.
    var words = story.at(20, .clockChecked(isSynchronized: true))
    words += story.at(30, .brokerOutbox(.fetched([], reachedEnd: true)))
    #expect(words.filter { $0.hasPrefix("fetch") } == ["fetch after 0"])
    #expect(
      story.at(40, .brokerOutbox(.fetched([.waiting(.patient, sequence: 1)], reachedEnd: true))) == ["publish patient"])
  }

  @Test func `when the clock is lost, tokens are held back and other messages are sent`() throws {
    let story = KioskScript([.light, .patient])
    story.startAll()
    // Tokens' entries wait in memory behind a full line; then the clock is lost.
    let waiting = (1...90).map { OutboxEntry.waiting(.patient, sequence: Int64($0)) }
    story.at(20, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 1_100)
    story.at(1_100, .link(.connected(sessionPresent: false)))
    story.at(1_110, .brokerOutbox(.fetched(waiting, reachedEnd: false)))
    #expect(story.published.count == 14)
    let words = story.at(1_120, .clockChecked(isSynchronized: false))
    #expect(words.contains("report clock unknown") && words.contains("fetch after 0 without a clock"))
    for entry in waiting.prefix(14) { story.at(1_130, .link(.acknowledged(entry.id))) }
    #expect(
      story.at(1_140, .brokerOutbox(.fetched([.waiting(.light, sequence: 70)], reachedEnd: true))) == ["publish light"])
  }

  // MARK: Bounds

  @Test func `a full outbox refuses new entries, counting those that wait for their commit`() {
    let story = KioskScript(countMax: 2)
    story.startOffline()
    story.accept(at: 100, .of(.lightSecret, uid: 1))
    story.tap(at: 200, .of(.lightSecret, uid: 2))
    #expect(story.tap(at: 300, .of(.lightSecret, uid: 3)) == ["light refused", "report refused full light 2 12"])
  }

  @Test func `the outbox is also limited in bytes, and accepts entries again once there is room`() throws {
    let story = KioskScript(sizeMax: 13)
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret, uid: 1))
    let first = try #require(accepted)
    story.accept(at: 200, .of(.lightSecret, uid: 2))
    #expect(story.tap(at: 300, .of(.lightSecret, uid: 3)) == ["light refused", "report refused full light 2 12"])
    story.at(310, .link(.acknowledged(first.id)))
    #expect(story.tap(at: 400, .of(.lightSecret, uid: 4)) == ["store light", "note light-1"])
  }

  // MARK: The window

  @Test func `fourteen entries are in flight and fifty queued ahead, and each PUBACK sends the next`() {
    let story = KioskScript()
    story.startAll()
    var sent: [OutboxEntry] = []
    for number in 1...70 {
      story.accept(at: 100 * number, .of(.lightSecret, uid: number))
      sent += story.published
    }
    #expect(sent.count == 64)
    for number in 0..<6 {
      story.at(8_000 + number, .link(.acknowledged(sent[number].id)))
      #expect(story.published.count == 1)
      sent += story.published
    }
    #expect(sent.map { $0.sequence } == Array(1...70))
  }

  @Test(arguments: [
    (1...20).map { OutboxEntry.waiting(.patient, sequence: $0) },
    (1...20).map { OutboxEntry.waiting(.light, sequence: $0, expiry: .at(Instant(nanoseconds: 90_000_000_000))) },
  ]) func `an entry with a token, or with little time left, is not queued ahead`(
    _ waiting: [OutboxEntry]
  ) {
    let story = KioskScript([.light, .patient])
    story.start(summary: OutboxSummary(count: 20, size: 120))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .brokerOutbox(.fetched(waiting, reachedEnd: true)))
    #expect(story.published.map { $0.sequence } == Array(1...14))
    story.at(30, .link(.acknowledged(waiting[0].id)))
    #expect(story.published.map { $0.sequence } == [15])
  }

  @Test func `hundreds of pending entries are fetched in pages and sent once each, in order, despite new ones`() {
    let story = KioskScript([.light, .garage], countMax: 1_000)
    var disk = (1...200).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 200, size: 1_200))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    var sent: [OutboxEntry] = []
    var waiting: [OutboxEntry] = []
    var fetches: [(after: Int64, limit: Int)] = []
    func look() {
      for effect in story.lastEffects {
        if case .store(.fetch(_, let after, let limit, _, _)) = effect { fetches.append((after, limit)) }
      }
      waiting += story.published
      sent += story.published
    }
    look()
    var time = 20
    var uid = 0
    for turn in 0..<2_000 where sent.count < 260 || !waiting.isEmpty {
      time += 1
      if uid < 60, turn % 3 == 0 {
        uid += 1
        story.tap(at: time, .of(.lightSecret, uid: uid))
        if var entry = story.lastEffects.compactMap({ $0.storedEntry }).first {
          entry.sequence = Int64(200 + uid)
          disk.append(entry)
          // The fetch below may see the row before its commit is reported: the store writes first.
          story.at(time, .brokerOutbox(.stored(entry.id, sequence: entry.sequence)))
          look()
        }
      }
      if let fetch = fetches.first, turn % 5 == 0 {
        fetches.removeFirst()
        let rest = disk.filter { $0.sequence > fetch.after }
        story.at(time, .brokerOutbox(.fetched(Array(rest.prefix(fetch.limit)), reachedEnd: rest.count <= fetch.limit)))
        look()
      }
      if let next = waiting.first {
        waiting.removeFirst()
        story.at(time, .link(.acknowledged(next.id)))
        look()
        disk.removeAll { $0.id == next.id }
        story.at(time, .brokerOutbox(.removed([next.id])))
        look()
      }
    }
    #expect(sent.map { $0.sequence } == Array(1...260))
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `a fetch response from the previous connection is ignored`() {
    let story = KioskScript()
    let first = (1...64).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    let second = (65...80).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 80, size: 480))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .brokerOutbox(.fetched(first, reachedEnd: false)))
    var fetches = story.lastEffects.map { $0.words }.filter { $0.hasPrefix("fetch") }
    for entry in first.prefix(40) {
      fetches += story.at(30, .link(.acknowledged(entry.id))).filter { $0.hasPrefix("fetch") }
    }
    #expect(fetches == ["fetch after 64"])
    // Its answer is pending when the link is lost and comes back.
    story.at(40, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 1_100)
    var words = story.at(1_100, .link(.connected(sessionPresent: false)))
    words += story.at(1_110, .brokerOutbox(.fetched(second, reachedEnd: true)))
    #expect(words.filter { $0.hasPrefix("publish") } == [])
    #expect(words.filter { $0.hasPrefix("fetch") } == ["fetch after 0"])
    story.at(1_120, .brokerOutbox(.fetched(Array(first[40...]), reachedEnd: false)))
    #expect(story.published.map { $0.sequence } == Array(41...64))
  }

  @Test func `a waiting entry holds back only later entries of its own action`() {
    let story = KioskScript([.light, .patient])
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    let over = OutboxEntry.waiting(.light, sequence: 1, expiry: .at(Instant(nanoseconds: 1)))
    let next = OutboxEntry.waiting(.light, sequence: 2)
    let other = OutboxEntry.waiting(.patient, sequence: 3)
    story.at(20, .brokerOutbox(.fetched([over, next, other], reachedEnd: true)))
    #expect(story.published.map { $0.sequence } == [3])
    #expect(story.sleep(until: 25) == ["expire but 1"])
    #expect(story.at(30, .brokerOutbox(.expired([over], earliest: nil))).first == "publish light")
    #expect(story.published.map { $0.sequence } == [2])
  }
}

extension OutboxEntry {
  /// Returns an entry as the store returns it: without the monotonic time of its acceptance.
  static func waiting(
    _ action: Action, sequence: Int64, expiry: Expiry = .at(Instant(nanoseconds: 3_600_000_000_000))
  ) -> OutboxEntry {
    OutboxEntry(
      sequence: sequence, id: EntryID(high: 7, low: UInt64(sequence)), action: action.name, topic: action.topic ?? "",
      message: action.message, isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 0, expiry: expiry)
  }
}
