// The people and the owners of secrets. Both are sealed values like the timestamp key, so they are included in the
// replica and in backups, are resealed under a new key, and cannot be forged or changed with only write access to the
// database. A secret whose owner cannot be read is refused like a secret of a suspended person.
//
//     person ID    one line each: 1, name, "active" or "suspended", time of creation, limits, and "site" if the person
//                  was received in a bundle of the site
//     owner ID     id of the person who owns the secret ID

import TappetCore
import TappetSQLite

/// The people of a store.
package struct StoredPeople: Sendable {
  /// All people, ordered by name.
  package private(set) var all: [Person] = []
  private var owners: [String: Person] = [:]

  /// Returns the owner of the secret.
  package func owner(ofSecret id: String) -> Person? { owners[id] }

  /// Returns the person with the given name.
  package func named(_ name: String) -> Person? {
    let name = name.trimmedLabel
    return all.first { $0.name == name }
  }

  /// Returns the person whose name is the given one except for capital letters; the exact name takes precedence.
  func alike(_ name: String) -> Person? {
    let lowercased = name.nameForm.lowercasedName
    return named(name) ?? all.first { $0.name.lowercasedName == lowercased }
  }

  /// Returns the error about a name that no person has, with the most similar name.
  package func unknown(_ name: String) -> PersonError {
    let nearest = Spelling.nearest(to: name, among: all.map { $0.name }, limit: 2)
    return .unknown(name, nearest: alike(name)?.name ?? nearest)
  }

  /// Decodes decrypted values; `nil` marks a value that could not be decrypted.
  fileprivate init(_ values: [(name: String, value: [UInt8]?)], uses: [String: Int64]) {
    var known: [String: Person] = [:]
    for entry in values where entry.name.begins(with: Store.personPrefix) {
      let id = String(entry.name.dropFirst(Store.personPrefix.utf8.count))
      if let value = entry.value, let person = Person(id: id, stored: value, uses: uses) { known[id] = person }
    }
    all = known.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    for entry in values where entry.name.begins(with: Store.ownerPrefix) {
      let secret = String(entry.name.dropFirst(Store.ownerPrefix.utf8.count))
      owners[secret] = entry.value.flatMap { known[String(decoding: $0, as: UTF8.self)] } ?? .unreadable
    }
  }
}

/// The writes that a change of people consists of.
struct PeopleChange {
  var entries: [(name: String, value: [UInt8]?)] = []
  var removedSecrets: [String] = []
  /// People whose rows in the tap log are also deleted.
  var forgotten: [Person] = []
  /// Tickets whose use counts are no longer needed.
  var endedTickets: [String] = []
  /// Initial use counts of new tickets.
  var uses: [(ticket: String, count: Int64)] = []
  /// Text of the audit entry, if it depends on the change.
  var auditDetail: String?
}

extension Store {
  static let personPrefix = "person "
  static let ownerPrefix = "owner "

  /// Whether a sealed value is a person.
  package static func isPerson(_ name: String) -> Bool { name.begins(with: personPrefix) }

  /// Whether a sealed value is a person or an owner.
  package static func isAboutPeople(_ name: String) -> Bool {
    name.begins(with: personPrefix) || name.begins(with: ownerPrefix)
  }

  /// Returns all people and the owners of secrets; people who cannot be decrypted are omitted.
  @export(interface)
  package func people(sealedUnder key: SecretKey) throws(DatabaseError) -> StoredPeople {
    // '!' is the next ASCII character after the space.
    let statement = try database.statement(
      """
      SELECT name, value FROM sealed
      WHERE name >= 'owner ' AND name < 'owner!' OR name >= 'person ' AND name < 'person!'
      """)
    defer { statement.reset() }
    var values: [(name: String, value: [UInt8]?)] = []
    while try statement.step() {
      let name = statement.text(0)
      values.append((name, try? LibCrypto.open(statement.blob(1), key: key, context: Store.context(ofValue: name))))
    }
    return StoredPeople(values, uses: try ticketUses())
  }

  /// Changes people in one transaction; `change` returns the writes, or throws to refuse the change.
  func changePeople(
    sealedUnder key: SecretKey, noting auditEntry: AuditEntry,
    _ change: (StoredPeople) throws(SecretError) -> PeopleChange
  ) throws(SecretError) {
    try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        let known: StoredPeople
        do throws(DatabaseError) { known = try people(sealedUnder: key) } catch { throw .store(error) }
        let change = try change(known)
        for (name, value) in change.entries { try writeValue(value, as: name, under: key) }
        do throws(DatabaseError) {
          for ticket in change.endedTickets { try removeUses(of: ticket) }
          for uses in change.uses { try setUses(uses.count, of: uses.ticket) }
          for person in change.forgotten { try deleteHistory(of: person.id, secrets: change.removedSecrets) }
          for id in change.removedSecrets { try removeRow(ofSecret: id) }
          try recordSecretChange()
          var auditEntry = auditEntry
          if let detail = change.auditDetail { auditEntry.detail = detail }
          try note(auditEntry)
        } catch { throw .store(error) }
      }, failed: { .store($0) })
    renewReplica()
  }

  /// Records the owner of a secret, within a transaction.
  func writeOwner(_ person: Person, ofSecret id: String, under key: SecretKey) throws(SecretError) {
    try writeValue(Array(person.id.utf8), as: Store.ownerPrefix + id, under: key)
  }

  /// Removes a secret, its owner and its tag hints, within a transaction; returns false if there is no such secret.
  @discardableResult
  func removeRow(ofSecret id: String) throws(DatabaseError) -> Bool {
    let statement = try database.statement("DELETE FROM secrets WHERE id = ?1")
    statement.bind(id, at: 1)
    try statement.run()
    guard database.changeCount > 0 else { return false }
    try removeHints(of: id)
    try removeValue(named: Store.ownerPrefix + id)
    return true
  }
}

