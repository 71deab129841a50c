// The messages between the kiosk and a tappet-webhook that listens to rooms, one per datagram; ByteWriter defines the
// encoding of numbers and texts. Any bytes decode to a value or to `nil`.
//
//   kiosk ──▶ 1 session    session ca                           paths of files; "" for none
//         ──▶ 2 room       room flags:1                         its address or id, as configured; 1 powers, 2 reactions
//         ──▶ 3 begin      position                             of the last batch; "" for the present
//         ──▶ 4 answer     room event form:1 text
//         ──▶ 5 ask        number:8 room text
//         ──▶ 6 close      number:8 text
//         ──▶ 7 encrypt    devices:1 plain:1 state              the path of the state folder
//         ──▶ 8 post       id:16 room body…
//         ──▶ 9 poll       position                             of the last commit; "" if there is none
//         ──▶ 10 invitations                                    report them
//         ──▶ 11 join      room
//         ──▶ 12 will      after:8 mark room body…           after: in ms; the mark is in the body
//         ──▶ 13 cancel will
//         ──▶ 14 unread    room                                 report what is unread there
//         ──▶ 15 commanders user…                               keep their keys above all
//   rooms ──▶ 1 ready      version:1
//         ──▶ 2 listening                                       the homeserver has answered
//         ──▶ 3 failed     trouble:1 code:4                     trouble: 0 for an HTTP status
//         ──▶ 4 access     room access:1
//         ──▶ 5 heard      room event user unix_ms:8 power:8 text    power: -2^63 when it is not known
//         ──▶ 6 answered   number:8 user power:8 yes:1
//         ──▶ 8 posted     id:16 status:2 pause:4               pause: Retry-After in ms; all ones without one
//         ──▶ 9 undelivered id:16 trouble:1 code:4
//         ──▶ 10 batch     position                             follows the lines that were heard
//         ──▶ 11 settled   event
//         ──▶ 12 created   id:16 event
//         ──▶ 13 invited   room user event                      event: "" if it is not known
//         ──▶ 14 joined    room trouble:1 code:4                as in 3; status 200 for a success
//         ──▶ 15 will      state:1 trouble:1 code:4             as in 3; for 6, too long, status is the maximum in s
//         ──▶ 16 unread    room state:1 rooms:4 messages:4 mentions:4    0 unless the state is 1, counted
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

/// A command from the kiosk to the listening process.
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
  /// Post an entry's message in a room; the response is `posted` or `undelivered`.
  case post(EntryID, room: String, body: [UInt8])
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

