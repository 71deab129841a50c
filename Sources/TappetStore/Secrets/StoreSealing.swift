// The other sealed values, and the key under which everything is sealed. A check value, sealed like the others,
// distinguishes a wrong key from a damaged secret. Resealing is one transaction, so that the database is never sealed
// under two keys.

import TappetCore
import TappetPlatform
import TappetSQLite

/// Relation of a sealing key to a store.
package enum SealingRelation: Hashable, Sendable {
  /// Everything is sealed under the given key.
  case ours
  /// Everything is sealed under a different key.
  case foreign
  /// Nothing is sealed.
  case free
}

/// A decrypted value and its name.
package typealias SealedValue = (name: String, value: SecretBytes)

extension Store {
  /// Name of the check value, with which every key is tested.
  private static let checkName = "check"

  /// Returns the relation of `key` to this store.
  @export(interface)
  package func relation(to key: SecretKey) throws(DatabaseError) -> SealingRelation {
    let context = Store.context(ofValue: Store.checkName)
    if let sealed = try sealedBytes(named: Store.checkName),
      (try? LibCrypto.open(sealed, key: key, context: context)) != nil
    {
      return .ours
    }
    return try sealedCount() == 0 ? .free : .foreign
  }

  /// Returns the number of sealed secrets and other values, readable or not.
  package func sealedCount() throws(DatabaseError) -> Int {
    let count = try database.integer(
      "SELECT (SELECT count(*) FROM secrets) + (SELECT count(*) FROM sealed WHERE name <> 'check')")
    return Int(clamping: count ?? 0)
  }

  /// Adopts `key` as the sealing key; throws if something is sealed under a different key.
  ///
  /// Must be called within a transaction.
  func requireSealing(under key: SecretKey) throws(SecretError) {
    switch try storing({ () throws(DatabaseError) in try relation(to: key) }) {
    case .ours: return
    case .free: try writeCheck(key)
    case .foreign: throw .foreignKey
    }
  }

