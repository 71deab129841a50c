// Fields of a message, one after the other; numbers are big-endian, and a text has its size in two bytes before it.

/// Makes the bytes of a message.
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

  /// Cut to what the size before it can say.
  mutating func sized(_ value: [UInt8]) {
    let kept = value.prefix(Int(UInt16.max))
    integer(UInt16(kept.count))
    bytes += kept
  }

  /// Cut between characters: half of one is not UTF-8.
  mutating func text(_ text: String) { sized(Array(text.cut(toSize: Int(UInt16.max)).utf8)) }
}

extension FixedWidthInteger {
  /// A number from as many bytes as it has, the highest first.
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// Its bytes, the highest first.
  package var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

extension ByteReader {
  /// Takes eight bytes, the highest first.
  mutating func integer() -> Int64? { slice(8).map { Int64(bigEndianBytes: $0) } }

  mutating func entryID() -> EntryID? {
    slice(16).map {
      EntryID(high: UInt64(bigEndianBytes: $0.prefix(8)), low: UInt64(bigEndianBytes: $0.suffix(8)))
    }
  }

  /// Takes a size of two bytes, and as many bytes.
  mutating func sized() -> [UInt8]? {
    guard let size = bigEndian16() else { return nil }
    return slice(Int(size)).map { Array($0) }
  }

  /// Takes a text with its size; `nil` when it is not UTF-8.
  mutating func text() -> String? { sized().flatMap { String(validating: $0, as: UTF8.self) } }
}
