// What else is sealed in the store, and under which key everything is: one value, sealed like the others, tells a wrong key
// from a damaged secret. All of it is sealed anew in one transaction, so that there is never half of it under another key.

import TappetCore

/// What a sealing key is to a store.
public enum SealingRelation: Hashable, Sendable {
  /// Everything is sealed under it.
  case ours
  /// Everything is sealed under another.
  case foreign
  /// Nothing is sealed.
  case free
}

extension Store {
  /// The value that every key is tried at.
  private static let checkName = "check"

  /// What `key` is to this store.
  ///
  /// A database of earlier versions has no check: one secret that opens speaks for all.
  public func relation(to key: SecretKey) throws(StoreError) -> SealingRelation {
    if let sealed = try sealedValue(Store.checkName) {
      if (try? LibCrypto.open(sealed, key: key, context: Store.context(ofValue: Store.checkName))) != nil {
        return .ours
      }
      return try sealedCount() == 0 ? .free : .foreign
    }
    if try sealedCount() == 0 { return .free }
    return try secrets(sealedUnder: key).readable.isEmpty ? .foreign : .ours
  }

  /// How many secrets and other values are sealed, readable or not.
  public func sealedCount() throws(StoreError) -> Int {
    let count = try database.integer(
      "SELECT (SELECT count(*) FROM secrets) + (SELECT count(*) FROM sealed WHERE name <> 'check')")
    return Int(clamping: count ?? 0)
  }

  /// From now on `key` is what everything is sealed under; refused when something is sealed under another.
  ///
  /// Within a transaction.
  func requireSealing(under key: SecretKey) throws(SecretError) {
    let isGood = try storing { () throws(StoreError) in
      switch try relation(to: key) {
      case .foreign: return false
      case .ours where try sealedValue(Store.checkName) != nil: return true
      case .ours, .free:
        try writeCheck(key)
        return true
      }
    }
    if !isGood { throw .foreignKey }
  }

  /// Trouble with the disk, as a reason why a secret was not sealed.
  private func storing<Result>(_ body: () throws(StoreError) -> Result) throws(SecretError) -> Result {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }

  private func sealing(_ body: () throws(CryptoError) -> [UInt8]) throws(SecretError) -> [UInt8] {
    do throws(CryptoError) { return try body() } catch { throw .notSealed(error) }
  }

  // MARK: Values

