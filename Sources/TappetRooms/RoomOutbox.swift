// The queue of messages to rooms. Encryption is a step of sending. Pure decision logic.
//
//   waiting ──due──▶ asking: resolve ▸ check ┬─ plain ────────────────────────────────────▶ send ──▶ ended
//      ▲               │                     └─ encrypted ▸ members ─▶ encrypting ──ready──▶ ▲
//      └─────pause─────┘                                            asking for keys ◀─┴▶
//
// The messages of a room keep their order. One request is in progress at a time, besides one about keys.

import TappetCore

/// The messages to the rooms of one session, until each of them has an outcome.
struct RoomOutbox {
  enum Message: Equatable {
    /// The message of an entry, or an edit of it, which the kiosk sends again if it fails.
    case entry(EntryID, [UInt8])
    /// The final answer to an event.
    case reply(String, to: String)
    /// A reaction to an event, which is its final answer if `isFinal`; never encrypted, because homeservers count them.
    case reaction(String, to: String, isFinal: Bool)
    /// A question with its unique number.
    case question(UInt64, String)
    /// Marks the event and all earlier ones as read.
    case receipt(of: String)

    /// The number by which the homeserver recognizes a message that is sent again.
    var transaction: String {
      switch self {
      case .entry(let id, _): id.hex
      case .reply(_, let event): event + "-reply"
      case .reaction(let text, let event, _): event + "-" + Hex.encode(Array(text.utf8.prefix(4)))
      case .question(let number, _): "question-\(number)"
      case .receipt(let event): event
      }
    }

    var body: [UInt8] {
      switch self {
      case .entry(_, let body): body
      case .reply(let text, let event):
        Message.notice(text, ",\"m.relates_to\":{\"m.in_reply_to\":{\"event_id\":\"\(event.jsonEscaped)\"}}")
      case .reaction(let text, let event, _):
        Array(
          ("{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"\(event.jsonEscaped)\","
            + "\"key\":\"\(text.jsonEscaped)\"}}").utf8)
      case .question(_, let text): Message.notice(text, "")
      case .receipt: Array("{}".utf8)
      }
    }

    private static func notice(_ text: String, _ members: String) -> [UInt8] {
      Array("{\"msgtype\":\"m.notice\",\"m.mentions\":{},\"body\":\"\(text.jsonEscaped)\"\(members)}".utf8)
    }

    fileprivate var isEntry: Bool { if case .entry = self { true } else { false } }

    fileprivate var isReceipt: Bool { if case .receipt = self { true } else { false } }

    /// Whether the message must not be plain text in an encrypted room, which is checked first.
    fileprivate var isChecked: Bool {
      switch self {
      case .entry, .reply, .question: true
      case .reaction, .receipt: false
      }
    }
  }

  /// The result of a message that is not sent again.
  enum Outcome: Equatable {
    /// The homeserver accepted the message as this event; `nil` if the id is too long.
    case accepted(event: String?)
    case answered(status: Int, retryAfter: Duration?)
    case failed(TransportError, code: Int32)

    /// Whether sending the message again is useless.
    var isFinal: Bool {
      switch self {
      case .accepted: true
      case .answered: false
      case .failed(let trouble, _): trouble.isRefusal
      }
    }

    /// The pause before the message is sent again.
    fileprivate var pause: Duration {
      guard case .answered(_, .some(let pause)) = self else { return Limits.roomAnswerRetry }
      return min(pause, Limits.roomRetry.last)
    }
  }

  enum Request {
    case send(HTTPCall)
    /// A request of the cipher.
    case keys(HTTPCall)
  }

  private enum State {
    /// This request is due at this time, or without one, the first.
    case waiting(RoomDestination.Step?, until: Instant)
    /// The message is to be encrypted for these users.
    case encrypting([String])
    case asking(RoomDestination.Step)
    case askingForKeys(of: [String])
  }

  private struct Item {
    let message: Message
    let room: String
    /// Time after which no request is made for the message.
    let endsAt: Instant
    var state: State
    /// Whether no request of a message that is checked has been answered yet.
    var isFirst: Bool
    var failures = 0

    var isAsking: Bool {
      switch state {
      case .asking, .askingForKeys: true
      case .waiting, .encrypting: false
      }
    }
  }

  /// The errnos of a full queue, and of a message that cannot be encrypted.
  private static let (again, inputOutputError): (Int32, Int32) = (11, 5)

