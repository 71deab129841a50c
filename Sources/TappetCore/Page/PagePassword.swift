// The password that a manager enters on the page before keys are shown or something is removed.

/// The page's password; only its hash (scrypt) is kept.
package struct PagePassword: Sendable {
  /// The result of a check.
  package enum Check: Sendable {
    case right
    case wrong
    /// No password was set.
    case unset
  }

  private let salt: [UInt8]
  private let hash: [UInt8]

  /// Creates a password with a new salt; `nil` if it is too short or too long.
  @export(interface)
  package init?(_ password: SecretBytes) throws(CryptoError) {
    guard (Limits.pagePasswordSizeMin...Limits.pagePasswordSizeMax).contains(password.count) else { return nil }
    salt = try LibCrypto.random(count: 16)
    hash = try PagePassword.hash(password, salt)
  }

  /// Content of the sealed value: `1`, the salt and the hash in hexadecimal digits, one line each.
  package var stored: [UInt8] { Array("1\n\(Hex.encode(salt))\n\(Hex.encode(hash))".utf8) }

  package init?(stored: [UInt8]) {
    let lines = stored.split(separator: 0x0A)
    guard lines.count == 3, lines[0].elementsEqual("1".utf8), let salt = Hex.decode(lines[1]),
      let hash = Hex.decode(lines[2])
    else { return nil }
    (self.salt, self.hash) = (salt, hash)
  }

  /// Returns whether the text is the password; takes 16 MB and, on a small board, a fifth of a second.
  @export(interface)
  package func matches(_ typed: SecretBytes) throws(CryptoError) -> Bool {
    guard typed.count <= Limits.pagePasswordSizeMax else { return false }
    return LibCrypto.areEqual(try PagePassword.hash(typed, salt), hash)
  }

  private static func hash(_ password: SecretBytes, _ salt: [UInt8]) throws(CryptoError) -> [UInt8] {
    var bytes = password.withBytes { Array($0) }
    defer { LibCrypto.wipe(&bytes) }
    return try LibCrypto.deriveKey(passphrase: bytes, salt: salt, cost: 1 << 14, passes: 1).withBytes { Array($0) }
  }
}
