// A backup: all content, encrypted with one passphrase. Without the passphrase, the file is useless and reveals
// nothing, not even whether it is intact.
//
//     byte 0              16      32                        size
//     tappet-backup 1\n   salt    nonce, ciphertext, tag
//
// scrypt(passphrase, salt) is the key for AES-256-GCM, which also authenticates the first 32 bytes.

import TappetCore

/// Reason why a backup cannot be created or decrypted.
package enum BackupError: Error, Hashable, Sendable {
  /// The file does not start with the header of a backup.
  case notABackup
  /// The passphrase is wrong, or the file was modified or truncated; these cases cannot be distinguished.
  case notAuthentic
  /// There was not enough memory for scrypt, or the random number generator failed.
  case crypto(CryptoError)
}

/// Encryption and decryption of backups.
package enum BackupFile {
  private static let magic = Array("tappet-backup 1\n".utf8)
  private static let saltSize = 16

  /// Encrypts a backup, which takes one second and 32 MB of memory.
  ///
  /// The passphrase is used in NFC: keyboards and systems write the same letter in different ways.
  package static func seal(_ content: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    do throws(CryptoError) {
      let head = magic + (try LibCrypto.random(count: saltSize))
      let key = try LibCrypto.deriveKey(passphrase: composed(passphrase), salt: Array(head[magic.count...]))
      return head + (try LibCrypto.seal(content, key: key, context: head))
    } catch { throw .crypto(error) }
  }

  /// Decrypts a backup; the caller must wipe the returned content.
  @export(interface)
  package static func open(_ file: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    guard file.starts(with: magic) else { throw .notABackup }
    let headSize = magic.count + saltSize
    guard file.count >= headSize + LibCrypto.sealOverhead else { throw .notAuthentic }
    let head = Array(file[..<headSize])
    let key: SecretKey
    do throws(CryptoError) {
      key = try LibCrypto.deriveKey(passphrase: composed(passphrase), salt: Array(head[magic.count...]))
    } catch { throw .crypto(error) }
    do throws(CryptoError) {
      return try LibCrypto.open(Array(file[headSize...]), key: key, context: head)
    } catch { throw .notAuthentic }
  }

  private static func composed(_ passphrase: [UInt8]) -> [UInt8] {
    String(validating: passphrase, as: UTF8.self).map { Array($0.composed.utf8) } ?? passphrase
  }
}
