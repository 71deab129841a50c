import Foundation
import TappetCore
import Testing

@testable import TappetStore

@Suite struct StoreActionsTests {
  private let folder = StateFolder()

  private func secret(_ number: UInt8, action: String) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: action, index: 4,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: Int64(number),
      label: "L\(number)")
  }

  private func rename(_ old: String, to new: String, limit: Int = 1000) throws -> RenamedAction {
    let auditEntry = AuditEntry(unixSeconds: 1, peer: .current(), operation: "action-renamed", subject: old)
    return try folder.open().renameAction(old, to: new, sealedUnder: try folder.key(), limit: limit, noting: auditEntry)
  }

  @Test func `renaming an action also renames its secrets and entries, even in the replica`() throws {
    let store = try folder.open()
    let key = try folder.key()
    for number in 1...2 { try store.addSecret(try secret(UInt8(number), action: "garage"), sealedUnder: key) }
    try store.addSecret(try secret(3, action: "light"), sealedUnder: key)
    _ = try store.append([.test(1, action: "garage")])
    #expect(try rename("garage", to: "gate") == RenamedAction(secretCount: 2))
    for round in 0...1 {
      let known = try folder.open().secrets(sealedUnder: key)
      #expect(known.unreadable.isEmpty)
      #expect(known.readable.map { $0.secret.action } == ["gate", "gate", "light"], "\(round)")
      #expect(known.readable.map { $0.secret.label } == ["L1", "L2", "L3"])
      #expect(try known.readable.first?.secret.key == secret(1, action: "").key)
      if round == 0 {
        try folder.sqlite("DELETE FROM secrets; UPDATE meta SET value = 0 WHERE name = 'secret changes'")
      }
    }
    #expect(try folder.sqlite("SELECT action FROM outbox") == "gate")
    #expect(try folder.sqlite("SELECT operation FROM audit") == "action-renamed")
  }

  @Test func `renaming an action also renames learned tags and pending removals`() throws {
    let store = try folder.open()
    let key = try folder.key()
    func learn(_ id: String, _ content: String, for action: String) throws {
      let mark = try #require(ExternalTag.Identifier(kind: "uid", content: content))
      let learned = LearnedTag(
        id: id, tag: ExternalTag(mark: mark, action: action, label: "Abbey Road"), learnedUnixSeconds: 7)
      try store.seal(learned.sealedValue.value, as: learned.sealedValue.name, under: key)
    }
    try learn("a", "01020304", for: "play")
    try learn("b", "01020305", for: "other")
    let uid = try #require(TagUID([1, 2, 3, 4]))
    let arrival = TagArrival(entry: EntryID(high: 1, low: 1), action: "play", uid: uid)
    let entry = OutboxEntry(
      id: arrival.entry, action: "play", topic: "t", message: PayloadTemplate("m"), isRetained: false,
      trigger: .tag, acceptedUnixMilliseconds: 0, acceptedAt: Instant(nanoseconds: 0),
      expiry: .at(Instant(nanoseconds: 1000)), notes: EntryNotes(arrival: arrival))
    _ = try store.append([entry])
    #expect(try rename("play", to: "music") == RenamedAction(learnedTagCount: 1))
    let learned = try folder.open().learnedTags(sealedUnder: key).map { $0.tag }
    #expect(learned.map { $0.action } == ["music", "other"])
    #expect(learned.map { $0.label } == ["Abbey Road", "Abbey Road"])
    #expect(try folder.open().arrivals(of: ["music"]).map { $0.uid } == [uid])
    #expect(try rename("play", to: "music") == RenamedAction())
  }

  @Test func `a rename that would exceed the limit of secrets or duplicate a key changes nothing`() throws {
    let store = try folder.open()
    let key = try folder.key()
    for number in 1...2 { try store.addSecret(try secret(UInt8(number), action: "garage"), sealedUnder: key) }
    for number in 3...4 { try store.addSecret(try secret(UInt8(number), action: "light"), sealedUnder: key) }
    #expect(throws: SecretError.limitReached(action: "light", max: 3)) { try rename("garage", to: "light", limit: 3) }
    var same = try secret(3, action: "bell")
    same.id = "another"
    try store.addSecret(same, sealedUnder: key)
    #expect(throws: SecretError.alreadyThere(id: "secret-3")) { try rename("bell", to: "light") }
    #expect(
      try store.secrets(sealedUnder: key).readable.map { $0.secret.action }.sorted()
        == ["bell", "garage", "garage", "light", "light"])
  }
}
