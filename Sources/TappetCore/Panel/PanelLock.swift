// Locks the buttons: at the start, and when nobody has used the panel for a while. Wrong codes lengthen the wait.

/// The lock and the code that is being entered.
package struct PanelLock: Sendable {
  /// The result of a press on the locked panel.
  package enum Answer: Hashable, Sendable {
    /// No code opens the lock.
    case refused
    /// The code continues.
    case accepted
    /// The last press of a wrong code; presses are rejected for this time.
    case wrong(wait: Duration)
    /// Too many wrong codes; presses are rejected for this time.
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
  /// The last presses, at most as many as the code has.
  private var entered: [Int] = []
  /// Number of presses since the last wrong code.
  private var pressCount = 0
  private var enteredAt: Instant?
  /// Wrong codes since the last unlock.
  package private(set) var failures = 0
  private var blockedUntil: Instant?

  /// A lock that is locked from the start; `nil` means that it never locks.
  package init(after: Duration?, code: [Int]) {
    state = after == nil ? .none : .locked
    lockAfter = after ?? .zero
    self.code = code
  }

  /// Takes over the wrong codes of a lock before this one: the wait that they cost begins again.
  package mutating func resume(failures: Int, at now: Instant) {
    self.failures = max(0, failures)
    if let wait { blockedUntil = now + wait }
  }

  /// The time that the last wrong code costs; `nil` means none yet.
  private var wait: Duration? {
    failures < Limits.codeAttemptsMax ? nil : Limits.codeWait.pause(after: failures - Limits.codeAttemptsMax)
  }

  /// Whether buttons do nothing.
  package var isLocked: Bool { if case .locked = state { true } else { false } }

  /// When it locks unless it is used before.
  package var deadline: Instant? { if case .unlocked(let until) = state { until } else { nil } }

  /// Returns whether it has just locked.
  package mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    lock()
    return true
  }

  /// Locks it at a person's request; `nil` if it never locks, else whether it has just locked.
  @export(interface)
  package mutating func lockNow() -> Bool? {
    switch state {
    case .none: return nil
    case .locked: return false
    case .unlocked:
      lock()
      return true
    }
  }

  private mutating func lock() {
    state = .locked
    forgetPresses()
  }

  private mutating func forgetPresses() {
    entered = []
    pressCount = 0
  }

  /// Restarts the time until it locks, because the panel was used.
  package mutating func used(at now: Instant) {
    if case .unlocked = state { state = .unlocked(until: now + lockAfter) }
  }

  /// Unlocks it for a tag with that right; returns whether it was locked.
  @export(interface)
  package mutating func unlock(at now: Instant) -> Bool {
    if case .none = state { return false }
    let wasLocked = isLocked
    state = .unlocked(until: now + lockAfter)
    forgetPresses()
    failures = 0
    blockedUntil = nil
    return wasLocked
  }

  /// Handles a button that was pressed on the locked panel.
  ///
  /// The last presses are the code, so that a stray one before it does no harm. A wrong code is as many presses as the
  /// code has; what was pressed in the first one may still be the beginning of the right one.
  @export(interface)
  package mutating func pressed(_ button: Int, at now: Instant) -> Answer {
    guard isLocked, !code.isEmpty else { return .refused }
    if let blockedUntil, now < blockedUntil { return .blocked(remaining: blockedUntil - now) }
    if let enteredAt, now - enteredAt > Limits.codePauseMax { forgetPresses() }
    if entered.count == code.count { entered.removeFirst() }
    entered.append(button)
    pressCount += 1
    enteredAt = now
    if entered == code {
      _ = unlock(at: now)
      return .unlocked
    }
    guard pressCount >= code.count else { return .accepted }
    pressCount = 0
    failures += 1
    if failures > 1 { forgetPresses() }
    guard let wait else { return .wrong(wait: .zero) }
    blockedUntil = now + wait
    return .wrong(wait: wait)
  }
}
