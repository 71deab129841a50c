// The people of a site, applied as a whole. A bundle is the complete list of the site's people: people missing from the
// bundle are removed with all of their tags, as are tags that the bundle does not assign to the site's people. People
// and secrets that were never part of a bundle are kept, unless the bundle replaces them with a person of the same
// name, or with the same key for the same action.
//
// All rows are sealed before the transaction, with pauses for taps; the transaction only writes.

import TappetCore
import TappetSQLite

/// Reason why a bundle was not applied.
package enum SiteFault: Error, Sendable {
  case refused(SiteRefusal)
  case secrets(SecretStoreError)
}

/// Numbers of people and secrets that a change added and removed.
package struct SiteChange: Hashable, Sendable {
  /// Number of added people.
  package var addedPeople = 0
  /// Number of removed people.
  package var removedPeople = 0
  /// Number of added secrets.
  package var addedTags = 0
  /// Number of removed secrets.
  package var removedTags = 0
}

/// The rows to write and to remove.
private struct SitePlan {
  var values: [(name: String, sealed: [UInt8])] = []
  var removedValues: [String] = []
  var secrets: [(secret: TagSecret, sealed: [UInt8], isNew: Bool)] = []
  var removedSecrets: [String] = []
  var endedTickets: [String] = []
  var change = SiteChange()
}

/// The current content of a store on which a plan is based.
private struct SiteBasis {
  var people: StoredPeople
  var secrets: StoredSecrets
  /// Change count at the time when the content was read.
  var changes: Int64
}

extension SecretStore {
  /// Name of the sealed value that records the active bundle.
  static let siteRecordName = "site"

  /// Returns the record of the active bundle; `nil` if no bundle was ever applied.
  package func siteRecord() throws(SecretStoreError) -> SiteRecord? {
    guard let value = try sealedValue(named: SecretStore.siteRecordName) else { return nil }
    guard let record = value.withBytes({ SiteRecord(stored: Array($0)) }) else {
      throw .secret(.unreadable(SecretStore.siteRecordName))
    }
    return record
  }

  /// Applies the people of `bundle` at a door of `site`, all or nothing; returns the record of the bundle and the
  /// change.
  ///
  /// Secrets of actions that are not in `actions` are skipped. Afterwards, an action has at most `limit` secrets.
  @export(interface)
  package func apply(
    _ content: SiteContent, of bundle: SiteBundle, at site: String, actions: Set<String>, limit: Int,
    unixSeconds: Int64, noting auditEntry: AuditEntry
  ) throws(SiteFault) -> (record: SiteRecord, change: SiteChange) {
    var record = SiteRecord(of: bundle, at: unixSeconds)
    let tags = content.tags.filter { actions.contains($0.action) }
    record.peopleCount = content.people.count
    record.tagCount = tags.count
    record.skippedCount = content.tags.count - tags.count
    while true {
      if let record = try recordOf(bundle, at: site) { return (record, SiteChange()) }
      let plan: SitePlan
      let basis: SiteBasis
      do throws(SecretStoreError) { basis = try readBasis() } catch { throw .secrets(error) }
      let removed = basis.removedSecrets(content.people, tags)
      try SecretStore.requireRoom(for: tags, basis, sparing: removed, limit: limit)
      do throws(SecretError) { plan = try self.plan(content.people, tags, removed, record, basis) } catch {
        throw .secrets(.secret(error))
      }
      var entry = auditEntry
      entry.detail = SecretStore.detail(record, plan.change)
      if try commit(plan, over: basis, noting: entry) { return (record, plan.change) }
    }
  }

