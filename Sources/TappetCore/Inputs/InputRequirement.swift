// The levels that an action or an output requires of the panel's contacts: a mantrap, a gate that must not close on a
// car. Pure decision logic.
//
// A requirement is checked when something is requested, and again when it is done, if that is later: after a
// confirmation, the commit of a ticket's use, or a dead time. It does not end what has begun.

/// A level that an input must have.
package struct InputRequirement: Hashable, Sendable {
  /// The input's name.
  package var input: String
  /// The level: open or closed.
  package var level: InputLevel

  /// Creates a requirement for the input named `input`.
  @export(interface)
  package init(input: String, level: InputLevel) {
    self.input = input
    self.level = level
  }
}

/// A requirement that is not satisfied.
package struct UnmetRequirement: Hashable, Sendable {
  package var requirement: InputRequirement
  /// The level that the input has instead.
  package var level: InputLevel
}

extension Kiosk {
  /// Returns why a press or a command may not run the action now: its times, or the levels that it requires.
  func conditionRefusal(of action: Action, at now: Moment) -> TapRefusal? {
    timeRefusal(of: action, at: now) ?? requirementRefusal(of: action)
  }

  /// Returns why this tag may not run its action now.
  func conditionRefusal(of tap: VerifiedTap, at now: Moment) -> TapRefusal? {
    timeRefusal(of: tap, at: now) ?? requirementRefusal(of: tap.action)
  }

  /// Returns the refusal of an action whose requirements, or those of its outputs, are not met.
  func requirementRefusal(of action: Action) -> TapRefusal? {
    var unmet = firstUnmet(of: action.requirements)
    for order in action.outputs where unmet == nil { unmet = unmetRequirement(of: order) }
    return unmet.map { .unmet(action: action.name, $0) }
  }

  /// Returns the requirement of the output that is not met; a return to the safe level requires nothing.
  func unmetRequirement(of order: OutputOrder) -> UnmetRequirement? {
    guard let index = panel.outputs.index(of: order.output), panel.outputs.isActivating(order.request, of: index) else {
      return nil
    }
    return unmetRequirement(ofOutput: index)
  }

  func unmetRequirement(ofOutput index: Int) -> UnmetRequirement? {
    firstUnmet(of: settings.panel.outputs[index].requirements)
  }

  private func firstUnmet(of requirements: [InputRequirement]) -> UnmetRequirement? {
    for requirement in requirements {
      let level = panel.contacts.steadyLevel(of: requirement.input)
      if level != requirement.level { return UnmetRequirement(requirement: requirement, level: level) }
    }
    return nil
  }
}
