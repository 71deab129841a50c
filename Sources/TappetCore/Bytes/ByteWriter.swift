// Writing and reading of message fields. Numbers are big-endian, and a text is preceded by its two-byte size.

/// Builds the bytes of a message.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func head(_ kind: UInt8, _ number: UInt32) {
    byte(kind)
    integer(number)
  }

  mutating func integer(_ value: some FixedWidthInteger) { bytes += value.bigEndianBytes }

  mutating func id(_ id: EntryID) {
    integer(id.high)
    integer(id.low)
  }

  /// Writes the two-byte size and the bytes, truncated to the maximum size.
  mutating func sized(_ value: [UInt8]) {
    let kept = value.prefix(Int(UInt16.max))
    integer(UInt16(kept.count))
    bytes += kept
  }

  /// Writes a text with its size, truncated at a character boundary so that it remains valid UTF-8.
  mutating func text(_ text: String) { sized(Array(text.cut(toSize: Int(UInt16.max)).utf8)) }
}

extension FixedWidthInteger {
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// The bytes in big-endian order.
  package var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

extension ByteReader {
  /// Reads an eight-byte big-endian number.
  mutating func integer() -> Int64? { slice(8).map { Int64(bigEndianBytes: $0) } }

  mutating func entryID() -> EntryID? {
    slice(16).map {
      EntryID(high: UInt64(bigEndianBytes: $0.prefix(8)), low: UInt64(bigEndianBytes: $0.suffix(8)))
    }
  }

  /// Reads a two-byte size, then that number of bytes.
  mutating func sized() -> [UInt8]? {
    guard let size = bigEndian16() else { return nil }
    return slice(Int(size)).map { Array($0) }
  }

  /// Reads a text that is preceded by its size; `nil` if the text is not valid UTF-8.
  mutating func text() -> String? { sized().flatMap { String(validating: $0, as: UTF8.self) } }
}
