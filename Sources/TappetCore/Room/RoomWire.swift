// The messages between the kiosk and tappet-matrix, one per datagram; WireField.swift defines the encoding of fields.
//
//   kiosk ──▶ 1 session    session ca                           paths of files; "" for none
//         ──▶ 2 room       room powers reactions                its address or id, as configured
//         ──▶ 3 begin      position?                            of the last batch; none for the present
//         ──▶ 4 answer     room event form:1 text
//         ──▶ 5 ask        number:8 room text
//         ──▶ 6 close      number:8 text
//         ──▶ 7 encrypt    devices:1 plain state                the path of the state folder
//         ──▶ 8 post       id:16 room body…
//         ──▶ 9 poll       position?                            of the last commit
//         ──▶ 10 invitations                                    report them
//         ──▶ 11 join      room
//         ──▶ 12 will      room body after:4 mark               after: in ms; the mark is in the body
//         ──▶ 13 cancel will
//         ──▶ 14 unread    room                                 report what is unread there
//         ──▶ 15 commanders user…                               keep their keys above all
//   rooms ──▶ 1 ready      version:1
//         ──▶ 2 listening                                       the homeserver has answered
//         ──▶ 3 failed     fault                                trouble:1 code:4; trouble: 0 for an HTTP status
//         ──▶ 4 access     room access:1
//         ──▶ 5 heard      room event user unix_ms:8 power? text
//         ──▶ 6 answered   number:8 user power? yes
//         ──▶ 8 posted     id:16 status:2 pause?                pause: Retry-After
//         ──▶ 9 undelivered id:16 trouble:1 code:4
//         ──▶ 10 batch     position                             follows the lines that were heard
//         ──▶ 11 settled   event
//         ──▶ 12 created   id:16 event
//         ──▶ 13 invited   room user event                      event: "" if it is not known
//         ──▶ 14 joined    room fault?
//         ──▶ 15 will      state:1                              of 3, the fault; of 6, the maximum in s:4
//         ──▶ 16 unread    room state:1                         of 1, rooms:4 messages:4 mentions:4
//         ──▶ 17 unreadable room user reason:1

/// The form of a response to an event in a room.
package enum RoomAnswerForm: UInt8, Sendable {
  /// A reaction that another response will follow.
  case progress = 0
  /// A reply, which is final.
  case reply = 1
  /// A final reaction.
  case reaction = 2
}

/// A command from the kiosk to tappet-matrix.
package enum RoomOrder: Equatable, Sendable {
  /// Load the session and the trusted certificates from the given paths.
  case session(path: String, ca: String)
  /// Listen to the given room; report each sender's power level if `readsPowers`, and reactions to questions if `asks`.
  case room(String, readsPowers: Bool, asks: Bool)
  /// All rooms have been sent: enter the sandbox, and listen from the given position, or from the present; the response
  /// is `ready`.
  case begin(position: String?)
  /// React to an event with one character, or reply to it; the response to a final form is `settled`.
  case answer(room: String, event: String, RoomAnswerForm, text: String)
  /// Poll again: the lines up to this position are committed, if it is that of the last batch.
  case poll(position: String?)
  /// Post a question in a room; the response, if any, is `answered`.
  case ask(number: UInt64, room: String, text: String)
  /// Close the question, and post its outcome; a question that has not been posted yet is discarded.
  case close(number: UInt64, text: String)
  /// Use encrypted rooms, with the keys in the given state folder; sent before `begin`.
  case encrypt(RoomEncryption, state: String)
  /// Post an entry's message in a room, with requests that begin within the limit; the response is `posted` or
  /// `undelivered`.
  case post(EntryID, room: String, limit: Duration, body: [UInt8])
  /// Report the invitations to rooms; sent before `begin`.
  case invitations
  /// Join a room to which the kiosk was invited; the response is `joined`.
  case join(room: String)
  /// Keep this last will pending, and cancel all others with this mark; sent before `begin`.
  case will(RoomWill, mark: String)
  /// Cancel the last will; the response is `will(.cancelled)`, after which the process may be stopped.
  case cancelWill
  /// Report the unread messages of this space or room; sent before `begin`.
  case unread(room: String)
  /// Some of the users who may send commands in encrypted rooms; sent before `begin`.
  case commanders([String])
}

/// A message from tappet-matrix.
package enum RoomMessage: Equatable, Sendable {
  /// Version of the protocol; a different version means that the processes are from different builds.
  package static let protocolVersion: UInt8 = 11

  case ready
  /// The homeserver responded; lines written after this are reported.
  case listening
  /// The homeserver did not respond; the request is retried.
  case failed(WebhookFault)
  case access(room: String, RoomAccess)
  /// A user wrote a line that starts with `!`.
  case heard(RoomLine)
  /// All lines before this position were passed on; nothing is polled until `poll`.
  case batch(position: String)
  /// The homeserver has the final answer to this event, or does not accept any.
  case settled(event: String)
  /// A user reacted to a question with yes or no.
  case answered(RoomAnswer)
  /// The homeserver responded to a posted message; the status is handled like that of a webhook.
  case posted(EntryID, status: UInt16, retryAfter: Duration?)
  /// The homeserver created this event for a posted message.
  case created(EntryID, event: String)
  /// There was no response to a posted message.
  case undelivered(EntryID, TransportError, code: Int32)
  /// A user invited the kiosk to a room; an invitation may be reported again.
  case invited(RoomInvitation)
  /// The response to `join`; `nil` means that the kiosk is in the room.
  case joined(room: String, WebhookFault?)
  /// The state of the last will.
  case will(RoomWillState)
  /// The unread messages in the space or room of the order: known for the first time, or changed.
  case unread(room: String, RoomUnread)
  /// A user who may send commands wrote something that cannot be read.
  case unreadable(UnreadableLine)
}