  /// Records that the current people are the people in `bundle`, which was created from them, and marks all of them as
  /// the site's people; returns false if they have changed in the meantime.
  @export(interface)
  package func recordPushed(
    _ content: SiteContent, _ bundle: SiteBundle, since changes: Int64, unixSeconds: Int64,
    noting auditEntry: AuditEntry
  ) throws(SecretStoreError) -> Bool {
    var record = SiteRecord(of: bundle, at: unixSeconds)
    record.peopleCount = content.people.count
    record.tagCount = content.tags.count
    var plan = SitePlan()
    do throws(SecretError) {
      for person in content.people where !person.isOfSite {
        plan.values.append(try sealed(person.ofSite().stored, as: Store.personPrefix + person.id))
      }
      plan.values.append(try sealed(record.stored, as: SecretStore.siteRecordName))
      let basis = SiteBasis(
        people: try reading { () throws(DatabaseError) in try store.people(sealedUnder: sealingKey) },
        secrets: StoredSecrets(readable: [], unreadable: []), changes: changes)
      return try write(plan, over: basis, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Returns the people and secrets, the number of unreadable secrets with an owner, and the change count at that time.
  package func siteContent() throws(SecretStoreError) -> (content: SiteContent, unreadable: Int, changes: Int64) {
    let basis = try readBasis()
    let unreadable = basis.secrets.unreadable.count { basis.people.owner(ofSecret: $0.id) != nil }
    let content = SiteContent(people: basis.people.all, secrets: basis.secrets.readable.map { $0.secret })
    return (content, unreadable, basis.changes)
  }

  // MARK: Checking

  /// Returns the record of the bundle if it is already active: a kiosk may have exited before reporting this, and on
  /// the kiosk that created the bundle, it is active before it is published.
  private func recordOf(_ bundle: SiteBundle, at site: String) throws(SiteFault) -> SiteRecord? {
    let record: SiteRecord?
    do throws(SecretStoreError) { record = try siteRecord() } catch { throw .secrets(error) }
    switch bundle.verdict(at: site, after: record) {
    case .apply: return nil
    case .current: return record
    case .refuse(let refusal): throw .refused(refusal)
    }
  }

  private static func requireRoom(
    for tags: [TagSecret], _ basis: SiteBasis, sparing removed: Set<String>, limit: Int
  ) throws(SiteFault) {
    var counts: [String: Int] = [:]
    for tag in tags { counts[tag.action, default: 0] += 1 }
    for (action, count) in counts where count > limit {
      throw .refused(.tooManyTags(action: action, max: limit))
    }
    let given = Set(tags.map { $0.id })
    for entry in basis.secrets.readable where !removed.contains(entry.secret.id) && !given.contains(entry.secret.id) {
      counts[entry.secret.action, default: 0] += 1
      if counts[entry.secret.action, default: 0] > limit, tags.contains(where: { $0.action == entry.secret.action }) {
        throw .refused(.tooManyTags(action: entry.secret.action, max: limit))
      }
    }
  }

  // MARK: Planning

  private func readBasis() throws(SecretStoreError) -> SiteBasis {
    do throws(DatabaseError) {
      let changes = try store.secretChanges()
      let people = try store.people(sealedUnder: sealingKey)
      pause()
      let secrets = try store.secrets(sealedUnder: sealingKey, of: people)
      pause()
      return SiteBasis(people: people, secrets: secrets, changes: changes)
    } catch { throw .store(error) }
  }

  private func plan(
    _ people: [Person], _ tags: [TagSecret], _ removed: Set<String>, _ record: SiteRecord, _ basis: SiteBasis
  ) throws(SecretError) -> SitePlan {
    var plan = SitePlan()
    let known = Dictionary(uniqueKeysWithValues: basis.people.all.map { ($0.id, $0) })
    var turn = 0
    func step() {
      turn += 1
      if turn % 32 == 0 { pause() }
    }
    for person in people {
      let former = known[person.id]
      if former == nil { plan.change.addedPeople += 1 }
      if former?.stored == person.stored { continue }
      if let ticket = former?.limits?.ticket, !ticket.isEmpty, ticket != person.limits?.ticket {
        plan.endedTickets.append(ticket)
      }
      plan.values.append(try sealed(person.stored, as: Store.personPrefix + person.id))
      step()
    }
    for person in basis.removedPeople(people) {
      plan.removedValues.append(Store.personPrefix + person.id)
      if let ticket = person.limits?.ticket, !ticket.isEmpty { plan.endedTickets.append(ticket) }
      plan.change.removedPeople += 1
    }
    let secrets = Dictionary(uniqueKeysWithValues: basis.secrets.readable.map { ($0.secret.id, $0.secret) })
    let unreadable = Set(basis.secrets.unreadable.map { $0.id })
    for tag in tags {
      if basis.people.owner(ofSecret: tag.id)?.id != tag.person?.id, let person = tag.person {
        plan.values.append(try sealed(Array(person.id.utf8), as: Store.ownerPrefix + tag.id))
        step()
      }
      let former = secrets[tag.id]
      if let former, former.isSame(as: tag) { continue }
      let box: [UInt8]
      do throws(CryptoError) { box = try Store.seal(tag, sealingKey) } catch { throw .notSealed(error) }
      let isNew = former == nil && !unreadable.contains(tag.id)
      plan.secrets.append((tag, box, isNew))
      if isNew { plan.change.addedTags += 1 }
      step()
    }
    plan.removedSecrets = removed.sorted()
    plan.change.removedTags = plan.removedSecrets.count
    plan.values.append(try sealed(record.stored, as: SecretStore.siteRecordName))
    pause()
    return plan
  }

  private func sealed(_ plain: [UInt8], as name: String) throws(SecretError) -> (name: String, sealed: [UInt8]) {
    do throws(CryptoError) {
      return (name, try LibCrypto.seal(plain, key: sealingKey, context: Store.context(ofValue: name)))
    } catch { throw .notSealed(error) }
  }

  private func reading<Result>(_ body: () throws(DatabaseError) -> Result) throws(SecretError) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .store(error) }
  }

  private static func detail(_ record: SiteRecord, _ change: SiteChange) -> String {
    "version \(record.version): people \(record.peopleCount), \(change.addedPeople) added, "
      + "\(change.removedPeople) removed; tags \(record.tagCount), \(change.addedTags) added, "
      + "\(change.removedTags) removed"
  }

  // MARK: Writing

  /// Commits the plan; returns false if anything has changed since the plan's basis was read.
  private func commit(_ plan: SitePlan, over basis: SiteBasis, noting entry: AuditEntry) throws(SiteFault) -> Bool {
    do throws(SecretError) { return try write(plan, over: basis, noting: entry) } catch {
      throw .secrets(.secret(error))
    }
  }

  private func write(_ plan: SitePlan, over basis: SiteBasis, noting entry: AuditEntry) throws(SecretError) -> Bool {
    let isDone = try store.transaction(
      { () throws(SecretError) in
        try store.requireSealing(under: sealingKey)
        return try store.storing { () throws(DatabaseError) in
          guard try store.secretChanges() == basis.changes else { return false }
          for name in plan.removedValues { try store.removeValue(named: name) }
          for id in plan.removedSecrets { try store.removeRow(ofSecret: id) }
          for (secret, sealed, isNew) in plan.secrets {
            if isNew { try store.insert(secret, sealed) } else { try store.replace(secret, sealed) }
          }
          for (name, sealed) in plan.values { try store.write(sealed, as: name) }
          for ticket in plan.endedTickets { try store.removeUses(of: ticket) }
          try store.recordSecretChange()
          try store.note(entry)
          return true
        }
      }, failed: { .store($0) })
    if isDone { store.renewReplica() }
    return isDone
  }
}

extension SiteBasis {
  /// Returns the people to remove: the site's people who are not in the bundle, and other people who share a name with
  /// a person in the bundle.
  func removedPeople(_ people: [Person]) -> [Person] {
    let (ids, names) = (Set(people.map { $0.id }), Set(people.map { $0.name }))
    return self.people.all.filter { !ids.contains($0.id) && ($0.isOfSite || names.contains($0.name)) }
  }

