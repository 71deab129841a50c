// A key in memory.

/// The 32 bytes of a key, wiped when the last reference is released; never printed.
package final class SecretKey: Sendable {
  /// Number of bytes in a key.
  package static let size = MessageAuthenticator.keySize

  private let storage: SecretBytes
  private let authenticator: MessageAuthenticator

  private init(_ storage: SecretBytes) {
    self.storage = storage
    authenticator = storage.withBytes { MessageAuthenticator(key: $0) }
  }

  /// Copies the key; `nil` for anything but 32 bytes.
  ///
  /// The caller must wipe the original.
  package convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == SecretKey.size else { return nil }
    self.init(bytes.withUnsafeBytes { SecretBytes(copying: $0) })
  }

  /// Copies the key directly into memory that is wiped after use; `nil` for anything but 32 bytes.
  package convenience init?(copying bytes: UnsafeRawBufferPointer) {
    guard bytes.count == SecretKey.size else { return nil }
    self.init(SecretBytes(copying: bytes))
  }

  /// Decodes the key; `nil` for anything but 64 ASCII hexadecimal digits of either case.
  package convenience init?(hex digits: some Collection<UInt8>) {
    guard let storage = SecretBytes(hex: digits, size: SecretKey.size) else { return nil }
    self.init(storage)
  }

  /// Decodes the key; `nil` for anything but 64 ASCII hexadecimal digits of either case.
  package convenience init?(hex text: String) { self.init(hex: text.utf8) }

  /// Returns a new random key.
  package static func random() throws(CryptoError) -> SecretKey { SecretKey(try SecretBytes.random(count: size)) }

  /// Passes the bytes to `body`, which must not keep them.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }

  /// Returns the key as 64 lower-case hexadecimal digits, for a tag or a share code that contains the key.
  ///
  /// The caller must wipe them.
  package func revealedHexDigits() -> [UInt8] { storage.withBytes { Hex.digits(of: $0) } }

  /// Returns the HMAC-SHA256 of `message`, 32 bytes.
  package func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try authenticator.authenticate(message)
  }
}

extension SecretKey {
  /// Identifier of the key for display, 16 lower-case hexadecimal digits; identical for all copies, and not secret.
  ///
  /// Consists of the first 8 bytes of the HMAC of a text that no tag carries; `nil` if OpenSSL fails.
  package var fingerprint: String? {
    guard let code = try? authenticate(Array("fingerprint".utf8)) else { return nil }
    return Hex.encode(Array(code.prefix(8)))
  }
}

extension SecretKey: Equatable {
  /// Compares in constant time.
  package static func == (left: SecretKey, right: SecretKey) -> Bool {
    left.storage.isEqual(to: right.storage)
  }
}
