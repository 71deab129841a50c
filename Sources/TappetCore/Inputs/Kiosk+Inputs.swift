// The path of a door's contact and of a request to exit to what follows from them. Pure decision logic.

extension Kiosk {
  /// The inputs in the order of the configuration.
  package var inputStates: [InputState] { panel.contacts.states }

  /// Handles a part of the panel whose lines have become available at the given level.
  mutating func inputsOpened(
    _ part: PanelPart, isOpen: Bool, debouncesItself: Bool, at now: Moment
  ) -> [Effect] {
    // A virtual panel states the level of each input itself.
    guard case .contact(let index) = part, panel.contacts.indices.contains(index) else { return [] }
    panel.contacts.opened(index, isOpen: isOpen, debouncesItself: debouncesItself, at: now.instant)
    let recovered = panel.supervision.recovered(panelInput(index))
    guard settings.panel.inputs[index].isContact else { return recovered }
    return recovered + report(index, isOpen ? .opened(.found) : .closed(.found, after: nil, wasHeldOpen: false))
  }

  /// Handles a part of the panel whose lines were lost.
  mutating func inputsLost(_ part: PanelPart, at now: Moment) {
    switch part {
    case .contact(let index):
      panel.contacts.lost(index, at: now.instant)
      _ = panel.supervision.forget(panelInput(index))
    case .simulator: for index in panel.contacts.indices { panel.contacts.lost(index, at: now.instant) }
    case .input, .indicator, .output, .record: break
    }
  }

  /// Performs what follows from the inputs' changes.
  mutating func done(_ outcomes: [InputBank.Outcome], at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for outcome in outcomes {
      switch outcome {
      case .opened(let index, let time): effects += doorOpened(index, since: time, at: now)
      case .closed(let index, let time, let wasHeldOpen):
        effects += report(index, .closed(.changed, after: time, wasHeldOpen: wasHeldOpen))
      case .heldOpen(let index, let time):
        effects += report(index, .heldOpen(for: time))
        effects += inputActs(index, settings.panel.inputs[index].onHeldOpen, at: now)
      case .notEntered(let index): effects += report(index, .notEntered)
      case .exit(let index, let time): effects += leave(through: settings.panel.inputs[index], askedAt: time, at: now)
      case .chattering(let index): effects += panel.supervision.chattering(panelInput(index), at: now.instant)
      }
    }
    return effects
  }

  /// Returns the index of a contact among all inputs of the panel, of which the buttons are the first.
  private func panelInput(_ index: Int) -> Int { settings.panel.buttons.count + index }

  private mutating func doorOpened(_ index: Int, since time: Instant, at now: Moment) -> [Effect] {
    let plan = settings.panel.inputs[index]
    guard let name = plan.output, let output = panel.outputs.index(of: name) else {
      return report(index, .opened(.changed))
    }
    // Within the debounce time, the order of two contacts is not known: a handle may move both.
    let isPermitted =
      panel.outputs.hasOpened(output, by: time, leeway: plan.debounce, validFor: Limits.openingUseMax)
      || panel.contacts.isLeaving(
        through: name, at: time, leeway: plan.debounce, validFor: panel.outputs.pulse(of: output) + Limits.openingUseMax
      )
    panel.contacts.judged(index, isPermitted ? .permitted : .forced)
    let relocked: [Effect] = plan.relocks && isPermitted ? relock(output, at: now) : []
    let forced: [Effect] = isPermitted ? [] : inputActs(index, plan.onForced, at: now)
    return relocked + report(index, .opened(isPermitted ? .permitted : .forced)) + forced
  }

  /// Opens the door for a person inside, whatever else the kiosk is doing: the panel's lock does not apply.
  private mutating func leave(through plan: InputPlan, askedAt time: Instant, at now: Moment) -> [Effect] {
    guard let output = plan.output else { return [] }
    return drive([OutputOrder(output: output, request: .pulse)], .request(.input(plan.name)), askedAt: time, at: now)
  }

  /// Triggers an action on behalf of an input.
  private mutating func inputActs(_ index: Int, _ name: String?, at now: Moment) -> [Effect] {
    guard isTaking, let name, let action = settings.actions.first(where: { $0.name == name }) else { return [] }
    let by = Originator.input(settings.panel.inputs[index].name)
    if let refusal = conditionRefusal(of: action, at: now) { return refuse(by, nil, refusal, at: now) }
    return touched(action, by: by, nil, nil, refusal(of: action), at: now)
  }

  private func report(_ index: Int, _ change: InputReport.Change) -> [Effect] {
    [.report(.input(InputReport(name: settings.panel.inputs[index].name, change: change)))]
  }
}
