// The keepalive of a connection: when a PINGREQ is due, and when the broker counts as dead. Reads no clock.

import TappetCore

/// Decides when to ping the broker, and when its answer is overdue.
struct BrokerLinkKeepalive {
  /// The step that is due.
  enum Step {
    case none
    case ping
    case dead
  }

  /// Interval between two PINGREQs of a quiet connection; zero means that there are none.
  private let interval: Duration
  /// When something was last sent or received; a PINGREQ is due `interval` later.
  private var quietSince: Instant
  /// The time that the broker has for its answer to a PINGREQ.
  private let answerMax: Duration
  /// When something last came from the broker.
  private(set) var receivedAt: Instant
  /// When the broker counts as dead, while a PINGREQ is unanswered.
  private var pongDeadline: Instant?

  /// The keepalive of a connection made at `now`; by default one that never pings.
  init(
    interval: Duration = .zero, answerMax: Duration = Limits.acknowledgeTimeout,
    at now: Instant = Instant(nanoseconds: 0)
  ) {
    self.interval = interval
    self.answerMax = answerMax
    quietSince = now
    receivedAt = now
  }

  /// When the next step is due; `nil` without a keepalive.
  var deadline: Instant? {
    if let pongDeadline { return pongDeadline }
    return interval > .zero ? quietSince + interval : nil
  }

  /// Handles bytes to the broker.
  mutating func sent(at now: Instant) { quietSince = now }

  /// Handles bytes from the broker, which prove that it is alive.
  mutating func received(at now: Instant) {
    quietSince = now
    receivedAt = now
    pongDeadline = nil
  }

  /// Returns the step that is due at `now`; `ping` starts the wait for the answer.
  mutating func advance(to now: Instant) -> Step {
    guard let deadline, deadline <= now else { return .none }
    guard pongDeadline == nil else { return .dead }
    quietSince = now
    pongDeadline = now + min(interval, answerMax)
    return .ping
  }
}
