// The question whether an action may be done, asked in a room and answered there by a reaction. Decides only.
//
// An answer names the question by its number, which the process that listens knows by the very event that the reaction
// is to: nobody can have reacted to an event that was not there. The first answer of somebody who may command in that
// room counts, and no other: the question is over with it.

/// A question in a room.
package struct RoomQuestion: Hashable, Sendable {
  /// Drawn at random, so that no two are the same, whatever is started again.
  package let number: UInt64
  /// The room as configured.
  package let room: String
  /// The action's title.
  package let title: String
  /// The name of the person whose tag it is, or the label of the tag, where one is known.
  package let who: String?
  /// The time for the answer.
  package let within: Duration
}

/// The end of a question, for those in the room.
package enum RoomQuestionEnd: Hashable, Sendable {
  case confirmed(by: String)
  case refused(by: String)
  /// Nobody answered in time.
  case unanswered
  /// Somebody touched something else, or the kiosk cannot do it any more.
  case cancelled
}

/// A reaction to a question.
package struct RoomAnswer: Hashable, Sendable {
  package var question: UInt64
  /// The sender, `@name:server`.
  package var user: String
  /// The sender's power level; `nil` when it is not known, or not wanted.
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
  /// Asks in the action's room whether it may be done; refuses at once where nobody would hear it.
  mutating func askInRoom(
    _ room: String, _ action: Action, within: Duration, _ uid: TagUID? = nil, _ tap: VerifiedTap? = nil,
    at now: Moment
  ) -> [Effect] {
    let trigger: Trigger = tap == nil ? .button : .tag
    guard listening.process.isRunning, intake.gate.isHeard(room) else {
      return refuse(trigger, uid, .nobodyToAsk(action: action.name), tap?.owner, at: now)
    }
    let question = RoomQuestion(
      number: random.next(), room: room, title: action.title, who: tap?.secret?.person?.name ?? tap?.label,
      within: within)
    panel.confirmation = Confirmation(asking: question, action, uid, tap, until: now.instant + within)
    stock.desk.release()
    return [.askRoom(question), .report(.tap(.confirming(action: action.name, trigger, within: within, room: room)))]
  }

  /// Whether the room has been asked about this tag.
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
      intake.gate.noteRefused(index, isRetained: false)
      let report = Report.command(.refused(topic: question.room, nil, .stranger, by: answer.user))
      return throttles.commandRefusals.report(report, at: now.instant)
    }
    guard answer.isYes else { return endConfirmation(.refusedInRoom(by: answer.user)) }
    self.panel.confirmation = nil
    let end = Effect.endQuestion(question.number, .confirmed(by: answer.user))
    if let uid, let tap { return [end] + tagConfirmed(uid, tap, at: now) }
    return [end] + buttonAccepted(action, at: now)
  }

  /// Ends the question when its room, or with `nil` any room, is not heard any more.
  mutating func questionLost(in room: String? = nil) -> [Effect] {
    guard case .room(let question, _, _, _) = panel.confirmation?.source, room == nil || room == question.room else {
      return []
    }
    return endConfirmation(.closed)
  }
}

extension ConfirmationEnd {
  /// The same for those in the room.
  var ofQuestion: RoomQuestionEnd {
    switch self {
    case .timeUp: .unanswered
    case .refusedInRoom(let user): .refused(by: user)
    case .otherTouch, .tagGone, .closed: .cancelled
    }
  }
}
