// The database and the key that its secrets are sealed under, opened together: neither is of use without the other.

import CPlatform
import TappetCore
import TappetDevices

/// Why the secrets cannot be had.
public indirect enum VaultError: Error, Hashable, Sendable {
  case store(StoreError)
  case sealingKey(SealingKeyError)
  case secret(SecretError)
}

/// An open store with its sealing key.
///
/// One thread at a time; blocks on the disk.
public struct Vault {
  /// The database.
  public let store: Store
  private let sealingKey: SecretKey
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
    var vault = try Vault(opened.store, configuration)
    vault.recovery = opened.recovery
    return vault
  }

  /// Opens both in the configuration's state folder; they are made at the first start.
  public static func open(_ configuration: Configuration) throws(VaultError) -> Vault {
    let store: Store
    do throws(StoreError) {
      store = try Store(folder: configuration.stateFolder, bootID: SystemClock().bootID())
    } catch { throw .store(error) }
    return try Vault(store, configuration)
  }

  private init(_ store: Store, _ configuration: Configuration) throws(VaultError) {
    self.store = store
    let hasSecrets: Bool
    do throws(StoreError) { hasSecrets = try store.secretCount() > 0 } catch { throw .store(error) }
    do throws(SealingKeyError) {
      sealingKey = try SealingKey.load(
        folder: configuration.stateFolder,
        credentials: secure_getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }, mayMake: !hasSecrets)
    } catch { throw .sealingKey(error) }
  }

  /// All of them; those that cannot be opened, apart.
  public func secrets() throws(VaultError) -> StoredSecrets {
    do throws(StoreError) { return try store.secrets(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// Those that tags are verified with.
  public func usableSecrets() throws(VaultError) -> [TagSecret] { try secrets().readable.map { $0.secret } }

  /// Adds one; refused when the action has it, or has three.
  public func add(_ secret: TagSecret) throws(VaultError) {
    do throws(SecretError) { try store.addSecret(secret, sealedUnder: sealingKey) } catch { throw .secret(error) }
  }

  /// False when there was none of this id.
  public func remove(id: String) throws(VaultError) -> Bool {
    do throws(StoreError) { return try store.removeSecret(id) } catch { throw .store(error) }
  }
}
