import Foundation
import TappetCore
import TappetSQLite
import Testing
import TestSupport

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreHistoryTests {
  private let folder = StateFolder()
  private static let now: Int64 = 1_770_000_000_000
  private static let uid = TagUID([4, 1, 2, 3, 4, 5, 6])

  private func open(keeping age: Duration? = .seconds(90 * 86_400)) throws -> Store {
    let store = try folder.open()
    store.historyAge = age
    return store
  }

  private func note(_ store: Store, _ records: TapRecord...) throws {
    try store.transaction { () throws(DatabaseError) in for record in records { try store.note(record) } }
  }

  private func refused(_ time: Int64, action: String? = nil, code: String = "tag-empty") -> TapRecord {
    TapRecord(
      unixMilliseconds: time, result: .refused, trigger: .tag, action: action, uid: Self.uid, tag: "Ann", code: code)
  }

  private func all(_ store: Store, _ filter: HistoryFilter = HistoryFilter()) throws -> [TapRecord] {
    try store.history(after: 0, filter, limit: 10_000).map { $0.record }
  }

  private func startThread() throws -> StoreThread {
    // Nobody else holds it; the compiler cannot see through `open`.
    nonisolated(unsafe) let store = try folder.open()
    let path = folder.path
    return try StoreThread(
      store, replace: { () throws(DatabaseError) in try Store(folder: path, bootID: []) }, post: { _ in })
  }

  /// An entry of a tag.
  private func entry(_ number: UInt64) -> OutboxEntry {
    OutboxEntry(
      id: EntryID(high: 7, low: number), action: "door", topic: "home/door", message: PayloadTemplate("open"),
      isRetained: false, trigger: .tag, acceptedUnixMilliseconds: Self.now,
      acceptedAt: Instant(nanoseconds: 100 * OutboxEntry.second),
      expiry: .at(Instant(nanoseconds: 1000 * OutboxEntry.second)), uid: Self.uid, tag: "Ann",
      person: Person(id: "a", name: "Ann Lee", createdUnixSeconds: 1))
  }

  @Test func `rows round-trip, oldest first, and each filter finds its own`() throws {
    let store = try open()
    let first = refused(Self.now, action: "door")
    let second = TapRecord(unixMilliseconds: Self.now + 5, result: .refused, trigger: nil, count: 7)
    let third = refused(Self.now + 60_000, action: "light", code: "too-many")
    try note(store, first, second, third)
    #expect(try all(store) == [first, second, third])
    var filter = HistoryFilter()
    filter.since = Self.now + 5
    #expect(try all(store, filter) == [second, third])
    filter.tag = "04010203040506"
    #expect(try all(store, filter) == [third])
    filter = HistoryFilter()
    filter.tag = "Ann"
    filter.action = "door"
    #expect(try all(store, filter) == [first])
    filter.result = .accepted
    #expect(try all(store, filter).isEmpty)
  }

  @Test func `a day is read newest first in parts, and its hours are counted, even if the clock was set back`() throws {
    let (store, hour) = (try open(), Int64(3_600_000))
    let day = Self.now..<(Self.now + 24 * hour)
    let late = refused(Self.now + 30 * hour)
    let taps = (0..<5).map { refused(Self.now + $0 * 2 * hour) }
    try note(store, refused(Self.now - 1), late)
    // From here on, the rows are numbered as if they were later.
    for tap in taps { try note(store, tap) }
    try note(store, TapRecord(unixMilliseconds: Self.now, result: .delivered, trigger: nil, count: 2))
    try note(store, TapRecord(unixMilliseconds: day.upperBound - 1, result: .accepted, trigger: .button, count: 3))
    var found: [TapRecord] = []
    var next: Int64? = .max
    while let before = next {
      let part = try store.history(in: day, before: before, limit: 2)
      #expect(part.records.count <= 2)
      (found, next) = (found + part.records, part.next)
    }
    #expect(found.dropFirst(2) == taps.reversed()[...])
    let hours = try store.hours(day)
    #expect(hours.next == nil && hours.delivered == 2 && hours.hours.count == 24)
    #expect(hours.hours.map { $0.refused } == (0..<24).map { $0 % 2 == 0 && $0 < 10 ? 1 : 0 })
    #expect(hours.hours.last?.accepted == 3)
  }

  @Test func `a log with more rows than one part is continued`() throws {
    let store = try open()
    let records = (0..<Limits.historyWalkMax + 10).map { refused(Self.now + Int64($0)) }
    try store.transaction { () throws(DatabaseError) in for record in records { try store.note(record) } }
    let first = try store.hours(Self.now..<(Self.now + 3_600_000))
    #expect(first.hours.first?.refused == Int64(Limits.historyWalkMax))
    let rest = try store.hours(Self.now..<(Self.now + 3_600_000), before: try #require(first.next))
    #expect(rest.hours.first?.refused == 10 && rest.next == nil)
    // Nothing of an earlier day is among the newest rows.
    let earlier = try store.history(in: 0..<Self.now, limit: 1)
    #expect(earlier.records.isEmpty && earlier.next != nil)
  }

  @Test func `an entry's first row is in its commit, and its last row names the tag even after a restart`() throws {
    let store = try open()
    _ = try StoreBatch([.append(entry(1))]).commit(to: store)
    let again = try open()
    let fetched = try #require(again.fetch(after: 0, limit: 1, clockIsGood: true).entries.first)
    #expect(fetched.uid == nil)
    let delivered = TapRecord(fetched, .delivered, at: Self.now + 900)
    _ = try StoreBatch([.recordTap(delivered, mayWait: true), .remove(.broker, [fetched])]).commit(to: again)
    let rows = try all(again)
    #expect(rows.map(\.result) == [.accepted, .delivered] && rows.allSatisfy { $0.entry == fetched.id })
    #expect(rows.allSatisfy { $0.uid == Self.uid && $0.tag == "Ann" && $0.person == "a" && $0.action == "door" })
    #expect(rows.map(\.unixMilliseconds) == [Self.now, Self.now + 900])
  }

  @Test func `a row names who caused it after a restart, and is found by a part of that or by its person`() throws {
    let store = try open()
    let pressed = OutboxEntry(
      id: EntryID(high: 7, low: 2), action: "bell", topic: "home/bell", message: PayloadTemplate("ring"),
      isRetained: false, trigger: .button, acceptedUnixMilliseconds: Self.now,
      acceptedAt: Instant(nanoseconds: 100 * OutboxEntry.second),
      expiry: .at(Instant(nanoseconds: 1000 * OutboxEntry.second)), notes: EntryNotes(by: .button("bell")))
    _ = try StoreBatch([.append(entry(1)), .append(pressed)]).commit(to: store)
    let again = try open()
    let fetched = try #require(again.fetch(after: 1, limit: 1, clockIsGood: true).entries.first)
    #expect(fetched.by == nil)
    try note(again, TapRecord(fetched, .delivered, at: Self.now + 900))
    var filter = HistoryFilter()
    filter.by = "bell"
    let rows = try all(again, filter)
    #expect(rows.map(\.result) == [.accepted, .delivered] && rows.allSatisfy { $0.by == "button bell" })
    #expect(try again.topHistory(filter, limit: 9).map(\.by) == ["button bell"])
    (filter.by, filter.byPerson) = ("Ann Lee", "a")
    #expect(try all(again, filter).map(\.action) == ["door"])
  }

  @Test func `setting the clock back neither loses rows nor changes their times or order`() throws {
    let store = try open()
    try note(store, refused(Self.now), refused(Self.now - 3_600_000), refused(Self.now + 1))
    #expect(try all(store).map { $0.unixMilliseconds - Self.now } == [0, -3_600_000, 1])
    var filter = HistoryFilter()
    filter.since = Self.now
    #expect(try all(store, filter).count == 2)
    filter.since = Self.now - 3_600_000
    #expect(try all(store, filter).count == 3)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
  func `rows are kept whatever the wall clock shows`(time: Int64) throws {
    let store = try open()
    try note(store, refused(time), refused(time), refused(Self.now))
    #expect(try all(store).count == 3)
    try store.pruneHistory(at: time / 2)
  }

  @Test func `rows that are too old or too many are removed, and all rows if none are kept`() throws {
    let store = try open(keeping: .seconds(3600))
    try note(store, refused(Self.now - 3_600_001), refused(Self.now - 3_600_000), refused(Self.now))
    try store.pruneHistory(at: Self.now)
    #expect(try all(store).count == 2)
    try folder.sqlite("UPDATE history SET serial = serial + 1000000 WHERE number = (SELECT max(number) FROM history)")
    try store.pruneHistory(at: Self.now)
    #expect(try all(store).isEmpty)
    try note(store, refused(Self.now))
    store.historyAge = nil
    try note(store, refused(Self.now))
    try store.pruneHistory(at: Self.now)
    #expect(try folder.sqlite("SELECT count(*) FROM history") == "0")
  }

  @Test func `without a retention period rows are kept forever`() throws {
    try note(try open(), refused(0))
    let store = try folder.open()
    store.pruneHistoryInPause(at: Self.now)
    #expect(try all(store).count == 1)
  }

  @Test func `a row without an entry is written immediately, and all others with the next commit`() throws {
    let thread = try startThread()
    thread.submit(.keepHistory(.seconds(86_400)))
    let time = SystemClock().now().unixMilliseconds
    let reader = try folder.open()
    thread.submit(.recordTap(refused(time, action: "waits"), mayWait: true))
    thread.submit(.recordTap(refused(time, action: "at once"), mayWait: false))
    #expect(try eventually { try all(reader).map(\.action) == ["waits", "at once"] })
    thread.submit(.recordTap(refused(time, action: "later"), mayWait: true))
    thread.submit(.append(entry(1)))
    thread.stop()
    #expect(try all(reader).map(\.action) == ["waits", "at once", "later", "door"])
  }

  @Test func `the use of a secret is written with the row of its tap, even if the tap has no entry`() throws {
    let secrets = try SecretStore(open())
    let secret = TagSecret(
      id: "s", action: "relay", index: 0, key: try .random(), createdUnixSeconds: 1, label: nil, uid: Self.uid)
    try secrets.add(secret, noting: audited("secret-made"))
    let thread = try startThread()
    thread.submit(.keepHistory(.seconds(86_400)))
    thread.submit(.recordSecretUse(id: "s", uid: nil, unixSeconds: 7))
    thread.submit(.recordTap(refused(SystemClock().now().unixMilliseconds, action: "relay"), mayWait: false))
    #expect(try eventually { try secrets.secrets().readable.map(\.lastUsedUnixSeconds) == [7] })
    thread.stop()
  }

  @Test func `a thread without a log writes no rows, and empties an existing log`() throws {
    try note(try open(), refused(SystemClock().now().unixMilliseconds))
    let thread = try startThread()
    thread.submit(.keepHistory(nil))
    let reader = try folder.open()
    #expect(try eventually { try all(reader).isEmpty })
    thread.submit(.recordTap(refused(0), mayWait: false))
    thread.submit(.append(entry(1)))
    thread.stop()
    #expect(try all(reader).isEmpty)
  }

  @Test func `rows refer to a person by id, and are removed when the person is forgotten`() throws {
    let secretStore = try SecretStore(open())
    let store = secretStore.store
    store.historyAge = .seconds(86_400)
    let (ann, ben) = (
      Person(id: "a", name: "Ann", createdUnixSeconds: 1), Person(id: "b", name: "Ben", createdUnixSeconds: 1)
    )
    for person in [ann, ben] { try secretStore.add(person, noting: audited("person-added")) }
    var secret = TagSecret(
      id: "s", action: "door", index: 0, key: try .random(), createdUnixSeconds: 1, label: nil, uid: Self.uid)
    secret.person = ann
    try secretStore.add(secret, noting: audited("secret-made"))
    try store.recordSecretUse("s", by: Self.uid, unixSeconds: 1)
    var rows = [refused(Self.now, action: "door"), refused(Self.now + 1, action: "door"), refused(Self.now + 2)]
    rows[0].person = "a"
    rows[1].person = "b"
    try note(store, rows[0], rows[1], rows[2])
    var filter = HistoryFilter()
    filter.person = "b"
    #expect(try all(store, filter) == [rows[1]])
    try secretStore.remove(ben, secrets: [], noting: audited("person-removed"))
    #expect(try all(store) == rows)
    try secretStore.remove(ann, secrets: ["s"], forgets: true, noting: audited("person-removed"))
    #expect(try all(store) == [rows[1]])
  }

  private func audited(_ operation: String) -> AuditEntry {
    AuditEntry(unixSeconds: 1, peer: .current(), operation: operation, subject: "")
  }

  @Test func `the tags with the most taps are first`() throws {
    let store = try open()
    let other = TagUID([8, 1, 2, 4])
    for time in Self.now..<Self.now + 3 {
      try note(store, TapRecord(unixMilliseconds: time, result: .accepted, trigger: .tag, action: "door", uid: other))
    }
    try note(
      store, TapRecord(unixMilliseconds: Self.now, result: .accepted, trigger: .tag, action: "door", uid: Self.uid),
      refused(Self.now + 9, action: "door"))
    let counts = try store.topHistory(HistoryFilter(), limit: 10)
    #expect(counts.map(\.count) == [3, 1] && counts.map(\.uid) == [other, Self.uid])
    #expect(counts.first?.lastUnixMilliseconds == Self.now + 2)
    #expect(try store.topHistory(HistoryFilter(), limit: 1).count == 1)
  }
}
