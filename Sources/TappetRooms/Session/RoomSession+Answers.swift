// The session's reactions, replies and questions, and joining rooms, with the responses.

import TappetCore

extension RoomSession {
  /// Replies in a room; in an encrypted room, always encrypted, even if encryption was enabled after the line.
  mutating func reply(_ text: String, to event: String, in room: String, at now: Instant) {
    let message = RoomMessageQueue.Message(to: event, in: room, .reply, text)
    guard isEncrypted(room) else { return queue(message, at: now) }
    cipher?.post(EntryID(digestOf: event), in: room, message.body, settling: event)
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

extension EntryID {
  /// Creates the transaction id of a reply to an event; it is the same for each attempt.
  fileprivate init(digestOf event: String) {
    let digest = LibCrypto.digest(Array(event.utf8))
    self.init(high: UInt64(bigEndianBytes: digest[..<8]), low: UInt64(bigEndianBytes: digest[8..<16]))
  }
}
