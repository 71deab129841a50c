// NDEF messages (NFC Forum NDEF 1.0). Any bytes decode to a message or an error, and a decoded message encodes to bytes
// that decode to the same message. Chunked records are rejected: no tag URL needs them, and a chunk can hide content.
//
//     byte 0   MB ME CF SR IL TNF(3)    1   type size   2   payload size, 1 byte if SR, else 4 big-endian
//     then     id size, if IL           then type, id, payload

/// One record of a message.
package struct NDEFRecord: Hashable, Sendable {
  /// Type Name Format, 0 to 6 (§3.2.6).
  package var typeNameFormat: UInt8
  /// The type, at most 255 bytes.
  package var type: [UInt8]
  /// The id, at most 255 bytes; `nil` means that the record has no id field.
  package var id: [UInt8]?
  /// The payload, in the form that the type defines.
  package var payload: [UInt8]

  /// Creates a record with the given fields; `NDEFMessage.encode` checks whether they are valid.
  package init(typeNameFormat: UInt8, type: [UInt8], id: [UInt8]? = nil, payload: [UInt8]) {
    self.typeNameFormat = typeNameFormat
    self.type = type
    self.id = id
    self.payload = payload
  }

  /// Creates a URI record (NFC Forum RTD URI 1.0) whose prefix is not abbreviated.
  package init(uri: [UInt8]) {
    self.init(typeNameFormat: 1, type: [UInt8(ascii: "U")], payload: [0] + uri)
  }

  /// Creates a text record (NFC Forum RTD Text 1.0) in UTF-8; the language is English, because the text is a code.
  package init(text: String) {
    self.init(typeNameFormat: 1, type: [UInt8(ascii: "T")], payload: [2] + Array("en".utf8) + Array(text.utf8))
  }

  /// Whether the format allows the fields: empty records have no content, and records of unknown type no type (§3.2.6).
  fileprivate var fitsFormat: Bool {
    switch typeNameFormat {
    case 0: type.isEmpty && (id ?? []).isEmpty && payload.isEmpty
    case 5: type.isEmpty
    default: true
    }
  }
}

/// The reason why bytes are not a valid message; an offset is that of the record's first byte.
package enum NDEFError: Error, Hashable, Sendable {
  case empty
  case truncated(offset: Int)
  /// MB is missing in the first record, or set in a later one (§3.2.1).
  case misplacedBegin(offset: Int)
  /// ME is missing in the last record (§3.2.2).
  case missingEnd
  case bytesBehindEnd(offset: Int)
  /// CF is set, or TNF is 6 (§3.2.3).
  case chunked(offset: Int)
  /// TNF 7 is reserved (§3.2.6).
  case reservedFormat(offset: Int)
  /// An empty record, or a record of unknown type, has a type (§3.2.6).
  case unexpectedType(offset: Int)
  /// An empty record has an id or a payload (§3.2.6).
  case emptyWithContent(offset: Int)
  case tooManyRecords(max: Int)
}

/// A message that consists of at least one record.
package struct NDEFMessage: Hashable, Sendable {
  /// The records, in order.
  package var records: [NDEFRecord]

  package init(records: [NDEFRecord]) { self.records = records }

  /// Decodes a whole message.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(NDEFError) {
    guard !bytes.isEmpty else { throw .empty }
    var reader = ByteReader(bytes)
    records = []
    while true {
      guard reader.remaining > 0 else { throw .missingEnd }
      guard records.count < Limits.ndefRecordsMax else { throw .tooManyRecords(max: Limits.ndefRecordsMax) }
      let (record, isLast) = try NDEFMessage.record(&reader, isFirst: records.isEmpty)
      records.append(record)
      guard isLast else { continue }
      guard reader.remaining == 0 else { throw .bytesBehindEnd(offset: reader.offset) }
      return
    }
  }

  private static func record(
    _ reader: inout ByteReader, isFirst: Bool
  ) throws(NDEFError) -> (NDEFRecord, isLast: Bool) {
    let offset = reader.offset
    guard let header = reader.byte(), let typeSize = reader.byte() else { throw .truncated(offset: offset) }
    guard (header & 0x80 != 0) == isFirst else { throw .misplacedBegin(offset: offset) }
    let format = header & 0x07
    guard header & 0x20 == 0, format != 6 else { throw .chunked(offset: offset) }
    guard format != 7 else { throw .reservedFormat(offset: offset) }
    let isShort = header & 0x10 != 0
    guard let payloadSize = reader.slice(isShort ? 1 : 4).map({ UInt32(bigEndianBytes: $0) }) else {
      throw .truncated(offset: offset)
    }
    let hasID = header & 0x08 != 0
    guard let idSize = hasID ? reader.byte() : 0, let type = reader.slice(Int(typeSize)),
      let id = reader.slice(Int(idSize)), let payload = reader.slice(Int(payloadSize))
    else { throw .truncated(offset: offset) }
    if format == 0 || format == 5, typeSize > 0 { throw .unexpectedType(offset: offset) }
    if format == 0, idSize > 0 || payloadSize > 0 { throw .emptyWithContent(offset: offset) }
    let record = NDEFRecord(
      typeNameFormat: format, type: Array(type), id: hasID ? Array(id) : nil, payload: Array(payload))
    return (record, header & 0x40 != 0)
  }

  /// Returns the message's bytes, which decode to the same message.
  ///
  /// Returns `nil` if a field is too long for its size byte, the format is reserved or does not allow a field, or the
  /// message contains no records.
  @export(interface)
  package func encode() -> [UInt8]? {
    guard !records.isEmpty, records.count <= Limits.ndefRecordsMax else { return nil }
    var bytes: [UInt8] = []
    for (index, record) in records.enumerated() {
      guard let typeSize = UInt8(exactly: record.type.count), let idSize = UInt8(exactly: record.id?.count ?? 0),
        let payloadSize = UInt32(exactly: record.payload.count), record.typeNameFormat < 6, record.fitsFormat
      else { return nil }
      let isShort = payloadSize < 256
      var header = record.typeNameFormat
      if index == 0 { header |= 0x80 }
      if index == records.count - 1 { header |= 0x40 }
      if isShort { header |= 0x10 }
      if record.id != nil { header |= 0x08 }
      bytes += [header, typeSize]
      bytes += isShort ? [UInt8(payloadSize)] : payloadSize.bigEndianBytes
      if record.id != nil { bytes.append(idSize) }
      bytes += record.type + (record.id ?? []) + record.payload
    }
    return bytes
  }
}
