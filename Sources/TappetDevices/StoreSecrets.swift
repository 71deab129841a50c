// The secrets in the store, sealed: whoever copies the database without the sealing key has nothing. Each seal is bound to
// its row, so that nobody who can write the database can give one action's secret to another.

import TappetCore

/// A secret with what is known of its use.
public struct StoredSecret: Sendable {
  /// The secret.
  public var secret: TagSecret
  /// Seconds since 1970; nil when it was never used.
  public var lastUsedUnixSeconds: Int64?
  /// How often.
  public var timesUsed: Int64
}

/// A secret that cannot be opened: sealed under another key, or damaged.
public struct UnreadableSecret: Hashable, Sendable {
  /// Its id.
  public var id: String
  /// The action it belongs to, by name.
  public var action: String
  /// What libcrypto said.
  public var reason: CryptoError
}

/// All secrets.
public struct StoredSecrets: Sendable {
  /// By action, the oldest first.
  public var readable: [StoredSecret]
  /// One damaged secret does not hide the others.
  public var unreadable: [UnreadableSecret]
}

/// Why a secret was not added.
public indirect enum SecretError: Error, Hashable, Sendable {
  /// The action has as many as it may have.
  case limitReached(action: String, max: Int)
  /// The action has this key already, under this id.
  case alreadyThere(id: String)
  /// Bytes of the label.
  case labelTooLong(size: Int, max: Int)
  /// The label has control characters.
  case labelNotPrintable
  /// What is in the database was sealed under another key than this one: two keys would make half of it unreadable.
  case foreignKey
  /// What is kept under this name was sealed under another key, or is damaged.
  case unreadable(String)
  /// It could not be sealed.
  case notSealed(CryptoError)
  /// It could not be written.
  case store(StoreError)
}

