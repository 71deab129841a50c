// A cursor over untrusted bytes. It never moves past the end and never traps: if a field is missing, the result is
// `nil`, and the cursor does not move.

/// Reads fields from the front of an array.
package struct ByteReader {
  /// The bytes to read.
  package let bytes: [UInt8]
  /// Offset of the next field; 0…bytes.count.
  package private(set) var offset = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Number of bytes that have not been read yet.
  package var remaining: Int { bytes.count - offset }

  /// Reads the next byte.
  package mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads the next `count` bytes as a slice; `nil` if too few bytes remain or the count is negative.
  package mutating func slice(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
