// Memory for keys.

/// Bytes that must not outlive their use: in memory of their own, which nothing copies and `deinit` wipes.
///
/// Never printed.
public final class SecretBytes: Sendable {
  // Written in `init`, before anyone else holds it, and only read afterwards: threads may share it.
  nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

  /// A copy of `bytes`; what becomes of the original is its owner's business.
  public init(copying bytes: UnsafeRawBufferPointer) {
    memory = .allocate(byteCount: bytes.count, alignment: 16)
    memory.copyMemory(from: bytes)
  }

  private init(size: Int, copying bytes: [UInt8]) {
    memory = .allocate(byteCount: size, alignment: 16)
    memory.copyBytes(from: bytes)
  }

  /// Takes `bytes` over: what stood there is wiped.
  public convenience init(taking bytes: inout [UInt8]) {
    self.init(size: bytes.count, copying: bytes)
    LibCrypto.wipe(&bytes)
  }

  /// Bytes that `fill` writes into zeroed memory, so that no copy is left elsewhere; nil when it answers false.
  init?(size: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
    memory = .allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    if !fill(memory) { return nil }
  }

  deinit {
    LibCrypto.wipe(memory)
    memory.deallocate()
  }

  /// How many.
  public var count: Int { memory.count }

  /// Lends the bytes to `body`, which must not keep them.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// In a time that depends on the size alone.
  static func areEqual(_ left: SecretBytes, _ right: SecretBytes) -> Bool {
    left.withBytes { first in right.withBytes { second in LibCrypto.areEqual(first, second) } }
  }
}
