// The key that the passwords of protected tags are drawn from (`TagPassword`), kept sealed like the secrets, and with them in a
// backup. There is one for the whole kiosk: a tag's password follows from it and from the tag's UID, so that none has to be
// remembered for a tag, and a tag can be protected before anything is saved.

import TappetCore
import TappetDevices

extension Vault {
  private static let tagPasswordKeyName = "tag-password-key"

  /// The key; nil when no tag was ever protected and none is to be made.
  public func tagPasswordKey(making: Bool) throws(VaultError) -> SecretKey? {
    if var bytes = try kept(Vault.tagPasswordKeyName) {
      defer { LibCrypto.wipe(&bytes) }
      guard let key = SecretKey(bytes) else { throw .secret(.unreadable(Vault.tagPasswordKeyName)) }
      return key
    }
    guard making else { return nil }
    let key: SecretKey
    do throws(CryptoError) { key = try SecretKey.random() } catch { throw .secret(.notSealed(error)) }
    var bytes = key.withBytes { [UInt8]($0) }
    defer { LibCrypto.wipe(&bytes) }
    try keep(bytes, as: Vault.tagPasswordKeyName)
    return key
  }
}
