// The core's wrappers for OpenSSL's libcrypto. They add bounds checks, errors and wiping; all algorithms are from
// libcrypto, and random numbers are from the kernel. A failure throws an error, never returns a weaker result, and
// leaves libcrypto's error queue empty, because TLS on the same thread reads the queue.

import COpenSSL

/// The reason why a cryptographic operation failed.
package enum CryptoError: Error, Hashable, Sendable {
  /// The kernel's random number generator failed; `code` is the errno.
  case noRandomness(code: Int32)
  /// The algorithm does not support this key size.
  case keySize(Int)
  /// The input is shorter or longer than the algorithm supports.
  case inputSize(Int)
  /// The authentication tag does not match the key, the ciphertext and the context.
  case notAuthentic
  /// A call to libcrypto failed, usually for lack of memory; `code` is libcrypto's error code.
  case library(code: UInt)
}

/// The stateless cryptographic primitives.
package enum LibCrypto {
  /// Size of an AES block, in bytes.
  package static let blockSize = 16
  /// Number of bytes that `seal` adds: nonce and tag.
  package static let sealOverhead = nonceSize + tagSize

  static let nonceSize = 12
  static let tagSize = 16

  /// Omits libcrypto's error texts, which take 0.3 MB, in a program that does not show them.
  ///
  /// Must be called before any other libcrypto function.
  package static func omitErrorTexts() {
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS), nil)
  }

  /// Performs libcrypto's one-time setup, which takes locks, before any other thread can hold one of the locks.
  ///
  /// After a fork during the setup, the child could neither create nor decrypt a token: it would wait for a lock held
  /// by a thread that does not exist in the child.
  package static func prepare() {
    for keySize: Int32 in [16, 24, 32] { _ = tp_aes_block(keySize) }
  }

  /// Returns random bytes for keys and nonces.
  package static func random(count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    let code = bytes.withUnsafeMutableBytes { fillRandom($0) }
    guard code == 0 else { throw .noRandomness(code: code) }
    return bytes
  }

  /// Fills the memory with random bytes and returns 0; otherwise returns an errno, and the memory must not be used.
  static func fillRandom(_ memory: UnsafeMutableRawBufferPointer) -> Int32 {
    memory.baseAddress.map { tp_random($0, memory.count) } ?? 0
  }

  /// Returns the 32-byte SHA-256 hash (FIPS 180-4).
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      bytes.withUnsafeBytes { _ = SHA256($0.baseAddress, $0.count, buffer.baseAddress) }
      count = 32
    }
  }

  /// Compares the bytes in time that depends only on the size.
  package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
    return CRYPTO_memcmp(first, second, left.count) == 0
  }

  /// Compares the arrays in time that depends only on the size.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { first in right.withUnsafeBytes { second in areEqual(first, second) } }
  }

  /// Overwrites memory in a way that the optimizer does not remove.
  package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    if let base = memory.baseAddress { OPENSSL_cleanse(base, memory.count) }
  }

  /// Overwrites the array's bytes and empties the array; other copies are not affected.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
    bytes.removeAll()
  }

  /// Encrypts one AES block (FIPS 197) with a key of 16, 24 or 32 bytes.
  package static func encryptBlock(_ block: [UInt8], key: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    try transformBlock(block, key: key, isEncrypting: 1)
  }

  /// Decrypts one AES block; the inverse of `encryptBlock`.
  package static func decryptBlock(_ block: [UInt8], key: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    try transformBlock(block, key: key, isEncrypting: 0)
  }

  private static func transformBlock(
    _ block: [UInt8], key: UnsafeRawBufferPointer, isEncrypting: Int32
  ) throws(CryptoError) -> [UInt8] {
    guard block.count == blockSize else { throw .inputSize(block.count) }
    let context = try CipherContext()
    try context.start(try electronicCodebook(keySize: key.count), key: key, nonce: nil, isEncrypting: isEncrypting)
    context.disablePadding()
    return try context.update(block)
  }

  private static func electronicCodebook(keySize: Int) throws(CryptoError) -> OpaquePointer? {
    guard [16, 24, 32].contains(keySize) else { throw .keySize(keySize) }
    return tp_aes_block(Int32(keySize))
  }

  /// Seals data with AES-256-GCM (NIST SP 800-38D), using a new random nonce each time.
  ///
  /// `context` is also authenticated, but not stored. One key can safely seal 2³² values, far more than the number of
  /// secrets.
  ///
  ///     byte 0    12           size - 16   size
  ///     nonce     ciphertext   tag
  @export(interface)
  package static func seal(
    _ plaintext: [UInt8], key: SecretKey, context: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    let nonce = try random(count: nonceSize)
    return try key.withBytes { bytes throws(CryptoError) in
      let cipher = try CipherContext()
      try cipher.start(EVP_aes_256_gcm(), key: bytes, nonce: nonce, isEncrypting: 1)
      try cipher.authenticate(context)
      let ciphertext = try cipher.update(plaintext)
      try cipher.finish()
      return nonce + ciphertext + (try cipher.authenticationTag())
    }
  }

  /// Decrypts sealed data; throws `notAuthentic` if the data was not sealed with the given key and context.
  @export(interface)
  package static func open(_ sealed: [UInt8], key: SecretKey, context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= sealOverhead else { throw .inputSize(sealed.count) }
    let tagOffset = sealed.count - tagSize
    return try key.withBytes { bytes throws(CryptoError) in
      let cipher = try CipherContext()
      try cipher.start(EVP_aes_256_gcm(), key: bytes, nonce: Array(sealed[..<nonceSize]), isEncrypting: 0)
      try cipher.authenticate(context)
      var plaintext = try cipher.update(Array(sealed[nonceSize..<tagOffset]))
      do throws(CryptoError) {
        try cipher.expectTag(Array(sealed[tagOffset...]))
        try cipher.finish()
      } catch {
        wipe(&plaintext)
        throw .notAuthentic
      }
      return plaintext
    }
  }

  /// Derives a key from a passphrase (scrypt, RFC 7914): N = `cost`, r = 8, p = `passes`.
  ///
  /// With the usual cost, the derivation takes 32 MB, which the service's limit allows, and, on a small board, one
  /// second; an attacker needs the same for each passphrase.
  @export(interface)
  package static func deriveKey(
    passphrase: [UInt8], salt: [UInt8], cost: UInt64 = 1 << 15, passes: UInt64 = 4
  ) throws(CryptoError) -> SecretKey {
    var bytes = [UInt8](repeating: 0, count: SecretKey.size)
    defer { wipe(&bytes) }
    let result = passphrase.withUnsafeBytes { text in
      EVP_PBE_scrypt(
        text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, salt, salt.count, cost, 8, passes,
        64 << 20, &bytes, SecretKey.size)
    }
    try check(result)
    guard let key = SecretKey(bytes) else { throw .keySize(bytes.count) }
    return key
  }

  /// Returns the oldest error in this thread's queue, and empties the queue.
  static func takeErrorCode() -> UInt {
    let code = ERR_get_error()
    ERR_clear_error()
    return code
  }

  static func check(_ result: Int32) throws(CryptoError) {
    if result != 1 { throw .library(code: takeErrorCode()) }
  }
}

