// Tracks missing and broken parts of the panel, reports each fault once, and retries with an increasing delay.

/// The faults of the panel's parts.
struct PanelSupervision: Sendable {
  private var faults: [(part: PanelPart, fault: PanelFault)] = []
  /// Buttons that are stuck or bounce endlessly; a bouncing button is ignored until `resumeAt`.
  private var troubles: [(button: Int, resumeAt: Instant?, isChattering: Bool)] = []
  private var retries = 0
  private var retryAt: Instant?

  /// Whether all parts are present and all buttons work.
  var isGood: Bool { faults.isEmpty && troubles.isEmpty }

  /// All faults: missing parts first, then faulty buttons.
  var problems: [KioskStatus.PanelProblem] {
    var problems: [KioskStatus.PanelProblem] = []
    for entry in faults { problems.append(.lost(entry.part, entry.fault)) }
    for trouble in troubles {
      problems.append(trouble.isChattering ? .chattering(button: trouble.button) : .stuck(button: trouble.button))
    }
    return problems
  }

  /// Time at which a missing part is retried, or a faulty button is read again.
  var deadline: Instant? { .earliest(retryAt, troubles.compactMap { $0.resumeAt }.min()) }

  mutating func timerFired(at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    if let due = retryAt, due <= now {
      // A part that fails again is reported by `failed`; the next pause is longer.
      retries += 1
      schedule(at: now)
      effects.append(.retryPanel)
    }
    for index in troubles.indices {
      guard let due = troubles[index].resumeAt, due <= now else { continue }
      troubles[index].resumeAt = nil
      effects.append(.resumeButton(troubles[index].button))
    }
    return effects
  }

  mutating func opened(_ part: PanelPart) -> [Effect] {
    guard let index = faults.firstIndex(where: { $0.part == part }) else { return [] }
    faults.remove(at: index)
    if !faults.contains(where: { $0.fault.mayPass }) {
      retries = 0
      retryAt = nil
    }
    return [.report(.panel(.recovered(part)))]
  }

  mutating func failed(_ part: PanelPart, _ fault: PanelFault, at now: Instant) -> [Effect] {
    if let index = faults.firstIndex(where: { $0.part == part }) {
      let isKnown = faults[index].fault == fault
      faults[index].fault = fault
      if retryAt == nil { schedule(at: now) }
      return isKnown ? [] : [.report(.panel(.lost(part, fault)))]
    }
    faults.append((part, fault))
    // A part that was just lost may return soon.
    retries = 0
    schedule(at: now)
    return [.report(.panel(.lost(part, fault)))]
  }

  /// Handles a button that was already pressed when its line was opened.
  mutating func stuck(_ button: Int) -> [Effect] {
    _ = forget(button)
    troubles.append((button, nil, false))
    return [.report(.panel(.buttonStuck(button)))]
  }

  /// Handles a button that bounces endlessly.
  mutating func chattering(_ button: Int, at now: Instant) -> [Effect] {
    _ = forget(button)
    troubles.append((button, now + Limits.chatterPause, true))
    return [.pauseButton(button), .report(.panel(.buttonChattering(button)))]
  }

  /// Handles the release of a button that was stuck or chattering.
  mutating func recovered(_ button: Int) -> [Effect] {
    forget(button) ? [.report(.panel(.buttonRecovered(button)))] : []
  }

  /// Removes a button's fault, if any; returns whether there was one.
  mutating func forget(_ button: Int) -> Bool {
    guard let index = troubles.firstIndex(where: { $0.button == button }) else { return false }
    troubles.remove(at: index)
    return true
  }

  private mutating func schedule(at now: Instant) {
    retryAt = faults.contains { $0.fault.mayPass } ? now + Limits.panelRetry.pause(after: retries) : nil
  }
}
