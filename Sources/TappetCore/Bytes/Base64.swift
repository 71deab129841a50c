// Base64 (RFC 4648 §4), as webhook signatures and their secrets have it.

/// Base64 with padding.
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes the bytes, with padding.
  @export(interface)
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0..<4 {
        let digit = alphabet[Int(value >> (18 - 6 * UInt32(place)) & 0x3F)]
        digits.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return digits
  }

  /// Decodes a text; `nil` for anything but Base64.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3 + 3)
    guard let count = bytes.withUnsafeMutableBytes({ decode(digits[...], into: $0) }) else { return nil }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Writes the bytes to `memory`; returns their number, `nil` for anything but Base64 that fits.
  ///
  /// The padding may be left out, as some senders do.
  static func decode(_ text: ArraySlice<UInt8>, into memory: UnsafeMutableRawBufferPointer) -> Int? {
    var digits = text
    while digits.last == UInt8(ascii: "="), text.count - digits.count < 2 { digits = digits.dropLast() }
    guard digits.count % 4 != 1, digits.count / 4 * 3 + max(0, digits.count % 4 - 1) <= memory.count else { return nil }
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    var count = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      memory[count] = UInt8(truncatingIfNeeded: bits >> bitCount)
      count += 1
    }
    return count
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case 0x41...0x5A: UInt32(digit - 0x41)
    case 0x61...0x7A: UInt32(digit - 0x61 + 26)
    case 0x30...0x39: UInt32(digit - 0x30 + 52)
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
