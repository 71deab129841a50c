// The database and the key that its secrets are sealed under, opened together: neither is of use without the other.

import CPlatform
import TappetCore
import TappetDevices

/// Why the secrets cannot be had.
public indirect enum VaultError: Error, Hashable, Sendable {
  case store(StoreError)
  case sealingKey(SealingKeyError)
  case secret(SecretError)
  /// The service manager gives the sealing key: it is not ours to replace.
  case keyIsGiven
  /// The configuration says that the timestamp key is stored, and there is none.
  case noTimestampKey
}

/// An open store with its sealing key.
///
/// One thread at a time; blocks on the disk.
public struct Vault {
  /// The name under which the timestamp key is kept.
  public static let timestampKeyName = "timestamp-key"

  private static let tagPasswordKeyName = "tag-password-key"

  /// The database.
  public let store: Store
  private let sealingKey: SecretKey
  private let folder: String
  /// What was done about a damaged database.
  public private(set) var recovery: StoreRecovery?

  /// As `open`, but a damaged database is set aside and a new one begun: for the kiosk itself.
  public static func recovered(_ configuration: Configuration) throws(VaultError) -> Vault {
    let opened: (store: Store, recovery: StoreRecovery?)
    do throws(StoreError) {
      let clock = SystemClock()
      opened = try Store.recovered(
        folder: configuration.stateFolder, bootID: clock.bootID(), unixSeconds: clock.now().unixSeconds)
    } catch { throw .store(error) }
    var vault = try Vault(opened.store, configuration, replacesAll: false)
    vault.recovery = opened.recovery
    return vault
  }

  /// Opens both in the configuration's state folder; they are made at the first start.
  public static func open(_ configuration: Configuration) throws(VaultError) -> Vault {
    try open(configuration, replacesAll: false)
  }

  /// Opens both for a restore: a sealing key that is lost is made anew, for nothing of what it opened will be left.
  public static func openForRestore(_ configuration: Configuration) throws(VaultError) -> Vault {
    try open(configuration, replacesAll: true)
  }

  private static func open(_ configuration: Configuration, replacesAll: Bool) throws(VaultError) -> Vault {
    let store: Store
    do throws(StoreError) {
      store = try Store(folder: configuration.stateFolder, bootID: SystemClock().bootID())
    } catch { throw .store(error) }
    return try Vault(store, configuration, replacesAll: replacesAll)
  }

  private init(_ store: Store, _ configuration: Configuration, replacesAll: Bool) throws(VaultError) {
    self.store = store
    folder = configuration.stateFolder
    do throws(SealingKeyError) {
      sealingKey = try SealingKey.settle(
        store, folder: folder, credentials: Vault.credentials, replacesLost: replacesAll)
    } catch { throw .sealingKey(error) }
  }

