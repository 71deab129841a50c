// The confirmation of an action in a room: a question to which users answer with a reaction. Pure decision logic.
//
// An answer identifies its question by number. tappet-matrix looks up the number by the event that the reaction
// refers to, so no reaction can precede its question. Only the first answer from a user who may send commands in the
// room counts; it closes the question.

/// A question in a room.
package struct RoomQuestion: Hashable, Sendable {
  /// A random number that identifies the question, even across restarts.
  package let number: UInt64
  /// The room's id or alias, as configured.
  package let room: String
  /// The action's title.
  package let title: String
  /// The name of the person who owns the tag, or the label of the tag, if known.
  package let who: String?
  /// The time limit for the answer.
  package let within: Duration
}

/// The outcome of a question, as reported in the room.
package enum RoomQuestionEnd: Hashable, Sendable {
  case confirmed(by: String)
  case refused(by: String)
  /// No answer arrived in time.
  case unanswered
  /// A different tag or button was used, or the kiosk can no longer perform the action.
  case cancelled
}

/// A reaction to a question.
package struct RoomAnswer: Hashable, Sendable {
  package var question: UInt64
  /// The sender, `@name:server`.
  package var user: String
  /// The sender's power level; `nil` if it is unknown, or was not requested.
  package var power: Int64?
  package var isYes: Bool

  package init(question: UInt64, user: String, power: Int64?, isYes: Bool) {
    self.question = question
    self.user = user
    self.power = power
    self.isYes = isYes
  }
}

extension Kiosk {
  /// Posts a question in the given room; refuses the action immediately if the kiosk does not listen to the room.
  mutating func askInRoom(
    _ room: String, _ action: Action, by: Originator, within: Duration, _ uid: TagUID? = nil,
    _ tap: VerifiedTap? = nil, at now: Moment
  ) -> [Effect] {
    guard listening.process.isRunning, intake.gate.isHeard(room) else {
      return refuse(by, uid, .nobodyToAsk(action: action.name), tap?.owner, at: now)
    }
    let question = RoomQuestion(
      number: random.next(), room: room, title: action.title, who: tap?.secret?.person?.name ?? tap?.label,
      within: within)
    panel.confirmation = Confirmation(asking: question, action, uid, tap, until: now.instant + within)
    stock.desk.release()
    let trigger = by.trigger
    return [.askRoom(question), .report(.tap(.confirming(action: action.name, trigger, within: within, room: room)))]
  }

  /// Returns whether a question about the given tag is pending in a room.
  func isAsking(about uid: TagUID) -> Bool {
    if case .room(_, _, uid, _) = panel.confirmation?.source { true } else { false }
  }

  /// Handles a reaction to a question.
  mutating func roomAnswered(_ answer: RoomAnswer, at now: Moment) -> [Effect] {
    guard let confirmation = panel.confirmation,
      case .room(let question, let action, let uid, let tap) = confirmation.source,
      question.number == answer.question, now.instant < confirmation.until, isTaking,
      let index = intake.gate.index(of: question.room), case .room(let commanders) = intake.gate.plan(index).trust
    else { return [] }
    guard commanders.include(RoomSender(user: answer.user, event: "", power: answer.power)) else {
      intake.gate.recordRefused(index, isRetained: false)
      let by = Originator.user(answer.user, room: question.room)
      let report = Report.command(.refused(topic: question.room, nil, .stranger, by: by))
      return throttles.commandRefusals.report(report, at: now.instant)
    }
    guard answer.isYes else { return endConfirmation(.refusedInRoom(by: answer.user)) }
    self.panel.confirmation = nil
    let end = Effect.endQuestion(question.number, .confirmed(by: answer.user))
    let by = Originator.user(answer.user, room: question.room, confirming: tap == nil ? .button : .tag)
    if let uid, let tap { return [end] + tagConfirmed(uid, tap, by: by, at: now) }
    return [end] + buttonAccepted(action, by: by, at: now)
  }

  /// Cancels the question if the kiosk no longer listens to its room, or, with `nil`, to any room.
  mutating func questionLost(in room: String? = nil) -> [Effect] {
    guard case .room(let question, _, _, _) = panel.confirmation?.source, room == nil || room == question.room else {
      return []
    }
    return endConfirmation(.closed)
  }
}

extension ConfirmationEnd {
  /// The outcome as reported in the room.
  var ofQuestion: RoomQuestionEnd {
    switch self {
    case .timeUp: .unanswered
    case .refusedInRoom(let user): .refused(by: user)
    case .otherTouch, .tagGone, .cancelled, .closed: .cancelled
    }
  }
}