  /// The encryption of messages; `nil` if the kiosk does not write to encrypted rooms.
  private var cipher: (any RoomCipher)?
  private var encryption: RoomEncryption?
  private var items: [Item] = []
  /// The rooms of earlier messages, by their names or ids in the orders.
  private var rooms: [String: RoomDestination] = [:]
  private var ends: [(message: Message, outcome: Outcome)] = []

  /// Enables writing to encrypted rooms; called before the first message.
  mutating func encrypt(by cipher: any RoomCipher, _ encryption: RoomEncryption) {
    (self.cipher, self.encryption) = (cipher, encryption)
  }

  /// Time of the next request, or of the end of a message; `nil` if there is none.
  var deadline: Instant? {
    var times = items.filter { !$0.isAsking }.map { $0.endsAt }
    for index in items.indices where !isSending && isNext(index) {
      if case .waiting(_, let until) = items[index].state { times.append(until) }
    }
    return times.min()
  }

  private var isSending: Bool { items.contains { if case .asking = $0.state { true } else { false } } }

  /// Whether the message is the first one in its room.
  private func isNext(_ index: Int) -> Bool { !items[..<index].contains { $0.room == items[index].room } }

  /// Appends a message, unless it is already queued; no request for it begins after the limit.
  mutating func append(
    _ message: Message, to room: String, within limit: Duration = Limits.roomPostMax, at now: Instant
  ) {
    if items.contains(where: { $0.room == room && $0.message.transaction == message.transaction }) { return }
    if message.isEntry, items.count(where: { $0.message.isEntry }) >= Limits.roomPostsMax {
      return ends.append((message, .failed(.other, code: RoomOutbox.again)))
    }
    if items.count(where: { !$0.message.isEntry }) >= Limits.roomAnswersMax,
      let oldest = items.firstIndex(where: { !$0.message.isEntry && !$0.isAsking })
    {
      items.remove(at: oldest)
    }
    // A newer receipt includes an older one.
    if message.isReceipt { items.removeAll { $0.room == room && $0.message.isReceipt && !$0.isAsking } }
    items.append(
      Item(
        message: message, room: room, endsAt: now + min(limit, Limits.roomPostMax), state: .waiting(nil, until: now),
        isFirst: message.isChecked))
  }

  /// Removes a question that is not being sent; returns whether it is being sent.
  mutating func remove(question number: UInt64) -> Bool {
    let index = items.firstIndex { if case .question(number, _) = $0.message { true } else { false } }
    guard let index, !items[index].isAsking else { return index != nil }
    items.remove(at: index)
    return false
  }

  /// Returns the messages that have ended.
  mutating func takeEnds() -> [(message: Message, outcome: Outcome)] {
    defer { ends = [] }
    return ends
  }

  // MARK: Requests

  /// Returns the next request, if one is due; `mayAskForKeys` means that the cipher has no request of its own.
  mutating func nextRequest(mayAskForKeys: Bool, at now: Instant) -> Request? {
    while let index = items.firstIndex(where: { $0.endsAt <= now && !$0.isAsking }) {
      ends.append((items.remove(at: index).message, .failed(.timedOut, code: 0)))
    }
    for index in items.indices where !isSending && isNext(index) {
      switch items[index].state {
      case .waiting(let step, let until) where until <= now: return ask(step, index, at: now)
      case .encrypting(let users) where mayAskForKeys:
        return encrypt(index, for: users, at: now) ?? nextRequest(mayAskForKeys: mayAskForKeys, at: now)
      case .waiting, .encrypting, .asking, .askingForKeys: break
      }
    }
    return nil
  }

  private mutating func ask(_ step: RoomDestination.Step?, _ index: Int, at now: Instant) -> Request {
    var room = rooms[items[index].room] ?? RoomDestination(items[index].room, encryption)
    if let id = room.id, cipher?.isEncrypted(id) == true { room.recordEncrypted() }
    let step = items[index].message.isChecked ? step ?? room.begin(at: now) : .send
    rooms[items[index].room] = room
    return .send(call(step, index, step == .send ? items[index].message.body : []))
  }

