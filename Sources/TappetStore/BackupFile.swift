// A backup: everything under one passphrase. The file without the passphrase is worthless and tells nothing, not even
// whether it is whole.
//
//     byte 0              16      32                        size
//     tappet-backup 1\n   salt    nonce, ciphertext, tag
//
// scrypt(passphrase, salt) is the key of AES-256-GCM, which authenticates the first 32 bytes too.

import TappetCore

/// Why a backup cannot be made or opened.
package enum BackupError: Error, Hashable, Sendable {
  /// The file does not begin as a backup does.
  case notABackup
  /// A wrong passphrase, a changed byte, or a missing end: nobody can know which.
  case notAuthentic
  /// There was no memory for scrypt, or there were no random numbers.
  case crypto(CryptoError)
}

/// Seals and opens backups.
package enum BackupFile {
  private static let magic = Array("tappet-backup 1\n".utf8)
  private static let saltSize = 16

  /// Seals a backup; takes a second and 128 MB.
  package static func seal(_ content: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    do throws(CryptoError) {
      let head = magic + (try LibCrypto.random(count: saltSize))
      let key = try LibCrypto.deriveKey(passphrase: passphrase, salt: Array(head[magic.count...]))
      return head + (try LibCrypto.seal(content, key: key, context: head))
    } catch { throw .crypto(error) }
  }

  /// Opens a backup; the content is the caller's to wipe.
  @export(interface)
  package static func open(_ file: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    guard file.starts(with: magic) else { throw .notABackup }
    let headSize = magic.count + saltSize
    guard file.count >= headSize + LibCrypto.sealOverhead else { throw .notAuthentic }
    let head = Array(file[..<headSize])
    let key: SecretKey
    do throws(CryptoError) {
      key = try LibCrypto.deriveKey(passphrase: passphrase, salt: Array(head[magic.count...]))
    } catch { throw .crypto(error) }
    do throws(CryptoError) {
      return try LibCrypto.open(Array(file[headSize...]), key: key, context: head)
    } catch { throw .notAuthentic }
  }
}