/// The context of a cipher; libcrypto wipes the key when the context is freed.
private struct CipherContext: ~Copyable {
  private let handle: OpaquePointer

  init() throws(CryptoError) {
    guard let handle = EVP_CIPHER_CTX_new() else { throw .library(code: LibCrypto.takeErrorCode()) }
    self.handle = handle
  }

  deinit { EVP_CIPHER_CTX_free(handle) }

  borrowing func start(
    _ cipher: OpaquePointer?, key: UnsafeRawBufferPointer, nonce: [UInt8]?, isEncrypting: Int32
  ) throws(CryptoError) {
    guard let cipher else { throw .library(code: LibCrypto.takeErrorCode()) }
    guard key.count == Int(EVP_CIPHER_get_key_length(cipher)) else { throw .keySize(key.count) }
    let keyBytes = key.bindMemory(to: UInt8.self).baseAddress
    let result =
      if let nonce {
        EVP_CipherInit_ex2(handle, cipher, keyBytes, nonce, isEncrypting, nil)
      } else {
        EVP_CipherInit_ex2(handle, cipher, keyBytes, nil, isEncrypting, nil)
      }
    try LibCrypto.check(result)
  }

  borrowing func disablePadding() { EVP_CIPHER_CTX_set_padding(handle, 0) }

  borrowing func authenticate(_ context: [UInt8]) throws(CryptoError) {
    guard let size = Int32(exactly: context.count) else { throw .inputSize(context.count) }
    if size == 0 { return }
    var written: Int32 = 0
    try LibCrypto.check(EVP_CipherUpdate(handle, nil, &written, context, size))
  }

  /// Processes `input`, a whole block without padding or part of a stream, and returns the same number of bytes.
  borrowing func update(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let size = Int32(exactly: input.count) else { throw .inputSize(input.count) }
    if size == 0 { return [] }
    // Decryption may hold back a block until the padding is known, and libcrypto requires room for that block.
    var output = [UInt8](repeating: 0, count: input.count + LibCrypto.blockSize)
    var written: Int32 = 0
    try LibCrypto.check(EVP_CipherUpdate(handle, &output, &written, input, size))
    guard Int(written) == input.count else { throw .inputSize(input.count) }
    output.removeLast(LibCrypto.blockSize)
    return output
  }