  private mutating func call(_ step: RoomDestination.Step, _ index: Int, _ body: [UInt8]) -> HTTPCall {
    let item = items[index]
    items[index].state = .asking(step)
    let room = rooms[item.room] ?? RoomDestination(item.room, encryption)
    let (start, transaction) = ("/_matrix/client/v3/rooms/" + item.room.percentEncoded, item.message.transaction)
    let (method, path): (WebhookEndpoint.Method, String) =
      switch item.message {
      case .reaction: (.put, start + "/send/m.reaction/" + transaction.percentEncoded)
      case .receipt: (.post, start + "/receipt/m.read/" + transaction.percentEncoded)
      case .entry, .reply, .question: (room.method(of: step), room.path(of: step, sending: transaction))
      }
    // The endpoint's timeout includes that of a long poll.
    return HTTPCall(
      path: path, method: method, body: body, keepsAnswer: true,
      answerSizeMax: step == .members ? Limits.roomKeysAnswerSizeMax : Limits.webhookAnswerSizeMax,
      timeout: step == .members ? nil : Limits.webhookTimeoutDefault)
  }

  /// Returns the request that is needed before the message can be encrypted, or the one that sends it.
  private mutating func encrypt(_ index: Int, for users: [String], at now: Instant) -> Request? {
    let item = items[index]
    if let cipher, let room = rooms[item.room], let id = room.id, let rotation = room.rotation {
      switch cipher.need(of: id, users, rotation) {
      case .request(let request):
        items[index].state = .askingForKeys(of: users)
        return .keys(request)
      case .ready: if let event = cipher.encrypt(item.message.body, in: id) { return .send(call(.send, index, event)) }
      case .unusable: break
      }
    }
    end(index, .failed(.other, code: RoomOutbox.inputOutputError), at: now)
    return nil
  }

  // MARK: Responses

  /// Handles the outcome of the request that was sent.
  mutating func sent(_ outcome: HTTPOutcome, at now: Instant) {
    for index in items.indices {
      if case .asking(let step) = items[index].state { return handle(step, index, outcome, at: now) }
    }
  }

  /// Handles the outcome of the cipher's request, if a message needs it.
  mutating func keysAnswered(_ outcome: HTTPOutcome, isValid: Bool, at now: Instant) {
    for index in items.indices {
      guard case .askingForKeys(let users) = items[index].state else { continue }
      if isValid { return items[index].state = .encrypting(users) }
      // A damaged response does not mean that no one may read the message.
      if case .answered(200, _, _) = outcome { return end(index, .failed(.notAHomeserver, code: 200), at: now) }
      return handle(.members, index, outcome, at: now)
    }
  }

  private mutating func handle(
    _ step: RoomDestination.Step, _ index: Int, _ outcome: HTTPOutcome, at now: Instant
  ) {
    let item = items[index]
    guard case .answered(let status, let pause, let body) = outcome, var room = rooms[item.room] else {
      if case .failed(let trouble, let code) = outcome { end(index, .failed(trouble, code: code), at: now) }
      return
    }
    let answer = MatrixAnswer(body)
    if item.message.isReceipt, status == 200, answer.isObject { return end(index, .accepted(event: nil), at: now) }
    let turn = room.handle(
      step, isFirst: item.isFirst, status: Int(status), retryAfter: pause, answer, at: now)
    rooms[item.room] = room
    if case .check = step, room.isEncrypted, let id = room.id { cipher?.recordEncrypted(id) }
    items[index].isFirst = false
    switch turn {
    case .next(.send) where step == .members:
      guard let users = SyncAnswer.members(body) else {
        return end(index, .failed(.notAHomeserver, code: Int32(status)), at: now)
      }
      items[index].state = .encrypting(users)
    // The room is checked again if the message has to wait.
    case .next(.send): items[index].state = .waiting(nil, until: now)
    case .next(let next): items[index].state = .waiting(next, until: now)
    case .answered(200, _): end(index, .accepted(event: answer.shortEventID), at: now)
    case .answered(let status, let pause): end(index, .answered(status: status, retryAfter: pause), at: now)
    case .failed(let trouble): end(index, .failed(trouble, code: Int32(status)), at: now)
    }
  }

  /// Ends a message, unless it is sent again after a pause.
  private mutating func end(_ index: Int, _ outcome: Outcome, at now: Instant) {
    items[index].failures += 1
    if items[index].message.isEntry || outcome.isFinal || items[index].failures >= Limits.roomAnswerTriesMax {
      ends.append((items.remove(at: index).message, outcome))
    } else {
      items[index].state = .waiting(nil, until: now + outcome.pause)
    }
  }
}
