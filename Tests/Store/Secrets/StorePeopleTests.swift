// The people in the store, and whose each secret is.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StorePeopleTests {
  private let folder = StateFolder()

  private func entry(_ operation: String, _ subject: String = "") -> AuditEntry {
    AuditEntry(unixSeconds: 5, peer: .current(), operation: operation, subject: subject)
  }

  private func person(_ name: String) -> Person { Person(id: "id-of-\(name)", name: name, createdUnixSeconds: 7) }

  private func secret(_ number: UInt8) throws -> TagSecret {
    TagSecret(
      id: "secret-\(number)", action: "garage", index: 0,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: Int64(number), label: nil
    )
  }

  /// A store with Ann, who has two secrets, and Ben, who has none.
  private func filled() throws -> SecretStore {
    let store = try SecretStore.open(folder: folder.path)
    for name in ["Ben", "Ann"] { try store.add(person(name), noting: entry("person-added", name)) }
    var written = try secret(1)
    written.person = try store.person(named: "Ann")
    try store.add(written, limit: 10, noting: entry("secret-made"))
    try store.add(try secret(2), limit: 10, noting: entry("secret-made"))
    try store.assign("secret-2", to: try store.person(named: "Ann"), noting: entry("secret-assigned"))
    return store
  }

  @Test func `a person's limits round-trip, and a use is counted in the commit of its entry`() throws {
    let store = try filled()
    var limits = try PersonLimits(
      from: nil, until: "2026-12-31", hours: ["Mon-Fri 07:00-19:30"], uses: 2, ticket: "ticket-1")
    try store.replace(try store.person(named: "Ann").limited(to: limits), noting: entry("person-allowed"))
    let tap = OutboxEntry(
      id: EntryID(high: 7, low: 1), action: "garage", topic: "home/garage", message: PayloadTemplate("open"),
      isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 5,
      expiry: .at(Instant(nanoseconds: 1000)), notes: EntryNotes(ticket: "ticket-1"))
    _ = try StoreBatch([.append(tap)]).commit(to: store.store)
    #expect(
      try StoreBatch([.countUse(EntryID(high: 1, low: 2), ticket: "ticket-1")]).commit(to: store.store).count == 1)
    limits.used = 2
    let again = try SecretStore.open(folder: folder.path)
    #expect(try again.person(named: "Ann").limits == limits)
    #expect(try again.usableSecrets().allSatisfy { $0.person?.limits == limits })
    try again.replace(try again.person(named: "Ann").limited(to: nil), noting: entry("person-allowed"))
    #expect(try again.person(named: "Ann").limits == nil)
    #expect(try folder.sqlite("SELECT count(*) FROM ticket_uses") == "0")
  }

  private func owners(_ store: SecretStore) throws -> [String?] { try store.usableSecrets().map { $0.person?.name } }

  @Test func `a person keeps the assigned tags after a restart, and the names are sealed on disk`() throws {
    _ = try filled()
    let store = try SecretStore.open(folder: folder.path)
    #expect(try store.people().all.map { $0.name } == ["Ann", "Ben"])
    #expect(try owners(store) == ["Ann", "Ann"])
    #expect(try store.person(named: "Ann").createdUnixSeconds == 7)
    for path in [folder.databasePath, folder.logPath] {
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("\nAnn\n".utf8)) == nil)
    }
    #expect(try folder.sqlite("SELECT count(*) FROM audit WHERE operation = 'person-added'") == "2")
  }

  @Test func `a suspended person's secrets are marked as suspended, and a renamed person keeps them`() throws {
    let store = try filled()
    let ann = try store.person(named: "Ann")
    try store.replace(ann.with(isSuspended: true), noting: entry("person-suspended"))
    #expect(try store.usableSecrets().allSatisfy { $0.person?.isSuspended == true })
    try store.replace(ann.with(name: "Ann Lee", isSuspended: false), noting: entry("person-renamed"))
    #expect(try owners(store) == ["Ann Lee", "Ann Lee"])
    #expect(try store.usableSecrets().allSatisfy { $0.person?.isSuspended == false })
  }

  @Test func `a secret belongs to at most one person, and to none once it is unassigned`() throws {
    let store = try filled()
    try store.assign("secret-2", to: try store.person(named: "Ben"), noting: entry("secret-assigned"))
    #expect(try owners(store) == ["Ann", "Ben"])
    try store.assign("secret-2", to: nil, noting: entry("secret-assigned"))
    #expect(try owners(store) == ["Ann", nil])
  }

  @Test(arguments: [
    "UPDATE sealed SET value = x'00' WHERE name = 'person id-of-Ann'",
    "DELETE FROM sealed WHERE name = 'person id-of-Ann'",
    "UPDATE sealed SET value = x'00' WHERE name LIKE 'owner %'",
    "UPDATE sealed SET value = (SELECT value FROM sealed WHERE name = 'person id-of-Ben') WHERE name LIKE 'owner %'",
  ])
  func `a secret with an unreadable owner is refused, until it is assigned to another person`(_ damage: String) throws {
    let store = try filled()
    try store.replace(try store.person(named: "Ann").with(isSuspended: true), noting: entry("person-suspended"))
    try folder.sqlite(damage)
    #expect(try store.usableSecrets().map { $0.person?.isSuspended } == [true, true])
    try store.assign("secret-2", to: try store.person(named: "Ben"), noting: entry("secret-assigned"))
    #expect(try store.usableSecrets().map { $0.person?.isSuspended } == [true, false])
  }

  @Test func `removing a person removes the secrets of the person's tags, and removing a secret its owner`() throws {
    let store = try filled()
    #expect(try store.remove(id: "secret-2"))
    #expect(try store.store.sealedValueNames() == ["owner secret-1", "person id-of-Ann", "person id-of-Ben"])
    try store.remove(try store.person(named: "Ann"), secrets: ["secret-1"], noting: entry("person-removed"))
    #expect(try store.usableSecrets().isEmpty && store.store.sealedValueNames() == ["person id-of-Ben"])
  }

  @Test func `people are resealed under a new key, and restored from the replica`() throws {
    let store = try filled()
    _ = try store.rekey(noting: entry("rekeyed"))
    #expect(try owners(SecretStore.open(folder: folder.path)) == ["Ann", "Ann"])
    for name in ["tappet.db", "tappet.db-wal", "tappet.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
    }
    #expect(try owners(SecretStore.open(folder: folder.path)) == ["Ann", "Ann"])
  }

  /// José Müller as a Mac's table has him, and as he is typed.
  private static let (decomposed, typed) = ("Jose\u{301} Mu\u{308}ller", "Jos\u{E9} M\u{FC}ller")

  /// Stores a name as another program would.
  private func keep(_ id: String, _ name: String, _ store: SecretStore) throws -> Person {
    let person = Person(id: id, name: name, createdUnixSeconds: 7)
    let value = person.sealedValue
    try store.seal(value.value, as: value.name, noting: entry("person-added"))
    return person
  }

  @Test(arguments: [(decomposed, typed), (typed, decomposed), ("Ann\u{200B} Lee", "Ann Lee")])
  func `two spellings of a name refer to the same person`(_ stored: String, _ other: String) throws {
    let store = try filled()
    try store.assign("secret-1", to: try keep("jose", stored, store), noting: entry("secret-assigned"))
    #expect(throws: (any Error).self) { try store.add(person(other), noting: entry("person-added")) }
    let rows = [PeopleRow(line: 2, fields: [other, "yes"] + [String?](repeating: nil, count: 6))]
    func imported() throws -> [PeopleDifference] {
      try store.importPeople(rows, isTrial: false, unixSeconds: 9, noting: entry("people-imported")) { "\($0.count)" }
    }
    let name = try #require(other.trimmedLabel)
    #expect(try imported() == [.changed(name, columns: ["suspended"])] && imported() == [])
    #expect(try store.usableSecrets().first { $0.id == "secret-1" }?.person?.isSuspended == true)
    #expect(try store.person(named: other).id == "jose")
    #expect(try store.people().all.contains { $0.name.utf8.elementsEqual(name.utf8) })
  }

  @Test func `names that are taken, empty, too long or not printable are refused, and nothing is written`() throws {
    let store = try filled()
    func fault(_ name: String) -> PersonError? {
      do throws(SecretStoreError) { try store.add(person(name), noting: entry("person-added")) } catch {
        if case .secret(.person(let fault)) = error { return fault }
      }
      return nil
    }
    #expect(fault("Ann") == .nameTaken("Ann") && fault("") == .nameMissing)
    #expect(fault("ann") == .nameTaken("Ann") && fault("BEN") == .nameTaken("Ben"))
    #expect(fault("a\u{1B}[2J") == .name(.unseen("\u{1B}", place: 2)))
    #expect(fault(String(repeating: "ü", count: 65)) == .name(.tooLong(size: 130, max: Limits.secretLabelSizeMax)))
    let ben = try store.person(named: "Ben")
    #expect(throws: SecretStoreError.secret(.person(.nameTaken("Ann")))) {
      try store.replace(ben.with(name: "Ann"), noting: entry("person-renamed"))
    }
    #expect(throws: SecretStoreError.secret(.person(.unknown("Cy", nearest: nil)))) { try store.person(named: "Cy") }
    #expect(try store.people().all.map { $0.name } == ["Ann", "Ben"])
    #expect(try folder.sqlite("SELECT count(*) FROM audit") == "5")
  }
}