extension Store {
  /// All secrets, opened with `key`.
  ///
  /// Any process may have changed them since the last call.
  public func secrets(sealedUnder key: SecretKey) throws(StoreError) -> StoredSecrets {
    let statement = try database.statement(
      "SELECT id, action, idx, sealed, created, label, last_used, times_used FROM secrets ORDER BY action, created, id")
    defer { statement.reset() }
    var secrets = StoredSecrets(readable: [], unreadable: [])
    while try statement.step() {
      let (id, action, index) = (statement.text(0), statement.text(1), statement.integer(2))
      let sealed = statement.blob(3)
      do throws(CryptoError) {
        let secret = TagSecret(
          id: id, action: action, index: index, key: try Store.open(sealed, key, id, action, index),
          createdUnixSeconds: statement.integer(4), label: statement.isNull(5) ? nil : statement.text(5))
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

  /// How many secrets there are, readable or not.
  public func secretCount() throws(StoreError) -> Int {
    Int(clamping: try database.integer("SELECT count(*) FROM secrets") ?? 0)
  }

  /// Seals `secret` under `key` and commits it.
  ///
  /// Refused: a key that the action has, and one more than it may have.
  /// `deed` is noted with it, if given.
  public func addSecret(
    _ secret: TagSecret, sealedUnder key: SecretKey, noting deed: AuditEntry? = nil
  ) throws(SecretError) {
    try Store.requireGood(secret.label)
    let sealed: [UInt8]
    do throws(CryptoError) { sealed = try Store.seal(secret, key) } catch { throw .notSealed(error) }
    try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        try requireRoom(for: secret, key)
        do throws(StoreError) {
          try insert(secret, sealed)
          try noteSecretChange()
          try note(deed)
        } catch { throw .store(error) }
      }, failed: { .store($0) })
    renewBackup()
  }

  /// Adds those that their actions do not have yet, all of them or none; answers their ids.
  public func addSecrets(
    _ secrets: [TagSecret], sealedUnder key: SecretKey, noting deed: AuditEntry
  ) throws(SecretError) -> [String] {
    let added = try transaction(
      { () throws(SecretError) in
        try requireSealing(under: key)
        var added: [String] = []
        for secret in secrets {
          do throws(SecretError) { try requireRoom(for: secret, key) } catch {
            if case .alreadyThere = error { continue }
            throw error
          }
          try insertSealed(secret, key)
          added.append(secret.id)
        }
        do throws(StoreError) {
          try noteSecretChange()
          try note(deed)
        } catch { throw .store(error) }
        return added
      }, failed: { .store($0) })
    renewBackup()
    return added
  }

  /// Removes a secret: the tags that were written with it are refused from now on.
  ///
  /// False when there was none.
  public func removeSecret(_ id: String, noting deed: AuditEntry? = nil) throws(StoreError) -> Bool {
    let isRemoved = try transaction { () throws(StoreError) in
      let statement = try database.statement("DELETE FROM secrets WHERE id = ?1")
      statement.bind(id, at: 1)
      try statement.run()
      guard database.changeCount > 0 else { return false }
      try noteSecretChange()
      try note(deed)
      return true
    }
    if isRemoved { renewBackup() }
    return isRemoved
  }

  /// Gives a secret another label; nil takes it away.
  ///
  /// False when there was none.
  public func renameSecret(
    _ id: String, label: String?, noting deed: AuditEntry? = nil
  ) throws(SecretError) -> Bool {
    try Store.requireGood(label)
    do throws(StoreError) {
      let isRenamed = try transaction { () throws(StoreError) in
        let statement = try database.statement("UPDATE secrets SET label = ?2 WHERE id = ?1")
        statement.bind(id, at: 1)
        statement.bind(label, at: 2)
        try statement.run()
        guard database.changeCount > 0 else { return false }
        try noteSecretChange()
        try note(deed)
        return true
      }
      if isRenamed { renewBackup() }
      return isRenamed
    } catch { throw .store(error) }
  }

  private static func requireGood(_ label: String?) throws(SecretError) {
    guard let label else { return }
    let size = label.utf8.count
    guard size <= Limits.secretLabelSizeMax else { throw .labelTooLong(size: size, max: Limits.secretLabelSizeMax) }
    guard label.isPrintable else { throw .labelNotPrintable }
  }

  /// Remembers that a tag of this secret was used.
  public func noteSecretUse(_ id: String, unixSeconds: Int64) throws(StoreError) {
    try transaction { () throws(StoreError) in try noteUse(id, unixSeconds) }
  }

  /// The write of `noteSecretUse`, within a transaction.
  func noteUse(_ id: String, _ unixSeconds: Int64) throws(StoreError) {
    let statement = try database.statement(
      "UPDATE secrets SET last_used = ?2, times_used = times_used + 1 WHERE id = ?1")
    statement.bind(id, at: 1)
    statement.bind(unixSeconds, at: 2)
    try statement.run()
  }

  private func requireRoom(for secret: TagSecret, _ key: SecretKey) throws(SecretError) {
    let known: StoredSecrets
    do throws(StoreError) { known = try secrets(sealedUnder: key) } catch { throw .store(error) }
    let readable = known.readable.filter { $0.secret.action == secret.action }
    if let same = readable.first(where: { $0.secret.key == secret.key }) { throw .alreadyThere(id: same.secret.id) }
    let ids = known.readable.map { $0.secret.id } + known.unreadable.map { $0.id }
    if ids.contains(secret.id) { throw .alreadyThere(id: secret.id) }
    let count = readable.count + known.unreadable.filter { $0.action == secret.action }.count
    if count >= Limits.secretsPerActionMax {
      throw .limitReached(action: secret.action, max: Limits.secretsPerActionMax)
    }
  }

  /// Seals and inserts, within a transaction, without asking whether there is room.
  func insertSealed(_ secret: TagSecret, _ key: SecretKey) throws(SecretError) {
    try Store.requireGood(secret.label)
    let sealed: [UInt8]
    do throws(CryptoError) { sealed = try Store.seal(secret, key) } catch { throw .notSealed(error) }
    do throws(StoreError) { try insert(secret, sealed) } catch { throw .store(error) }
  }

  private func insert(_ secret: TagSecret, _ sealed: [UInt8]) throws(StoreError) {
    let statement = try database.statement(
      "INSERT INTO secrets (id, action, idx, sealed, created, label) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    statement.bind(secret.id, at: 1)
    statement.bind(secret.action, at: 2)
    statement.bind(secret.index, at: 3)
    statement.bind(blob: sealed, at: 4)
    statement.bind(secret.createdUnixSeconds, at: 5)
    statement.bind(secret.label, at: 6)
    try statement.run()
  }

  // MARK: Sealing

  static func seal(_ secret: TagSecret, _ key: SecretKey) throws(CryptoError) -> [UInt8] {
    var plain = secret.key.withBytes { [UInt8]($0) }
    defer { LibCrypto.wipe(&plain) }
    return try LibCrypto.seal(plain, key: key, context: context(secret.id, secret.action, secret.index))
  }

  private static func open(
    _ sealed: [UInt8], _ key: SecretKey, _ id: String, _ action: String, _ index: Int64
  ) throws(CryptoError) -> SecretKey {
    var plain = try LibCrypto.open(sealed, key: key, context: context(id, action, index))
    defer { LibCrypto.wipe(&plain) }
    guard let secret = SecretKey(plain) else { throw .keySize(plain.count) }
    return secret
  }

  /// What a seal is bound to.
  ///
  /// The sizes keep "a" + "bc" apart from "ab" + "c".
  private static func context(_ id: String, _ action: String, _ index: Int64) -> [UInt8] {
    Array("tappet secret 1 \(id.utf8.count) \(id) \(action.utf8.count) \(action) \(index)".utf8)
  }
}
