import Foundation
import Testing

@testable import TappetCore
@testable import TappetStore

@Suite struct StoreOutboxTests {
  private let folder = StateFolder()

  private func numbers(_ store: Store, clockIsGood: Bool = true) throws -> [UInt64] {
    try store.fetch(after: 0, limit: 1000, clockIsGood: clockIsGood).entries.map(\.id.low)
  }

  // MARK: Order and content

  @Test func `an entry round-trips, in the order of acceptance`() throws {
    let entries = [
      OutboxEntry.test(3), .test(1, action: "tür", message: "a\0b\u{1F600}"), .test(2, message: ""),
    ]
    #expect(try folder.open().append(entries) == [1, 2, 3])
    let (read, reachedEnd) = try folder.open().fetch(after: 0, limit: 10, clockIsGood: true)
    let expected = entries.enumerated().map { index, entry in
      var expected = entry
      expected.sequence = Int64(index + 1)
      expected.acceptedAt = nil
      return expected
    }
    #expect(read == expected)
    #expect(reachedEnd)
  }

  @Test func `a filled message keeps the position of its token, whatever was filled in`() throws {
    var facts = TapFacts()
    facts[.text] = "%T %I"
    for (text, sent) in [("%{text} %T", "%T %I token"), ("%{text}", "%T %I"), ("%T %{text}", "token %T %I")] {
      let store = try folder.open()
      let id = EntryID(high: 1, low: 1)
      let message = try #require(PayloadTemplate(configured: text)).filled(with: facts, id: id)
      _ = try store.append([.test(1, message: message)])
      let entry = try #require(try store.fetch(after: 0, limit: 9, clockIsGood: true).entries.last)
      #expect(entry.message == message)
      #expect(entry.message.fill(token: "token", id: id) == Array(sent.utf8))
      #expect(try store.fetch(after: 0, limit: 9, clockIsGood: false).entries.contains(entry) == (text == "%{text}"))
    }
  }

  @Test func `reading continues after a given sequence, and reports the end`() throws {
    let store = try folder.open()
    _ = try store.append((1...5).map { .test($0) })
    let first = try store.fetch(after: 0, limit: 3, clockIsGood: true)
    #expect(first.entries.map(\.sequence) == [1, 2, 3] && !first.reachedEnd)
    let second = try store.fetch(after: 3, limit: 2, clockIsGood: true)
    #expect(second.entries.map(\.sequence) == [4, 5] && second.reachedEnd)
    let third = try store.fetch(after: 5, limit: 2, clockIsGood: true)
    #expect(third.entries.isEmpty && third.reachedEnd)
  }

  @Test func `a sequence number is never reused, not even after the outbox was empty`() throws {
    let store = try folder.open()
    _ = try store.append([.test(1), .test(2)])
    try store.removeAll(try store.entries())
    #expect(try folder.open().append([.test(3)]) == [3])
  }

  @Test(arguments: [[2], [1, 2, 3], [4, 3, 1], [1, 2, 4, 6, 7], [7, 1, 2, 3, 4, 5, 6], []] as [[UInt64]])
  func `a removal removes only its own entries, in any order`(_ removed: [UInt64]) throws {
    let store = try folder.open()
    _ = try store.append((1...7).map { .test($0) })
    let entries = try store.entries()
    try store.removeAll(removed.map { entries[Int($0) - 1] })
    #expect(try numbers(store) == (1...7).filter { !removed.contains($0) })
    try store.removeAll(removed.map { entries[Int($0) - 1] })
    #expect(try numbers(store).count == 7 - removed.count)
  }

  @Test func `a row that now belongs to a different entry is not removed`() throws {
    let store = try folder.open()
    _ = try store.append((1...4).map { .test($0) })
    // The numbers of a database that has been replaced.
    let entries = try store.entries()
    try store.removeAll([entries[0].at(2), entries[1].at(1), entries[2], entries[3]])
    #expect(try numbers(store) == [1, 2])
  }

  @Test func `no statement reads entries of another destination, or more rows than needed`() throws {
    let store = try folder.open()
    _ = try store.append([.test(1)])
    for statement in [
      "SELECT * FROM outbox WHERE destination = 1 AND sequence > 5 ORDER BY sequence",
      "SELECT * FROM outbox WHERE destination = 1 AND boot = 2 AND expires_ns <= 3 ORDER BY expires_ns, sequence",
      "SELECT expires_ns, id FROM outbox WHERE destination = 1 AND boot = 2 ORDER BY expires_ns",
      "DELETE FROM outbox WHERE destination = 1 AND sequence BETWEEN 2 AND 3 AND id = x'00'",
      "SELECT 1 FROM outbox WHERE destination IN (0, 1) AND boot = 2",
    ] {
      let plan = try folder.sqlite("EXPLAIN QUERY PLAN " + statement)
      #expect(plan.contains("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP"), "\(statement): \(plan)")
    }
  }

