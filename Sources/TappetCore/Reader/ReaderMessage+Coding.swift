// The bytes of ReaderMessage; the layout stands there.

extension ReaderMessage {
  /// The datagram.
  public func encode() -> [UInt8] {
    switch self {
    case .ready(let device): [1, ReaderMessage.protocolVersion] + ReaderMessage.shortened(device)
    case .heartbeat: [2]
    case .tagArrived(let uid): [3] + uid.encoded
    case .tagRead(let reading): [4] + reading.uid.encoded + [reading.model.rawValue] + reading.bytes
    case .tagFaulted(let uid, let model, let fault): [5] + uid.encoded + [model.rawValue, fault.rawValue]
    case .tagLeft(let uid): [6] + uid.encoded
    case .lost(let fault, let code):
      [7, fault.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: code) >> (8 * $0)) }
    }
  }

  /// Takes a datagram apart.
  public init(decoding bytes: [UInt8]) throws(ReaderMessageError) {
    var reader = ByteReader(bytes)
    guard let kind = reader.byte() else { throw .empty }
    switch kind {
    case 1:
      let version = try reader.required()
      guard version == ReaderMessage.protocolVersion else { throw .otherVersion(version) }
      guard reader.remaining <= ReaderMessage.deviceNameSizeMax else { throw .tooLarge(size: reader.remaining) }
      guard let device = String(validating: reader.rest(), as: UTF8.self) else { throw .invalidText }
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
    default: throw .unknownKind(kind)
    }
    guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
  }

  private static var deviceNameSizeMax: Int { 128 }

  /// As much of a name as may be sent; never a part of a character, which would be no text any more.
  private static func shortened(_ device: String) -> ArraySlice<UInt8> {
    let bytes = Array(device.utf8)
    guard bytes.count > deviceNameSizeMax else { return bytes[...] }
    var end = deviceNameSizeMax
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return bytes[..<end]
  }
}

extension TagUID {
  fileprivate var encoded: [UInt8] { [UInt8(truncatingIfNeeded: bytes.count)] + bytes }
}

extension ByteReader {
  fileprivate mutating func required() throws(ReaderMessageError) -> UInt8 {
    guard let byte = byte() else { throw .truncated(offset: offset) }
    return byte
  }

  fileprivate mutating func uid() throws(ReaderMessageError) -> TagUID {
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
