// The path of a press from the contact's edge through the lock and the confirmation to the action. Pure logic.
//
// A button triggers an action only while the panel is unlocked and no confirmation is pending; a press that confirms,
// unlocks or cancels has no other effect.

/// An action that is waiting for confirmation by a person.
struct Confirmation: Sendable {
  /// The means of confirmation.
  enum Source: Sendable {
    /// A gesture for the same action on the same buttons, or a request by the same caller.
    case press(PressOrigin, action: Action)
    /// The tag, which confirms the action by staying on the reader until the time expires.
    case tag(TagUID, VerifiedTap)
    /// A member of a room; without a tag, the action was triggered by a press.
    case room(RoomQuestion, Action, TagUID?, VerifiedTap?)

    /// The trigger of the action, and the caller whose press it was, if any.
    fileprivate var origin: (Trigger, PressCaller?) {
      switch self {
      case .press(.caller(let caller), _): (.button, caller)
      case .press(.buttons, _): (.button, nil)
      case .tag: (.tag, nil)
      case .room(_, _, let uid, _): (uid == nil ? .button : .tag, nil)
      }
    }
  }

  var source: Source
  /// Time at which the confirmation expires.
  var until: Instant

  init(_ origin: PressOrigin, action: Action, until: Instant) {
    source = .press(origin, action: action)
    self.until = until
  }

  init(tap: VerifiedTap, uid: TagUID, until: Instant) {
    source = .tag(uid, tap)
    self.until = until
  }

  init(asking question: RoomQuestion, _ action: Action, _ uid: TagUID?, _ tap: VerifiedTap?, until: Instant) {
    source = .room(question, action, uid, tap)
    self.until = until
  }

  var action: Action {
    switch source {
    case .room(_, let action, _, _): action
    case .press(_, let action): action
    case .tag(_, let tap): tap.action
    }
  }
}

extension Kiosk {
  /// The pending confirmation: its action, the caller that may answer it, if any, and the time at which it expires.
  package var question: (action: String, caller: PressCaller?, trigger: Trigger, until: Instant)? {
    guard let asked = panel.confirmation else { return nil }
    let (trigger, caller) = asked.source.origin
    return (asked.action.name, caller, trigger, asked.until)
  }

  /// Returns the age of a press, a tap or a request that is too old to have an effect; `nil` if it is recent, or if its
  /// time is not known.
  ///
  /// It waits that long only if the kiosk is held up: by a stopped process, or by a program that does not dispatch it.
  func age(of time: Instant?, at now: Moment) -> Duration? {
    time.flatMap { now.instant - $0 > Limits.touchAgeMax ? now.instant - $0 : nil }
  }

  mutating func panelChanged(_ change: PanelEvent, at now: Moment) -> [Effect] {
    switch change {
    case .opened(let part, let isActive, let debouncesItself):
      var effects = panel.supervision.opened(part) + outputsOpened(part, at: now)
      effects += inputsOpened(part, isOpen: isActive, debouncesItself: debouncesItself, at: now)
      for button in buttons(behind: part) {
        if !isActive { effects += panel.supervision.recovered(button) }
        effects += done(panel.inputs.opened(button, isActive: isActive, debouncesItself: debouncesItself), at: now)
      }
      return effects
    case .failed(let part, let fault):
      outputsLost(part, at: now)
      inputsLost(part, at: now)
      for button in buttons(behind: part) {
        panel.inputs.closed(button)
        _ = panel.supervision.forget(button)
      }
      return panel.supervision.failed(part, fault, at: now.instant)
    case .closed:
      return closeOutputs(at: now) + panelClosed(at: now.instant)
    case .edge(let button, let isActive, let time):
      setGate(at: now)
      return done(panel.inputs.edge(button, isActive: isActive, at: time), at: now)
    case .edgesLost(let button, let isActive, let time):
      setGate(at: now)
      return done(panel.inputs.edgesLost(button, isActive: isActive, at: time), at: now)
    case .edgesRead(let time):
      panel.inputs.edgesRead(until: time)
      panel.contacts.edgesRead(until: time)
      return []
    case .contact(let index, let isOpen, let time):
      return done(panel.contacts.edge(index, isOpen: isOpen, at: time), at: now)
    case .key(let button, let isDown, let time):
      setGate(at: now)
      return done(panel.inputs.key(button, isDown: isDown, at: time), at: now)
    case .asked(let action, let caller, let time):
      if let age = age(of: time, at: now) { return refuse(caller.by, nil, .tooLate(age: age), at: now) }
      guard isTaking, panel.lock.isLocked else { return gestured(.caller(caller), .press, action, at: now) }
      return refuse(caller.by, nil, .panelLocked, at: now)
    case .cancelAsked(let caller):
      return question?.caller == caller ? endConfirmation(.cancelled) : []
    case .lockAsked:
      return panel.lock.lockNow() == true ? justLocked() : []
    }
  }