  @Test func `the summary counts entries and bytes, and contains the first expiry`() throws {
    let store = try folder.open()
    let now = Moment.test(100, wallSeconds: 1_000_000)
    #expect(try store.summary(at: now, clockIsGood: true) == OutboxSummary())
    _ = try store.append([.test(1, message: "ab\0d", lifetime: 90), .test(2, message: "ü", lifetime: 30)])
    let expected = OutboxSummary(count: 2, size: 6, earliestExpiry: .at(Instant(nanoseconds: 130 * OutboxEntry.second)))
    #expect(try store.summary(at: now, clockIsGood: true) == expected)
  }

  @Test func `the summary is correct after every kind of addition and removal`() throws {
    let store = try folder.open()
    let now = Moment.test(100, wallSeconds: 1_000_000)
    _ = try store.append((1...200).map { .test(UInt64($0), message: String(repeating: "x", count: $0)) })
    try store.removeAll(Array(try store.entries()[49..<60]))
    _ = try store.drop(EntryID(high: 7, low: 3), at: 1)
    // Another program, which knows nothing of totals.
    try folder.sqlite("DELETE FROM outbox WHERE sequence BETWEEN 100 AND 120")
    let counted = try folder.sqlite("SELECT count(*) || ' ' || sum(length(message)) FROM outbox")
    let summary = try folder.open().summary(at: now, clockIsGood: true)
    #expect("\(summary.count) \(summary.size)" == counted && summary.count == 200 - 11 - 1 - 21)
    _ = try store.drop(nil, at: 1)
    #expect(try store.summary(at: now, clockIsGood: true) == OutboxSummary())
  }

  // MARK: Expiry

  @Test func `within one boot the monotonic clock applies, however the wall clock jumps`() throws {
    let store = try folder.open()
    _ = try store.append([.test(1, lifetime: 10), .test(2, lifetime: 20), .test(3, lifetime: 30)])
    let early = try store.fetchExpired(at: .test(109, wallSeconds: 9_000_000), clockIsGood: true)
    #expect(early.expired.isEmpty && early.earliest == .at(Instant(nanoseconds: 110 * OutboxEntry.second)))
    let due = try store.fetchExpired(at: .test(120, wallSeconds: 5), clockIsGood: false)
    #expect(due.expired.map(\.id.low) == [1, 2])
    #expect(due.earliest == .at(Instant(nanoseconds: 130 * OutboxEntry.second)))
    // Named, and not removed: that is for whoever has told it.
    #expect(try numbers(store) == [1, 2, 3])
  }

  @Test func `after a restart of the machine the wall clock applies, once it is set`() throws {
    // Accepted at wall second 1,000,000, to be sent within 60 s.
    _ = try folder.open(boot: 1).append([.test(1)])
    let store = try folder.open(boot: 2)
    let read = try store.fetch(after: 0, limit: 1, clockIsGood: true).entries.map(\.expiry)
    #expect(read == [.atUnixMilliseconds(1_000_060_000)])
    let unknown = try store.fetchExpired(at: .test(5, wallSeconds: 2_000_000), clockIsGood: false)
    #expect(unknown.expired.isEmpty && unknown.earliest == .atUnixMilliseconds(1_000_060_000))
    #expect(try store.fetchExpired(at: .test(5, wallSeconds: 1_000_059), clockIsGood: true).expired.isEmpty)
    let known = try store.fetchExpired(at: .test(5, wallSeconds: 1_000_060), clockIsGood: true)
    #expect(known.expired.map(\.id.low) == [1] && known.earliest == nil)
  }

  @Test func `a clock that is set after the tap still gives the right expiry after a reboot`() throws {
    let first = try folder.open(boot: 1)
    // A board without a battery clock: accepted in 1970, to be sent within 1000 s, and the clock is set 10 s later.
    _ = try first.append([.test(1, wallSeconds: 30, lifetime: 1000)])
    _ = try first.fetchExpired(at: .test(110, wallSeconds: 2_000_010), clockIsGood: true)
    let read = try folder.open(boot: 2).fetch(after: 0, limit: 1, clockIsGood: true).entries.map(\.expiry)
    #expect(read == [.atUnixMilliseconds(2_001_000_000)])
  }

