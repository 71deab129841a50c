// The fields of the messages in RoomWire.swift that are themselves structured.

extension RoomAnswerForm: WireField {}
extension RoomAccess: WireField {}
extension RoomEncryption.Devices: WireField {}
extension UnreadableReason: WireField {}

extension RoomLine: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(room, event, user, unixMilliseconds, power, text) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(
      room: try reader.next(), event: try reader.next(), user: try reader.next(),
      unixMilliseconds: try reader.next(), power: try reader.next(), text: try reader.next())
  }
}

extension RoomAnswer: WireField {
  package func write(to writer: inout ByteWriter) { writer.fields(question, user, power, isYes) }

  package init(from reader: inout ByteReader) throws(WireError) {
    self.init(
      question: try reader.next(), user: try reader.next(), power: try reader.next(), isYes: try reader.next())
  }
}

extension WebhookFault: WireField {
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .status(let status): writer.message(0, UInt32(clamping: status))
    case .trouble(let trouble, let code): writer.fields(trouble, code)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let offset = reader.offset
    let kind: UInt8 = try reader.next()
    let code: UInt32 = try reader.next()
    if kind == 0 {
      self = .status(Int(code))
      return
    }
    guard let trouble = TransportError(rawValue: kind) else { throw .invalid(offset: offset) }
    self = .trouble(trouble, code: Int32(bitPattern: code))
  }
}

extension RoomWillState: WireField {
  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .scheduled: writer.message(1)
    case .unsupported: writer.message(2)
    case .failed(let fault): writer.message(3, fault)
    case .posted: writer.message(4)
    case .cancelled: writer.message(5)
    case .tooLong(let secondsMax): writer.message(6, secondsMax)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let state: UInt8 = try reader.next()
    switch state {
    case 1: self = .scheduled
    case 2: self = .unsupported
    case 3: self = try .failed(reader.next())
    case 4: self = .posted
    case 5: self = .cancelled
    case 6: self = try .tooLong(secondsMax: reader.next())
    default: throw .invalid(offset: reader.offset - 1)
    }
  }
}

extension RoomUnread: WireField {
  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .counted(let rooms, let messages, let mentions): writer.message(1, rooms, messages, mentions)
    case .closed: writer.message(2)
    case .unknown: writer.message(3)
    case .tooLarge: writer.message(4)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let state: UInt8 = try reader.next()
    switch state {
    case 1: self = try .counted(rooms: reader.next(), messages: reader.next(), mentions: reader.next())
    case 2: self = .closed
    case 3: self = .unknown
    case 4: self = .tooLarge
    default: throw .invalid(offset: reader.offset - 1)
    }
  }
}
