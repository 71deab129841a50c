// The people of a site in the store: all of a bundle, or nothing.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StoreSiteTests {
  private let folder = StateFolder()
  private let key: SecretKey
  private let signer: SigningKey

  init() throws {
    key = try SecretKey.random()
    signer = try SigningKey.random()
  }

  private func entry(_ operation: String) -> AuditEntry {
    AuditEntry(unixSeconds: 5, peer: .current(), operation: operation, subject: "north")
  }

  private func person(_ name: String, limits: PersonLimits? = nil) -> Person {
    Person(id: "id-of-\(name)", name: name, createdUnixSeconds: 7, limits: limits)
  }

  private func tag(_ number: UInt8, of person: Person?, action: String = "garage") throws -> TagSecret {
    var tag = TagSecret(
      id: "tag-\(number)", action: action, index: 0,
      key: try #require(SecretKey([UInt8](repeating: number, count: 32))), createdUnixSeconds: Int64(number),
      label: nil)
    tag.person = person
    return tag
  }

  @discardableResult
  private func apply(
    _ store: SecretStore, _ version: Int64, _ people: [Person], _ tags: [TagSecret], site: String = "north",
    limit: Int = 10
  ) throws -> SiteRecord {
    let sent = try SiteBundle(
      SiteContent(people: people, secrets: tags), of: site, version: version, sealedUnder: key, signedBy: signer)
    return try store.apply(
      try sent.content(sealedUnder: key), of: sent, at: "north", actions: ["garage", "light"], limit: limit,
      unixSeconds: 9, noting: entry("site-applied")
    ).record
  }

  private func names(_ store: SecretStore) throws -> [String] { try store.people().all.map { $0.name } }

  private func owners(_ store: SecretStore) throws -> [String: String?] {
    Dictionary(uniqueKeysWithValues: try store.usableSecrets().map { ($0.id, $0.person?.name) })
  }

  @Test func `people are added and removed together with their tags, even across a restart`() throws {
    var store = try SecretStore.open(folder: folder.path)
    let (ann, ben) = (person("Ann"), person("Ben"))
    let record = try apply(
      store, 1, [ann, ben], [try tag(1, of: ann), try tag(2, of: ben), try tag(3, of: ben, action: "cellar")])
    #expect(record.peopleCount == 2 && record.tagCount == 2 && record.skippedCount == 1)
    #expect(try owners(store) == ["tag-1": "Ann", "tag-2": "Ben"])
    try apply(store, 2, [ann.with(isSuspended: true)], [try tag(1, of: ann)])
    store = try SecretStore.open(folder: folder.path)
    #expect(try names(store) == ["Ann"] && owners(store) == ["tag-1": "Ann"])
    #expect(try store.person(named: "Ann").isSuspended && store.siteRecord()?.version == 2)
    #expect(try folder.sqlite("SELECT count(*) FROM audit WHERE operation = 'site-applied'") == "2")
  }

  @Test func `people and secrets of this door stay, unless the bundle has the same names or keys`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let (guest, local) = (person("Guest"), Person(id: "local-ann", name: "Ann", createdUnixSeconds: 1))
    for person in [guest, local] { try store.add(person, noting: entry("person-added")) }
    for tag in [try tag(1, of: guest), try tag(2, of: local), try tag(3, of: nil), try tag(4, of: nil)] {
      try store.add(tag, limit: 10, noting: entry("secret-added"))
    }
    let ann = person("Ann")
    var copy = try tag(4, of: ann)
    copy.id = "copy"
    try apply(store, 1, [ann], [try tag(5, of: ann), copy])
    #expect(try names(store) == ["Ann", "Guest"])
    #expect(try owners(store) == ["tag-1": "Guest", "tag-3": nil, "tag-5": "Ann", "copy": "Ann"])
    // The key of somebody who is removed is nowhere any more.
    try apply(store, 2, [], [])
    #expect(try names(store) == ["Guest"] && owners(store) == ["tag-1": "Guest", "tag-3": nil])
  }

  @Test func `an older, an equal or a foreign bundle changes nothing`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let ann = person("Ann")
    try apply(store, 5, [ann], [try tag(1, of: ann)])
    for version: Int64 in [4, 5] { #expect(throws: SiteFault.self) { try apply(store, version, [], []) } }
    #expect(throws: SiteFault.self) { try apply(store, 6, [], [], site: "south") }
    #expect(try names(store) == ["Ann"] && store.siteRecord()?.version == 5)
  }

  @Test func `an older bundle is refused after the database was restored from its replica`() throws {
    let ann = person("Ann")
    do { try apply(try SecretStore.open(folder: folder.path), 5, [ann], [try tag(1, of: ann)]) }
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.databasePath + ending) }
    let store = try SecretStore.open(folder: folder.path)
    #expect(try names(store) == ["Ann"] && store.siteRecord()?.version == 5)
    #expect(throws: SiteFault.self) { try apply(store, 4, [], []) }
  }

  @Test func `a bundle that exceeds an action's maximum of tags is refused as a whole`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let ann = person("Ann")
    let tags = try (1...3).map { try tag(UInt8($0), of: ann) }
    do {
      try apply(store, 1, [ann], tags, limit: 2)
      Issue.record("it was applied")
    } catch let fault as SiteFault {
      guard case .refused(.tooManyTags("garage", max: 2)) = fault else { throw fault }
    }
    #expect(try names(store).isEmpty && store.siteRecord() == nil && owners(store).isEmpty)
  }

  @Test func `a disk that becomes full half-way leaves everything unchanged`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let ann = person("Ann")
    try apply(store, 1, [ann], [try tag(1, of: ann)])
    try folder.sqlite("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END;")
    #expect(throws: SiteFault.self) { try apply(store, 2, [person("Ben")], []) }
    #expect(try names(store) == ["Ann"] && store.siteRecord()?.version == 1)
    try folder.sqlite("DROP TRIGGER full")
    try apply(store, 2, [person("Ben")], [])
    #expect(try names(store) == ["Ben"] && owners(store).isEmpty)
  }

  @Test func `a tag that is reassigned to another person keeps its number of uses`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let (ann, ben) = (person("Ann"), person("Ben"))
    try apply(store, 1, [ann], [try tag(1, of: ann)])
    try store.store.recordSecretUse("tag-1", unixSeconds: 77)
    var labelled = try tag(1, of: ben)
    labelled.label = "blue"
    try apply(store, 2, [ann, ben], [labelled])
    let stored = try #require(try store.secrets().readable.first)
    #expect(stored.timesUsed == 1 && stored.secret.label == "blue" && stored.secret.person?.name == "Ben")
  }

  @Test func `a ticket's uses at this door are kept until the ticket ends`() throws {
    let store = try SecretStore.open(folder: folder.path)
    func ann(_ ticket: String) throws -> Person {
      person("Ann", limits: try PersonLimits(from: nil, until: nil, hours: [], uses: 5, ticket: ticket))
    }
    try apply(store, 1, [try ann("t1")], [])
    _ = try StoreBatch([.countUse(EntryID(high: 1, low: 2), ticket: "t1")]).commit(to: store.store)
    try apply(store, 2, [try ann("t1").with(isSuspended: true)], [])
    #expect(try store.person(named: "Ann").limits?.used == 1)
    try apply(store, 3, [try ann("t2")], [])
    #expect(try store.person(named: "Ann").limits?.used == 0)
    #expect(try folder.sqlite("SELECT count(*) FROM ticket_uses") == "0")
  }

  @Test func `a pushed bundle also applies where it was made, and its people belong to the site`() throws {
    let store = try SecretStore.open(folder: folder.path)
    let ann = person("Ann")
    try store.add(ann, noting: entry("person-added"))
    try store.add(try tag(1, of: ann), limit: 10, noting: entry("secret-added"))
    let (content, unreadable, changes) = try store.siteContent()
    #expect(unreadable == 0 && content.tags.count == 1)
    let bundle = try SiteBundle(content, of: "north", version: 4, sealedUnder: key, signedBy: signer)
    try store.add(person("Ben"), noting: entry("person-added"))
    #expect(
      try !store.recordPushed(content, bundle, since: changes, unixSeconds: 9, noting: entry("people-pushed")))
    let again = try store.siteContent()
    #expect(
      try store.recordPushed(
        again.content, bundle,
        since: again.changes, unixSeconds: 9, noting: entry("people-pushed")))
    #expect(try store.people().all.allSatisfy { $0.isOfSite } && store.siteRecord()?.version == 4)
    #expect(throws: SiteFault.self) { try apply(store, 4, [], []) }
    try apply(store, 5, [ann], [try tag(1, of: ann)])
    #expect(try names(store) == ["Ann"])
  }

  @Test func `taps are committed during a long change`() throws {
    var store = try SecretStore.open(folder: folder.path)
    // Unchecked: one thread.
    final class Count: @unchecked Sendable { var value = 0 }
    let count = Count()
    store.pause = { count.value += 1 }
    let people = (0..<100).map { person("p\($0)") }
    try apply(store, 1, people, try people.enumerated().map { try tag(UInt8($0.offset), of: $0.element) }, limit: 100)
    #expect(count.value >= 6, "\(count.value)")
  }
}
