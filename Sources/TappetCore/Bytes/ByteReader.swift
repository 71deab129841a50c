// A cursor over bytes from outside. It never passes the end and never traps: what is not there is nil, and the cursor stays.

/// Takes fields from the front of an array.
struct ByteReader {
  /// What is read.
  let bytes: [UInt8]
  /// Where the next field starts; 0…bytes.count.
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many bytes are left.
  var remaining: Int { bytes.count - offset }

  /// One byte.
  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// So many bytes, as a view of the whole; nil for a negative count too.
  mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Everything that is left.
  mutating func rest() -> ArraySlice<UInt8> {
    defer { offset = bytes.count }
    return bytes[offset...]
  }

  /// Four bytes, the lowest first.
  mutating func littleEndian32() -> UInt32? {
    guard let field = slice(4) else { return nil }
    return field.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Four bytes, the highest first.
  mutating func bigEndian32() -> UInt32? {
    guard let field = slice(4) else { return nil }
    return field.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
