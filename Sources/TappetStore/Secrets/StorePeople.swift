// The people, and whose each secret is: sealed values like the timestamp key, so they are in the replica and in
// backups, follow another key, and nobody who can only write to the database can invent or change one. A secret whose
// owner cannot be read is refused like one of a suspended person.
//
//     person ID    a line each: 1, the name, "active" or "suspended", when they were added, their limits, and "site" if
//                  they came with a bundle of the site
//     owner ID     the id of the person whose secret ID is

import TappetCore
import TappetSQLite

/// The people of a store.
package struct StoredPeople: Sendable {
  /// In the order of their names.
  package private(set) var all: [Person] = []
  private var owners: [String: Person] = [:]
  /// People with the same name: earlier versions told names apart that look the same.
  private var namesakes: [String: [Person]] = [:]

  /// The person whose secret this is.
  package func owner(ofSecret id: String) -> Person? { owners[id] }

  /// The person of this name.
  package func named(_ name: String) -> Person? {
    let name = name.trimmedLabel
    return all.first { $0.name == name }
  }

  /// The names that several people have.
  package var sharedNames: [String] { namesakes.keys.sorted() }

  /// The values of a person who is changed, and of all who share the former name: they are suspended and limited alike.
  func entries(for person: Person, formerly old: Person) -> [(name: String, value: [UInt8]?)] {
    var entries = [(name: Store.personPrefix + person.id, value: person.stored as [UInt8]?)]
    for other in namesakes[old.name] ?? [] where other.id != person.id {
      let limits = old.limits == person.limits ? other.limits : person.limits
      let changed = other.with(isSuspended: person.isSuspended).limited(to: limits)
      entries.append((Store.personPrefix + other.id, changed.stored))
    }
    return entries
  }

  /// Reads sealed values; those that cannot be opened have none.
  fileprivate init(_ values: [(name: String, value: [UInt8]?)], uses: [String: Int64]) {
    var known: [String: Person] = [:]
    for entry in values where entry.name.begins(with: Store.personPrefix) {
      let id = String(entry.name.dropFirst(Store.personPrefix.utf8.count))
      if let value = entry.value, let person = Person(id: id, stored: value, uses: uses) { known[id] = person }
    }
    all = known.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    for (person, next) in zip(all, all.dropFirst()) where person.name == next.name {
      namesakes[person.name, default: [person]].append(next)
    }
    // The one who suspended one of them meant a person, not a spelling.
    let suspended = Set(namesakes.values.flatMap { $0 }.filter { $0.isSuspended }.map { $0.name })
    for (index, person) in all.enumerated() where suspended.contains(person.name) {
      all[index] = person.with(isSuspended: true)
      known[person.id] = all[index]
    }
    for entry in values where entry.name.begins(with: Store.ownerPrefix) {
      let secret = String(entry.name.dropFirst(Store.ownerPrefix.utf8.count))
      owners[secret] = entry.value.flatMap { known[String(decoding: $0, as: UTF8.self)] } ?? .unreadable
    }
  }
}

/// The writes of a change of the people.
struct PeopleChange {
  var entries: [(name: String, value: [UInt8]?)] = []
  var removedSecrets: [String] = []
  /// The people whose rows of the log of taps go too.
  var forgotten: [Person] = []
  /// The names of counts that are not needed any more.
  var endedTickets: [String] = []
  /// The first counts of new tickets.
  var uses: [(ticket: String, count: Int64)] = []
  /// The audit entry's text, where only the change tells it.
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

  /// All people, and whose each secret is; those that cannot be opened are left out.
  @export(interface)
  package func people(sealedUnder key: SecretKey) throws(DatabaseError) -> StoredPeople {
    // '!' follows the space.
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

  /// Changes people in one transaction: `change` says what to write, and refuses by throwing.
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
          try noteSecretChange()
          var auditEntry = auditEntry
          if let detail = change.auditDetail { auditEntry.detail = detail }
          try note(auditEntry)
        } catch { throw .store(error) }
      }, failed: { .store($0) })
    renewReplica()
  }

  /// Notes whose secret this is, within a transaction.
  func writeOwner(_ person: Person, ofSecret id: String, under key: SecretKey) throws(SecretError) {
    try writeValue(Array(person.id.utf8), as: Store.ownerPrefix + id, under: key)
  }

  /// Removes a secret and what is known of its tags, within a transaction; returns false when there was none.
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
  /// All people, and whose each secret is.
  package func people() throws(SecretStoreError) -> StoredPeople {
    do throws(DatabaseError) { return try store.people(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// The person of this name.
  package func person(named name: String) throws(SecretStoreError) -> Person {
    if let fault = name.trimmedLabel?.personNameFault { throw .secret(.person(fault)) }
    guard let person = try people().named(name) else { throw .secret(.person(.unknown(name))) }
    return person
  }

  /// Adds a person.
  package func add(_ person: Person, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    try change(auditEntry) { (known) throws(SecretError) in
      guard known.all.count < Limits.peopleMax else { throw .person(.limitReached(max: Limits.peopleMax)) }
      try SecretStore.require(freeName: person.name, known)
      return PeopleChange(entries: [(Store.personPrefix + person.id, person.stored)])
    }
  }

  /// Gives a person another name, or suspends them, or not.
  @export(interface)
  package func replace(_ person: Person, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    try change(auditEntry) { (known) throws(SecretError) in
      guard let old = known.all.first(where: { $0.id == person.id }) else { throw .person(.unknown(person.name)) }
      if old.name != person.name { try SecretStore.require(freeName: person.name, known) }
      let former = old.limits?.ticket
      return PeopleChange(
        entries: known.entries(for: person, formerly: old),
        endedTickets: former == person.limits?.ticket ? [] : [former].compactMap { $0 })
    }
  }

  /// Removes a person, all who share the name, and these secrets of theirs; with `forgets`, the rows of their taps too.
  @export(interface)
  package func remove(
    _ person: Person, secrets: [String], forgets: Bool = false, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) {
    try change(auditEntry) { (known) throws(SecretError) in
      let people = known.all.filter { $0.name == person.name }
      return PeopleChange(
        entries: people.map { (Store.personPrefix + $0.id, nil) }, removedSecrets: secrets,
        forgotten: forgets ? people : [], endedTickets: people.compactMap { $0.limits?.ticket })
    }
  }

  /// Gives a secret to a person, or to nobody.
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

  private static func require(freeName name: String, _ known: StoredPeople) throws(SecretError) {
    if let fault = name.personNameFault { throw .person(fault) }
    if known.named(name) != nil { throw .person(.nameTaken(name)) }
  }
}

extension Person {
  /// The owner of a secret whose owner cannot be read.
  fileprivate static let unreadable = Person(
    id: "", name: "somebody whose entry is damaged", isSuspended: true, createdUnixSeconds: 0)

  /// The line of a person of the site.
  private static let siteLine = "site"

  /// The value that is sealed.
  ///
  /// One line of text for each fact: a name has no line ends.
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

  /// The sealed value of this person, and its name, for a backup.
  package var sealedValue: SealedValue {
    var bytes = stored
    return (Store.personPrefix + id, SecretBytes(taking: &bytes))
  }

  /// The sealed value that makes a secret this person's, and its name, for a backup.
  package func sealedOwnership(ofSecret secret: String) -> SealedValue {
    var bytes = Array(id.utf8)
    return (Store.ownerPrefix + secret, SecretBytes(taking: &bytes))
  }
}