extension RoomOrder: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .session(let path, let ca): writer.message(1, path, ca)
    case .room(let room, let readsPowers, let asks): writer.message(2, room, readsPowers, asks)
    case .begin(let position): writer.message(3, position)
    case .answer(let room, let event, let form, let text): writer.message(4, room, event, form, text)
    case .ask(let number, let room, let text): writer.message(5, number, room, text)
    case .close(let number, let text): writer.message(6, number, text)
    case .encrypt(let encryption, let state): writer.message(7, encryption.devices, encryption.allowsPlain, state)
    case .post(let id, let room, let limit, let body): writer.message(8, id, room, limit, rest: body)
    case .poll(let position): writer.message(9, position)
    case .invitations: writer.message(10)
    case .join(let room): writer.message(11, room)
    case .will(let will, let mark): writer.message(12, will.room, will.body, will.after, mark)
    case .cancelWill: writer.message(13)
    case .unread(let room): writer.message(14, room)
    case .commanders(let users): writer.message(15, users)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1: self = try .session(path: reader.next(), ca: reader.next())
    case 2: self = try .room(reader.next(), readsPowers: reader.next(), asks: reader.next())
    case 3: self = try .begin(position: reader.next())
    case 4: self = try .answer(room: reader.next(), event: reader.next(), reader.next(), text: reader.next())
    case 5: self = try .ask(number: reader.next(), room: reader.next(), text: reader.next())
    case 6: self = try .close(number: reader.next(), text: reader.next())
    case 7:
      let encryption = RoomEncryption(devices: try reader.next(), allowsPlain: try reader.next())
      self = .encrypt(encryption, state: try reader.next())
    case 8: self = try .post(reader.next(), room: reader.next(), limit: reader.next(), body: reader.rest())
    case 9: self = try .poll(position: reader.next())
    case 10: self = .invitations
    case 11: self = try .join(room: reader.next())
    case 12:
      let will = RoomWill(room: try reader.next(), body: try reader.next(), after: try reader.next())
      guard will.after > .zero, will.after <= Limits.roomWillMax else { throw .invalid(offset: reader.offset - 4) }
      self = .will(will, mark: try reader.next())
    case 13: self = .cancelWill
    case 14: self = try .unread(room: reader.next())
    case 15: self = try .commanders(reader.next())
    default: throw .unknownKind(kind)
    }
  }
}

extension RoomMessage: WireField {
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    switch self {
    case .ready: writer.message(1, RoomMessage.protocolVersion)
    case .listening: writer.message(2)
    case .failed(let fault): writer.message(3, fault)
    case .access(let room, let access): writer.message(4, room, access)
    case .heard(let line): writer.message(5, line)
    case .answered(let answer): writer.message(6, answer)
    case .posted(let id, let status, let pause): writer.message(8, id, status, pause)
    case .undelivered(let id, let trouble, let code): writer.message(9, id, trouble, code)
    case .batch(let position): writer.message(10, position)
    case .settled(let event): writer.message(11, event)
    case .created(let id, let event): writer.message(12, id, event)
    case .invited(let invitation): writer.message(13, invitation.room, invitation.user, invitation.event)
    case .joined(let room, let fault): writer.message(14, room, fault)
    case .will(let state): writer.message(15, state)
    case .unread(let room, let unread): writer.message(16, room, unread)
    case .unreadable(let line): writer.message(17, line.room, line.user, line.reason)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    switch kind {
    case 1:
      try reader.expect(version: RoomMessage.protocolVersion)
      self = .ready
    case 2: self = .listening
    case 3: self = try .failed(reader.next())
    case 4: self = try .access(room: reader.next(), reader.next())
    case 5: self = try .heard(reader.next())
    case 6: self = try .answered(reader.next())
    case 8: self = try .posted(reader.next(), status: reader.next(), retryAfter: reader.next())
    case 9: self = try .undelivered(reader.next(), reader.next(), code: reader.next())
    case 10: self = try .batch(position: reader.next())
    case 11: self = try .settled(event: reader.next())
    case 12: self = try .created(reader.next(), event: reader.next())
    case 13: self = try .invited(RoomInvitation(room: reader.next(), user: reader.next(), event: reader.next()))
    case 14: self = try .joined(room: reader.next(), reader.next())
    case 15: self = try .will(reader.next())
    case 16: self = try .unread(room: reader.next(), reader.next())
    case 17: self = try .unreadable(UnreadableLine(room: reader.next(), user: reader.next(), reason: reader.next()))
    default: throw .unknownKind(kind)
    }
  }
}
