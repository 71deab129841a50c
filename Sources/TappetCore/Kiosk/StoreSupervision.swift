// Knows whether the disk accepts writes, and tries again while it does not.

/// The store as the kiosk sees it.
struct StoreSupervision: Sendable {
  /// The state of the store.
  enum State: Equatable, Sendable {
    case good
    /// The disk fails; the next trial is due then.
    case faulty(StoreFault, checkAt: Instant)
    /// The disk fails; a trial is pending.
    case checking(StoreFault)
  }

  private(set) var state: State = .good

  var isGood: Bool { state == .good }

  /// Whether a trial is pending.
  var isChecking: Bool { if case .checking = state { true } else { false } }

  var deadline: Instant? { if case .faulty(_, let checkAt) = state { checkAt } else { nil } }

  /// The current fault; `nil` while the disk works.
  var fault: StoreFault? {
    switch state {
    case .good: nil
    case .faulty(let fault, _), .checking(let fault): fault
    }
  }

  mutating func timeUp(at now: Instant) -> [Effect] {
    guard case .faulty(let fault, let checkAt) = state, checkAt <= now else { return [] }
    state = .checking(fault)
    return [.checkStore]
  }

  /// Handles a successful write.
  mutating func succeeded() -> [Effect] {
    guard !isGood else { return [] }
    state = .good
    return [.report(.storeRecovered)]
  }

  /// Handles a failed read or write; reports each kind of failure once.
  mutating func failed(_ fault: StoreFault, at now: Instant) -> [Effect] {
    let known = self.fault
    state = .faulty(fault, checkAt: now + Limits.storeCheckInterval)
    return known == fault ? [] : [.report(.storeTrouble(fault))]
  }
}
