// The other sealed values, and the key that everything is sealed under. One value, sealed like the others, tells a
// wrong key from a damaged secret. Everything is sealed again in one transaction, so that never half of it is under
// another key.

import TappetCore
import TappetPlatform
import TappetSQLite

/// How a sealing key relates to a store.
package enum SealingRelation: Hashable, Sendable {
  /// Everything is sealed under it.
  case ours
  /// Everything is sealed under another.
  case foreign
  /// Nothing is sealed.
  case free
}

/// An opened value and its name.
package typealias SealedValue = (name: String, value: SecretBytes)

extension Store {
  /// The value on which every key is tried.
  private static let checkName = "check"

  /// How `key` relates to this store.
  ///
  /// A database of an earlier version has no check: one secret that opens is proof enough.
  @export(interface)
  package func relation(to key: SecretKey) throws(DatabaseError) -> SealingRelation {
    if let sealed = try sealedBytes(named: Store.checkName) {
      if (try? LibCrypto.open(sealed, key: key, context: Store.context(ofValue: Store.checkName))) != nil {
        return .ours
      }
      return try sealedCount() == 0 ? .free : .foreign
    }
    if try sealedCount() == 0 { return .free }
    return try secrets(sealedUnder: key).readable.isEmpty ? .foreign : .ours
  }

  /// The number of secrets and other values that are sealed, readable or not.
  package func sealedCount() throws(DatabaseError) -> Int {
    let count = try database.integer(
      "SELECT (SELECT count(*) FROM secrets) + (SELECT count(*) FROM sealed WHERE name <> 'check')")
    return Int(clamping: count ?? 0)
  }

  /// Makes `key` the one that everything is sealed under; throws when something is sealed under another.
  ///
  /// Within a transaction.
  func requireSealing(under key: SecretKey) throws(SecretError) {
    let isGood = try storing { () throws(DatabaseError) in
      switch try relation(to: key) {
      case .foreign: return false
      case .ours where try sealedBytes(named: Store.checkName) != nil: return true
      case .ours, .free:
        try writeCheck(key)
        return true
      }
    }
    if !isGood { throw .foreignKey }
  }

