// Knows which parts of the panel are missing or broken, tells each trouble once, and has them tried again with a growing delay.

/// The panel's parts as the kiosk sees them.
struct PanelSupervision: Sendable {
  private var faults: [(part: PanelPart, fault: PanelFault)] = []
  /// Buttons that are stuck, or bounce without end; those are not listened to until then.
  private var troubles: [(button: Int, resumeAt: Instant?)] = []
  private var retries = 0
  private var retryAt: Instant?

  /// Whether everything is there and at rest.
  var isGood: Bool { faults.isEmpty && troubles.isEmpty }

  /// When a missing part is to be tried again, or a broken one listened to.
  var deadline: Instant? {
    var deadline = retryAt
    for trouble in troubles {
      if let resumeAt = trouble.resumeAt, deadline.map({ resumeAt < $0 }) ?? true { deadline = resumeAt }
    }
    return deadline
  }

  mutating func timeUp(at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    if let due = retryAt, due <= now {
      // Who fails again says so, and is waited for longer.
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
    return [.report(.panelRecovered(part))]
  }

  mutating func failed(_ part: PanelPart, _ fault: PanelFault, at now: Instant) -> [Effect] {
    if let index = faults.firstIndex(where: { $0.part == part }) {
      let isKnown = faults[index].fault == fault
      faults[index].fault = fault
      if retryAt == nil { schedule(at: now) }
      return isKnown ? [] : [.report(.panelLost(part, fault))]
    }
    faults.append((part, fault))
    // Something new was lost: it may come back soon.
    retries = 0
    schedule(at: now)
    return [.report(.panelLost(part, fault))]
  }

  /// The button was pressed before anybody could have pressed it.
  mutating func stuck(_ button: Int) -> [Effect] {
    _ = forget(button)
    troubles.append((button, nil))
    return [.report(.buttonStuck(button))]
  }

  /// The button bounces without end.
  mutating func chattering(_ button: Int, at now: Instant) -> [Effect] {
    _ = forget(button)
    troubles.append((button, now + Limits.chatterPause))
    return [.pauseButton(button), .report(.buttonChattering(button))]
  }

  /// The button is at rest.
  mutating func recovered(_ button: Int) -> [Effect] { forget(button) ? [.report(.buttonRecovered(button))] : [] }

  /// The button has no line any more; whether it was in trouble.
  mutating func forget(_ button: Int) -> Bool {
    guard let index = troubles.firstIndex(where: { $0.button == button }) else { return false }
    troubles.remove(at: index)
    return true
  }

  private mutating func schedule(at now: Instant) {
    let delay = min(Limits.panelRetryMax, Limits.panelRetryMin * (1 << min(retries, 10)))
    retryAt = faults.contains { $0.fault.mayPass } ? now + delay : nil
  }
}