  /// Returns the secrets to remove: secrets of removed people, secrets of the site's people that are not in the bundle,
  /// and copies of the bundle's secrets with different ids.
  func removedSecrets(_ people: [Person], _ tags: [TagSecret]) -> Set<String> {
    let owners = Set(removedPeople(people).map { $0.id } + people.map { $0.id })
    let given = Set(tags.map { $0.id })
    var keys: [String: [SecretKey]] = [:]
    for tag in tags { keys[tag.copyName, default: []].append(tag.key) }
    var removed: Set<String> = []
    for entry in secrets.readable where !given.contains(entry.secret.id) {
      let isTheirs = entry.secret.person.map { owners.contains($0.id) } ?? false
      let isCopy = keys[entry.secret.copyName]?.contains { $0 == entry.secret.key } ?? false
      if isTheirs || isCopy { removed.insert(entry.secret.id) }
    }
    for entry in secrets.unreadable where !given.contains(entry.id) {
      if let owner = self.people.owner(ofSecret: entry.id), owners.contains(owner.id) { removed.insert(entry.id) }
    }
    return removed
  }
}

extension TagSecret {
  /// Lookup key that is equal for secrets with the same action and key; other secrets seldom have an equal lookup key.
  fileprivate var copyName: String { action + " " + (key.fingerprint ?? "") }

  /// Whether both secrets have the same stored values.
  fileprivate func isSame(as other: TagSecret) -> Bool {
    action == other.action && index == other.index && createdUnixSeconds == other.createdUnixSeconds
      && label == other.label && uid == other.uid && key == other.key
  }
}
