// The encoding of ReaderMessage; ReaderMessage.swift documents the layout.

extension ReaderMessage {
  /// Encodes the message as one datagram, which can always be decoded.
  ///
  /// A device name is truncated to its limit, and its control characters are replaced with `?`; a memory beyond the
  /// limit is reported as a fault.
  @export(interface)
  package func encode() -> [UInt8] {
    switch self {
    case .ready(let device): [1, ReaderMessage.protocolVersion] + ReaderMessage.printable(device)
    case .heartbeat: [2]
    case .tagArrived(let uid, let wasPresent): [wasPresent ? 11 : 3] + uid.encoded
    case .tagRead(let reading) where reading.bytes.count > Limits.tagMemorySizeMax:
      ReaderMessage.tagFaulted(reading.uid, reading.model, .tooLarge).encode()
    case .tagRead(let reading): [4] + reading.uid.encoded + [reading.model.rawValue] + reading.bytes
    case .tagFaulted(let uid, let model, let fault): [5] + uid.encoded + [model.rawValue, fault.rawValue]
    case .tagLeft(let uid): [6] + uid.encoded
    case .lost(let fault, let code):
      [7, fault.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: code) >> (8 * $0)) }
    case .orderProgress(let done, let total): [8] + littleEndian(done) + littleEndian(total)
    case .orderDone(let outcome): ReaderMessage.encode(outcome)
    case .tagDescribed(let tag): [10] + tag.uid.encoded + [tag.model.rawValue] + tag.header
    }
  }

  /// Decodes a datagram.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(ReaderMessageError) {
    var reader = ByteReader(bytes)
    guard let kind = reader.byte() else { throw .empty }
    switch kind {
    case 1:
      let version = try reader.required()
      guard version == ReaderMessage.protocolVersion else { throw .otherVersion(version) }
      guard reader.remaining <= ReaderMessage.deviceNameSizeMax else { throw .tooLarge(size: reader.remaining) }
      guard let device = String(validating: reader.rest(), as: UTF8.self), device.isPrintable else {
        throw .invalidText
      }
      self = .ready(device: device)
    case 2: self = .heartbeat
    case 3: self = .tagArrived(try reader.uid())
    case 4:
      let uid = try reader.uid()
      let model = try reader.model()
      guard reader.remaining <= Limits.tagMemorySizeMax else { throw .tooLarge(size: reader.remaining) }
      self = .tagRead(TagReading(uid: uid, model: model, bytes: Array(reader.rest())))
    case 5:
      let uid = try reader.uid()
      let model = try reader.model()
      let fault = try reader.required()
      guard let fault = TagFault(rawValue: fault) else { throw .unknownFault(fault) }
      self = .tagFaulted(uid, model, fault)
    case 6: self = .tagLeft(try reader.uid())
    case 7:
      let fault = try reader.required()
      guard let fault = ReaderFault(rawValue: fault) else { throw .unknownFault(fault) }
      guard let code = reader.littleEndian32() else { throw .truncated(offset: reader.offset) }
      self = .lost(fault, code: Int32(bitPattern: code))
    case 8: self = .orderProgress(done: try reader.number(), total: try reader.number())
    case 9: self = .orderDone(try reader.outcome())
    case 10:
      let uid = try reader.uid()
      let model = try reader.model()
      guard reader.remaining == 0 || reader.remaining == TagDescription.headerSize else {
        throw .invalidHeader(size: reader.remaining)
      }
      self = .tagDescribed(TagDescription(uid: uid, model: model, header: Array(reader.rest())))
    case 11: self = .tagArrived(try reader.uid(), wasPresent: true)
    default: throw .unknownKind(kind)
    }
    guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
  }

  private static func encode(_ outcome: OrderOutcome) -> [UInt8] {
    let fault = outcome.fault?.code ?? (0, 0, 0)
    var bytes: [UInt8] = [9]
    bytes += outcome.uid.encoded
    bytes.append(outcome.model.rawValue)
    bytes += littleEndian(UInt16(clamping: outcome.writes))
    bytes.append(fault.0)
    bytes += littleEndian(fault.1) + littleEndian(fault.2)
    return bytes
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

private func littleEndian(_ number: UInt16) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }

extension TagUID {
  fileprivate var encoded: [UInt8] { [UInt8(truncatingIfNeeded: bytes.count)] + bytes }
}

extension ByteReader {
  fileprivate mutating func number() throws(ReaderMessageError) -> UInt16 {
    let low = try required()
    return UInt16(low) | UInt16(try required()) << 8
  }

  fileprivate mutating func outcome() throws(ReaderMessageError) -> OrderOutcome {
    let uid = try uid()
    let model = try model()
    let writes = try number()
    let code = try required()
    let (first, second) = (try number(), try number())
    let fault = TagWriteFault(code: code, first, second)
    // All zeros mean that there is no fault.
    guard fault != nil || (code == 0 && first == 0 && second == 0) else { throw .unknownFault(code) }
    return OrderOutcome(uid: uid, model: model, writes: Int(writes), fault: fault)
  }

  mutating func required() throws(ReaderMessageError) -> UInt8 {
    guard let byte = byte() else { throw .truncated(offset: offset) }
    return byte
  }

  mutating func uid() throws(ReaderMessageError) -> TagUID {
    let size = Int(try required())
    guard (1...10).contains(size) else { throw .invalidUID(size: size) }
    guard let bytes = slice(size), let uid = TagUID(bytes) else { throw .truncated(offset: offset) }
    return uid
  }

  fileprivate mutating func model() throws(ReaderMessageError) -> TagModel {
    let value = try required()
    guard let model = TagModel(rawValue: value) else { throw .unknownModel(value) }
    return model
  }
}