  /// Turns trouble with the disk into a reason why a secret was not sealed.
  func storing<Result>(_ body: () throws(DatabaseError) -> Result) throws(SecretError) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .store(error) }
  }

  func sealing(_ body: () throws(CryptoError) -> [UInt8]) throws(SecretError) -> [UInt8] {
    do throws(CryptoError) { return try body() } catch { throw .notSealed(error) }
  }

  // MARK: Values

  /// Seals a value; replaces one of the same name.
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
          try noteSecretChange()
          try note(auditEntry)
        }
      }, failed: { .store($0) })
    renewReplica()
  }

  /// Opens the value of this name; returns `nil` when there is none.
  @export(interface)
  package func sealedValue(named name: String, under key: SecretKey) throws(SecretError) -> SecretBytes? {
    guard name != Store.checkName,
      let sealed = try storing({ () throws(DatabaseError) in try sealedBytes(named: name) })
    else { return nil }
    do throws(CryptoError) {
      return try LibCrypto.openSecret(sealed, key: key, context: Store.context(ofValue: name))
    } catch { throw .unreadable(name) }
  }

  /// The names of the sealed values, in order.
  package func sealedValueNames() throws(DatabaseError) -> [String] {
    let statement = try database.statement("SELECT name FROM sealed WHERE name <> 'check' ORDER BY name")
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// Removes a sealed value; returns false when there was none of this name.
  @export(interface)
  package func removeSealedValue(
    named name: String, noting auditEntry: AuditEntry? = nil
  ) throws(DatabaseError) -> Bool {
    let isRemoved = try transaction { () throws(DatabaseError) in
      try removeValue(named: name)
      guard database.changeCount > 0 else { return false }
      try noteSecretChange()
      try note(auditEntry)
      return true
    }
    if isRemoved { renewReplica() }
    return isRemoved
  }

  // MARK: Another key

  /// Seals everything that `old` opens under `new`, in one transaction; returns the number of secrets and values.
  ///
  /// Damaged ones stay as they are. The folder is locked; its replica is written again too.
  func reseal(
    from old: SecretKey, to new: SecretKey, in folder: DatabaseFolder, noting auditEntry: AuditEntry?
  ) throws(SecretError) -> Int {
    let count = try transaction(
      { () throws(SecretError) in
        // Another process may have been quicker.
        guard try storing({ () throws(DatabaseError) in try relation(to: old) }) == .ours else { throw .foreignKey }
        let count = try resealSecrets(old, new) + resealValues(old, new)
        try storing { () throws(DatabaseError) in
          try writeCheck(new)
          try rechainAudit(from: old, to: new, by: .current(), unixSeconds: SystemClock().now().unixSeconds)
          try noteSecretChange(provenBy: new.replicaKey)
          try note(auditEntry)
        }
        return count
      }, failed: { .store($0) })
    replicaKey = new.replicaKey
    writeReplica(folder)
    return count
  }

  /// Replaces everything that is sealed by a backup's content, all of it or nothing.
  package func replaceSealed(
    by secrets: [TagSecret], _ values: [SealedValue], sealedUnder key: SecretKey, noting auditEntry: AuditEntry
  ) throws(SecretError) {
    try transaction(
      { () throws(SecretError) in try replaceAll(by: secrets, values, sealedUnder: key, noting: auditEntry) },
      failed: { .store($0) })
    renewReplica()
  }

  /// The writes of `replaceSealed`, within a transaction.
  private func replaceAll(
    by secrets: [TagSecret], _ values: [SealedValue], sealedUnder key: SecretKey, noting auditEntry: AuditEntry
  ) throws(SecretError) {
    try storing { () throws(DatabaseError) in
      try database.statement("DELETE FROM secrets").run()
      try database.statement("DELETE FROM sealed").run()
      try writeCheck(key)
    }
    for secret in secrets { try insertSealed(secret, key) }
    for (name, value) in values {
      let sealed = try sealing { () throws(CryptoError) in
        try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
      }
      try storing { () throws(DatabaseError) in try write(sealed, as: name) }
    }
    try storing { () throws(DatabaseError) in
      // Under a key that was lost, nobody can know whether the audit is whole.
      try rechainAudit(from: key, to: key, by: auditEntry.peer, unixSeconds: auditEntry.unixSeconds)
      try noteSecretChange(provenBy: key.replicaKey)
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

  private func writeCheck(_ key: SecretKey) throws(DatabaseError) {
    let context = Store.context(ofValue: Store.checkName)
    // Without randomness there is no check, and the next seal tries again.
    guard let sealed = try? LibCrypto.seal(Array("tappet".utf8), key: key, context: context) else { return }
    try write(sealed, as: Store.checkName)
  }

  /// Writes a sealed value, within a transaction.
  func write(_ sealed: [UInt8], as name: String) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO sealed (name, value) VALUES (?1, ?2)")
    statement.bind(name, at: 1)
    statement.bind(blob: sealed, at: 2)
    try statement.run()
  }

  /// Seals a value, or removes it if it is `nil`, within a transaction.
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
  /// Seals a secret; its copy for the cipher is wiped.
  static func seal(_ secret: SecretBytes, key: SecretKey, context: [UInt8]) throws(CryptoError) -> [UInt8] {
    var plain = secret.withBytes { [UInt8]($0) }
    defer { wipe(&plain) }
    return try seal(plain, key: key, context: context)
  }

  /// Opens a secret; the cipher's copy of it is wiped.
  static func openSecret(_ sealed: [UInt8], key: SecretKey, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    var plain = try open(sealed, key: key, context: context)
    return SecretBytes(taking: &plain)
  }
}
