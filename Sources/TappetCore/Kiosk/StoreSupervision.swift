// Knows whether the disk takes what it is given, and asks again while it does not.

/// The store as the kiosk sees it.
struct StoreSupervision: Sendable {
  /// What is known of it.
  enum State: Equatable, Sendable {
    case good
    /// In trouble; it is tried again then.
    case faulty(StoreFault, checkAt: Instant)
    /// In trouble; the answer to a trial is awaited.
    case checking(StoreFault)
  }

  private(set) var state: State = .good

  var isGood: Bool { state == .good }

  /// Whether the answer to a trial is awaited.
  var isChecking: Bool { if case .checking = state { true } else { false } }

  var deadline: Instant? { if case .faulty(_, let checkAt) = state { checkAt } else { nil } }

  mutating func timeUp(at now: Instant) -> [Effect] {
    guard case .faulty(let fault, let checkAt) = state, checkAt <= now else { return [] }
    state = .checking(fault)
    return [.checkStore]
  }

  /// Something was written.
  mutating func succeeded() -> [Effect] {
    guard !isGood else { return [] }
    state = .good
    return [.report(.storeRecovered)]
  }

  /// Something could not be written or read; told once for each kind of trouble.
  mutating func failed(_ fault: StoreFault, at now: Instant) -> [Effect] {
    let known: StoreFault? =
      switch state {
      case .good: nil
      case .faulty(let fault, _), .checking(let fault): fault
      }
    state = .faulty(fault, checkAt: now + Limits.storeCheckInterval)
    return known == fault ? [] : [.report(.storeTrouble(fault))]
  }
}
