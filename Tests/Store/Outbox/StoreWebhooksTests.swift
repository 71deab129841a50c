import Foundation
import TappetCore
import TappetSQLite
import Testing

@testable import TappetStore

extension OutboxEntry {
  /// An entry for a webhook, or for both.
  fileprivate static func hook(_ number: UInt64, topic: String? = nil, action: String = "hook") -> OutboxEntry {
    OutboxEntry(
      id: EntryID(high: 9, low: number), action: action, topic: topic ?? "", message: PayloadTemplate("body"),
      isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 1_000_000_000,
      acceptedAt: Instant(nanoseconds: 100 * OutboxEntry.second),
      expiry: .at(Instant(nanoseconds: 160 * OutboxEntry.second)), destination: topic == nil ? .webhook : .broker,
      webhookBody: topic == nil ? nil : PayloadTemplate("other"))
  }
}

@Suite struct StoreWebhooksTests {
  private let folder = StateFolder()

  @Test func `a tap for broker and webhook is in both outboxes with one id, and each removes its own entry`() throws {
    let store = try folder.open()
    _ = try store.append([.hook(1, topic: "home/a"), .hook(2)])
    let broker = try store.fetch(after: 0, limit: 9, clockIsGood: true).entries
    let webhooks = try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries
    #expect(broker.map(\.id.low) == [1] && webhooks.map(\.id.low) == [1, 2])
    #expect(webhooks.map(\.message.text) == ["other", "body"] && webhooks.allSatisfy { $0.destination == .webhook })
    try store.removeAll(broker)
    #expect(try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries.count == 2)
    let before = try store.summary(at: .test(100, wallSeconds: 1_000_000), clockIsGood: true)
    #expect(before.count == 0 && before.webhookCount == 2)
    try store.removeAll(webhooks)
    let summary = try store.summary(at: .test(100, wallSeconds: 1_000_000), clockIsGood: true)
    #expect(summary == OutboxSummary())
  }

  @Test func `entries of paused servers are skipped, but still expire`() throws {
    let store = try folder.open()
    _ = try store.append([.hook(1), .hook(2, action: "other"), .hook(3)])
    let others = try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook, excluding: ["hook"])
    #expect(others.entries.map(\.id.low) == [2] && others.reachedEnd)
    let due = try store.fetchExpired(of: .webhook, at: .test(161, wallSeconds: 1_000_061), clockIsGood: true)
    #expect(due.expired.map(\.id.low) == [1, 2, 3] && due.earliest == nil)
    #expect(try store.fetchExpired(at: .test(161, wallSeconds: 1_000_061), clockIsGood: true).expired.isEmpty)
  }

  private func giveUp(_ entry: OutboxEntry, _ reason: DeliveryRefusal, in store: Store) throws {
    _ = try StoreBatch([.giveUp(entry, reason, unixMilliseconds: 7)]).commit(to: store)
  }

  @Test func `entries that were given up are listed with their reason, up to a limit, and dropped`() throws {
    let store = try folder.open()
    for number in 1...UInt64(Limits.givenUpMax + 5) {
      _ = try store.append([.hook(number)])
      let entry = try #require(try store.fetch(after: 0, limit: 1, clockIsGood: true, of: .webhook).entries.first)
      // A kill between the answer and the commit repeats it.
      for _ in 0..<2 { try giveUp(entry, .webhook(.status(404)), in: store) }
    }
    let listed = try store.givenUp()
    #expect(listed.count == Limits.givenUpMax && listed.first?.id.low == 6)
    #expect(listed.allSatisfy { $0.reason == .webhook(.status(404)) && $0.message.text == "body" })
    #expect(listed.allSatisfy { $0.givenUpUnixMilliseconds == 7 })
    #expect(try store.drop(EntryID(high: 9, low: 6), at: 1).map(\.sequence) == [0])
    #expect(try store.drop(nil, at: 1).count == Limits.givenUpMax - 1)
    #expect(try store.givenUp().isEmpty)
  }

  @Test func `both given-up entries of a tap are sent again unchanged, after all others`() throws {
    let store = try folder.open()
    var token = OutboxEntry(
      id: EntryID(high: 9, low: 1), action: "both", topic: "home/a", message: PayloadTemplate("%T!"), isRetained: true,
      trigger: .button, acceptedUnixMilliseconds: 5, expiry: .at(Instant(nanoseconds: 160 * OutboxEntry.second)),
      webhookBody: PayloadTemplate("b"))
    token.sequence = try #require(try store.append([token]).first)
    _ = try store.append([.hook(2)])
    let half = try #require(try store.fetch(after: 0, limit: 1, clockIsGood: true, of: .webhook).entries.first)
    try giveUp(token, .broker(code: 135), in: store)
    try giveUp(half, .webhook(.status(404)), in: store)
    #expect(try store.givenUp().map(\.reason) == [.broker(code: 135), .webhook(.status(404))])
    #expect(try store.fetch(after: 0, limit: 9, clockIsGood: true).entries.isEmpty)
    var order = RetryOrder(EntryID(high: 9, low: 1), [], countMax: 9, at: .test(200, wallSeconds: 1_000_000))
    order.lifetimes = ["both": .seconds(60)]
    #expect(try store.retry(order).map(\.destination) == [.broker, .webhook])
    let again = try #require(try store.fetch(after: 0, limit: 9, clockIsGood: true).entries.first)
    #expect(again.id == token.id && again.topic == "home/a" && again.message == token.message && again.isRetained)
    #expect(again.expiry == .at(Instant(nanoseconds: 260 * OutboxEntry.second)) && again.trigger == .button)
    let webhooks = try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries
    #expect(webhooks.map(\.message.text) == ["body", "b"], "behind the other entry")
    #expect(try store.givenUp().isEmpty && store.retry(order).isEmpty)
  }

  @Test func `a retry does not exceed the outbox's limit`() throws {
    let store = try folder.open()
    for number in 1...3 {
      _ = try store.append([.hook(UInt64(number))])
      let entry = try #require(try store.fetch(after: 0, limit: 1, clockIsGood: true, of: .webhook).entries.first)
      try giveUp(entry, .webhook(.status(404)), in: store)
    }
    let order = RetryOrder(nil, [], countMax: 2, at: .test(200, wallSeconds: 1_000_000))
    #expect(try store.retry(order).map(\.id.low) == [1, 2])
    #expect(try store.givenUp().map(\.id.low) == [3])
  }

  @Test func `the list of working webhooks survives a restart, and follows an action's new name`() throws {
    do {
      let store = try folder.open()
      _ = try StoreBatch([.recordWebhook(action: "a: b", target: -5), .recordWebhook(action: "c", target: 6)])
        .commit(to: store)
      _ = try StoreBatch([.recordWebhook(action: "c", target: 7)]).commit(to: store)
    }
    #expect(try folder.open().workedWebhooks() == ["a: b": -5, "c": 7])
  }

  @Test func `each destination numbers its own entries without gaps`() throws {
    let store = try folder.open()
    _ = try store.append([.hook(1, topic: "home/a"), .hook(2), .hook(3, topic: "home/a")])
    #expect(try store.entries().map(\.sequence) == [1, 2])
    #expect(try store.entries(for: .webhook).map(\.sequence) == [1, 2, 3])
  }
}