extension SecretStore {
  /// Returns all people and the owners of secrets.
  package func people() throws(SecretStoreError) -> StoredPeople {
    do throws(DatabaseError) { return try store.people(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// Returns the person with the given name; throws if there is none.
  package func person(named name: String) throws(SecretStoreError) -> Person {
    if let fault = name.trimmedLabel?.personNameFault { throw .secret(.person(fault)) }
    let people = try people()
    guard let person = people.named(name) else { throw .secret(.person(people.unknown(name))) }
    return person
  }

  /// Adds a person.
  package func add(_ person: Person, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    try change(auditEntry) { (known) throws(SecretError) in
      guard known.all.count < Limits.peopleMax else { throw .person(.limitReached(max: Limits.peopleMax)) }
      try SecretStore.require(freeName: person.name, among: known.all)
      return PeopleChange(entries: [(Store.personPrefix + person.id, person.stored)])
    }
  }

  /// Replaces a person, for example to rename or suspend them.
  @export(interface)
  package func replace(_ person: Person, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    try change(auditEntry) { (known) throws(SecretError) in
      guard let old = known.all.first(where: { $0.id == person.id }) else { throw .person(known.unknown(person.name)) }
      if old.name != person.name {
        try SecretStore.require(freeName: person.name, among: known.all.filter { $0.id != person.id })
      }
      let former = old.limits?.ticket
      return PeopleChange(
        entries: [(Store.personPrefix + person.id, person.stored)],
        endedTickets: former == person.limits?.ticket ? [] : [former].compactMap { $0 })
    }
  }

  /// Removes a person and `secrets`; with `forgets`, also their rows in the tap log.
  @export(interface)
  package func remove(
    _ person: Person, secrets: [String], forgets: Bool = false, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) {
    try change(auditEntry) { (_) throws(SecretError) in
      PeopleChange(
        entries: [(Store.personPrefix + person.id, nil)], removedSecrets: secrets,
        forgotten: forgets ? [person] : [], endedTickets: [person.limits?.ticket].compactMap { $0 })
    }
  }

  /// Assigns a secret to a person, or removes its owner.
  package func assign(
    _ secret: String, to person: Person?, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) {
    try change(auditEntry) { (_) throws(SecretError) in
      PeopleChange(entries: [(Store.ownerPrefix + secret, person.map { Array($0.id.utf8) })])
    }
  }

  private func change(
    _ auditEntry: AuditEntry, _ change: (StoredPeople) throws(SecretError) -> PeopleChange
  ) throws(SecretStoreError) {
    do throws(SecretError) {
      try store.changePeople(sealedUnder: sealingKey, noting: auditEntry, change)
    } catch { throw .secret(error) }
  }

  /// Refuses a name that another person has, also one that differs only in capital letters.
  private static func require(freeName name: String, among others: [Person]) throws(SecretError) {
    if let fault = name.personNameFault { throw .person(fault) }
    let lowercased = name.nameForm.lowercasedName
    if let other = others.first(where: { $0.name.lowercasedName == lowercased }) {
      throw .person(.nameTaken(other.name))
    }
  }
}

extension Person {
  /// Placeholder for the owner of a secret whose owner cannot be read.
  fileprivate static let unreadable = Person(
    id: "", name: "unknown person (damaged entry)", isSuspended: true, createdUnixSeconds: 0)

  /// Line that marks a person of the site.
  private static let siteLine = "site"

  /// Content of the sealed value.
  ///
  /// One line of text for each field, because a name contains no line breaks.
  var stored: [UInt8] {
    let facts = ["1", name, isSuspended ? "suspended" : "active", String(createdUnixSeconds)]
    let lines = facts + (limits?.lines ?? []) + (isOfSite ? [Person.siteLine] : [])
    return lines.flatMap { Array($0.utf8) + [0x0A] }
  }

  fileprivate convenience init?(id: String, stored: [UInt8], uses: [String: Int64]) {
    let lines = stored.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count >= 4, lines[0].elementsEqual("1".utf8), let created = Int64(decimal: lines[3]) else { return nil }
    var limits: PersonLimits?
    let isOfSite = lines[4...].contains { $0.elementsEqual(Person.siteLine.utf8) }
    let rest = lines[4...].filter { !$0.isEmpty && !$0.elementsEqual(Person.siteLine.utf8) }
    if !rest.isEmpty {
      guard var known = PersonLimits(lines: rest.map { String(decoding: $0, as: UTF8.self) }) else { return nil }
      known.used = uses[known.ticket] ?? 0
      limits = known
    }
    self.init(
      id: id, name: String(decoding: lines[1], as: UTF8.self).storedName,
      isSuspended: lines[2].elementsEqual("suspended".utf8), createdUnixSeconds: created, limits: limits,
      isOfSite: isOfSite)
  }

  /// Name and content of the sealed value of this person, for a backup.
  package var sealedValue: SealedValue {
    var bytes = stored
    return (Store.personPrefix + id, SecretBytes(taking: &bytes))
  }

  /// Returns name and content of the sealed value that makes this person the owner of a secret, for a backup.
  package func sealedOwnership(ofSecret secret: String) -> SealedValue {
    var bytes = Array(id.utf8)
    return (Store.ownerPrefix + secret, SecretBytes(taking: &bytes))
  }
}
