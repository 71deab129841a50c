// The listener's requests besides polling: reactions, replies and questions, and joining rooms, with their responses.

import TappetCore
import TappetRooms

extension RoomListener {
  func answer(_ message: RoomMessageQueue.Message) {
    let call = HTTPCall(path: message.path, method: message.method, body: message.body, keepsAnswer: true)
    if let outcome = begin(RoomListener.answering, call) { answered(outcome) }
  }

  func answered(_ outcome: HTTPOutcome) {
    guard let end = answers.sent(outcome, at: now) else { return }
    if end.isAnswered, let event = end.message.settles { send(.settled(event: event)) }
    if let event = end.event { said(end.message, event) }
  }

  /// Records the event id of a question, and handles the reactions that users have already sent to it.
  func said(_ message: RoomMessageQueue.Message, _ event: String) {
    guard let number = message.question else { return }
    let (reactions, end) = questions.said(number, as: event)
    for reaction in reactions { send(.answered(reaction)) }
    if let end { reply(end.text, to: event, in: end.room) }
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
  func pass(_ found: [RoomInvitation]) {
    if invitations.areWanted { for invitation in found { send(.invited(invitation)) } }
  }

  func join(_ room: String) {
    invitations.joining = room
    let path = "/_matrix/client/v3/join/" + room.percentEncoded
    let call = HTTPCall(path: path, method: .post, body: Array("{}".utf8), keepsAnswer: true)
    if let outcome = begin(RoomListener.joining, call) { joined(outcome) }
  }

  func joined(_ outcome: HTTPOutcome) {
    guard let room = invitations.joining else { return }
    invitations.joining = nil
    send(.joined(room: room, RoomListener.joinFault(outcome)))
  }

  private static func joinFault(_ outcome: HTTPOutcome) -> WebhookFault? {
    switch outcome {
    case .failed(let trouble, let code): return .trouble(trouble, code: code)
    case .answered(let status, _, let body):
      let answer = MatrixAnswer(body)
      if status == 200, answer.roomID != nil { return nil }
      let fault = fault(status, answer)
      // An intermediary's page has no error code.
      if case .trouble(.notAHomeserver, _) = fault, answer.errorCode != nil {
        return .trouble(.roomClosed, code: Int32(status))
      }
      return fault
    }
  }
}
