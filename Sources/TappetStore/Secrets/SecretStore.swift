// The database and the key that its secrets are sealed under, opened together: neither is of use without the other.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Why the secrets cannot be had.
package indirect enum SecretStoreError: Error, Hashable, Sendable {
  case store(DatabaseError)
  case sealingKey(SealingKeyError)
  case secret(SecretError)
  /// The service manager provides the sealing key: it is not ours to replace.
  case keyIsGiven
  /// The configuration says that the timestamp key is stored, but there is none.
  case noTimestampKey
  /// The same of the broker's password.
  case noBrokerPassword
}

/// An open store with its sealing key.
///
/// One thread at a time; blocks on the disk.
package struct SecretStore {
  /// The timestamp key's name among the sealed values.
  package static let timestampKeyName = "timestamp-key"

  /// The broker's password's name among the sealed values.
  package static let brokerPasswordName = "broker-password"

  private static let tagPasswordKeyName = "tag-password-key"
  private static let matrixKeyName = "matrix-key"

  /// The open database.
  package let store: Store
  let sealingKey: SecretKey
  /// Lets taps be committed in the midst of long work; never called within a transaction.
  var pause: () -> Void = {}
  /// The result of a recovery from a damaged database.
  package private(set) var recovery: StoreRecovery?

  /// Opens both like `open`, but sets a damaged database aside and begins a new one: for the kiosk itself.
  @export(interface)
  package static func recovered(folder: String) throws(SecretStoreError) -> SecretStore {
    let opened: (store: Store, recovery: StoreRecovery?)
    do throws(DatabaseError) {
      let clock = SystemClock()
      opened = try Store.recovered(
        folder: folder, bootID: clock.bootID(), unixSeconds: clock.now().unixSeconds)
    } catch { throw .store(error) }
    var secretStore = try SecretStore(opened.store, replacesLostKey: false)
    secretStore.recovery = opened.recovery
    if opened.recovery == nil, let restored = opened.store.restoredCount {
      let count: Int
      do throws(DatabaseError) { count = try opened.store.secretCount() } catch { throw .store(error) }
      secretStore.recovery = StoreRecovery(setAside: nil, secretCount: count, restoredCount: restored)
    }
    return secretStore
  }

  /// Opens both in the configuration's state folder; makes them at the first start.
  package static func open(folder: String) throws(SecretStoreError) -> SecretStore {
    try open(folder: folder, replacesLostKey: false)
  }

  /// Opens both for a restore, which leaves nothing that the old sealing key opens: a lost key is replaced by a new
  /// one.
  package static func openForRestore(folder: String) throws(SecretStoreError) -> SecretStore {
    try open(folder: folder, replacesLostKey: true)
  }

  private static func open(folder: String, replacesLostKey: Bool) throws(SecretStoreError) -> SecretStore {
    let store: Store
    do throws(DatabaseError) {
      store = try Store(folder: folder, bootID: SystemClock().bootID())
    } catch { throw .store(error) }
    return try SecretStore(store, replacesLostKey: replacesLostKey)
  }

  /// The secrets of a store that has long been open: their replica and the sealing key are looked at again, since
  /// another process, or an earlier request, may have changed either.
  init(_ store: Store) throws(SecretStoreError) {
    do throws(DatabaseError) { try store.reconcileReplica() } catch { throw .store(error) }
    try self.init(store, replacesLostKey: false)
  }

  private init(_ store: Store, replacesLostKey: Bool) throws(SecretStoreError) {
    self.store = store
    do throws(SealingKeyError) {
      sealingKey = try SealingKey.resolve(
        store, credentials: SecretStore.credentials, replacesLost: replacesLostKey)
    } catch { throw .sealingKey(error) }
    do throws(DatabaseError) {
      if try store.relation(to: sealingKey) != .foreign { try store.adopt(sealingKey) }
      try store.sealAll(under: sealingKey)
    } catch { throw .store(error) }
  }

  private static var credentials: String? {
    secure_getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  // MARK: Secrets

  /// Returns all secrets; those that cannot be opened are listed apart.
  package func secrets() throws(SecretStoreError) -> StoredSecrets {
    do throws(DatabaseError) { return try store.secrets(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// The secrets that tags are verified with.
  package func usableSecrets() throws(SecretStoreError) -> [TagSecret] { try secrets().readable.map { $0.secret } }

  /// The indexes of these actions, as the secrets fix them.
  package func indexes(of actions: [Action]) throws(SecretStoreError) -> ActionIndexes {
    ActionIndexes(actions, secrets: try usableSecrets())
  }

  /// Adds a secret; refuses one that the action has already, and one more than it may have.
  package func add(
    _ secret: TagSecret, limit: Int = Limits.secretsPerActionMax, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) {
    do throws(SecretError) {
      try store.addSecret(secret, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Adds the secret of a tag that was written again, and removes the one that was on that tag.
  package func add(
    _ secret: TagSecret, replacing former: String?, limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) {
    do throws(SecretError) {
      try store.addSecret(secret, replacing: former, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// The secrets that a tag may hold which is about to be written.
  @export(interface)
  package func formerSecrets(limit: Int) throws(SecretStoreError) -> FormerSecrets {
    do throws(DatabaseError) {
      let stored = try store.secrets(sealedUnder: sealingKey)
      return FormerSecrets(
        stored.readable.map { $0.secret }, unshared: try store.unsharedSecretIDs(),
        unreadable: stored.unreadable.map { $0.action }, limit: limit)
    } catch { throw .store(error) }
  }

  /// Adds the secrets that their actions do not have yet, all of them or none; returns their ids.
  package func add(
    _ secrets: [TagSecret], limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) -> [String] {
    do throws(SecretError) {
      return try store.addSecrets(secrets, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Removes a secret; returns false when there was none of this id.
  package func remove(id: String, noting auditEntry: AuditEntry? = nil) throws(SecretStoreError) -> Bool {
    do throws(DatabaseError) { return try store.removeSecret(id, noting: auditEntry) } catch { throw .store(error) }
  }

  /// Gives a secret another label; returns false when there was none of this id.
  package func rename(
    id: String, label: String?, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) -> Bool {
    do throws(SecretError) {
      return try store.renameSecret(id, label: label, sealedUnder: sealingKey, noting: auditEntry)
    } catch {
      throw .secret(error)
    }
  }

  /// Gives everything of an action to one of another name.
  package func renameAction(
    _ old: String, to new: String, limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) -> RenamedAction {
    do throws(SecretError) {
      return try store.renameAction(old, to: new, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Checks that the audit is as it was written.
  package func auditState() throws(SecretStoreError) -> AuditState {
    do throws(DatabaseError) { return try store.auditState(under: sealingKey) } catch { throw .store(error) }
  }

  /// Records an operation that is about to be performed.
  package func note(_ auditEntry: AuditEntry) throws(SecretStoreError) {
    do throws(DatabaseError) { try store.noteAuditEntry(auditEntry) } catch { throw .store(error) }
  }

  /// Seals everything under a new key; returns the number of secrets and values.
  ///
  /// This value is of no use afterwards: it has the old key.
  package func rekey(noting auditEntry: AuditEntry) throws(SecretStoreError) -> Int {
    guard !SealingKey.isGiven(credentials: SecretStore.credentials) else { throw .keyIsGiven }
    do throws(SealingKeyError) {
      return try SealingKey.replace(sealingKey, of: store, noting: auditEntry)
    } catch { throw .sealingKey(error) }
  }

  /// Replaces everything that is sealed by a backup's content, all of it or nothing.
  package func restore(
    _ secrets: [TagSecret], _ values: [SealedValue], by peer: LocalPeer
  ) throws(SecretStoreError) {
    let auditEntry = AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: peer, operation: "restored", subject: "\(secrets.count)")
    do throws(SecretError) {
      try store.replaceSealed(by: secrets, values, sealedUnder: sealingKey, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// The number of secrets and values that are sealed.
  package func sealedCount() throws(SecretStoreError) -> Int {
    do throws(DatabaseError) { return try store.sealedCount() } catch { throw .store(error) }
  }

  // MARK: Other sealed values

  /// Seals a value under a name: the timestamp key, the tags' password key.
  package func seal(
    _ value: SecretBytes, as name: String, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) {
    do throws(SecretError) { try store.seal(value, as: name, under: sealingKey, noting: auditEntry) } catch {
      throw .secret(error)
    }
  }

  /// Opens the value of this name; returns `nil` when there is none.
  package func sealedValue(named name: String) throws(SecretStoreError) -> SecretBytes? {
    do throws(SecretError) { return try store.sealedValue(named: name, under: sealingKey) } catch {
      throw .secret(error)
    }
  }

  /// Removes a sealed value; returns false when there was none of this name.
  package func removeSealedValue(
    named name: String, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) -> Bool {
    do throws(DatabaseError) { return try store.removeSealedValue(named: name, noting: auditEntry) } catch {
      throw .store(error)
    }
  }

  /// The names of all sealed values.
  package func sealedValueNames() throws(SecretStoreError) -> [String] {
    do throws(DatabaseError) { return try store.sealedValueNames() } catch { throw .store(error) }
  }

  /// The stored timestamp key.
  package func timestampKey() throws(SecretStoreError) -> TimestampKey {
    guard let digits = try sealedValue(named: SecretStore.timestampKeyName) else { throw .noTimestampKey }
    guard let key = digits.withBytes({ TimestampKey(hex: $0) }) else {
      throw .secret(.unreadable(SecretStore.timestampKeyName))
    }
    return key
  }

  /// The stored password for the broker.
  package func brokerPassword() throws(SecretStoreError) -> BrokerPassword {
    guard let bytes = try sealedValue(named: SecretStore.brokerPasswordName) else { throw .noBrokerPassword }
    guard let password = BrokerPassword(bytes) else { throw .secret(.unreadable(SecretStore.brokerPasswordName)) }
    return password
  }

  /// The key from which the passwords of protected tags are derived (`TagPassword`); `nil` if there is none and
  /// `making` is false.
  ///
  /// There is one for the whole kiosk: a tag's password follows from it and from the tag's UID, so that no password has
  /// to be remembered, and a tag can be protected before anything is saved.
  package func tagPasswordKey(making: Bool) throws(SecretStoreError) -> SecretKey? {
    try key(named: SecretStore.tagPasswordKeyName, making: making)
  }

  /// The key under which the keys of encrypted rooms are sealed; made at the first time.
  package func matrixKey() throws(SecretStoreError) -> SecretKey {
    let name = SecretStore.matrixKeyName
    guard let key = try key(named: name, making: true) else { throw .secret(.unreadable(name)) }
    return key
  }

  private func key(named name: String, making: Bool) throws(SecretStoreError) -> SecretKey? {
    if let bytes = try sealedValue(named: name) {
      guard let key = bytes.withBytes({ SecretKey(copying: $0) }) else { throw .secret(.unreadable(name)) }
      return key
    }
    guard making else { return nil }
    let key: SecretKey
    do throws(CryptoError) { key = try SecretKey.random() } catch { throw .secret(.notSealed(error)) }
    try seal(key.withBytes { SecretBytes(copying: $0) }, as: name)
    return key
  }
}
