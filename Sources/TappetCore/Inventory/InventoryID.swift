// UUIDs of version 7 (RFC 9562 §5.7): they increase with time, so that a large index is only written at its end.
//
//     0        6   6.5   8    8.25       16
//     unix ms  7   random  variant  random

/// The identity of a building, room, spot, box or item; unique across machines, and never reused.
package struct InventoryID: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  package init(unixMilliseconds: Int64) {
    var source = SystemRandomNumberGenerator()
    high = UInt64(truncatingIfNeeded: unixMilliseconds) << 16 | 0x7000 | source.next() & 0x0FFF
    low = 0x8000_0000_0000_0000 | source.next() & 0x3FFF_FFFF_FFFF_FFFF
  }

  /// Creates an id from 16 bytes; `nil` for any other size.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndianBytes: bytes[..<8])
    low = UInt64(bigEndianBytes: bytes[8...])
  }

  /// Parses 32 hexadecimal digits in five groups; `nil` for any other text.
  package init?(text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 36, InventoryID.hyphens.allSatisfy({ digits[$0] == UInt8(ascii: "-") }),
      let bytes = Hex.decode(digits.filter { $0 != UInt8(ascii: "-") })
    else { return nil }
    self.init(bytes)
  }

  /// The 16 bytes, the most significant first.
  package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }

  /// The id as lower-case hexadecimal digits in five groups.
  package var text: String {
    var digits = Hex.digits(of: bytes)
    for place in InventoryID.hyphens { digits.insert(UInt8(ascii: "-"), at: place) }
    return String(decoding: digits, as: UTF8.self)
  }

  private static let hyphens = [8, 13, 18, 23]
}