  /// Keeps a value, sealed; one of this name is replaced.
  ///
  /// `value` is the caller's to wipe.
  public func keep(
    _ value: [UInt8], as name: String, sealedUnder key: SecretKey, noting deed: AuditEntry? = nil
  ) throws(SecretError) {
    let sealed = try sealing { () throws(CryptoError) in
      try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
    }
    try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        try storing { () throws(StoreError) in
          try write(sealed, as: name)
          try noteSecretChange()
          try note(deed)
        }
      }, failed: { .store($0) })
    renewBackup()
  }

  /// The value of this name, for the caller to wipe; nil when there is none.
  public func kept(_ name: String, sealedUnder key: SecretKey) throws(SecretError) -> [UInt8]? {
    guard name != Store.checkName, let sealed = try storing({ () throws(StoreError) in try sealedValue(name) })
    else { return nil }
    do throws(CryptoError) {
      return try LibCrypto.open(sealed, key: key, context: Store.context(ofValue: name))
    } catch { throw .unreadable(name) }
  }

  /// The names of what is kept, in order.
  public func keptNames() throws(StoreError) -> [String] {
    let statement = try database.statement("SELECT name FROM sealed WHERE name <> 'check' ORDER BY name")
    defer { statement.reset() }
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// False when there was none of this name.
  public func discard(_ name: String, noting deed: AuditEntry? = nil) throws(StoreError) -> Bool {
    let isDiscarded = try transaction { () throws(StoreError) in
      let statement = try database.statement("DELETE FROM sealed WHERE name = ?1 AND name <> 'check'")
      statement.bind(name, at: 1)
      try statement.run()
      guard database.changeCount > 0 else { return false }
      try noteSecretChange()
      try note(deed)
      return true
    }
    if isDiscarded { renewBackup() }
    return isDiscarded
  }

  // MARK: Another key

  /// Seals everything that `old` opens under `new`, in one transaction; how much.
  ///
  /// What is damaged stays as it is. The folder is locked, and the copy in it is made anew too.
  func reseal(
    from old: SecretKey, to new: SecretKey, in folder: StoreFolder, noting deed: AuditEntry?
  ) throws(SecretError) -> Int {
    let count = try transaction(
      { () throws(SecretError) in
        // Somebody may have been quicker.
        guard try storing({ () throws(StoreError) in try relation(to: old) }) == .ours else { throw .foreignKey }
        let count = try resealSecrets(old, new) + resealValues(old, new)
        try storing { () throws(StoreError) in
          try writeCheck(new)
          try noteSecretChange()
          try note(deed)
        }
        return count
      }, failed: { .store($0) })
    writeBackup(folder)
    return count
  }

  /// Puts these in the place of everything that is sealed, in one transaction.
  private func replaceAll(
    by secrets: [TagSecret], _ values: [(name: String, value: [UInt8])], sealedUnder key: SecretKey,
    noting deed: AuditEntry
  ) throws(SecretError) {
    try storing { () throws(StoreError) in
      try database.statement("DELETE FROM secrets").run()
      try database.statement("DELETE FROM sealed").run()
      try writeCheck(key)
    }
    for secret in secrets { try insertSealed(secret, key) }
    for (name, value) in values {
      let sealed = try sealing { () throws(CryptoError) in
        try LibCrypto.seal(value, key: key, context: Store.context(ofValue: name))
      }
      try storing { () throws(StoreError) in try write(sealed, as: name) }
    }
    try storing { () throws(StoreError) in
      try noteSecretChange()
      try note(deed)
    }
  }

  /// Puts a backup in the place of everything that is sealed, all of it or nothing.
  public func replaceSealed(
    by secrets: [TagSecret], _ values: [(name: String, value: [UInt8])], sealedUnder key: SecretKey,
    noting deed: AuditEntry
  ) throws(SecretError) {
    try transaction(
      { () throws(SecretError) in try replaceAll(by: secrets, values, sealedUnder: key, noting: deed) },
      failed: { .store($0) })
    renewBackup()
  }

  private func resealSecrets(_ old: SecretKey, _ new: SecretKey) throws(SecretError) -> Int {
    let known = try storing { () throws(StoreError) in try secrets(sealedUnder: old).readable }
    for entry in known {
      let sealed = try sealing { () throws(CryptoError) in try Store.seal(entry.secret, new) }
      try storing { () throws(StoreError) in
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
    for name in try storing({ () throws(StoreError) in try keptNames() }) {
      guard var value = try? kept(name, sealedUnder: old) else { continue }
      defer { LibCrypto.wipe(&value) }
      let sealed = try sealing { () throws(CryptoError) in
        try LibCrypto.seal(value, key: new, context: Store.context(ofValue: name))
      }
      try storing { () throws(StoreError) in try write(sealed, as: name) }
      count += 1
    }
    return count
  }

  private func writeCheck(_ key: SecretKey) throws(StoreError) {
    let context = Store.context(ofValue: Store.checkName)
    // Without randomness there is no check, and the next one who seals tries again.
    guard let sealed = try? LibCrypto.seal(Array("tappet".utf8), key: key, context: context) else { return }
    try write(sealed, as: Store.checkName)
  }

  private func write(_ sealed: [UInt8], as name: String) throws(StoreError) {
    let statement = try database.statement("INSERT OR REPLACE INTO sealed (name, value) VALUES (?1, ?2)")
    statement.bind(name, at: 1)
    statement.bind(blob: sealed, at: 2)
    try statement.run()
  }

  private func sealedValue(_ name: String) throws(StoreError) -> [UInt8]? {
    let statement = try database.statement("SELECT value FROM sealed WHERE name = ?1")
    defer { statement.reset() }
    statement.bind(name, at: 1)
    return try statement.step() ? statement.blob(0) : nil
  }

  private static func context(ofValue name: String) -> [UInt8] {
    Array("tappet value 1 \(name.utf8.count) \(name)".utf8)
  }
}
