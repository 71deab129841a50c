// A backup: everything under one passphrase. Whoever has the file and not the passphrase has nothing, and learns nothing, not
// even whether it is whole.
//
//     byte 0              16      32                        size
//     tappet-backup 1\n   salt    nonce, ciphertext, tag    scrypt(passphrase, salt), AES-256-GCM; the first 32 bytes are
//                                                           authenticated too

import TappetCore

/// Why a file gives nothing back.
public enum BackupError: Error, Hashable, Sendable {
  /// It does not begin as one.
  case notABackup
  /// A wrong passphrase, a changed byte, or an end that is missing: it cannot be told which.
  case notAuthentic
  /// scrypt had no memory, or there were no random numbers.
  case crypto(CryptoError)
}

/// Seals and opens backups.
public enum BackupFile {
  private static let magic = Array("tappet-backup 1\n".utf8)
  private static let saltSize = 16

  /// Takes a second, and 128 MB.
  public static func seal(_ content: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
    do throws(CryptoError) {
      let head = magic + (try LibCrypto.random(count: saltSize))
      let key = try LibCrypto.deriveKey(passphrase: passphrase, salt: Array(head[magic.count...]))
      return head + (try LibCrypto.seal(content, key: key, context: head))
    } catch { throw .crypto(error) }
  }

  /// The inverse of `seal`; the content is the caller's to wipe.
  public static func open(_ file: [UInt8], passphrase: [UInt8]) throws(BackupError) -> [UInt8] {
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
