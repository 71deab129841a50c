// Keeps the buttons locked: at the start, and when nobody used the panel for a while. Wrong codes make it wait longer.

/// The lock and the code that is being entered.
public struct PanelLock: Sendable {
  /// What a press on the locked panel came to.
  public enum Answer: Hashable, Sendable {
    /// No code opens it.
    case refused
    /// The code goes on.
    case taken
    /// It was the last of a wrong code; presses are not taken for so long.
    case wrong(wait: Duration)
    /// Too many wrong codes; presses are not taken for so long.
    case blocked(remaining: Duration)
    case unlocked
  }

  private enum State: Sendable {
    /// There is no lock.
    case none
    case unlocked(until: Instant)
    case locked
  }

  private let lockAfter: Duration
  private let code: [Int]
  private var state: State
  private var entered: [Int] = []
  private var enteredAt: Instant?
  /// Wrong codes since it was unlocked.
  private var failures = 0
  private var blockedUntil: Instant?

  /// Locked from the start; nil: never.
  public init(after: Duration?, code: [Int]) {
    state = after == nil ? .none : .locked
    lockAfter = after ?? .zero
    self.code = code
  }

  /// Whether buttons do nothing.
  public var isLocked: Bool { if case .locked = state { true } else { false } }

  /// When it locks if it is not used before.
  public var deadline: Instant? { if case .unlocked(let until) = state { until } else { nil } }

  /// Whether it has locked just now.
  public mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    state = .locked
    entered = []
    return true
  }

  /// The panel was used.
  public mutating func used(at now: Instant) {
    if case .unlocked = state { state = .unlocked(until: now + lockAfter) }
  }

  /// A tag with the right opened it; whether it was locked.
  public mutating func unlock(at now: Instant) -> Bool {
    if case .none = state { return false }
    let wasLocked = isLocked
    state = .unlocked(until: now + lockAfter)
    entered = []
    failures = 0
    blockedUntil = nil
    return wasLocked
  }

  /// A button was pressed while it is locked.
  public mutating func pressed(_ button: Int, at now: Instant) -> Answer {
    guard isLocked, !code.isEmpty else { return .refused }
    if let blockedUntil, now < blockedUntil { return .blocked(remaining: blockedUntil - now) }
    if let enteredAt, now - enteredAt > Limits.codePauseMax { entered = [] }
    entered.append(button)
    enteredAt = now
    guard entered.count == code.count else { return .taken }
    let isRight = entered == code
    entered = []
    if isRight {
      _ = unlock(at: now)
      return .unlocked
    }
    failures += 1
    guard failures >= Limits.codeAttemptsMax else { return .wrong(wait: .zero) }
    let wait = min(Limits.codeWaitMax, Limits.codeWaitMin * (1 << min(failures - Limits.codeAttemptsMax, 10)))
    blockedUntil = now + wait
    return .wrong(wait: wait)
  }
}
