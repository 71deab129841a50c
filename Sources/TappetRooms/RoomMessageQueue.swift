// The kiosk's reactions, replies and questions in rooms without encryption, and its read receipts, sent one at a time.
// Pure decision logic.

import TappetCore

struct RoomMessageQueue {
  /// A message from the kiosk to a room, queued or being sent.
  struct Message {
    var path: String
    var method = WebhookEndpoint.Method.put
    var body: [UInt8]
    /// Number of the question that the message asks.
    var question: UInt64?
    /// The event to which this is the final answer.
    var settles: String?
    /// The room that is marked as read.
    private(set) var readRoom: String?
    private var tries = 0

    /// Creates a reaction or a reply to an event.
    init(to event: String, in room: String, _ form: RoomAnswerForm, _ text: String) {
      let isReaction = form != .reply
      settles = form == .progress ? nil : event
      let kind = isReaction ? "m.reaction" : "m.room.message"
      // The same answer is never sent twice: the homeserver recognizes a transaction.
      let transaction = event + "-" + (isReaction ? Hex.encode(Array(text.utf8.prefix(4))) : "reply")
      path = "/_matrix/client/v3/rooms/\(room.percentEncoded)/send/\(kind)/\(transaction.percentEncoded)"
      let (id, words) = (event.jsonEscaped, text.jsonEscaped)
      body = Array(
        (isReaction
          ? "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"\(id)\",\"key\":\"\(words)\"}}"
          : "{\"msgtype\":\"m.notice\",\"m.mentions\":{},\"body\":\"\(words)\","
            + "\"m.relates_to\":{\"m.in_reply_to\":{\"event_id\":\"\(id)\"}}}").utf8)
    }

    /// Creates the message that asks a question, whose unique number makes the transaction unique.
    init(asking number: UInt64, in room: String, _ text: String) {
      question = number
      path = "/_matrix/client/v3/rooms/\(room.percentEncoded)/send/m.room.message/question-\(number)"
      body = Array("{\"msgtype\":\"m.notice\",\"m.mentions\":{},\"body\":\"\(text.jsonEscaped)\"}".utf8)
    }

    /// Creates a read receipt, which marks the event and all earlier ones as read.
    init(reading event: String, in room: String) {
      path = "/_matrix/client/v3/rooms/\(room.percentEncoded)/receipt/m.read/\(event.percentEncoded)"
      method = .post
      body = Array("{}".utf8)
      readRoom = room
    }

    /// Whether the homeserver has accepted or refused the message; an intermediary's page is neither.
    fileprivate func isDecided(_ status: UInt16, _ answer: MatrixAnswer) -> Bool {
      if status != 200 { return answer.errorCode != nil }
      return readRoom == nil ? answer.eventID != nil : answer.isObject
    }

    mutating func mayBeRepeated() -> Bool {
      tries += 1
      return tries < Limits.roomAnswerTriesMax
    }
  }

  /// The end of a message.
  struct End {
    var message: Message
    /// The message's event; `nil` if the homeserver did not accept the message.
    var event: String?
    /// Whether the homeserver answered, so that sending the message again is useless.
    var isAnswered: Bool
  }

  private var messages: [Message] = []
  private(set) var isSending = false
  /// Time when the next message is due; `nil` if there is none.
  private(set) var dueAt: Instant?

  /// Appends a message, unless it is already queued; drops the oldest one if there are too many.
  mutating func append(_ message: Message, at now: Instant) {
    if messages.contains(where: { $0.path == message.path && $0.readRoom == nil }) { return }
    // A newer receipt includes an older one; a message that is being sent keeps its place.
    if let room = message.readRoom, let old = messages.lastIndex(where: { $0.readRoom == room }), old > 0 || !isSending
    {
      messages.remove(at: old)
    }
    if messages.count >= Limits.roomAnswersMax { messages.remove(at: isSending ? 1 : 0) }
    messages.append(message)
    if !isSending, dueAt == nil { dueAt = now }
  }

  /// Removes a question that is not being sent; returns whether it is being sent.
  mutating func remove(question number: UInt64) -> Bool {
    let isFirst = isSending && messages.first?.question == number
    if !isFirst { messages.removeAll { $0.question == number } }
    if messages.isEmpty { dueAt = nil }
    return isFirst
  }

  /// Returns the message to send now.
  mutating func next(at now: Instant) -> Message? {
    guard !isSending, let due = dueAt, due <= now, let message = messages.first else { return nil }
    dueAt = nil
    isSending = true
    return message
  }

  /// Handles the outcome of the message that was sent; returns `nil` if it is sent again, which the homeserver
  /// recognizes by the transaction.
  mutating func sent(_ outcome: HTTPOutcome, at now: Instant) -> End? {
    guard isSending else { return nil }
    isSending = false
    var end = End(message: messages[0], event: nil, isAnswered: true)
    var pause = Duration.zero
    switch outcome {
    // With a refused token, the message can be sent after the next login.
    case .failed, .answered(401, _, _): pause = .seconds(2)
    case .answered(let status, let named, let body):
      let answer = MatrixAnswer(body)
      if status == 200 { end.event = answer.eventID }
      if status == 429 || status >= 500 {
        pause = answer.retryAfter ?? named ?? .seconds(2)
      } else if !messages[0].isDecided(status, answer) {
        pause = .seconds(2)
      }
    }
    let isOver = pause == .zero || !messages[0].mayBeRepeated()
    if isOver { messages.removeFirst() }
    end.isAnswered = pause == .zero
    dueAt = messages.isEmpty ? nil : now + min(pause, Limits.roomRetry.last)
    return isOver ? end : nil
  }
}
