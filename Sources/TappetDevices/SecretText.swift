// Text that must not outlive its use: a passphrase, a private key on its way to its file.

import CPlatform
import TappetCore

/// Bytes with a NUL behind them, wiped when the last holder lets go.
///
/// Never printed.
public final class SecretText {
  private let memory: UnsafeMutablePointer<CChar>
  /// How many bytes, without the NUL.
  public let count: Int

  /// A copy of `bytes`; what becomes of the original is its owner's business.
  public init(copying bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    memory = .allocate(capacity: bytes.count + 1)
    memory.initialize(repeating: 0, count: bytes.count + 1)
    if let start = bytes.baseAddress { memcpy(memory, start, bytes.count) }
  }

  /// The bytes, which are wiped where they stand.
  public static func taking(_ bytes: inout [UInt8]) -> SecretText {
    defer { LibCrypto.wipe(&bytes) }
    return bytes.withUnsafeBytes { SecretText(copying: $0) }
  }

  deinit {
    explicit_bzero(memory, count + 1)
    memory.deallocate()
  }

  /// Lends the bytes, without the NUL.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Lends them as C has text.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result { body(memory) }

  /// Whether C would see less of it.
  public var hasNUL: Bool { withBytes { $0.contains(0) } }

  /// In a time that depends on the sizes alone.
  public func isEqual(to other: SecretText) -> Bool {
    withBytes { one in other.withBytes { LibCrypto.areEqual(one, $0) } }
  }
}
