// Fields of a message, one after the other; numbers are big-endian, and a text has its size in two bytes before it.

/// Makes the bytes of a message.
struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func head(_ kind: UInt8, _ number: UInt32) {
    byte(kind)
    integer32(number)
  }

  mutating func integer32(_ value: UInt32) {
    for place in 0..<4 { byte(UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * place))) }
  }

  mutating func integer(_ value: Int64) {
    for place in 0..<8 { byte(UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * place))) }
  }

  /// Cut to what the size before it can say.
  mutating func sized(_ value: [UInt8]) {
    let kept = value.prefix(Int(UInt16.max))
    byte(UInt8(kept.count >> 8))
    byte(UInt8(kept.count & 0xFF))
    bytes += kept
  }

  /// Cut between characters: half of one is not UTF-8.
  mutating func text(_ text: String) { sized(Array(text.cut(toSize: Int(UInt16.max)).utf8)) }
}

extension ByteReader {
  /// Takes eight bytes, the highest first.
  mutating func integer() -> Int64? { slice(8).map { $0.reduce(0) { $0 << 8 | Int64($1) } } }

  /// Takes a size of two bytes, and as many bytes.
  mutating func sized() -> [UInt8]? {
    guard let high = byte(), let low = byte() else { return nil }
    return slice(Int(high) << 8 | Int(low)).map { Array($0) }
  }

  /// Takes a text with its size; `nil` when it is not UTF-8.
  mutating func text() -> String? { sized().flatMap { String(validating: $0, as: UTF8.self) } }
}
