// Memory for secret bytes, such as keys, passphrases and private keys to be written to a file; wiped after use.

/// Bytes that must not outlive their use, in dedicated memory that is never copied and is wiped by `deinit`.
///
/// A NUL follows the bytes, so that C can read them as text. They are never printed.
package final class SecretBytes: Sendable {
  // Written in `init`, before any other thread can see it, and only read afterwards, so threads may share it.
  nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer
  /// Number of bytes, without the NUL.
  package let count: Int

  /// Allocates zeroed memory for `count` bytes and the NUL.
  private init(count: Int) {
    self.count = count
    memory = .allocate(byteCount: count + 1, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Copies `bytes`; the owner of the original must wipe it.
  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count)
    memory.copyMemory(from: bytes)
  }

  /// Moves `bytes` into the new memory and wipes the array.
  package convenience init(taking bytes: inout [UInt8]) {
    self.init(count: bytes.count)
    memory.copyBytes(from: bytes)
    LibCrypto.wipe(&bytes)
  }

  /// Lets `fill` write `size` bytes into zeroed memory, so that no other copy remains; `nil` if `fill` returns false.
  convenience init?(size: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
    self.init(count: size)
    if !fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<size])) { return nil }
  }

  /// Decodes two hexadecimal digits of either case per byte; `nil` for anything but `size` bytes.
  ///
  /// The bytes are decoded directly into this memory, so that no other copy remains.
  package convenience init?(hex digits: some Collection<UInt8>, size: Int) {
    self.init(size: size) { Hex.decode(digits, into: $0) }
  }

  /// Returns new random bytes.
  static func random(count: Int) throws(CryptoError) -> SecretBytes {
    var code: Int32 = 0
    let bytes = SecretBytes(size: count) { memory in
      code = LibCrypto.fillRandom(memory)
      return code == 0
    }
    guard let bytes else { throw .noRandomness(code: code) }
    return bytes
  }

  deinit {
    LibCrypto.wipe(memory)
    memory.deallocate()
  }

  /// Passes the bytes, without the NUL, to `body`, which must not keep them.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Passes the bytes as a C string to `body`, which must not keep it.
  package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    memory.withMemoryRebound(to: CChar.self) { text in
      // The memory is never empty, because it always contains the NUL.
      text.baseAddress.map { body(UnsafePointer($0)) } ?? body("")
    }
  }

  /// Whether a NUL among the bytes would truncate the C string.
  package var hasNUL: Bool { withBytes { $0.contains(0) } }

  /// Compares the bytes in time that depends only on the sizes.
  package func isEqual(to other: SecretBytes) -> Bool {
    withBytes { left in other.withBytes { right in LibCrypto.areEqual(left, right) } }
  }
}
