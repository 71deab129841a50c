// Tracks whether the disk accepts writes, and retries while it does not.

/// The kiosk's view of the store.
struct StoreSupervision: Sendable {
  /// The state of the store.
  enum State: Equatable, Sendable {
    case good
    /// The disk has failed; the next test write is due at `checkAt`.
    case faulty(StoreFault, checkAt: Instant)
    /// The disk has failed; a test write is pending.
    case checking(StoreFault)
  }

  private(set) var state: State = .good
  /// Whether a read failed, and no write has succeeded since.
  private var hasReadFault = false

  var isGood: Bool { state == .good }

  /// Whether pending entries may be read; a full or read-only disk can still be read.
  var isReadable: Bool {
    switch fault {
    case nil, .full?, .readOnly?: !hasReadFault
    case .ioError?, .corrupt?, .busy?, .other?: false
    }
  }

  /// Whether a test write is pending.
  var isChecking: Bool { if case .checking = state { true } else { false } }

  var deadline: Instant? { if case .faulty(_, let checkAt) = state { checkAt } else { nil } }

  /// The current fault; `nil` while the disk works.
  var fault: StoreFault? {
    switch state {
    case .good: nil
    case .faulty(let fault, _), .checking(let fault): fault
    }
  }

  mutating func timerFired(at now: Instant) -> [Effect] {
    guard case .faulty(let fault, let checkAt) = state, checkAt <= now else { return [] }
    state = .checking(fault)
    return [.store(.check)]
  }

  /// Handles a successful write.
  mutating func succeeded() -> [Effect] {
    hasReadFault = false
    guard !isGood else { return [] }
    state = .good
    return [.report(.store(.recovered))]
  }

  /// Handles a failed read or write; reports each kind of failure once.
  mutating func failed(_ fault: StoreFault, isRead: Bool = false, at now: Instant) -> [Effect] {
    hasReadFault = hasReadFault || isRead
    let known = self.fault
    state = .faulty(fault, checkAt: now + Limits.storeCheckInterval)
    return known == fault ? [] : [.report(.store(.trouble(fault)))]
  }
}
