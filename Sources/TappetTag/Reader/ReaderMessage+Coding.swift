// The encoding of ReaderMessage; ReaderMessage.swift documents the layout.

extension ReaderMessage: WireField {
  /// Encodes the message as one datagram, which can always be decoded.
  ///
  /// A device name is truncated to its limit, and its control characters are replaced with `?`; a memory beyond the
  /// limit is reported as a fault.
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  /// Decodes a datagram.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .ready(let device):
      writer.message(1, ReaderMessage.protocolVersion, rest: ReaderMessage.printable(device))
    case .heartbeat: writer.message(2)
    case .tagArrived(let uid, let wasPresent): writer.message(wasPresent ? 11 : 3, uid)
    case .tagRead(let reading) where reading.bytes.count > Limits.tagMemorySizeMax:
      ReaderMessage.tagFaulted(reading.uid, reading.model, .tooLarge).write(to: &writer)
    case .tagRead(let reading): writer.message(4, reading.uid, reading.model, rest: reading.bytes)
    case .tagFaulted(let uid, let model, let fault): writer.message(5, uid, model, fault)
    case .tagLeft(let uid): writer.message(6, uid)
    case .lost(let fault, let code): writer.message(7, fault, code)
    case .orderProgress(let done, let total): writer.message(8, done, total)
    case .orderDone(let outcome):
      writer.message(9, outcome.uid, outcome.model, UInt16(clamping: outcome.writes), outcome.fault)
    case .tagDescribed(let tag): writer.message(10, tag.uid, tag.model, rest: tag.header)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1:
      try reader.expect(version: ReaderMessage.protocolVersion)
      let (offset, name) = (reader.offset, try reader.rest(sizeMax: ReaderMessage.deviceNameSizeMax))
      guard let device = String(validating: name, as: UTF8.self), device.isPrintable else {
        throw .invalid(offset: offset)
      }
      self = .ready(device: device)
    case 2: self = .heartbeat
    case 3: self = try .tagArrived(reader.next())
    case 4:
      let (uid, model): (TagUID, TagModel) = (try reader.next(), try reader.next())
      self = .tagRead(TagReading(uid: uid, model: model, bytes: try reader.rest(sizeMax: Limits.tagMemorySizeMax)))
    case 5: self = try .tagFaulted(reader.next(), reader.next(), reader.next())
    case 6: self = try .tagLeft(reader.next())
    case 7: self = try .lost(reader.next(), code: reader.next())
    case 8: self = try .orderProgress(done: reader.next(), total: reader.next())
    case 9:
      let (uid, model, writes): (TagUID, TagModel, UInt16) = (try reader.next(), try reader.next(), try reader.next())
      self = .orderDone(OrderOutcome(uid: uid, model: model, writes: Int(writes), fault: try reader.next()))
    case 10:
      let (uid, model): (TagUID, TagModel) = (try reader.next(), try reader.next())
      let header = reader.remaining == 0 ? [] : try reader.bytes(TagDescription.headerSize)
      self = .tagDescribed(TagDescription(uid: uid, model: model, header: header))
    case 11: self = .tagArrived(try reader.next(), wasPresent: true)
    default: throw .unknownKind(kind)
    }
  }

  private static var deviceNameSizeMax: Int { 128 }

  /// Returns the name's printable bytes, truncated between characters.
  private static func printable(_ device: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in device.unicodeScalars { bytes += String(scalar.isPrintable ? scalar : "?").utf8 }
    guard bytes.count > deviceNameSizeMax else { return bytes }
    var size = deviceNameSizeMax
    while size > 0, bytes[size] & 0xC0 == 0x80 { size -= 1 }
    return Array(bytes[..<size])
  }
}

extension TagModel: WireField {}
extension TagFault: WireField {}
extension ReaderFault: WireField {}

extension TagWriteFault: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(code.0, code.1, code.2) }

  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    let fault = TagWriteFault(code: try reader.next(), try reader.next(), try reader.next())
    guard let fault else { throw .invalid(offset: offset) }
    self = fault
  }
}

extension TagUID: WireField {
  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    let bytes: [UInt8] = try reader.next()
    guard let uid = TagUID(bytes) else { throw .invalid(offset: offset) }
    self = uid
  }

  package func write(to writer: inout ByteWriter) { writer.fields(bytes) }
}
