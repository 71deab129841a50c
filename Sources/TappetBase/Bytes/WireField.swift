// The fields of messages between the kiosk and its helper processes, and of a site's bundle. Any bytes decode to a
// value or an error, and a value that was decoded encodes to the same bytes.
//
//   number     its bytes, big-endian
//   bool       0 or 1
//   text       size (2), UTF-8
//   optional   0; or 1, value
//   list       count (1), values
//   duration   milliseconds (4)
//   enum       its raw value

/// The reason why a datagram is not a valid message; offsets are those of the field.
package enum WireError: Error, Hashable, Sendable {
  case truncated(offset: Int)
  case trailingBytes(offset: Int)
  case unknownKind(UInt8)
  case otherVersion(UInt8)
  /// The field has a value that does not exist.
  case invalid(offset: Int)
  /// The last field has more bytes than allowed.
  case tooLarge(size: Int)
}

/// A value with one encoding.
package protocol WireField {
  init(from reader: inout ByteReader) throws(WireError)
  func write(to writer: inout ByteWriter)
}

/// Builds the bytes of a message.
package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init() {}

  /// Appends the kind of a message, its fields, and the bytes after them.
  package mutating func message<A: WireField, B: WireField, C: WireField, D: WireField, E: WireField, F: WireField>(
    _ kind: UInt8, _ a: A = NoField(), _ b: B = NoField(), _ c: C = NoField(), _ d: D = NoField(),
    _ e: E = NoField(), _ f: F = NoField(), rest: [UInt8] = []
  ) {
    bytes.append(kind)
    fields(a, b, c, d, e, f)
    bytes += rest
  }

  /// Appends the fields.
  ///
  /// Embedded Swift does not support parameter packs.
  package mutating func fields<A: WireField, B: WireField, C: WireField, D: WireField, E: WireField, F: WireField>(
    _ a: A, _ b: B = NoField(), _ c: C = NoField(), _ d: D = NoField(), _ e: E = NoField(), _ f: F = NoField()
  ) {
    a.write(to: &self)
    b.write(to: &self)
    c.write(to: &self)
    d.write(to: &self)
    e.write(to: &self)
    f.write(to: &self)
  }
}

extension ByteReader {
  /// Reads a field, whose type is that of the place where it is used.
  package mutating func next<Field: WireField>() throws(WireError) -> Field { try Field(from: &self) }

  /// Reads the version that a process reports when it is ready.
  package mutating func expect(version: UInt8) throws(WireError) {
    let other: UInt8 = try next()
    guard other == version else { throw .otherVersion(other) }
  }

  /// Reads that many bytes.
  package mutating func bytes(_ count: Int) throws(WireError) -> [UInt8] {
    guard let slice = slice(count) else { throw .truncated(offset: offset) }
    return Array(slice)
  }

  /// Reads all remaining bytes, at most `sizeMax`.
  package mutating func rest(sizeMax: Int = .max) throws(WireError) -> [UInt8] {
    guard remaining <= sizeMax else { throw .tooLarge(size: remaining) }
    return try bytes(remaining)
  }
}

extension WireField {
  /// The value as a whole datagram.
  package var datagram: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  package init(datagram bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    try self.init(from: &reader)
    guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
  }
}

// MARK: Numbers

extension FixedWidthInteger {
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// The bytes in big-endian order.
  package var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

extension WireField where Self: FixedWidthInteger {
  package init(from reader: inout ByteReader) throws(WireError) {
    guard let slice = reader.slice(Self.bitWidth / 8) else { throw .truncated(offset: reader.offset) }
    self.init(bigEndianBytes: slice)
  }

  package func write(to writer: inout ByteWriter) { writer.bytes += bigEndianBytes }
}

extension UInt8: WireField {}
extension UInt16: WireField {}
extension UInt32: WireField {}
extension UInt64: WireField {}
extension Int32: WireField {}
extension Int64: WireField {}

extension Bool: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let value: UInt8 = try reader.next()
    guard value <= 1 else { throw .invalid(offset: reader.offset - 1) }
    self = value == 1
  }

  package func write(to writer: inout ByteWriter) { writer.bytes.append(self ? 1 : 0) }
}

extension Duration: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let milliseconds: UInt32 = try reader.next()
    self = .milliseconds(Int64(milliseconds))
  }

  package func write(to writer: inout ByteWriter) { writer.fields(UInt32(clamping: wholeMilliseconds)) }
}

extension WireField where Self: RawRepresentable, RawValue: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    guard let value = Self(rawValue: try reader.next()) else { throw .invalid(offset: offset) }
    self = value
  }

  package func write(to writer: inout ByteWriter) { rawValue.write(to: &writer) }
}

// MARK: Texts, and fields of other fields

extension String: WireField {
  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    let size: UInt16 = try reader.next()
    guard let text = String(validating: try reader.bytes(Int(size)), as: UTF8.self) else {
      throw .invalid(offset: offset)
    }
    self = text
  }

  /// Appends the text, truncated at a character boundary so that it remains valid UTF-8.
  package func write(to writer: inout ByteWriter) {
    let kept = Array(cut(toSize: Int(UInt16.max)).utf8)
    writer.fields(UInt16(kept.count))
    writer.bytes += kept
  }
}

extension Optional: WireField where Wrapped: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let isPresent: Bool = try reader.next()
    guard isPresent else {
      self = nil
      return
    }
    // Without its type, the value would also be an optional.
    let value: Wrapped = try reader.next()
    self = value
  }

  package func write(to writer: inout ByteWriter) {
    writer.fields(self != nil)
    self?.write(to: &writer)
  }
}

extension Array: WireField where Element: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let count: UInt8 = try reader.next()
    self = []
    for _ in 0..<count { append(try reader.next()) }
  }

  /// Appends the first 255 elements.
  package func write(to writer: inout ByteWriter) {
    let kept = prefix(Int(UInt8.max))
    writer.fields(UInt8(kept.count))
    for element in kept { element.write(to: &writer) }
  }
}

/// The default of `ByteWriter.message` and `fields` where there is no further field.
package struct NoField: WireField {
  package init() {}

  package init(from reader: inout ByteReader) {}

  package func write(to writer: inout ByteWriter) {}
}

// MARK: Identifiers

extension EntryID: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(high: try reader.next(), low: try reader.next())
  }

  package func write(to writer: inout ByteWriter) { writer.fields(high, low) }
}
