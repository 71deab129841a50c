// Locks the buttons at startup, and after the panel has been idle for a while. Each wrong code lengthens the wait.

/// The lock and the code that is being entered.
package struct PanelLock: Sendable {
  /// The result of a press on the locked panel.
  package enum Answer: Hashable, Sendable {
    /// The panel cannot be unlocked by a code.
    case refused
    /// The code is not complete yet.
    case accepted
    /// The press completed a wrong code; presses are rejected for the given time.
    case wrong(wait: Duration)
    /// Too many wrong codes were entered; presses are rejected for the remaining time.
    case blocked(remaining: Duration)
    case unlocked
  }

  private enum State: Sendable {
    /// The panel has no lock.
    case none
    case unlocked(until: Instant)
    case locked
  }

  private let lockAfter: Duration
  private let code: [Int]
  private var state: State
  /// The last presses, up to the length of the code.
  private var entered: [Int] = []
  /// Number of presses since the last wrong code.
  private var pressCount = 0
  private var enteredAt: Instant?
  /// The wrong codes since the last unlock.
  private var guesses = GuessLimit(Limits.codeAttemptsMax)

  /// Creates a lock that is initially locked; with `nil`, it never locks.
  package init(after: Duration?, code: [Int]) {
    state = after == nil ? .none : .locked
    lockAfter = after ?? .zero
    self.code = code
  }

  /// Takes over the number of wrong codes from a previous lock, and restarts the wait that they caused.
  package mutating func resume(failures: Int, at now: Instant) {
    guesses = GuessLimit(Limits.codeAttemptsMax, after: failures, at: now)
  }

  /// Number of wrong codes since the last unlock.
  package var failures: Int { guesses.count }

  /// Whether the buttons are locked.
  package var isLocked: Bool { if case .locked = state { true } else { false } }

  /// Time at which the panel locks unless it is used earlier.
  package var deadline: Instant? { if case .unlocked(let until) = state { until } else { nil } }

  /// Handles the current time; returns whether the panel has just locked.
  package mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    lock()
    return true
  }

  /// Locks the panel on request; returns whether it has just locked, or `nil` if it never locks.
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

  /// Restarts the idle time, because the panel was used.
  package mutating func used(at now: Instant) {
    if case .unlocked = state { state = .unlocked(until: now + lockAfter) }
  }

  /// Unlocks the panel for an authorized tag; returns whether it was locked.
  @export(interface)
  package mutating func unlock(at now: Instant) -> Bool {
    if case .none = state { return false }
    let wasLocked = isLocked
    state = .unlocked(until: now + lockAfter)
    forgetPresses()
    guesses = GuessLimit(Limits.codeAttemptsMax)
    return wasLocked
  }

  /// Handles a press of a button on the locked panel.
  ///
  /// The last presses form the code, so that a stray press before the code has no effect. As many presses as the code
  /// has count as a wrong code; those of the first wrong code may still be the start of the correct code.
  @export(interface)
  package mutating func pressed(_ button: Int, at now: Instant) -> Answer {
    guard isLocked, !code.isEmpty else { return .refused }
    if let remaining = guesses.wait(at: now) { return .blocked(remaining: remaining) }
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
    let wait = guesses.add(at: now)
    if failures > 1 { forgetPresses() }
    return .wrong(wait: wait ?? .zero)
  }
}
