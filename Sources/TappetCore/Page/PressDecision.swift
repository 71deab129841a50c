// The decisions about presses and answers of the page's devices. Pure: the runtime carries them out.

/// The confirmation that is pending, as in `Kiosk.question`.
package typealias PendingQuestion = (action: String, caller: PressCaller?, trigger: Trigger, until: Instant)

/// The decision about a press.
package enum PressDecision: Hashable, Sendable {
  case act
  /// The device's own question about the action is pending, and is shown again.
  case ask
  /// The browser is not paired, or may only look.
  case notAllowed
  case repeated
  case late
  case tooMany
}

/// An answer to a question.
package enum PageAnswer: Sendable { case confirm, cancel }

extension PressMemory {
  /// Decides about a press, and remembers it; `action` is `nil` if it is for an output.
  @export(interface)
  package mutating func decide(
    about action: String?, _ id: String, by device: PageDevice?, madeAt time: Instant, isForm: Bool,
    pending question: PendingQuestion?, at now: Instant
  ) -> PressDecision {
    guard let device, device.level >= .press else { return .notAllowed }
    switch admit(id, of: device.caller, madeAt: time, isForm: isForm, at: now) {
    case .new: break
    case .repeated: return .repeated
    case .late: return .late
    case .tooMany: return .tooMany
    }
    // A second press is not an answer: it may be the second half of a double click.
    if let question, question.caller == device.caller, question.action == action { return .ask }
    return .act
  }
}

extension PageDevice {
  /// Returns the event of a press that acts.
  package func pressing(_ action: String, at now: Instant) -> PanelEvent {
    .asked(action: action, by: caller, at: now)
  }

  /// Returns the event of an answer to the question with this number; `nil` if it is over, or not the device's own.
  ///
  /// A kiosk that is held up may receive an answer before it has ended the question.
  @export(interface)
  package func answering(
    _ number: Int64, with answer: PageAnswer, pending question: PendingQuestion?, at now: Instant
  ) -> PanelEvent? {
    guard level >= .press, let question, question.caller == caller, question.until.wholeMilliseconds == number,
      now < question.until
    else { return nil }
    return switch answer {
    case .confirm: pressing(question.action, at: now)
    case .cancel: .cancelAsked(by: caller)
    }
  }
}
