// The id of an entry in the outbox.

/// The random 128-bit id of an entry: `%I`, printed as 32 lower-case hex digits; never reused.
package struct EntryID: Hashable, Sendable {
  /// The first 8 bytes, big-endian.
  package let high: UInt64
  /// The last 8 bytes, big-endian.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an id from its digits; `nil` for anything but 32 ASCII hexadecimal digits of either case.
  package init?(hex text: String) {
    guard let bytes = Hex.decode(text), bytes.count == 16 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The id as 32 lower-case ASCII hex digits.
  package var hexDigits: [UInt8] {
    @export(interface) get {
      Array(unsafeUninitializedCapacity: 32) { digits, count in
        for place in 0..<32 {
          let half = place < 16 ? high : low
          digits[place] = Hex.digit(UInt8(truncatingIfNeeded: half >> (60 - 4 * (place & 15))) & 0x0F)
        }
        count = 32
      }
    }
  }

  /// The id as text: 32 lower-case hexadecimal digits.
  package var hex: String { String(decoding: hexDigits, as: UTF8.self) }
}