  /// Handles the panel's transition to the locked state.
  private mutating func justLocked() -> [Effect] {
    panel.inputs.dropAll()
    var effects: [Effect] = []
    // The lock does not apply to tags.
    if case .press = panel.confirmation?.source { effects = endConfirmation(.closed) }
    return effects + [.report(.panel(.locked))]
  }

  /// Returns the buttons that depend on the given part.
  private func buttons(behind part: PanelPart) -> Range<Int> {
    switch part {
    case .input(let button): settings.panel.buttons.indices.contains(button) ? button..<button + 1 : 0..<0
    case .indicator, .output, .record, .contact: 0..<0
    case .simulator: settings.panel.buttons.indices
    }
  }

  var panelDeadline: Instant? {
    let retryAt = isRunning ? panel.supervision.deadline : nil
    return .earliest(
      panel.inputs.deadline, panel.contacts.deadline, panel.lock.deadline, panel.confirmation?.until, retryAt)
  }

  /// Handles expired timers.
  mutating func panelDue(after event: Event, at now: Moment) -> [Effect] {
    // Edges have explicit timestamps; more edges with the same timestamp may follow, so the kiosk waits for them.
    if case .panel(.edge) = event { return [] }
    if case .panel(.contact) = event { return [] }
    setGate(at: now)
    var effects = isRunning ? panel.supervision.timerFired(at: now.instant) : []
    effects += done(panel.inputs.due(at: now.instant), at: now)
    effects += done(panel.contacts.due(at: now.instant), at: now)
    if let confirmation = panel.confirmation {
      switch confirmation.source {
      case .tag(let uid, let tap):
        if !reader.isUsable {
          effects += endConfirmation(.tagGone)
        } else if confirmation.until <= now.instant {
          panel.confirmation = nil
          // Whether the tag stayed on the reader is not known after a long time in which nothing was handled.
          if let age = age(of: confirmation.until, at: now) {
            effects += refuse(.tag, uid, .tooLate(age: age), tap.owner, at: now)
          } else {
            effects += tagConfirmed(uid, tap, by: .tag, at: now)
          }
        }
      case .press, .room:
        if confirmation.until <= now.instant { effects += endConfirmation(.timeUp) }
      }
    }
    if panel.lock.advance(to: now.instant) { effects += justLocked() }
    return effects
  }

  /// Cancels the confirmation of a tag that was removed.
  mutating func tagGone(_ uid: TagUID) -> [Effect] {
    guard case .tag(uid, _) = panel.confirmation?.source else { return [] }
    return endConfirmation(.tagGone)
  }

  /// Starts a confirmation, which the light shows.
  mutating func askToConfirm(_ question: Confirmation, within: Duration) -> [Effect] {
    panel.confirmation = question
    stock.desk.release()
    let trigger: Trigger = if case .tag = question.source { .tag } else { .button }
    return [.report(.tap(.confirming(action: question.action.name, trigger, within: within)))]
  }

  /// Ends the confirmation without running its action.
  mutating func endConfirmation(_ end: ConfirmationEnd) -> [Effect] {
    guard let question = panel.confirmation else { return [] }
    panel.confirmation = nil
    counters.refused += 1
    let effects: [Effect] = [.light(.refused), .report(.tap(.confirmationEnded(action: question.action.name, end)))]
    guard case .room(let asked, _, _, _) = question.source else { return effects }
    return [.endQuestion(asked.number, end.ofQuestion)] + effects
  }