  /// Converts a database error into a `SecretError`.
  func storing<Result>(_ body: () throws(DatabaseError) -> Result) throws(SecretError) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .store(error) }
  }

  func sealing(_ body: () throws(CryptoError) -> [UInt8]) throws(SecretError) -> [UInt8] {
    do throws(CryptoError) { return try body() } catch { throw .notSealed(error) }
  }

  // MARK: Values

  /// Seals a value; replaces an existing value with the same name.
  @export(interface)
  package func seal(
    _ value: SecretBytes, as name: String, under key: SecretKey, noting auditEntry: AuditEntry? = nil
  ) throws(SecretError) {
    let sealed = try sealing { () throws(CryptoError) in
      try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
    }
    try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        try storing { () throws(DatabaseError) in
          try write(sealed, as: name)
          try recordSecretChange()
          try note(auditEntry)
        }
      }, failed: { .store($0) })
    renewReplica()
  }

  /// Returns the decrypted value with the given name; `nil` if there is none.
  @export(interface)
  package func sealedValue(named name: String, under key: SecretKey) throws(SecretError) -> SecretBytes? {
    guard name != Store.checkName,
      let sealed = try storing({ () throws(DatabaseError) in try sealedBytes(named: name) })
    else { return nil }
    do throws(CryptoError) {
      return try LibCrypto.openSecret(sealed, key: key, context: Store.context(ofValue: name))
    } catch { throw .unreadable(name) }
  }

  /// Returns the sorted names of the sealed values.
  package func sealedValueNames() throws(DatabaseError) -> [String] {
    let statement = try database.statement("SELECT name FROM sealed WHERE name <> 'check' ORDER BY name")
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// Removes a sealed value; returns false if no value has the given name.
  @export(interface)
  package func removeSealedValue(
    named name: String, noting auditEntry: AuditEntry? = nil
  ) throws(DatabaseError) -> Bool {
    let isRemoved = try transaction { () throws(DatabaseError) in
      try removeValue(named: name)
      guard database.changeCount > 0 else { return false }
      try recordSecretChange()
      try note(auditEntry)
      return true
    }
    if isRemoved { renewReplica() }
    return isRemoved
  }

  // MARK: Change of the key

  /// Reseals under `new` everything that `old` decrypts, in one transaction; returns the number of secrets and values.
  ///
  /// Damaged values are left unchanged. The folder must be locked; its replica is also rewritten.
  func reseal(
    from old: SecretKey, to new: SecretKey, in folder: DatabaseFolder, noting auditEntry: AuditEntry?
  ) throws(SecretError) -> Int {
    let count = try transaction(
      { () throws(SecretError) in
        // Another process may already have changed the key.
        guard try storing({ () throws(DatabaseError) in try relation(to: old) }) == .ours else { throw .foreignKey }
        let count = try resealSecrets(old, new) + resealValues(old, new)
        try writeCheck(new)
        try storing { () throws(DatabaseError) in
          try rechainAudit(from: old, to: new, by: .current(), unixSeconds: SystemClock().now().unixSeconds)
          try recordSecretChange(provenBy: new.replicaKey)
          try note(auditEntry)
        }
        return count
      }, failed: { .store($0) })
    replicaKey = new.replicaKey
    writeReplica(folder)
    return count
  }

  /// Replaces all sealed secrets and values with the content of a backup, all or nothing.
  package func replaceSealed(
    by secrets: [TagSecret], _ values: [SealedValue], sealedUnder key: SecretKey, noting auditEntry: AuditEntry
  ) throws(SecretError) {
    try transaction(
      { () throws(SecretError) in try replaceAll(by: secrets, values, sealedUnder: key, noting: auditEntry) },
      failed: { .store($0) })
    renewReplica()
  }

  /// Performs the writes of `replaceSealed`, within a transaction.
  private func replaceAll(
    by secrets: [TagSecret], _ values: [SealedValue], sealedUnder key: SecretKey, noting auditEntry: AuditEntry
  ) throws(SecretError) {
    try storing { () throws(DatabaseError) in
      try database.statement("DELETE FROM secrets").run()
      try database.statement("DELETE FROM sealed").run()
    }
    try writeCheck(key)
    for secret in secrets { try insertSealed(secret, key) }
    for (name, value) in values {
      let sealed = try sealing { () throws(CryptoError) in
        try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
      }
      try storing { () throws(DatabaseError) in try write(sealed, as: name) }
    }
    try storing { () throws(DatabaseError) in
      // If the key was lost, the integrity of the audit log cannot be verified.
      try rechainAudit(from: key, to: key, by: auditEntry.peer, unixSeconds: auditEntry.unixSeconds)
      try recordSecretChange(provenBy: key.replicaKey)
      try note(auditEntry)
    }
  }

  private func resealSecrets(_ old: SecretKey, _ new: SecretKey) throws(SecretError) -> Int {
    let known = try storing { () throws(DatabaseError) in try secrets(sealedUnder: old).readable }
    for entry in known {
      let sealed = try sealing { () throws(CryptoError) in try Store.seal(entry.secret, new) }
      try storing { () throws(DatabaseError) in
        let statement = try database.statement("UPDATE secrets SET sealed = ?2 WHERE id = ?1")
        statement.bind(entry.secret.id, at: 1)
        statement.bind(blob: sealed, at: 2)
        try statement.run()
      }
    }
    return known.count
  }

  private func resealValues(_ old: SecretKey, _ new: SecretKey) throws(SecretError) -> Int {
    var count = 0
    for name in try storing({ () throws(DatabaseError) in try sealedValueNames() }) {
      guard let value = try? sealedValue(named: name, under: old) else { continue }
      let sealed = try sealing { () throws(CryptoError) in
        try LibCrypto.seal(value, key: new, context: Store.context(ofValue: name))
      }
      try storing { () throws(DatabaseError) in try write(sealed, as: name) }
      count += 1
    }
    return count
  }

  private func writeCheck(_ key: SecretKey) throws(SecretError) {
    try writeValue(Array("tappet".utf8), as: Store.checkName, under: key)
  }

  /// Writes a sealed value, within a transaction.
  func write(_ sealed: [UInt8], as name: String) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO sealed (name, value) VALUES (?1, ?2)")
    statement.bind(name, at: 1)
    statement.bind(blob: sealed, at: 2)
    try statement.run()
  }

  /// Seals a value, or removes the sealed value if `value` is `nil`, within a transaction.
  func writeValue(_ value: [UInt8]?, as name: String, under key: SecretKey) throws(SecretError) {
    guard let value else { return try storing { () throws(DatabaseError) in try removeValue(named: name) } }
    let sealed = try sealing { () throws(CryptoError) in
      try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
    }
    try storing { () throws(DatabaseError) in try write(sealed, as: name) }
  }

  /// Removes a value, within a transaction.
  func removeValue(named name: String) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM sealed WHERE name = ?1 AND name <> 'check'")
    statement.bind(name, at: 1)
    try statement.run()
  }

  private func sealedBytes(named name: String) throws(DatabaseError) -> [UInt8]? {
    let statement = try database.statement("SELECT value FROM sealed WHERE name = ?1")
    defer { statement.reset() }
    statement.bind(name, at: 1)
    return try statement.step() ? statement.blob(0) : nil
  }

  static func context(ofValue name: String) -> [UInt8] {
    Array("tappet value 1 \(name.utf8.count) \(name)".utf8)
  }
}

extension LibCrypto {
  /// Seals a secret; wipes the plaintext copy made for the cipher.
  static func seal(_ secret: SecretBytes, key: SecretKey, context: [UInt8]) throws(CryptoError) -> [UInt8] {
    var plain = secret.withBytes { [UInt8]($0) }
    defer { wipe(&plain) }
    return try seal(plain, key: key, context: context)
  }

  /// Decrypts a secret; wipes the cipher's plaintext copy.
  static func openSecret(_ sealed: [UInt8], key: SecretKey, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    var plain = try open(sealed, key: key, context: context)
    return SecretBytes(taking: &plain)
  }
}
