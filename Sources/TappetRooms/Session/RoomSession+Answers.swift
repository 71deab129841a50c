// The session's messages to rooms, and joining rooms, with the responses.

import TappetCore

extension RoomSession {
  /// Sends the requests of the outbox that are due, and reports the messages that have ended.
  mutating func sendMessages(at now: Instant) {
    reportEnds(at: now)
    func mayAskForKeys() -> Bool { !ciphering.isUnderWay && cipher?.dueAt == nil }
    while let request = outbox.nextRequest(mayAskForKeys: mayAskForKeys(), at: now) {
      switch request {
      case .send(let call): self.request(.sending, call, at: now)
      case .keys(let call):
        ciphering.isUnderWay = true
        self.request(.ciphering, call, at: now)
      }
    }
    reportEnds(at: now)
  }

  private mutating func reportEnds(at now: Instant) {
    for (message, outcome) in outbox.takeEnds() { ended(message, outcome, at: now) }
  }

  private mutating func ended(_ message: RoomOutbox.Message, _ outcome: RoomOutbox.Outcome, at now: Instant) {
    switch (message, outcome) {
    case (.entry(let id, _), .accepted(.some(let event))): send(.created(id, event: event))
    case (.entry(let id, _), .accepted(nil)): send(.posted(id, status: 200, retryAfter: nil))
    case (.entry(let id, _), .answered(let status, let pause)):
      send(.posted(id, status: UInt16(clamping: status), retryAfter: pause))
    case (.entry(let id, _), .failed(let trouble, let code)): send(.undelivered(id, trouble, code: code))
    case (.reply(_, let event), _), (.reaction(_, let event, isFinal: true), _):
      if outcome.isFinal { send(.settled(event: event)) }
    case (.question(let number, _), .accepted(.some(let event))): asked(number, as: event, at: now)
    case (.reaction, _), (.question, _), (.receipt, _): break
    }
  }

  /// Handles the event of a question: users may already have reacted to it, or the kiosk closed it.
  private mutating func asked(_ number: UInt64, as event: String, at now: Instant) {
    let (reactions, closing) = questions.said(number, as: event)
    for reaction in reactions { send(.answered(reaction)) }
    if let closing { outbox.append(.reply(closing.text, to: event), to: closing.room, at: now) }
  }

  // MARK: Invitations

  /// The invitations that are reported to the parent.
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
