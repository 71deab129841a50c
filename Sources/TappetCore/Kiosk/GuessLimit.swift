// The limit on wrong guesses: of the panel's code, and of the page's password.

/// Counts wrong guesses; each one beyond the first few lengthens the wait before the next.
package struct GuessLimit: Sendable {
  private let max: Int
  /// Number of wrong guesses.
  private(set) var count: Int
  private var blockedUntil: Instant?

  /// Creates a limit that blocks from the wrong guess number `max` on.
  package init(_ max: Int) {
    self.max = max
    count = 0
  }

  /// Creates a limit after some wrong guesses, and restarts the wait that they caused.
  init(_ max: Int, after count: Int, at now: Instant) {
    self.max = max
    self.count = Swift.max(0, count)
    blockedUntil = pause.map { now + $0 }
  }

  private var pause: Duration? { count < max ? nil : Limits.codeWait.pause(after: count - max) }

  /// Returns the remaining wait; `nil` if another guess is allowed.
  package func wait(at now: Instant) -> Duration? { blockedUntil.flatMap { $0 > now ? $0 - now : nil } }

  /// Counts a wrong guess, or one whose result is not known yet; returns the wait that it causes, if any.
  @discardableResult
  package mutating func add(at now: Instant) -> Duration? {
    count += 1
    blockedUntil = pause.map { now + $0 }
    return pause
  }
}