/// A message from the listening process.
package enum RoomMessage: Equatable, Sendable {
  /// Version of the protocol; a different version means that the processes are from different builds.
  package static let protocolVersion: UInt8 = 9

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

extension RoomOrder {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .session(let path, let ca):
      writer.byte(1)
      writer.text(path)
      writer.text(ca)
    case .room(let room, let readsPowers, let asks):
      writer.byte(2)
      writer.text(room)
      writer.byte((readsPowers ? 1 : 0) | (asks ? 2 : 0))
    case .begin(let position):
      writer.byte(3)
      writer.text(position ?? "")
    case .answer(let room, let event, let form, let text):
      writer.byte(4)
      writer.text(room)
      writer.text(event)
      writer.byte(form.rawValue)
      writer.text(text)
    case .ask(let number, let room, let text):
      writer.byte(5)
      writer.integer(number)
      writer.text(room)
      writer.text(text)
    case .close(let number, let text):
      writer.byte(6)
      writer.integer(number)
      writer.text(text)
    case .encrypt(let encryption, let state):
      writer.bytes = [7, encryption.devices.rawValue, encryption.allowsPlain ? 1 : 0]
      writer.text(state)
    case .post(let id, let room, let body):
      writer.byte(8)
      writer.id(id)
      writer.text(room)
      writer.bytes += body
    case .poll(let position):
      writer.byte(9)
      writer.text(position ?? "")
    case .invitations: writer.byte(10)
    case .join(let room):
      writer.byte(11)
      writer.text(room)
    case .will(let will, let mark):
      writer.byte(12)
      writer.integer(will.after.wholeMilliseconds)
      writer.text(mark)
      writer.text(will.room)
      writer.bytes += will.body.utf8
    case .cancelWill: writer.byte(13)
    case .unread(let room):
      writer.byte(14)
      writer.text(room)
    case .commanders(let users):
      writer.byte(15)
      for user in users { writer.text(user) }
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1:
      guard let path = reader.text(), let ca = reader.text() else { return nil }
      self = .session(path: path, ca: ca)
    case 2:
      guard let room = reader.text(), let flags = reader.byte(), flags < 4 else { return nil }
      self = .room(room, readsPowers: flags & 1 != 0, asks: flags & 2 != 0)
    case 3:
      guard let position = reader.text() else { return nil }
      self = .begin(position: position.isEmpty ? nil : position)
    case 4:
      guard let room = reader.text(), let event = reader.text(),
        let form = reader.byte().flatMap({ RoomAnswerForm(rawValue: $0) }), let text = reader.text()
      else { return nil }
      self = .answer(room: room, event: event, form, text: text)
    case 5:
      guard let number = reader.integer(), let room = reader.text(), let text = reader.text() else { return nil }
      self = .ask(number: UInt64(bitPattern: number), room: room, text: text)
    case 6:
      guard let number = reader.integer(), let text = reader.text() else { return nil }
      self = .close(number: UInt64(bitPattern: number), text: text)
    case 7:
      guard let devices = reader.byte().flatMap({ RoomEncryption.Devices(rawValue: $0) }), let plain = reader.byte(),
        plain < 2, let state = reader.text()
      else { return nil }
      self = .encrypt(RoomEncryption(devices: devices, allowsPlain: plain == 1), state: state)
    case 8:
      guard let id = reader.entryID(), let room = reader.text() else { return nil }
      self = .post(id, room: room, body: Array(reader.rest()))
    case 9:
      guard let position = reader.text() else { return nil }
      self = .poll(position: position.isEmpty ? nil : position)
    case 10: self = .invitations
    case 11:
      guard let room = reader.text() else { return nil }
      self = .join(room: room)
    case 12:
      guard let after = reader.integer(), after > 0, after <= Limits.roomWillMax.wholeMilliseconds,
        let mark = reader.text(), let room = reader.text(),
        let body = String(validating: reader.rest(), as: UTF8.self)
      else { return nil }
      self = .will(RoomWill(room: room, body: body, after: .milliseconds(after)), mark: mark)
    case 13: self = .cancelWill
    case 14:
      guard let room = reader.text() else { return nil }
      self = .unread(room: room)
    case 15:
      var users: [String] = []
      while reader.remaining > 0 {
        guard let user = reader.text() else { return nil }
        users.append(user)
      }
      self = .commanders(users)
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}

extension RoomMessage {
  @export(interface)
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .ready: writer.bytes = [1, RoomMessage.protocolVersion]
    case .listening: writer.byte(2)
    case .failed(let fault):
      writer.byte(3)
      writer.fault(fault)
    case .access(let room, let access):
      writer.byte(4)
      writer.text(room)
      writer.byte(access.rawValue)
    case .heard(let line):
      writer.byte(5)
      writer.line(line)
    case .answered(let answer):
      writer.byte(6)
      writer.integer(answer.question)
      writer.text(answer.user)
      writer.integer(answer.power ?? Int64.min)
      writer.byte(answer.isYes ? 1 : 0)
    case .posted(let id, let status, let pause):
      writer.byte(8)
      writer.id(id)
      writer.integer(status)
      writer.pause(pause)
    case .undelivered(let id, let trouble, let code):
      writer.byte(9)
      writer.id(id)
      writer.byte(trouble.rawValue)
      writer.integer(UInt32(bitPattern: code))
    case .batch(let position):
      writer.byte(10)
      writer.text(position)
    case .settled(let event):
      writer.byte(11)
      writer.text(event)
    case .created(let id, let event):
      writer.byte(12)
      writer.id(id)
      writer.text(event)
    case .invited(let invitation):
      writer.byte(13)
      for value in [invitation.room, invitation.user, invitation.event] { writer.text(value) }
    case .joined(let room, let fault):
      writer.byte(14)
      writer.text(room)
      writer.fault(fault ?? .status(200))
    case .will(let state):
      writer.bytes = [15, state.number]
      writer.fault(state.fault)
    case .unread(let room, let unread):
      writer.byte(16)
      writer.text(room)
      writer.unread(unread)
    case .unreadable(let line):
      writer.byte(17)
      writer.line(line)
    }
    return writer.bytes
  }

  @export(interface)
  package init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    switch reader.byte() {
    case 1:
      guard reader.byte() == RoomMessage.protocolVersion else { return nil }
      self = .ready
    case 2: self = .listening
    case 3:
      guard let fault = reader.fault() else { return nil }
      self = .failed(fault)
    case 4:
      guard let room = reader.text(), let access = reader.byte().flatMap({ RoomAccess(rawValue: $0) }) else {
        return nil
      }
      self = .access(room: room, access)
    case 5:
      guard let line = reader.line() else { return nil }
      self = .heard(line)
    case 6:
      guard let number = reader.integer(), let user = reader.text(), let power = reader.integer(),
        let yes = reader.byte(), yes < 2
      else { return nil }
      self = .answered(
        RoomAnswer(
          question: UInt64(bitPattern: number), user: user, power: power == .min ? nil : power, isYes: yes == 1))
    case 8:
      guard let id = reader.entryID(), let status = reader.bigEndian16(), let pause = reader.pause() else { return nil }
      self = .posted(id, status: status, retryAfter: pause)
    case 9:
      guard let id = reader.entryID(), let trouble = reader.byte().flatMap({ TransportError(rawValue: $0) }),
        let code = reader.bigEndian32()
      else { return nil }
      self = .undelivered(id, trouble, code: Int32(bitPattern: code))
    case 10:
      guard let position = reader.text() else { return nil }
      self = .batch(position: position)
    case 11:
      guard let event = reader.text() else { return nil }
      self = .settled(event: event)
    case 12:
      guard let id = reader.entryID(), let event = reader.text() else { return nil }
      self = .created(id, event: event)
    case 13:
      guard let room = reader.text(), let user = reader.text(), let event = reader.text() else { return nil }
      self = .invited(RoomInvitation(room: room, user: user, event: event))
    case 14:
      guard let room = reader.text(), let fault = reader.fault() else { return nil }
      self = .joined(room: room, fault == .status(200) ? nil : fault)
    case 15:
      guard let state = reader.willState() else { return nil }
      self = .will(state)
    case 16:
      guard let room = reader.text(), let unread = reader.unread() else { return nil }
      self = .unread(room: room, unread)
    case 17:
      guard let line = reader.unreadableLine() else { return nil }
      self = .unreadable(line)
    default: return nil
    }
    guard reader.remaining == 0 else { return nil }
  }
}
