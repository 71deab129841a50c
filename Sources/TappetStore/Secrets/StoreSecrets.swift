// The secrets in the store, sealed: a copy of the database is useless without the sealing key. Each seal is bound to
// its row, so that write access to the database is not enough to move a secret from one action to another.

import TappetCore
import TappetSQLite

/// A secret and its usage.
package struct StoredSecret: Sendable {
  /// The decrypted secret.
  package var secret: TagSecret
  /// Time of the last use in seconds since 1970; `nil` if the secret was never used.
  package var lastUsedUnixSeconds: Int64?
  /// Number of taps with this secret.
  package var timesUsed: Int64
}

/// A secret that cannot be decrypted: it was sealed under a different key, or is damaged.
package struct UnreadableSecret: Hashable, Sendable {
  /// Id of the secret.
  package var id: String
  /// Name of the action to which the secret belongs.
  package var action: String
  /// The error that libcrypto reported.
  package var reason: CryptoError
}

/// All secrets of a store.
package struct StoredSecrets: Sendable {
  /// Secrets that can be decrypted, ordered by action and then by age, oldest first.
  package var readable: [StoredSecret]
  /// Secrets that cannot be decrypted; a damaged secret does not hide the others.
  package var unreadable: [UnreadableSecret]

  /// Whether the action has any secret, readable or not.
  package func hasAny(of action: String) -> Bool {
    readable.contains { $0.secret.action == action } || unreadable.contains { $0.action == action }
  }
}

/// Reason why a secret was not added or changed.
package indirect enum SecretError: Error, Hashable, Sendable {
  /// The action has reached its maximum number of secrets.
  case limitReached(action: String, max: Int)
  /// The action already has a secret with the same key; `id` is the id of that secret.
  case alreadyThere(id: String)
  case label(NameFault)
  /// The database is sealed under a different key; with two keys, part of the database would be unreadable.
  case foreignKey
  /// The value with the given name was sealed under a different key, or is damaged.
  case unreadable(String)
  /// The people in the store do not match the request.
  case person(PersonError)
  /// A row of a people import is invalid; `line` is the line on which it starts.
  case peopleRow(line: Int, PeopleRowFault)
  /// The secret could not be sealed.
  case notSealed(CryptoError)
  /// The secret could not be written.
  case store(DatabaseError)
}

extension Store {
  /// Decrypts all secrets with `key`.
  ///
  /// Another process may have changed the secrets since the last call.
  package func secrets(sealedUnder key: SecretKey) throws(DatabaseError) -> StoredSecrets {
    try secrets(sealedUnder: key, of: try people(sealedUnder: key))
  }

  /// Decrypts all secrets with `key`, using `people` that were read before.
  @export(interface)
  func secrets(sealedUnder key: SecretKey, of people: StoredPeople) throws(DatabaseError) -> StoredSecrets {
    let statement = try database.statement(
      """
      SELECT id, action, idx, sealed, created, label, last_used, times_used, uid
      FROM secrets ORDER BY action, created, id
      """)
    defer { statement.reset() }
    var secrets = StoredSecrets(readable: [], unreadable: [])
    let hints = try tagHints()
    while try statement.step() {
      let (id, action, index) = (statement.text(0), statement.text(1), statement.integer(2))
      let sealed = statement.blob(3)
      let facts = SecretFacts(
        id: id, action: action, index: index, createdUnixSeconds: statement.integer(4),
        label: statement.isNull(5) ? nil : statement.text(5),
        uid: statement.isNull(8) ? nil : TagUID(statement.blob(8)))
      do throws(CryptoError) {
        var secret = try Store.open(sealed, key, facts)
        secret.seenUIDs = hints[id] ?? []
        secret.person = people.owner(ofSecret: id)
        secrets.readable.append(
          StoredSecret(
            secret: secret, lastUsedUnixSeconds: statement.isNull(6) ? nil : statement.integer(6),
            timesUsed: statement.integer(7)))
      } catch {
        secrets.unreadable.append(UnreadableSecret(id: id, action: action, reason: error))
      }
    }
    return secrets
  }

  /// Returns the number of secrets, readable or not.
  package func secretCount() throws(DatabaseError) -> Int {
    Int(clamping: try database.integer("SELECT count(*) FROM secrets") ?? 0)
  }

