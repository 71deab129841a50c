// What becomes of an accepted tap: without a broker, without a clock, too late, too many, twice.

import Testing

@testable import TappetCore

@Suite struct KioskDeliveryTests {
  // MARK: Without a broker

  @Test func `without a broker a tap is queued, and goes out when the link is back`() throws {
    let story = KioskScript()
    story.startOffline()
    story.tap(at: 100, .of(.lightSecret))
    let (words, entry) = story.commit(at: 105)
    #expect(words == ["light queued", "report accepted light", "report queued light for the link"])
    let waiting = try #require(entry)
    _ = story.sleep(until: 1_200)
    #expect(
      story.at(1_300, .link(.connected(sessionPresent: false))) == [
        "report link up 0", "fetch after 0", "light ready",
      ])
    #expect(story.at(1_310, .store(.fetched([waiting], reachedEnd: true))) == ["publish light"])
  }

  @Test func `without a broker an action that is not to be done late is refused`() {
    let story = KioskScript(panel: .pressing("garage"))
    story.startOffline()
    story.openButtons()
    #expect(story.tap(at: 100, .of(.garageSecret)) == ["light refused", "report refused broker away garage"])
    #expect(story.edge(0, true, at: 200) == ["light refused", "report refused broker away garage"])
  }

  @Test func `what was in flight when the link was lost goes again, once`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(200, .link(.lost(.closedByBroker))) == ["report link lost 0", "light offline"])
    #expect(story.sleep(until: 1_300) == ["connect 0"])
    story.at(1_400, .link(.connected(sessionPresent: false)))
    #expect(story.at(1_410, .store(.fetched([entry], reachedEnd: true))) == ["publish light"])
    #expect(story.at(1_420, .timerFired) == [])
    #expect(
      story.at(1_430, .link(.acknowledged(entry.id))) == [
        "forget", "light delivered-by-tag", "report delivered light",
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
    story.at(120, .store(.removeFailed(.ioError)))
    story.at(130, .link(.lost(.closedByBroker)))
    story.at(5_130, .store(.checked))
    _ = story.sleep(until: 5_200)
    story.at(5_200, .link(.connected(sessionPresent: false)))
    #expect(story.at(5_210, .store(.fetched([entry], reachedEnd: true))) == [])
  }

  @Test func `what the broker will never take is given up and said`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.lightSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(110, .link(.publishRefused(entry.id, code: 135))) == [
        "forget", "light refused", "report undeliverable light 135",
      ])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `an entry of which no message can be made is given up and said`() throws {
    let story = KioskScript()
    story.startAll()
    let accepted = story.accept(at: 100, .of(.garageSecret))
    let entry = try #require(accepted)
    #expect(
      story.at(110, .fillFailed(entry.id)) == ["forget", "light refused", "report undeliverable garage"])
  }

  // MARK: Without a clock

  @Test func `a token waits for the clock, other messages do not`() throws {
    let story = KioskScript()
    story.startAll(clockIsGood: false)
    story.tap(at: 100, .of(.garageSecret))
    let (words, entry) = story.commit(at: 105)
    #expect(words == ["light queued", "report accepted garage", "report queued garage for the clock"])
    let waiting = try #require(entry)
    story.tap(at: 200, .of(.lightSecret, uid: 2))
    #expect(story.commit(at: 205).words == ["light accepted", "report accepted light", "publish light"])
    #expect(
      story.at(1_000, .clockChecked(isSynchronised: true)) == [
        "report clock good", "expire but 1", "fetch after 0", "light ready",
      ])
    #expect(story.at(1_010, .store(.fetched([waiting], reachedEnd: true))) == ["publish garage"])
  }

  @Test func `with a trusted clock nothing waits for the kernel's word`() {
    let story = KioskScript(trustsClock: true)
    story.startAll(clockIsGood: false)
    story.tap(at: 100, .of(.garageSecret))
    #expect(story.commit(at: 105).words == ["light accepted", "report accepted garage", "publish garage"])
  }

  @Test func `the answer to a fetch from before the clock was good is dropped`() throws {
    let story = KioskScript([.light, .patient])
    story.start(summary: OutboxSummary(count: 1, size: 2), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    #expect(
      story.at(10, .link(.connected(sessionPresent: false))).contains("fetch after 0 without a clock"))
    // The store has not answered yet; what it will answer leaves the token's entry out.
    var words = story.at(20, .clockChecked(isSynchronised: true))
    words += story.at(30, .store(.fetched([], reachedEnd: true)))
    #expect(words.filter { $0.hasPrefix("fetch") } == ["fetch after 0"])
    #expect(story.at(40, .store(.fetched([.waiting(.patient, sequence: 1)], reachedEnd: true))) == ["publish patient"])
  }

  @Test func `a clock that is lost keeps tokens back and lets the others pass`() throws {
    let story = KioskScript([.light, .patient])
    story.startAll()
    // Forty tokens' entries wait in memory behind a full line; then the clock is lost.
    let waiting = (1...64).map { OutboxEntry.waiting(.patient, sequence: Int64($0)) }
    story.at(20, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 1_100)
    story.at(1_100, .link(.connected(sessionPresent: false)))
    story.at(1_110, .store(.fetched(waiting, reachedEnd: false)))
    #expect(story.published.count == 14)
    let words = story.at(1_120, .clockChecked(isSynchronised: false))
    #expect(words.contains("report clock unknown") && words.contains("fetch after 0 without a clock"))
    for entry in waiting.prefix(14) { story.at(1_130, .link(.acknowledged(entry.id))) }
    #expect(
      story.at(1_140, .store(.fetched([.waiting(.light, sequence: 70)], reachedEnd: true))) == ["publish light"])
  }

  // MARK: Expiry

  @Test func `a queued tap expires in its time, and is never sent after`() throws {
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
      story.at(5_110, .store(.expired([entry], earliest: nil))) == ["light expired", "report expired brief", "forget"])
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.expired == 1)
  }

  @Test func `what is told as expired stays in the store until then, and is told once`() throws {
    let story = KioskScript([.brief])
    story.startOffline()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    story.at(5_100, .timerFired)
    let effects = story.kiosk.handle(.store(.expired([entry], earliest: nil)), at: story.moment(5_110))
    let ids = effects.flatMap { effect -> [EntryID] in if case .forget(let ids) = effect { ids } else { [] } }
    #expect(ids == [entry.id])
    // Another one expires, and the store has not removed the first yet.
    let later = story.accept(at: 6_000, .of(.of(.brief, id: "b", byte: 5), uid: 2))
    let second = try #require(later)
    var words: [String] = []
    while !words.contains("expire"), let deadline = story.wakesAt, deadline < 12_000 {
      words = story.at(deadline, .timerFired)
      if words.contains("connect 0") { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire"))
    let told = story.at(story.time, .store(.expired([entry, second], earliest: nil)))
    #expect(told == ["light expired", "report expired brief", "forget"])
    #expect(story.kiosk.counters.expired == 2 && story.kiosk.outboxCount == 0)
  }

  // MARK: Drop

  @Test func `what is with the broker cannot be dropped, and nothing goes out while the store removes`() throws {
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

  @Test func `a drop that the disk refused holds nothing back`() throws {
    let story = KioskScript()
    story.startAll()
    story.at(90, .dropAsked(nil))
    _ = story.accept(at: 100, .of(.lightSecret))
    #expect(story.kiosk.inflightCount(of: nil) == 0)
    #expect(story.at(200, .store(.dropFailed(.ioError))).contains("publish light"))
  }

  @Test func `an entry that is over is not sent, though the store still has it`() {
    let story = KioskScript([.brief])
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    let over = OutboxEntry.waiting(.brief, sequence: 1, expiry: .at(Instant(nanoseconds: 9_000_000)))
    let words = story.at(20, .store(.fetched([over], reachedEnd: true))) + story.sleep(until: 30)
    #expect(words == ["expire"])
    #expect(
      story.at(40, .store(.expired([over], earliest: nil))) == ["light expired", "report expired brief", "forget"])
  }

  @Test func `an entry of an earlier start expires by the wall clock, and waits while that is unknown`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(
      summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(15, .store(.fetched([], reachedEnd: true)))
    #expect(story.sleep(until: 3_500) == [])
    #expect(story.at(3_500, .clockChecked(isSynchronised: true)).contains("expire"))
    let entry = OutboxEntry.waiting(.brief, sequence: 1, expiry: .atUnixMilliseconds(unix))
    #expect(
      story.at(3_510, .store(.expired([entry], earliest: nil))) == ["light expired", "report expired brief", "forget"])
  }

  @Test func `a new entry does not hide that one of an earlier start expires sooner`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.failed(.connectionRefused)))
    // Asked when the clock became known.
    story.at(20, .store(.expired([], earliest: .atUnixMilliseconds(unix))))
    story.accept(at: 100, .of(.lightSecret))
    story.at(500, .link(.failed(.connectionRefused)))
    var words: [String] = []
    while let deadline = story.wakesAt, deadline <= 3_000 {
      words += story.at(deadline, .timerFired)
      if words.last == "connect 0" { words += story.at(deadline, .link(.failed(.connectionRefused))) }
    }
    #expect(words.contains("expire"))
  }

  @Test func `when the clock becomes good, entries of an earlier start are judged even if a later expiry is known`() {
    let story = KioskScript([.light, .brief])
    let unix = story.wallOffset + 3_000
    story.start(
      summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)), clockIsGood: false)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.failed(.connectionRefused)))
    story.accept(at: 100, .of(.lightSecret))
    #expect(story.at(4_000, .clockChecked(isSynchronised: true)).contains("expire"))
  }

  @Test func `expired while in flight, but acknowledged later: delivered`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(story.sleep(until: 5_100) == ["expire but 1"])
    #expect(story.at(5_110, .store(.expired([], earliest: nil))) == [])
    #expect(story.sleep(until: 5_190) == [])
    #expect(
      story.at(5_200, .link(.acknowledged(entry.id))) == [
        "forget", "light delivered-by-tag", "report delivered brief",
      ])
    #expect(story.kiosk.outboxCount == 0 && story.kiosk.counters.expired == 0)
  }

  @Test func `expired while in flight, and then the link is lost: expired`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    _ = story.sleep(until: 5_100)
    story.at(5_110, .store(.expired([], earliest: nil)))
    #expect(
      story.at(5_200, .link(.lost(.closedByBroker))) == ["report link lost 0", "expire", "light offline"])
    #expect(
      story.at(5_210, .store(.expired([entry], earliest: nil))) == ["light expired", "report expired brief", "forget"])
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `lost while the store lets others go: what it spared expires with the next pass`() throws {
    let story = KioskScript([.brief])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5)]))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(story.sleep(until: 5_100) == ["expire but 1"])
    #expect(story.at(5_105, .link(.lost(.closedByBroker))) == ["report link lost 0", "light offline"])
    #expect(story.at(5_110, .store(.expired([], earliest: nil))) == ["expire"])
    #expect(
      story.at(5_120, .store(.expired([entry], earliest: nil))) == ["light expired", "report expired brief", "forget"])
  }

  @Test func `what the store is letting go is not sent, though the clock was set back meanwhile`() {
    let story = KioskScript([.brief])
    let unix = story.wallOffset + 3_000
    story.start(summary: OutboxSummary(count: 1, size: 3, earliestExpiry: .atUnixMilliseconds(unix)))
    story.at(5, .reader(.ready(device: "chip")))
    // Asked when the clock became known.
    story.at(10, .store(.expired([], earliest: .atUnixMilliseconds(unix))))
    #expect(
      story.at(3_000, .link(.connected(sessionPresent: false))) == [
        "report link up 0", "expire", "fetch after 0", "light ready",
      ])
    story.wallOffset -= 2_000
    let entry = OutboxEntry.waiting(.brief, sequence: 1, expiry: .atUnixMilliseconds(unix))
    #expect(story.at(3_010, .store(.fetched([entry], reachedEnd: true))) == [])
    #expect(
      story.at(3_020, .store(.expired([entry], earliest: nil))) == ["light expired", "report expired brief", "forget"])
  }

  @Test func `an entry that is acknowledged while the store expires it is counted once`() throws {
    let story = KioskScript([.brief, .light])
    story.startAll()
    story.at(20, .secretsLoaded([.of(.brief, id: "b", byte: 5), .lightSecret]))
    let other = story.accept(at: 50, .of(.lightSecret, uid: 2))
    let accepted = story.accept(at: 100, .of(.of(.brief, id: "b", byte: 5)))
    let entry = try #require(accepted)
    #expect(other != nil && story.kiosk.outboxCount == 2)
    story.at(200, .link(.acknowledged(entry.id)))
    // The disk did not take the removal, so the row is still there when its time is over.
    story.at(210, .store(.removeFailed(.ioError)))
    #expect(story.sleep(until: 5_210) == ["check store"])
    #expect(story.at(5_220, .store(.checked)).contains("expire but 1"))
    #expect(story.at(5_230, .store(.expired([entry], earliest: nil))) == [])
    #expect(story.kiosk.outboxCount == 1)
  }

  // MARK: Bounds

  @Test func `a full outbox refuses, what waits for its commit included`() {
    let story = KioskScript(countMax: 2)
    story.startOffline()
    story.accept(at: 100, .of(.lightSecret, uid: 1))
    story.tap(at: 200, .of(.lightSecret, uid: 2))
    #expect(story.tap(at: 300, .of(.lightSecret, uid: 3)) == ["light refused", "report refused full light 2 12"])
  }

  @Test func `the outbox is bounded by bytes too, and takes more when there is room again`() throws {
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

  @Test func `no more than fourteen are in flight, and each PUBACK lets the next go`() {
    let story = KioskScript()
    story.startAll()
    var sent: [OutboxEntry] = []
    for number in 1...20 {
      story.accept(at: 100 * number, .of(.lightSecret, uid: number))
      sent += story.published
    }
    #expect(sent.count == 14)
    for number in 0..<6 {
      story.at(3_000 + number, .link(.acknowledged(sent[number].id)))
      #expect(story.published.count == 1)
      sent += story.published
    }
    #expect(sent.map { $0.sequence } == Array(1...20))
  }

  @Test func `hundreds that wait are fetched in pages and sent once each, in order, while new ones come`() {
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
        if case .fetch(let after, let limit, _) = effect { fetches.append((after, limit)) }
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
          // The fetch below may see the row before its commit is told: the store writes first.
          story.at(time, .store(.stored(entry.id, sequence: entry.sequence)))
          look()
        }
      }
      if let fetch = fetches.first, turn % 5 == 0 {
        fetches.removeFirst()
        let rest = disk.filter { $0.sequence > fetch.after }
        story.at(time, .store(.fetched(Array(rest.prefix(fetch.limit)), reachedEnd: rest.count <= fetch.limit)))
        look()
      }
      if let next = waiting.first {
        waiting.removeFirst()
        story.at(time, .link(.acknowledged(next.id)))
        look()
        disk.removeAll { $0.id == next.id }
        story.at(time, .store(.removed([next.id])))
        look()
      }
    }
    #expect(sent.map { $0.sequence } == Array(1...260))
    #expect(story.kiosk.outboxCount == 0)
  }

  @Test func `the answer to a fetch of the connection before is not taken for this one's`() {
    let story = KioskScript()
    let first = (1...64).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    let second = (65...80).map { OutboxEntry.waiting(.light, sequence: Int64($0)) }
    story.start(summary: OutboxSummary(count: 80, size: 480))
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(20, .store(.fetched(first, reachedEnd: false)))
    var fetches: [String] = []
    for entry in first.prefix(40) {
      fetches += story.at(30, .link(.acknowledged(entry.id))).filter { $0.hasPrefix("fetch") }
    }
    #expect(fetches == ["fetch after 64"])
    // Its answer is under way when the link is lost and comes back.
    story.at(40, .link(.lost(.closedByBroker)))
    _ = story.sleep(until: 1_100)
    var words = story.at(1_100, .link(.connected(sessionPresent: false)))
    words += story.at(1_110, .store(.fetched(second, reachedEnd: true)))
    #expect(words.filter { $0.hasPrefix("publish") } == [])
    #expect(words.filter { $0.hasPrefix("fetch") } == ["fetch after 0"])
    story.at(1_120, .store(.fetched(Array(first[40...]), reachedEnd: false)))
    #expect(story.published.map { $0.sequence } == Array(41...54))
  }

  @Test func `an entry that waits holds back the later ones of its own action, no others`() {
    let story = KioskScript([.light, .patient])
    story.start()
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    let over = OutboxEntry.waiting(.light, sequence: 1, expiry: .at(Instant(nanoseconds: 1)))
    let next = OutboxEntry.waiting(.light, sequence: 2)
    let other = OutboxEntry.waiting(.patient, sequence: 3)
    story.at(20, .store(.fetched([over, next, other], reachedEnd: true)))
    #expect(story.published.map { $0.sequence } == [3])
    #expect(story.sleep(until: 25) == ["expire but 1"])
    #expect(story.at(30, .store(.expired([over], earliest: nil))).last == "publish light")
    #expect(story.published.map { $0.sequence } == [2])
  }
}

extension OutboxEntry {
  /// An entry as the store gives it back: without the monotonic time of its acceptance.
  static func waiting(
    _ action: Action, sequence: Int64, expiry: Expiry = .at(Instant(nanoseconds: 3_600_000_000_000))
  ) -> OutboxEntry {
    OutboxEntry(
      sequence: sequence, id: EntryID(high: 7, low: UInt64(sequence)), action: action.name, topic: action.topic,
      message: action.message, isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 0, expiry: expiry)
  }
}
