// A cursor over bytes from outside. It never passes the end and never traps: a missing field is `nil`, and the cursor
// stays where it is.

/// Takes fields from the front of an array.
struct ByteReader {
  /// The bytes to read.
  let bytes: [UInt8]
  /// Offset of the next field; 0…bytes.count.
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Number of bytes left.
  var remaining: Int { bytes.count - offset }

  /// Takes the next byte.
  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Takes the next `count` bytes, as a view of the whole; `nil` for a negative count too.
  mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Takes everything that is left.
  mutating func rest() -> ArraySlice<UInt8> {
    defer { offset = bytes.count }
    return bytes[offset...]
  }

  /// Takes four bytes, the lowest first.
  mutating func littleEndian32() -> UInt32? {
    guard let field = slice(4) else { return nil }
    return field.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes four bytes, the highest first.
  mutating func bigEndian32() -> UInt32? { slice(4).map { UInt32(bigEndianBytes: $0) } }

  /// Takes two bytes, the highest first.
  mutating func bigEndian16() -> UInt16? { slice(2).map { UInt16(bigEndianBytes: $0) } }
}