  borrowing func finish() throws(CryptoError) {
    var output = [UInt8](repeating: 0, count: LibCrypto.blockSize)
    var written: Int32 = 0
    try LibCrypto.check(EVP_CipherFinal_ex(handle, &output, &written))
  }

  borrowing func authenticationTag() throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: LibCrypto.tagSize)
    try LibCrypto.check(EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(LibCrypto.tagSize), &tag))
    return tag
  }

  borrowing func expectTag(_ tag: [UInt8]) throws(CryptoError) {
    var tag = tag
    try LibCrypto.check(EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
  }
}

/// HMAC-SHA256 (RFC 2104) with one key.
///
/// The key's two hash states are computed once and copied for each message. They are states of libcrypto's plain
/// SHA-256, which uses only the stack; EVP would fetch its providers first and allocate memory for each message.
///
///     SHA256(key ⊕ 5c…5c ‖ SHA256(key ⊕ 36…36 ‖ message))
package struct MessageAuthenticator: ~Copyable {
  /// Size of an authentication code, in bytes.
  package static let size = 32
  /// Size of a tag's key, in bytes; other keys may have any size.
  package static let keySize = 32
  private static let blockSize = 64

  /// The state of SHA-256 after one block, without libcrypto's empty buffer, as a kiosk may have ten thousand states.
  private typealias Midstate = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

  // Set up in `init` and only copied afterwards, so threads may share it.
  private var inner: Midstate = (0, 0, 0, 0, 0, 0, 0, 0)
  private var outer: Midstate = (0, 0, 0, 0, 0, 0, 0, 0)
  /// False if libcrypto failed, which is not expected; then no codes can be computed.
  private var isReady = false

  /// Creates an authenticator with a key of any size.
  init(key: UnsafeRawBufferPointer) {
    isReady = withUnsafeTemporaryAllocation(byteCount: MessageAuthenticator.blockSize, alignment: 8) { block in
      defer { LibCrypto.wipe(block) }
      block.initializeMemory(as: UInt8.self, repeating: 0)
      if key.count > block.count {
        guard SHA256(key.baseAddress, key.count, block.baseAddress) != nil else { return false }
      } else {
        block.copyMemory(from: key)
      }
      return MessageAuthenticator.start(&inner, with: block, mask: 0x36)
        && MessageAuthenticator.start(&outer, with: block, mask: 0x36 ^ 0x5C)
    }
  }

  deinit {
    var states = (inner, outer)
    withUnsafeMutableBytes(of: &states) { LibCrypto.wipe($0) }
  }

  private static func start(
    _ state: inout Midstate, with block: UnsafeMutableRawBufferPointer, mask: UInt8
  ) -> Bool {
    for index in block.indices { block[index] ^= mask }
    var context = SHA256_CTX()
    defer { withUnsafeMutableBytes(of: &context) { LibCrypto.wipe($0) } }
    guard SHA256_Init(&context) == 1, SHA256_Update(&context, block.baseAddress, block.count) == 1 else { return false }
    state = context.h
    return true
  }

  /// Returns a libcrypto context with the given state, which follows one block.
  private static func context(_ state: Midstate) -> SHA256_CTX {
    var context = SHA256_CTX()
    context.h = state
    context.Nl = UInt32(blockSize * 8)
    context.md_len = UInt32(size)
    return context
  }

  /// Writes the message's authentication code, `size` bytes, to `code`; returns false if libcrypto fails.
  ///
  /// Allocates nothing.
  borrowing func authenticate(_ message: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer) -> Bool {
    var states = (MessageAuthenticator.context(inner), MessageAuthenticator.context(outer))
    defer { withUnsafeMutableBytes(of: &states) { LibCrypto.wipe($0) } }
    return isReady && SHA256_Update(&states.0, message.baseAddress, message.count) == 1
      && SHA256_Final(code.baseAddress, &states.0) == 1
      && SHA256_Update(&states.1, code.baseAddress, MessageAuthenticator.size) == 1
      && SHA256_Final(code.baseAddress, &states.1) == 1
  }

  /// Returns the message's authentication code.
  borrowing func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: MessageAuthenticator.size)
    let isDone = code.withUnsafeMutableBytes { place in message.withUnsafeBytes { authenticate($0, into: place) } }
    guard isDone else { throw .library(code: 0) }
    return code
  }

  // Other modules cannot destroy an authenticator: in Embedded Swift, its `deinit` is not visible to them.

  /// Writes the message's authentication code with a key that is used once; returns false if libcrypto fails.
  @export(interface)
  package static func authenticate(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into code: UnsafeMutableRawBufferPointer
  ) -> Bool {
    MessageAuthenticator(key: key).authenticate(message, into: code)
  }

  /// Returns the message's authentication code with a key that is used once.
  @export(interface)
  package static func authenticate(_ message: [UInt8], key: UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8] {
    try MessageAuthenticator(key: key).authenticate(message)
  }
}