  private mutating func setGate(at now: Moment) {
    panel.inputs.oldest = now.instant + (.zero - Limits.touchAgeMax)
    guard !panel.lock.isLocked else { return panel.inputs.gate = .closed }
    switch panel.confirmation?.source {
    case nil, .room: panel.inputs.gate = .open
    case .tag: panel.inputs.gate = .closed
    case .press(.buttons(let buttons), _): panel.inputs.gate = .only(buttons)
    case .press(.caller, _): panel.inputs.gate = .only([])
    }
  }

  private mutating func done(_ outcomes: [PanelInputs.Outcome], at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for outcome in outcomes {
      switch outcome {
      case .gesture(let button, let gesture):
        effects += gestureSeen(gesture, on: button, at: now)
        effects += gestured(.buttons([button]), gesture, settings.panel.buttons[button].gestures[gesture], at: now)
      case .chord(let index):
        let chord = settings.panel.chords[index]
        effects += chordSeen(index, at: now)
        effects += gestured(.buttons([chord.first, chord.second]), .press, chord.action, at: now)
      case .diverted(let button):
        effects += panel.confirmation == nil ? pressedWhileLocked(button, at: now) : endConfirmation(.otherTouch)
      case .late(let button, let time):
        effects += refuse(originator(of: .buttons([button])), nil, .tooLate(age: now.instant - time), at: now)
      case .stuck(let button): effects += panel.supervision.stuck(button)
      case .chattering(let button):
        panel.inputs.closed(button)
        effects += panel.supervision.chattering(button, at: now.instant)
      case .recovered(let button): effects += panel.supervision.recovered(button)
      }
    }
    return effects
  }

  private func originator(of origin: PressOrigin) -> Originator {
    switch origin {
    case .buttons(let buttons): .button(buttons.map { settings.panel.buttons[$0].name }.joined(separator: " + "))
    case .caller(let caller): caller.by
    }
  }

  private mutating func gestured(
    _ origin: PressOrigin, _ gesture: Gesture, _ name: String?, at now: Moment
  ) -> [Effect] {
    guard isTaking, !panel.lock.isLocked, let name, let action = settings.actions.first(where: { $0.name == name })
    else {
      return []
    }
    panel.lock.used(at: now.instant)
    switch panel.confirmation?.source {
    case nil: break
    // The press started before the tag arrived, or is a request from the embedding program: the gate let it pass.
    case .tag: return endConfirmation(.otherTouch)
    case .room(_, let wanted, let uid, _):
      // A further press of the same button does not start a new confirmation.
      if gesture == .release || gesture == .repeat || uid == nil && wanted.name == name { return [] }
      return endConfirmation(.otherTouch)
    case .press(let asked, let wanted):
      // The release of the button is not a confirmation.
      if gesture == .release || gesture == .repeat { return [] }
      guard asked == origin, wanted.name == name else { return endConfirmation(.otherTouch) }
      panel.confirmation = nil
      return buttonAccepted(action, by: originator(of: origin), at: now)
    }
    guard let within = action.confirmWithin else { return buttonAccepted(action, by: originator(of: origin), at: now) }
    if let room = action.confirmRoom {
      if let refusal = conditionRefusal(of: action, at: now) {
        return refuse(originator(of: origin), nil, refusal, at: now)
      }
      return askInRoom(room, action, by: originator(of: origin), within: within, at: now)
    }
    return askToConfirm(Confirmation(origin, action: action, until: now.instant + within), within: within)
  }

  private mutating func pressedWhileLocked(_ button: Int, at now: Moment) -> [Effect] {
    guard isTaking, panel.lock.isLocked else { return [] }
    let forgot: [Effect] = panel.lock.failures > 0 ? [.store(.recordWrongCodes(0))] : []
    switch panel.lock.pressed(button, at: now.instant) {
    case .accepted: return [.light(.reading)]
    case .refused, .blocked: return refuse(originator(of: .buttons([button])), nil, .panelLocked, at: now)
    case .wrong(let wait):
      counters.refused += 1
      return [
        .light(.refused), .store(.recordWrongCodes(panel.lock.failures)), .report(.panel(.codeRefused(wait: wait))),
      ]
    case .unlocked: return [.light(.accepted)] + forgot + [.report(.panel(.unlocked(.button)))]
    }
  }
}
