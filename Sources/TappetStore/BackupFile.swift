// A backup: all content under one passphrase. Without the passphrase, the file is worthless and reveals nothing, not
// even whether it is intact.
//
//     byte 0              16      32                        size
//     tappet-backup 1\n   salt    nonce, ciphertext, tag
//
// scrypt(passphrase, salt) is the key of AES-256-GCM, which authenticates the first 32 bytes too.

import TappetCore

/// Reason a backup cannot be created or opened.
package enum BackupError: Error, Hashable, Sendable {
  /// The file does not start like a backup.
  case notABackup
  /// A wrong passphrase, a changed byte or a truncated file, which cannot be told apart.
  case notAuthentic
  /// There was not enough memory for scrypt, or the random number generator failed.
  case crypto(CryptoError)
}

/// Sealing and opening of backups.
package enum BackupFile {
  private static let magic = Array("tappet-backup 1\n".utf8)
  private static let saltSize = 16

  /// Seals a backup, which takes a second and 128 MB of memory.
  package static func seal(_ content: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    do throws(CryptoError) {
      let head = magic + (try LibCrypto.random(count: saltSize))
      let key = try LibCrypto.deriveKey(passphrase: passphrase, salt: Array(head[magic.count...]))
      return head + (try LibCrypto.seal(content, key: key, context: head))
    } catch { throw .crypto(error) }
  }

  /// Opens a backup; the caller must wipe the content.
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
