// The keepalive of a connection: when a PINGREQ is due, and when the broker is considered dead. Reads no clock.

import TappetCore

/// Decides when to ping the broker, and when its response is overdue.
struct BrokerLinkKeepalive {
  /// The step that is due.
  enum Step {
    case none
    case ping
    case dead
  }

  /// Interval between PINGREQs on an idle connection; zero disables them.
  private let interval: Duration
  /// Time when data was last sent or received; a PINGREQ is due `interval` later.
  private var quietSince: Instant
  /// Timeout for the broker's response to a PINGREQ.
  private let answerMax: Duration
  /// Time when data was last received from the broker.
  private(set) var receivedAt: Instant
  /// Time when the broker is considered dead; `nil` unless a PINGREQ is unanswered.
  private var pongDeadline: Instant?

  /// Creates the keepalive of a connection established at `now`; by default, it never pings.
  init(
    interval: Duration = .zero, answerMax: Duration = Limits.acknowledgeTimeout,
    at now: Instant = Instant(nanoseconds: 0)
  ) {
    self.interval = interval
    self.answerMax = answerMax
    quietSince = now
    receivedAt = now
  }

  /// Time when the next step is due; `nil` if the keepalive is disabled.
  var deadline: Instant? {
    if let pongDeadline { return pongDeadline }
    return interval > .zero ? quietSince + interval : nil
  }

  /// Handles data sent to the broker.
  mutating func sent(at now: Instant) { quietSince = now }

  /// Handles data received from the broker, which proves that it is alive.
  mutating func received(at now: Instant) {
    quietSince = now
    receivedAt = now
    pongDeadline = nil
  }

  /// Returns the step that is due at `now`; `ping` starts the response timeout.
  mutating func advance(to now: Instant) -> Step {
    guard let deadline, deadline <= now else { return .none }
    guard pongDeadline == nil else { return .dead }
    quietSince = now
    pongDeadline = now + min(interval, answerMax)
    return .ping
  }
}
