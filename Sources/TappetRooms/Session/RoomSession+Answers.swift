// The session's reactions, replies and questions, and joining rooms, with the responses.

import TappetCore

extension RoomSession {
  /// Replies in a room; in an encrypted room, always encrypted, even if encryption was enabled after the line.
  mutating func reply(_ text: String, to event: String, in room: String, at now: Instant) {
    guard isEncrypted(room) else { return queue(.init(to: event, in: room, .reply, text), at: now) }
    outbox.append(.reply(text, to: event), to: room, at: now)
  }

  mutating func queue(_ message: RoomMessageQueue.Message, at now: Instant) { answers.append(message, at: now) }

  mutating func answer(_ message: RoomMessageQueue.Message, at now: Instant) {
    let call = HTTPCall(path: message.path, method: message.method, body: message.body, keepsAnswer: true)
    request(.answering, call, at: now)
  }

  mutating func answered(_ outcome: HTTPOutcome, at now: Instant) {
    guard let end = answers.sent(outcome, at: now) else { return }
    if end.isAnswered, let event = end.message.settles { send(.settled(event: event)) }
    guard let number = end.message.question, let event = end.event else { return }
    // Users may already have reacted to the question, or the kiosk closed it.
    let (reactions, closing) = questions.said(number, as: event)
    for reaction in reactions { send(.answered(reaction)) }
    if let closing { reply(closing.text, to: event, in: closing.room, at: now) }
  }

  // MARK: The outbox

  /// Sends the requests of the outbox that are due, and reports the messages that have ended.
  mutating func sendMessages(at now: Instant) {
    func mayAskForKeys() -> Bool { !ciphering.isUnderWay && cipher?.dueAt == nil }
    while let request = outbox.nextRequest(mayAskForKeys: mayAskForKeys(), at: now) {
      switch request {
      case .send(let call): self.request(.sending, call, at: now)
      case .keys(let call):
        ciphering.isUnderWay = true
        self.request(.ciphering, call, at: now)
      }
    }
    for (message, outcome) in outbox.takeEnds() { ended(message, outcome) }
  }

  private mutating func ended(_ message: RoomOutbox.Message, _ outcome: RoomOutbox.Outcome) {
    switch (message, outcome) {
    case (.entry(let id, _), .accepted(.some(let event))): send(.created(id, event: event))
    case (.entry(let id, _), .accepted(nil)): send(.posted(id, status: 200, retryAfter: nil))
    case (.entry(let id, _), .answered(let status, let pause)):
      send(.posted(id, status: UInt16(clamping: status), retryAfter: pause))
    case (.entry(let id, _), .failed(let trouble, let code)): send(.undelivered(id, trouble, code: code))
    case (.reply(_, let event), _): if outcome.isFinal { send(.settled(event: event)) }
    }
  }

  // MARK: Invitations

  /// The invitations that the parent wants to know about.
  struct Invitations {
    var areWanted = false
    /// Whether the invitations from before the recorded position were read; /sync reports only later ones.
    var areListed = false
    /// Whether the next response is requested without invitations, because the last one was too large.
    private(set) var areAside = false

    /// Handles a response that was too large; returns false if it contained no invitations.
    ///
    /// The invitations are then read on their own.
    mutating func setAside() -> Bool {
      guard areWanted, !areAside else { return false }
      (areAside, areListed) = (true, false)
      return true
    }

    /// Handles a response that was not too large.
    mutating func resume() { areAside = false }
    /// The room that the kiosk is joining.
    var joining: String?
  }

  /// Passes on the invitations in a response.
  mutating func pass(_ found: [RoomInvitation]) {
    if invitations.areWanted { for invitation in found { send(.invited(invitation)) } }
  }

  mutating func join(_ room: String, at now: Instant) {
    invitations.joining = room
    let path = "/_matrix/client/v3/join/" + room.percentEncoded
    request(.joining, HTTPCall(path: path, method: .post, body: Array("{}".utf8), keepsAnswer: true), at: now)
  }

  mutating func joined(_ outcome: HTTPOutcome) {
    guard let room = invitations.joining else { return }
    invitations.joining = nil
    send(.joined(room: room, RoomSession.joinFault(outcome)))
  }

  private static func joinFault(_ outcome: HTTPOutcome) -> WebhookFault? {
    switch outcome {
    case .failed(let trouble, let code): return .trouble(trouble, code: code)
    case .answered(let status, _, let body):
      let answer = MatrixAnswer(body)
      if status == 200, answer.roomID != nil { return nil }
      let fault = answer.fault(status)
      // An intermediary's page has no error code.
      if case .trouble(.notAHomeserver, _) = fault, answer.errorCode != nil {
        return .trouble(.roomClosed, code: Int32(status))
      }
      return fault
    }
  }
}
