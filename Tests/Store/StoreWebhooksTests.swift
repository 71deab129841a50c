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

  @Test func `the database of the version before gets the webhooks' tables and keeps what it holds`() throws {
    do {
      let store = try folder.open()
      _ = try store.append([.hook(1, topic: "home/a")])
    }
    // As version 6 left it.
    try folder.sqlite(
      """
      DROP TABLE webhooks; DROP TABLE webhook_totals; DROP TABLE webhooks_given_up; DROP TABLE announced;
      DROP TABLE tag_hints;
      DROP TABLE history; DROP TABLE arrivals; DROP TABLE tag_counts; DROP TABLE ticket_uses;
      DROP TABLE room_commands; DROP TABLE room_position; DROP TABLE room_edits;
      ALTER TABLE outbox DROP COLUMN closes;
      PRAGMA user_version = 6;
      """)
    let store = try folder.open()
    #expect(try folder.sqlite("PRAGMA user_version") == "\(StoreSchema.version)")
    #expect(try store.fetch(after: 0, limit: 9, clockIsGood: true).entries.map(\.topic) == ["home/a"])
    _ = try store.append([.hook(2)])
    let summary = try store.summary(at: .test(100, wallSeconds: 1_000_000), clockIsGood: true)
    #expect(summary.count == 1 && summary.webhookCount == 1 && summary.webhookSize == 4)
  }

  @Test func `a tap for both is in both outboxes with one id, and each removes its own`() throws {
    let store = try folder.open()
    _ = try store.append([.hook(1, topic: "home/a"), .hook(2)])
    let broker = try store.fetch(after: 0, limit: 9, clockIsGood: true).entries
    let webhooks = try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries
    #expect(broker.map(\.id.low) == [1] && webhooks.map(\.id.low) == [1, 2])
    #expect(webhooks.map(\.message.text) == ["other", "body"] && webhooks.allSatisfy { $0.destination == .webhook })
    try store.remove(broker.map(\.id))
    #expect(try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook).entries.count == 2)
    try store.transaction { () throws(DatabaseError) in try store.remove(webhooks.map { WebhookRemoval(entry: $0) }) }
    let summary = try store.summary(at: .test(100, wallSeconds: 1_000_000), clockIsGood: true)
    #expect(summary == OutboxSummary())
  }

  @Test func `entries of actions whose servers rest are left out, and expire all the same`() throws {
    let store = try folder.open()
    _ = try store.append([.hook(1), .hook(2, action: "other"), .hook(3)])
    let others = try store.fetch(after: 0, limit: 9, clockIsGood: true, of: .webhook, excluding: ["hook"])
    #expect(others.entries.map(\.id.low) == [2] && others.reachedEnd)
    let due = try store.fetchExpired(of: .webhook, at: .test(161, wallSeconds: 1_000_061), clockIsGood: true)
    #expect(due.expired.map(\.id.low) == [1, 2, 3] && due.earliest == nil)
    #expect(try store.fetchExpired(at: .test(161, wallSeconds: 1_000_061), clockIsGood: true).expired.isEmpty)
  }

  @Test func `entries that were given up are listed with their reason, up to a bound, and dropped`() throws {
    let store = try folder.open()
    for number in 1...UInt64(Limits.webhooksGivenUpMax + 5) {
      _ = try store.append([.hook(number)])
      let entry = try #require(try store.fetch(after: 0, limit: 1, clockIsGood: true, of: .webhook).entries.first)
      let removal = WebhookRemoval(entry: entry, reason: .status(404), unixMilliseconds: 7)
      // A kill between the answer and the commit repeats it.
      try store.transaction { () throws(DatabaseError) in try store.remove([removal, removal]) }
    }
    let listed = try store.givenUp()
    #expect(listed.count == Limits.webhooksGivenUpMax && listed.first?.id.low == 6)
    #expect(listed.allSatisfy { $0.reason == .status(404) && $0.body == "body" && $0.givenUpUnixMilliseconds == 7 })
    #expect(try store.drop(EntryID(high: 9, low: 6)).map(\.sequence) == [0])
    #expect(try store.drop(nil).count == Limits.webhooksGivenUpMax - 1)
    #expect(try store.givenUp().isEmpty)
  }

  @Test func `an entry for the broker writes nothing into the webhooks' tables`() throws {
    let store = try folder.open()
    let entry = OutboxEntry(
      id: EntryID(high: 9, low: 1), action: "a", topic: "t", message: PayloadTemplate("m"), isRetained: false,
      trigger: .tag, acceptedUnixMilliseconds: 0, expiry: .at(Instant(nanoseconds: 1)))
    _ = try store.append([entry])
    #expect(try folder.sqlite("SELECT count(*) FROM webhooks") == "0")
    #expect(try folder.sqlite("SELECT seq FROM sqlite_sequence WHERE name = 'webhooks'") == "")
  }
}
