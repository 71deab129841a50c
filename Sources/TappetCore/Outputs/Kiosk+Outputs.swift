// The path of a request to an output, from a tap, a press or a person to the line. Pure decision logic.

extension Kiosk {
  /// Returns why a request to an output would be refused now; `nil` if it would be accepted.
  package func refusal(of order: OutputOrder) -> OutputRefusal? {
    refusal(toSwitch: order.output) ?? unmetRequirement(of: order).map { OutputRefusal.unmet($0) }
  }

  /// Returns why any request to the output with the given name would be refused now.
  func refusal(toSwitch name: String) -> OutputRefusal? {
    guard let index = panel.outputs.index(of: name) else { return .unknown }
    return panel.outputs.refusal(of: index)
  }

  /// Returns when the pulse of the output with the given name ends; `nil` if it gets none.
  package func pulseEnd(ofOutput name: String) -> Instant? {
    panel.outputs.index(of: name).flatMap { panel.outputs.pulseEnd(of: $0) }
  }

  /// Executes requests to outputs immediately, regardless of the state of the broker and the disk.
  ///
  /// A request that was made too long ago is refused, unless it returns the output to its safe level.
  mutating func drive(
    _ orders: [OutputOrder], _ cause: OutputCause, askedAt: Instant? = nil, at now: Moment
  ) -> [Effect] {
    var effects: [Effect] = []
    for order in orders {
      guard let index = panel.outputs.index(of: order.output) else {
        effects.append(.report(.output(.refused(order, cause, .unknown))))
        continue
      }
      if age(of: askedAt, at: now) != nil, !panel.outputs.isSafe(order.request, of: index) {
        effects.append(.report(.output(.refused(order, cause, .tooLate))))
        continue
      }
      if !cause.isExit, let unmet = unmetRequirement(of: order) {
        effects.append(.report(.output(.refused(order, cause, .unmet(unmet)))))
        continue
      }
      switch panel.outputs.perform(order.request, of: index, cause, at: now.instant) {
      case .success(let changes): effects += performed(changes)
      case .failure(let refusal): effects.append(.report(.output(.refused(order, cause, refusal))))
      }
    }
    return effects
  }

  /// Ends the pulse of an output whose door has opened.
  mutating func relock(_ index: Int, at now: Moment) -> [Effect] {
    performed(panel.outputs.relock(index, at: now.instant), isLater: true)
  }

  /// Handles expired timers and the loss of the link.
  mutating func outputsDue(at now: Moment) -> [Effect] {
    panel.outputs.recordLink(isUp: delivery.link.isUp, at: now.instant)
    let refused = panel.outputs.indices.flatMap { withdrawn($0) }
    return performed(refused + panel.outputs.advance(to: now.instant), isLater: true)
  }

  /// Refuses a request that waits for the end of a dead time, and whose requirement is no longer met.
  private mutating func withdrawn(_ index: Int) -> [OutputChange] {
    guard let cause = panel.outputs.causeOfWaiting(index), !cause.isExit, let unmet = unmetRequirement(ofOutput: index)
    else { return [] }
    return panel.outputs.withdraw(index, .unmet(unmet))
  }

  /// Handles a part of the panel whose lines have become available.
  mutating func outputsOpened(_ part: PanelPart, at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for index in outputs(behind: part) { effects += performed(panel.outputs.opened(index, at: now.instant)) }
    return effects
  }

  /// Handles a part of the panel whose lines were lost.
  mutating func outputsLost(_ part: PanelPart, at now: Moment) {
    for index in outputs(behind: part) { panel.outputs.lost(index, at: now.instant) }
  }

  /// Returns all outputs to their safe levels before the lines are released.
  mutating func closeOutputs(at now: Moment) -> [Effect] { performed(panel.outputs.close(at: now.instant)) }

  private func outputs(behind part: PanelPart) -> Range<Int> {
    switch part {
    case .output(let index): panel.outputs.indices.contains(index) ? index..<index + 1 : 0..<0
    case .simulator: panel.outputs.indices
    case .input, .indicator, .record, .contact: 0..<0
    }
  }

  /// Returns the effects of changes; `isLater` means that a timer, not a current request, caused the changes.
  private mutating func performed(_ changes: [OutputChange], isLater: Bool = false) -> [Effect] {
    var effects: [Effect] = []
    for change in changes {
      switch change {
      case .level(let index, let isOn, let reason):
        effects += [.setOutput(index, isOn: isOn), .report(.output(.switched(index, isOn: isOn, reason)))]
        if isLater { effects += outputFollowed(index, reason) }
        let plan = settings.panel.outputs[index]
        if isOn != plan.isSafeOn {
          panel.contacts.openingBegan(plan.name)
        } else if reason != .closing, let time = panel.outputs.lastActive(of: index) {
          panel.contacts.openingEnded(plan.name, active: time)
        }
      case .waits(let index, let wait, let cause): effects.append(.report(.output(.waits(index, wait, cause))))
      case .missed(let index, let request, let cause, let refusal):
        let order = OutputOrder(output: settings.panel.outputs[index].name, request: request)
        effects.append(.report(.output(.refused(order, cause, refusal))))
        effects += reply(intake.waitingReplies.takeAddress(ofOutput: index), .refused(.output(refusal)))
      }
    }
    return effects
  }
}
