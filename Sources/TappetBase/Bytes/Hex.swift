// Hexadecimal text: written in lower case, and read in either case. Only ASCII digits are accepted, no character is
// skipped, and each result is allocated once. No lookup tables are used, so that no memory address depends on a key.

/// Converts bytes to hexadecimal digits and back.
package enum Hex {
  /// Returns two lower-case digits per byte, as text.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: digits(of: bytes), as: UTF8.self)
  }

  /// Returns two lower-case digits per byte, as ASCII bytes.
  package static func digits(of bytes: some Collection<UInt8>) -> [UInt8] {
    Array(unsafeUninitializedCapacity: bytes.count * 2) { digits, count in
      for byte in bytes {
        digits[count] = digit(byte >> 4)
        digits[count + 1] = digit(byte & 0x0F)
        count += 2
      }
    }
  }

  /// Appends the two digits of one byte.
  package static func append(_ byte: UInt8, to digits: inout [UInt8]) {
    digits.append(digit(byte >> 4))
    digits.append(digit(byte & 0x0F))
  }

  /// Decodes ASCII bytes; `nil` unless they are an even number of hexadecimal digits.
  ///
  /// An empty input decodes to an empty array.
  package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
    let size = digits.count / 2
    var isValid = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      isValid = decode(
        digits, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<size]))
      count = isValid ? size : 0
    }
    return isValid ? bytes : nil
  }

  /// Decodes a text; `nil` unless it is an even number of ASCII hexadecimal digits.
  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

  /// Decodes into the caller's memory, so that a key leaves no copy elsewhere.
  ///
  /// Returns false, and fills the memory with zeros, unless `digits` are exactly two hexadecimal digits per byte of
  /// `memory`.
  package static func decode(_ digits: some Collection<UInt8>, into memory: UnsafeMutableRawBufferPointer) -> Bool {
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    guard digits.count == memory.count * 2 else { return false }
    var invalid: UInt8 = 0
    var index = 0
    for character in digits {
      let value = value(of: character)
      invalid |= value & 0xF0
      memory[index >> 1] = memory[index >> 1] << 4 | value & 0x0F
      index += 1
    }
    if invalid == 0 { return true }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    return false
  }

  /// Returns the lower-case digit of a value from 0 to 15.
  package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 - 10 + value }

  /// Returns a digit's value from 0 to 15, or 0xFF if the character is not a digit.
  @export(interface)
  package static func value(of character: UInt8) -> UInt8 {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x41...0x46: character - 0x41 + 10
    case 0x61...0x66: character - 0x61 + 10
    default: 0xFF
    }
  }
}
