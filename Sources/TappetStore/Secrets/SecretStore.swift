// The database and the key under which its secrets are sealed, opened together: neither is useful without the other.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Reason why the secrets are unavailable.
package indirect enum SecretStoreError: Error, Hashable, Sendable {
  case store(DatabaseError)
  case sealingKey(SealingKeyError)
  case secret(SecretError)
  /// The sealing key is provided by the service manager and cannot be replaced here.
  case keyIsGiven
  /// The configuration refers to a stored timestamp key, but none is stored.
  case noTimestampKey
  /// The configuration refers to a stored broker password, but none is stored.
  case noBrokerPassword
}

/// An open store with its sealing key.
///
/// Must be used by only one thread at a time; blocks on the disk.
package struct SecretStore {
  /// Name of the timestamp key among the sealed values.
  package static let timestampKeyName = "timestamp-key"

  /// Name of the broker password among the sealed values.
  package static let brokerPasswordName = "broker-password"
  package static let pagePasswordName = "page-password"

  private static let tagPasswordKeyName = "tag-password-key"
  private static let matrixKeyName = "matrix-key"

  /// The open database.
  package let store: Store
  let sealingKey: SecretKey
  /// Hook that commits pending taps during long work; never called within a transaction.
  var pause: () -> Void = {}
  /// The result of a recovery from a damaged database; `nil` if there was none.
  package private(set) var recovery: StoreRecovery?

  /// Opens database and key like `open`, but sets aside and replaces a damaged database; only for the kiosk itself.
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

  /// Opens the database and the key in the state folder; creates them at the first start.
  package static func open(folder: String) throws(SecretStoreError) -> SecretStore {
    try open(folder: folder, replacesLostKey: false)
  }

  /// Opens the database and the key for a restore, after which nothing is sealed under the old key: a lost key is
  /// replaced with a new key.
  package static func openForRestore(folder: String) throws(SecretStoreError) -> SecretStore {
    try open(folder: folder, replacesLostKey: true)
  }

  /// Whether the folder contains a database; creates nothing.
  @export(interface)
  package static func isPresent(in folder: String) -> Bool { access(folder + "/" + Store.fileName, F_OK) == 0 }

  /// Returns the number of sealed values in the folder's database, 0 if there is none; creates nothing, not even a key.
  @export(interface)
  package static func sealedCount(in folder: String) throws(SecretStoreError) -> Int {
    guard isPresent(in: folder) else { return 0 }
    do throws(DatabaseError) {
      return try Store(folder: folder, bootID: SystemClock().bootID()).sealedCount()
    } catch { throw .store(error) }
  }

  private static func open(folder: String, replacesLostKey: Bool) throws(SecretStoreError) -> SecretStore {
    let store: Store
    do throws(DatabaseError) {
      store = try Store(folder: folder, bootID: SystemClock().bootID())
    } catch { throw .store(error) }
    return try SecretStore(store, replacesLostKey: replacesLostKey)
  }

  /// Opens the secrets of a store that is already open; rereads their replica and the sealing key, because another
  /// process or an earlier request may have changed either.
  init(_ store: Store) throws(SecretStoreError) {
    do throws(DatabaseError) { try store.reconcileReplica() } catch { throw .store(error) }
    try self.init(store, replacesLostKey: false)
  }

  @export(interface)
  private init(_ store: Store, replacesLostKey: Bool) throws(SecretStoreError) {
    self.store = store
    do throws(SealingKeyError) {
      sealingKey = try SealingKey.resolve(
        store, credentials: SecretStore.credentials, replacesLost: replacesLostKey)
    } catch { throw .sealingKey(error) }
    do throws(DatabaseError) {
      if try store.relation(to: sealingKey) != .foreign { try store.adopt(sealingKey) }
    } catch { throw .store(error) }
  }

  private static var credentials: String? {
    secure_getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  // MARK: Secrets

  /// Returns all secrets; secrets that cannot be decrypted are listed separately.
  package func secrets() throws(SecretStoreError) -> StoredSecrets {
    do throws(DatabaseError) { return try store.secrets(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// Returns the secrets with which tags are verified.
  package func usableSecrets() throws(SecretStoreError) -> [TagSecret] { try secrets().readable.map { $0.secret } }

  /// Returns the indexes of the given actions, as determined by the secrets.
  package func indexes(of actions: [Action]) throws(SecretStoreError) -> ActionIndexes {
    ActionIndexes(actions, secrets: try usableSecrets())
  }

  /// Adds a secret; throws if the action already has the same key, or has reached its limit.
  package func add(
    _ secret: TagSecret, limit: Int = Limits.secretsPerActionMax, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) {
    do throws(SecretError) {
      try store.addSecret(secret, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Adds the secret of a rewritten tag, and removes the secret that it replaces on the tag.
  package func add(
    _ secret: TagSecret, replacing former: String?, limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) {
    do throws(SecretError) {
      try store.addSecret(secret, replacing: former, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Returns the secrets that may be on a tag that is about to be written.
  @export(interface)
  package func formerSecrets(limit: Int) throws(SecretStoreError) -> FormerSecrets {
    do throws(DatabaseError) {
      let stored = try store.secrets(sealedUnder: sealingKey)
      return FormerSecrets(
        stored.readable.map { $0.secret }, unshared: try store.unsharedSecretIDs(),
        unreadable: stored.unreadable.map { $0.action }, limit: limit)
    } catch { throw .store(error) }
  }

  /// Adds the secrets that their actions do not have yet, all or none; returns the ids of the added secrets.
  package func add(
    _ secrets: [TagSecret], limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) -> [String] {
    do throws(SecretError) {
      return try store.addSecrets(secrets, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Removes a secret; returns false if no secret has the given id.
  package func remove(id: String, noting auditEntry: AuditEntry? = nil) throws(SecretStoreError) -> Bool {
    do throws(DatabaseError) { return try store.removeSecret(id, noting: auditEntry) } catch { throw .store(error) }
  }

  /// Changes the label of a secret; returns false if no secret has the given id.
  package func rename(
    id: String, label: String?, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) -> Bool {
    do throws(SecretError) {
      return try store.renameSecret(id, label: label, sealedUnder: sealingKey, noting: auditEntry)
    } catch {
      throw .secret(error)
    }
  }

  /// Moves everything that belongs to the action `old` to the action name `new`.
  package func renameAction(
    _ old: String, to new: String, limit: Int, noting auditEntry: AuditEntry
  ) throws(SecretStoreError) -> RenamedAction {
    do throws(SecretError) {
      return try store.renameAction(old, to: new, sealedUnder: sealingKey, limit: limit, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  /// Checks that the audit log is unmodified.
  package func auditState() throws(SecretStoreError) -> AuditState {
    do throws(DatabaseError) { return try store.auditState(under: sealingKey) } catch { throw .store(error) }
  }

  /// Records an operation before it is performed.
  package func note(_ auditEntry: AuditEntry) throws(SecretStoreError) {
    do throws(DatabaseError) { try store.recordAuditEntry(auditEntry) } catch { throw .store(error) }
  }

  /// Seals everything under a new key; returns the number of secrets and values.
  ///
  /// The store must not be used afterwards, because it contains the old key.
  package func rekey(noting auditEntry: AuditEntry) throws(SecretStoreError) -> Int {
    guard !SealingKey.isGiven(credentials: SecretStore.credentials) else { throw .keyIsGiven }
    do throws(SealingKeyError) {
      return try SealingKey.replace(sealingKey, of: store, noting: auditEntry)
    } catch { throw .sealingKey(error) }
  }

  /// Replaces all sealed secrets and values with the content of a backup, all or nothing.
  package func restore(
    _ secrets: [TagSecret], _ values: [SealedValue], by peer: LocalPeer
  ) throws(SecretStoreError) {
    let auditEntry = AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: peer, operation: "restored", subject: "\(secrets.count)")
    do throws(SecretError) {
      try store.replaceSealed(by: secrets, values, sealedUnder: sealingKey, noting: auditEntry)
    } catch { throw .secret(error) }
  }

  // MARK: Other sealed values

  /// Seals a value, such as the timestamp key or the tags' password key, under a name.
  package func seal(
    _ value: SecretBytes, as name: String, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) {
    do throws(SecretError) { try store.seal(value, as: name, under: sealingKey, noting: auditEntry) } catch {
      throw .secret(error)
    }
  }

  /// Returns the decrypted value with the given name; `nil` if there is none.
  package func sealedValue(named name: String) throws(SecretStoreError) -> SecretBytes? {
    do throws(SecretError) { return try store.sealedValue(named: name, under: sealingKey) } catch {
      throw .secret(error)
    }
  }

  /// Removes a sealed value; returns false if no value has the given name.
  package func removeSealedValue(
    named name: String, noting auditEntry: AuditEntry? = nil
  ) throws(SecretStoreError) -> Bool {
    do throws(DatabaseError) { return try store.removeSealedValue(named: name, noting: auditEntry) } catch {
      throw .store(error)
    }
  }

  /// Returns the names of all sealed values.
  package func sealedValueNames() throws(SecretStoreError) -> [String] {
    do throws(DatabaseError) { return try store.sealedValueNames() } catch { throw .store(error) }
  }

  /// Returns the stored timestamp key.
  package func timestampKey() throws(SecretStoreError) -> TimestampKey {
    guard let digits = try sealedValue(named: SecretStore.timestampKeyName) else { throw .noTimestampKey }
    guard let key = digits.withBytes({ TimestampKey(hex: $0) }) else {
      throw .secret(.unreadable(SecretStore.timestampKeyName))
    }
    return key
  }

  /// Returns the stored broker password.
  package func brokerPassword() throws(SecretStoreError) -> BrokerPassword {
    guard let bytes = try sealedValue(named: SecretStore.brokerPasswordName) else { throw .noBrokerPassword }
    guard let password = BrokerPassword(bytes) else { throw .secret(.unreadable(SecretStore.brokerPasswordName)) }
    return password
  }

  /// Returns the key from which the passwords of protected tags are derived (`TagPassword`); `nil` if there is none and
  /// `making` is false.
  ///
  /// There is one key for the whole kiosk: a tag's password is derived from this key and the tag's UID, so that no
  /// password has to be stored, and a tag can be protected before anything is saved.
  package func tagPasswordKey(making: Bool) throws(SecretStoreError) -> SecretKey? {
    try key(named: SecretStore.tagPasswordKeyName, making: making)
  }

  /// Returns the key under which the keys of encrypted rooms are sealed; creates it on first use.
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
