// Knows which parts of the panel are missing, tells each trouble once, and has them tried again with a growing delay.

/// The panel's parts as the kiosk sees them.
struct PanelSupervision: Sendable {
  private var faults: [(part: PanelPart, fault: PanelFault)] = []
  /// Buttons that are stuck or do not come to rest.
  private var troubled: Set<Int> = []
  private var retries = 0
  private var retryAt: Instant?

  /// Whether everything is there and at rest.
  var isGood: Bool { faults.isEmpty && troubled.isEmpty }

  /// When the missing parts are to be tried again.
  var deadline: Instant? { retryAt }

  mutating func timeUp(at now: Instant) -> [Effect] {
    guard let due = retryAt, due <= now else { return [] }
    // Who fails again says so, and is waited for longer.
    retries += 1
    retryAt = faults.isEmpty ? nil : now + delay
    return [.retryPanel]
  }

  mutating func isTroubled(_ button: Int, _ isTroubled: Bool) {
    if isTroubled { troubled.insert(button) } else { troubled.remove(button) }
  }

  mutating func opened(_ part: PanelPart) -> [Effect] {
    guard let index = faults.firstIndex(where: { $0.part == part }) else { return [] }
    faults.remove(at: index)
    if faults.isEmpty {
      retries = 0
      retryAt = nil
    }
    return [.report(.panelRecovered(part))]
  }

  mutating func failed(_ part: PanelPart, _ fault: PanelFault, at now: Instant) -> [Effect] {
    if let index = faults.firstIndex(where: { $0.part == part }) {
      let isKnown = faults[index].fault == fault
      faults[index].fault = fault
      return isKnown ? [] : [.report(.panelLost(part, fault))]
    }
    faults.append((part, fault))
    // Something new was lost: it may come back soon.
    retries = 0
    retryAt = now + delay
    return [.report(.panelLost(part, fault))]
  }

  private var delay: Duration { min(Limits.panelRetryMax, Limits.panelRetryMin * (1 << min(retries, 10))) }
}
