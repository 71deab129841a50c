// Ed25519 signatures (RFC 8032), computed by libcrypto: holders of the public key can verify, but not sign.

import COpenSSL

/// A private signing key, wiped when the last reference is released; never printed.
package final class SigningKey: Sendable {
  /// Number of bytes in a private key, and in its public key.
  package static let size = 32
  /// Number of bytes in a signature.
  package static let signatureSize = 64

  private let seed: SecretBytes

  private init(_ seed: SecretBytes) { self.seed = seed }

  /// Decodes the key; `nil` for anything but 64 ASCII hexadecimal digits of either case.
  package convenience init?(hex digits: ArraySlice<UInt8>) {
    guard let seed = SecretBytes(hex: digits, size: SigningKey.size) else { return nil }
    self.init(seed)
  }

  /// Returns a new random key.
  package static func random() throws(CryptoError) -> SigningKey { SigningKey(try SecretBytes.random(count: size)) }

  /// Returns the key as 64 lower-case hexadecimal digits, for the key file.
  ///
  /// The caller must wipe them.
  package func revealedHexDigits() -> [UInt8] { seed.withBytes { Hex.digits(of: $0) } }

  /// Returns the public key that verifies this key's signatures.
  @export(interface)
  package func publicKey() throws(CryptoError) -> VerifyingKey {
    let key = try KeyHandle(signing: seed)
    var bytes = [UInt8](repeating: 0, count: SigningKey.size)
    var count = bytes.count
    try LibCrypto.check(EVP_PKEY_get_raw_public_key(key.handle, &bytes, &count))
    guard let key = VerifyingKey(bytes) else { throw .keySize(count) }
    return key
  }

  /// Returns the signature of `message`.
  @export(interface)
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let key = try KeyHandle(signing: seed)
    let digest = try DigestContext()
    try LibCrypto.check(EVP_DigestSignInit(digest.handle, nil, nil, nil, key.handle))
    var signature = [UInt8](repeating: 0, count: SigningKey.signatureSize)
    var count = signature.count
    try LibCrypto.check(EVP_DigestSign(digest.handle, &signature, &count, message, message.count))
    guard count == signature.count else { throw .inputSize(count) }
    return signature
  }
}

/// A public key for verifying signatures.
package struct VerifyingKey: Hashable, Sendable {
  /// The 32 bytes of the key.
  package let bytes: [UInt8]

  /// Creates a key from its bytes; `nil` for anything but 32 bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == SigningKey.size else { return nil }
    self.bytes = bytes
  }

  /// Decodes the key; `nil` for anything but 64 ASCII hexadecimal digits of either case.
  package init?(hex text: String) {
    guard let bytes = Hex.decode(text) else { return nil }
    self.init(bytes)
  }

  /// Whether `signature` is a valid signature of the first `count` bytes of `message`.
  @export(interface)
  package func verifies(_ signature: ArraySlice<UInt8>, ofFirst count: Int, of message: [UInt8]) -> Bool {
    guard signature.count == SigningKey.signatureSize, (0...message.count).contains(count),
      let key = try? KeyHandle(verifying: bytes), let digest = try? DigestContext()
    else { return false }
    defer { ERR_clear_error() }
    guard EVP_DigestVerifyInit(digest.handle, nil, nil, nil, key.handle) == 1 else { return false }
    return EVP_DigestVerify(digest.handle, Array(signature), signature.count, message, count) == 1
  }
}

/// A libcrypto key handle; libcrypto wipes the key when the handle is freed.
private struct KeyHandle: ~Copyable {
  let handle: OpaquePointer

  init(signing seed: SecretBytes) throws(CryptoError) {
    let made = seed.withBytes { EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count) }
    guard let made else { throw .library(code: LibCrypto.takeErrorCode()) }
    handle = made
  }

  init(verifying bytes: [UInt8]) throws(CryptoError) {
    guard let made = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
      throw .library(code: LibCrypto.takeErrorCode())
    }
    handle = made
  }

  deinit { EVP_PKEY_free(handle) }
}

private struct DigestContext: ~Copyable {
  let handle: OpaquePointer

  init() throws(CryptoError) {
    guard let made = EVP_MD_CTX_new() else { throw .library(code: LibCrypto.takeErrorCode()) }
    handle = made
  }

  deinit { EVP_MD_CTX_free(handle) }
}
