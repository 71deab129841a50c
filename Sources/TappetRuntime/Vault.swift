// The database and the key that its secrets are sealed under, opened together: neither is of use without the other.

import CPlatform
import TappetCore
import TappetDevices

/// Why the secrets cannot be had.
public indirect enum VaultError: Error, Hashable, Sendable {
  case store(StoreError)
  case sealingKey(SealingKeyError)
  case secret(SecretError)
  case tagPassword(TagPasswordError)
}

/// An open store with its sealing key.
///
/// One thread at a time; blocks on the disk.
public struct Vault {
  /// The database.
  public let store: Store
  private let sealingKey: SecretKey

  /// Opens both in the configuration's state folder; they are made at the first start.
  public static func open(_ configuration: Configuration) throws(VaultError) -> Vault {
    let store: Store
    let hasSecrets: Bool
    do throws(StoreError) {
      store = try Store(folder: configuration.stateFolder, bootID: SystemClock().bootID())
      let secretCount = try store.secretCount()
      hasSecrets = try secretCount > 0 ? true : store.hasTagPasswordKey()
    } catch { throw .store(error) }
    do throws(SealingKeyError) {
      let key = try SealingKey.load(
        folder: configuration.stateFolder,
        credentials: secure_getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }, mayMake: !hasSecrets)
      return Vault(store: store, sealingKey: key)
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

  /// The key that tags' passwords are drawn from; nil when there is none and none is to be made.
  public func tagPasswordKey(making: Bool) throws(VaultError) -> SecretKey? {
    do throws(TagPasswordError) {
      return making
        ? try store.makeTagPasswordKey(sealedUnder: sealingKey) : try store.tagPasswordKey(sealedUnder: sealingKey)
    } catch { throw .tagPassword(error) }
  }

  /// False when there was none of this id.
  public func remove(id: String) throws(VaultError) -> Bool {
    do throws(StoreError) { return try store.removeSecret(id) } catch { throw .store(error) }
  }
}