  private static var credentials: String? {
    secure_getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  /// All of them; those that cannot be opened, apart.
  public func secrets() throws(VaultError) -> StoredSecrets {
    do throws(StoreError) { return try store.secrets(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// Those that tags are verified with.
  public func usableSecrets() throws(VaultError) -> [TagSecret] { try secrets().readable.map { $0.secret } }

  /// Adds one; refused when the action has it, or has three.
  public func add(_ secret: TagSecret, noting deed: AuditEntry? = nil) throws(VaultError) {
    do throws(SecretError) { try store.addSecret(secret, sealedUnder: sealingKey, noting: deed) } catch {
      throw .secret(error)
    }
  }

  /// Adds those that their actions do not have yet, all of them or none; answers their ids.
  public func add(_ secrets: [TagSecret], noting deed: AuditEntry) throws(VaultError) -> [String] {
    do throws(SecretError) { return try store.addSecrets(secrets, sealedUnder: sealingKey, noting: deed) } catch {
      throw .secret(error)
    }
  }

  /// False when there was none of this id.
  public func remove(id: String, noting deed: AuditEntry? = nil) throws(VaultError) -> Bool {
    do throws(StoreError) { return try store.removeSecret(id, noting: deed) } catch { throw .store(error) }
  }

  /// Gives one another label; false when there was none of this id.
  public func rename(id: String, label: String?, noting deed: AuditEntry? = nil) throws(VaultError) -> Bool {
    do throws(SecretError) { return try store.renameSecret(id, label: label, noting: deed) } catch {
      throw .secret(error)
    }
  }

  /// Notes a deed that is about to be done.
  public func note(_ deed: AuditEntry) throws(VaultError) {
    do throws(StoreError) { try store.noteDeed(deed) } catch { throw .store(error) }
  }

  /// Seals everything under a new key; how much.
  ///
  /// This vault is of no use afterwards.
  public func rekey(noting deed: AuditEntry) throws(VaultError) -> Int {
    guard !SealingKey.isGiven(credentials: Vault.credentials) else { throw .keyIsGiven }
    do throws(SealingKeyError) {
      return try SealingKey.replace(sealingKey, of: store, folder: folder, noting: deed)
    } catch { throw .sealingKey(error) }
  }

  /// Puts a backup in the place of everything that is sealed, all of it or nothing.
  public func restore(_ content: BackupContent, by peer: LocalPeer) throws(VaultError) {
    let deed = AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: peer, deed: "restored", subject: "\(content.secrets.count)")
    do throws(SecretError) {
      try store.replaceSealed(by: content.secrets, content.values, sealedUnder: sealingKey, noting: deed)
    } catch { throw .secret(error) }
  }

  /// How much is sealed.
  public func sealedCount() throws(VaultError) -> Int {
    do throws(StoreError) { return try store.sealedCount() } catch { throw .store(error) }
  }

  // MARK: Other sealed values

  /// Keeps `value`, which is the caller's to wipe, under a name: the timestamp key, a tag's password.
  public func keep(_ value: [UInt8], as name: String, noting deed: AuditEntry? = nil) throws(VaultError) {
    do throws(SecretError) { try store.keep(value, as: name, sealedUnder: sealingKey, noting: deed) } catch {
      throw .secret(error)
    }
  }

  /// What is kept under a name, for the caller to wipe; nil: nothing.
  public func kept(_ name: String) throws(VaultError) -> [UInt8]? {
    do throws(SecretError) { return try store.kept(name, sealedUnder: sealingKey) } catch { throw .secret(error) }
  }

  /// The timestamp key that is kept.
  public func timestampKey() throws(VaultError) -> TimestampKey {
    guard var digits = try kept(Vault.timestampKeyName) else { throw .noTimestampKey }
    defer { LibCrypto.wipe(&digits) }
    guard let key = TimestampKey(hex: digits[...]) else { throw .secret(.unreadable(Vault.timestampKeyName)) }
    return key
  }

  /// The key that the passwords of protected tags are drawn from (`TagPassword`); nil when there is none and none is to be made.
  ///
  /// There is one for the whole kiosk: a tag's password follows from it and from the tag's UID, so that none has to be
  /// remembered for a tag, and a tag can be protected before anything is saved.
  public func tagPasswordKey(making: Bool) throws(VaultError) -> SecretKey? {
    if var bytes = try kept(Vault.tagPasswordKeyName) {
      defer { LibCrypto.wipe(&bytes) }
      guard let key = SecretKey(bytes) else { throw .secret(.unreadable(Vault.tagPasswordKeyName)) }
      return key
    }
    guard making else { return nil }
    var bytes: [UInt8]
    do throws(CryptoError) { bytes = try SecretKey.random().withBytes { [UInt8]($0) } } catch {
      throw .secret(.notSealed(error))
    }
    defer { LibCrypto.wipe(&bytes) }
    try keep(bytes, as: Vault.tagPasswordKeyName)
    return try tagPasswordKey(making: false)
  }

  /// False when nothing was kept under this name.
  public func discard(_ name: String, noting deed: AuditEntry? = nil) throws(VaultError) -> Bool {
    do throws(StoreError) { return try store.discard(name, noting: deed) } catch { throw .store(error) }
  }

  /// The names of all kept values.
  public func keptNames() throws(VaultError) -> [String] {
    do throws(StoreError) { return try store.keptNames() } catch { throw .store(error) }
  }
}