  @Test func `an entry from a boot whose clock was ahead of the current time expires immediately`() throws {
    _ = try folder.open(boot: 1).append([.test(1, wallSeconds: 9_000_000)])
    let store = try folder.open(boot: 2)
    #expect(
      try store.summary(at: .test(1, wallSeconds: 1_000_000), clockIsGood: true).earliestExpiry
        == .atUnixMilliseconds(0))
    let answer = try store.fetchExpired(at: .test(1, wallSeconds: 1_000_000), clockIsGood: true)
    #expect(answer.expired.map(\.id.low) == [1])
  }

  @Test func `excluded entries are kept, and do not count as the next to expire`() throws {
    let store = try folder.open()
    let entries = (1...4).map { OutboxEntry.test($0, lifetime: $0 == 4 ? 900 : 1) }
    _ = try store.append(entries)
    let now = Moment.test(500, wallSeconds: 1_000_400)
    let answer = try store.fetchExpired(
      at: now, clockIsGood: true, excluding: [entries[0].id, entries[2].id], limit: 1)
    #expect(answer.expired.map(\.id) == [entries[1].id] && answer.earliest == entries[3].expiry)
    try store.removeAll(answer.expired)
    #expect(try store.summary(at: now, clockIsGood: true).count == 3)
    #expect(try store.fetchExpired(at: now, clockIsGood: true).expired.map(\.id) == [entries[0].id, entries[2].id])
  }

  @Test func `expired entries beyond a query's limit stay due`() throws {
    let store = try folder.open()
    _ = try store.append((1...10).map { .test($0, lifetime: 1) })
    let now = Moment.test(500, wallSeconds: 1_000_400)
    let first = try store.fetchExpired(at: now, clockIsGood: true, limit: 4)
    #expect(first.expired.count == 4 && first.earliest == .at(Instant(nanoseconds: 101 * OutboxEntry.second)))
    try store.removeAll(first.expired)
    let rest = try store.fetchExpired(at: now, clockIsGood: true, limit: 100)
    #expect(rest.expired.count == 6 && rest.earliest == nil)
  }

  @Test func `while the clock is not set, only entries that need no clock are read`() throws {
    _ = try folder.open(boot: 1).append([.test(1)])
    let store = try folder.open(boot: 2)
    _ = try store.append([.test(2, message: "{%T}"), .test(3)])
    #expect(try numbers(store, clockIsGood: false) == [3])
    #expect(try numbers(store, clockIsGood: true) == [1, 2, 3])
  }

  @Test func `times at the limits of their type saturate`() throws {
    let store = try folder.open()
    var endless = OutboxEntry.test(1)
    endless.expiry = .at(Instant(nanoseconds: .max))
    let model = OutboxEntry.test(2)
    let imported = OutboxEntry(
      id: model.id, action: model.action, topic: model.topic, message: model.message, isRetained: model.isRetained,
      trigger: model.trigger, acceptedUnixMilliseconds: .min, acceptedAt: model.acceptedAt,
      expiry: .atUnixMilliseconds(.max))
    _ = try store.append([endless, imported])
    for seconds in [Int64.min / 1000, 0, Int64.max / 1_000_000_000] {
      let moment = Moment(instant: Instant(nanoseconds: 0), unixMilliseconds: seconds)
      #expect(try store.fetchExpired(at: moment, clockIsGood: true).expired.isEmpty)
    }
    let other = try folder.open(boot: 2)
    #expect(try other.fetch(after: 0, limit: 9, clockIsGood: true).entries.count == 2)
  }

  // MARK: Power cuts

  @Test func `every acknowledged change is in a copy of the files taken at any moment`() throws {
    let store = try folder.open()
    for number in 1...40 {
      _ = try store.append([.test(UInt64(number))])
      if number % 8 == 0 { try store.removeAll(try store.entries().filter { $0.sequence == number - 1 }) }
      guard number % 10 == 0 else { continue }
      // As a killed process leaves it: the files as they are, nothing closed.
      let copy = StateFolder()
      try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
      for name in ["tappet.db", "tappet.db-wal"] {
        try FileManager.default.copyItem(atPath: folder.path + "/" + name, toPath: copy.path + "/" + name)
      }
      #expect(try numbers(try copy.open()) == (try numbers(store)))
    }
  }

  @Test func `while the clock is not set, exactly the entries are fetched that the core would send`() throws {
    var random = Randomness(seed: (1, 2, 3, 4))
    for boot in 1...3 as ClosedRange<UInt8> {
      let store = try folder.open(boot: boot)
      for number in 0..<60 as Range<UInt64> {
        var entry = OutboxEntry.test(UInt64(boot) * 100 + number, message: Bool.random(using: &random) ? "on" : "%T")
        if Bool.random(using: &random) { entry.expiry = .atUnixMilliseconds(1_000_060_000) }
        _ = try store.append([entry])
      }
    }
    let store = try folder.open(boot: 3)
    let all = try store.fetch(after: 0, limit: 1000, clockIsGood: true).entries
    #expect(all.count == 180)
    let sendable = all.filter { $0.isSendable(clockIsGood: false) }.map(\.id)
    #expect(!sendable.isEmpty && sendable.count < 60)
    let fetched = try store.fetch(after: 0, limit: 1000, clockIsGood: false)
    #expect(fetched.entries.map(\.id) == sendable && fetched.reachedEnd)
    let first = try store.fetch(after: 0, limit: 3, clockIsGood: false)
    #expect(first.entries.map(\.id) == Array(sendable.prefix(3)) && !first.reachedEnd)
  }
}