  /// Seals `secret` under `key` and commits it.
  ///
  /// Throws if the action already has the same key, or has reached its limit. If specified, `auditEntry` is recorded in
  /// the same transaction.
  ///
  /// `former` is the id of the secret to be replaced, if any; it is removed only if it has not been shared.
  @export(interface)
  package func addSecret(
    _ secret: TagSecret, replacing former: String? = nil, sealedUnder key: SecretKey,
    limit: Int = Limits.secretsPerActionMax, noting auditEntry: AuditEntry? = nil
  ) throws(SecretError) {
    try Store.requireGood(secret.label)
    let sealed: [UInt8]
    do throws(CryptoError) { sealed = try Store.seal(secret, key) } catch { throw .notSealed(error) }
    try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        do throws(DatabaseError) { try removeReplaced(former, sealedUnder: key, noting: auditEntry) } catch {
          throw .store(error)
        }
        try requireRoom(for: secret, key, limit: limit)
        if let person = secret.person { try writeOwner(person, ofSecret: secret.id, under: key) }
        do throws(DatabaseError) {
          try insert(secret, sealed)
          try recordSecretChange()
          try note(auditEntry)
        } catch { throw .store(error) }
      }, failed: { .store($0) })
    renewReplica()
  }

  /// Adds the secrets that their actions do not have yet, all or none; returns the ids of the added secrets.
  @export(interface)
  package func addSecrets(
    _ secrets: [TagSecret], sealedUnder key: SecretKey, limit: Int = Limits.secretsPerActionMax,
    noting auditEntry: AuditEntry
  ) throws(SecretError) -> [String] {
    let added = try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        var added: [String] = []
        for secret in secrets {
          do throws(SecretError) { try requireRoom(for: secret, key, limit: limit) } catch {
            if case .alreadyThere = error { continue }
            throw error
          }
          try insertSealed(secret, key)
          added.append(secret.id)
        }
        do throws(DatabaseError) {
          try recordSecretChange()
          try note(auditEntry)
        } catch { throw .store(error) }
        return added
      }, failed: { .store($0) })
    renewReplica()
    return added
  }

  /// Removes a secret, so that tags written with it are refused; returns false if there is no such secret.
  @export(interface)
  package func removeSecret(_ id: String, noting auditEntry: AuditEntry? = nil) throws(DatabaseError) -> Bool {
    let isRemoved = try transaction { () throws(DatabaseError) in
      guard try removeRow(ofSecret: id) else { return false }
      try recordSecretChange()
      try note(auditEntry)
      return true
    }
    if isRemoved { renewReplica() }
    return isRemoved
  }

  /// Changes the label of a secret, or removes the label if it is `nil`; returns false if there is no such secret.
  @export(interface)
  package func renameSecret(
    _ id: String, label: String?, sealedUnder key: SecretKey, noting auditEntry: AuditEntry? = nil
  ) throws(SecretError) -> Bool {
    try Store.requireGood(label)
    let isRenamed = try transaction(
      { () throws(SecretError) in
        let known: StoredSecrets
        do throws(DatabaseError) { known = try secrets(sealedUnder: key) } catch { throw .store(error) }
        guard var secret = known.readable.first(where: { $0.secret.id == id })?.secret else {
          guard known.unreadable.contains(where: { $0.id == id }) else { return false }
          throw .unreadable(id)
        }
        secret.label = label
        try writeSealed(secret, key)
        do throws(DatabaseError) {
          try recordSecretChange()
          try note(auditEntry)
        } catch { throw .store(error) }
        return true
      }, failed: { .store($0) })
    if isRenamed { renewReplica() }
    return isRenamed
  }

  private static func requireGood(_ label: String?) throws(SecretError) {
    if let fault = label?.nameFault() { throw .label(fault) }
  }

  /// Records a use of the secret; `uid` is specified if the tag is not yet known to have this secret.
  package func recordSecretUse(_ id: String, by uid: TagUID? = nil, unixSeconds: Int64) throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in try recordUse(id, by: uid, unixSeconds) }
  }

  /// Performs the write of `recordSecretUse`, within a transaction.
  func recordUse(_ id: String, by uid: TagUID?, _ unixSeconds: Int64) throws(DatabaseError) {
    let statement = try database.statement(
      "UPDATE secrets SET last_used = ?2, times_used = times_used + 1 WHERE id = ?1")
    statement.bind(id, at: 1)
    statement.bind(unixSeconds, at: 2)
    try statement.run()
    if let uid, database.changeCount > 0 { try recordHint(uid, id) }
  }

  private func requireRoom(for secret: TagSecret, _ key: SecretKey, limit: Int) throws(SecretError) {
    let known: StoredSecrets
    do throws(DatabaseError) { known = try secrets(sealedUnder: key) } catch { throw .store(error) }
    let readable = known.readable.filter { $0.secret.action == secret.action }
    if let same = readable.first(where: { $0.secret.key == secret.key }) { throw .alreadyThere(id: same.secret.id) }
    let ids = known.readable.map { $0.secret.id } + known.unreadable.map { $0.id }
    if ids.contains(secret.id) { throw .alreadyThere(id: secret.id) }
    let count = readable.count + known.unreadable.filter { $0.action == secret.action }.count
    if count >= limit { throw .limitReached(action: secret.action, max: limit) }
  }

  /// Seals and inserts a secret, within a transaction, without checking the limit.
  func insertSealed(_ secret: TagSecret, _ key: SecretKey) throws(SecretError) {
    try Store.requireGood(secret.label)
    let sealed: [UInt8]
    do throws(CryptoError) { sealed = try Store.seal(secret, key) } catch { throw .notSealed(error) }
    do throws(DatabaseError) { try insert(secret, sealed) } catch { throw .store(error) }
  }

  /// Inserts a sealed secret; must be called within a transaction.
  func insert(_ secret: TagSecret, _ sealed: [UInt8]) throws(DatabaseError) {
    try write(
      secret, sealed,
      with: "INSERT INTO secrets (id, action, idx, sealed, created, label, uid) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
  }

  /// Rewrites the row of a sealed secret except for its usage, within a transaction.
  func replace(_ secret: TagSecret, _ sealed: [UInt8]) throws(DatabaseError) {
    try write(
      secret, sealed,
      with: "UPDATE secrets SET action = ?2, idx = ?3, sealed = ?4, created = ?5, label = ?6, uid = ?7 WHERE id = ?1")
  }

  private func write(_ secret: TagSecret, _ sealed: [UInt8], with text: StaticString) throws(DatabaseError) {
    let statement = try database.statement(text)
    statement.bind(secret.id, at: 1)
    statement.bind(secret.action, at: 2)
    statement.bind(secret.index, at: 3)
    statement.bind(blob: sealed, at: 4)
    statement.bind(secret.createdUnixSeconds, at: 5)
    statement.bind(secret.label, at: 6)
    if let uid = secret.uid { statement.bind(blob: uid.bytes, at: 7) }
    try statement.run()
  }
}
