// The encoding of lines, of faults, of states with a fault, and of unread messages, in the messages of RoomWire.swift.

extension ByteWriter {
  mutating func line(_ line: RoomLine) {
    for value in [line.room, line.event, line.user] { text(value) }
    integer(line.unixMilliseconds)
    integer(line.power ?? Int64.min)
    text(line.text)
  }

  mutating func line(_ line: UnreadableLine) {
    text(line.room)
    text(line.user)
    byte(line.reason.rawValue)
  }

  mutating func fault(_ fault: WebhookFault) {
    switch fault {
    case .status(let status):
      byte(0)
      integer(UInt32(clamping: status))
    case .trouble(let trouble, let code):
      byte(trouble.rawValue)
      integer(UInt32(bitPattern: code))
    }
  }

  mutating func unread(_ unread: RoomUnread) {
    var counts: (UInt32, UInt32, UInt32) = (0, 0, 0)
    switch unread {
    case .counted(let rooms, let messages, let mentions):
      byte(1)
      counts = (rooms, messages, mentions)
    case .closed: byte(2)
    case .unknown: byte(3)
    case .tooLarge: byte(4)
    }
    for count in [counts.0, counts.1, counts.2] { integer(count) }
  }
}

extension ByteReader {
  mutating func line() -> RoomLine? {
    guard let room = text(), let event = text(), let user = text(), let milliseconds = integer(),
      let power = integer(), let text = text()
    else { return nil }
    return RoomLine(
      room: room, event: event, user: user, unixMilliseconds: milliseconds, power: power == .min ? nil : power,
      text: text)
  }

  mutating func unreadableLine() -> UnreadableLine? {
    guard let room = text(), let user = text(), let reason = byte().flatMap({ UnreadableReason(rawValue: $0) }) else {
      return nil
    }
    return UnreadableLine(room: room, user: user, reason: reason)
  }

  mutating func willState() -> RoomWillState? {
    guard let number = byte(), let fault = fault() else { return nil }
    return RoomWillState(number: number, fault)
  }

  mutating func unread() -> RoomUnread? {
    guard let state = byte(), let rooms = bigEndian32(), let messages = bigEndian32(), let mentions = bigEndian32()
    else { return nil }
    if state == 1 { return .counted(rooms: rooms, messages: messages, mentions: mentions) }
    guard rooms == 0, messages == 0, mentions == 0 else { return nil }
    switch state {
    case 2: return .closed
    case 3: return .unknown
    case 4: return .tooLarge
    case _: return nil
    }
  }

  mutating func fault() -> WebhookFault? {
    guard let trouble = byte(), let code = bigEndian32() else { return nil }
    if trouble == 0 { return .status(Int(code)) }
    return TransportError(rawValue: trouble).map { .trouble($0, code: Int32(bitPattern: code)) }
  }
}

extension RoomWillState {
  var number: UInt8 {
    switch self {
    case .scheduled: 1
    case .unsupported: 2
    case .failed: 3
    case .posted: 4
    case .cancelled: 5
    case .tooLong: 6
    }
  }

  /// The fault, or as a status, the maximum delay or 0.
  var fault: WebhookFault {
    switch self {
    case .failed(let fault): fault
    case .tooLong(let seconds): .status(Int(seconds))
    case .scheduled, .unsupported, .posted, .cancelled: .status(0)
    }
  }

  init?(number: UInt8, _ fault: WebhookFault) {
    if number == 3 {
      self = .failed(fault)
      return
    }
    guard case .status(let status) = fault, let value = UInt32(exactly: status) else { return nil }
    if number == 6 {
      self = .tooLong(secondsMax: value)
      return
    }
    let states: [RoomWillState] = [.scheduled, .unsupported, .posted, .cancelled]
    guard value == 0, let state = states.first(where: { $0.number == number }) else { return nil }
    self = state
  }
}
