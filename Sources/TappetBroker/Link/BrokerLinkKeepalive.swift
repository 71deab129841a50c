// The keepalive of a connection: when a PINGREQ is due, and when the broker is considered dead. Reads no clock.

import TappetCore

/// Decides when to ping the broker, and when its response is overdue.
///
/// The broker drops a client from which nothing arrives for 1.5 intervals, whatever the client receives (MQTT 3.1.1
/// §3.1.2.10). The client considers the broker dead if nothing arrives from it, whatever the client sends. So the two
/// directions are timed separately.
struct BrokerLinkKeepalive {
  /// The step that is due.
  enum Step {
    case none
    case ping
    case dead
  }

  /// Interval between PINGREQs on an idle connection; zero disables them.
  private let interval: Duration
  /// Timeout for the broker's response to a PINGREQ.
  private let answerMax: Duration
  /// Time when data was last sent to the broker.
  private var sentAt: Instant
  /// Time when data was last received from the broker.
  private(set) var receivedAt: Instant
  /// Time when the broker is considered dead; `nil` unless it was silent for an interval and then pinged.
  private var pongDeadline: Instant?

  /// Creates the keepalive of a connection established at `now`; by default, it never pings.
  init(
    interval: Duration = .zero, answerMax: Duration = Limits.acknowledgeTimeout,
    at now: Instant = Instant(nanoseconds: 0)
  ) {
    self.interval = interval
    // A dead broker is detected within 1.5 intervals.
    self.answerMax = min(interval / 2, answerMax)
    sentAt = now
    receivedAt = now
  }

  /// Time when the next step is due; `nil` if the keepalive is disabled.
  var deadline: Instant? {
    guard interval > .zero else { return nil }
    return min(sentAt + interval, pongDeadline ?? receivedAt + interval)
  }

  /// Handles data sent to the broker.
  mutating func sent(at now: Instant) { sentAt = now }

  /// Handles data received from the broker, which proves that it is alive.
  mutating func received(at now: Instant) {
    receivedAt = now
    pongDeadline = nil
  }

  /// Returns the step that is due at `now`; after `ping`, call `pinged`.
  mutating func advance(to now: Instant) -> Step {
    guard let deadline, deadline <= now else { return .none }
    if let pongDeadline { return pongDeadline <= now ? .dead : .ping }
    if receivedAt + interval <= now { pongDeadline = now + answerMax }
    return .ping
  }

  /// Handles the attempt to send a PINGREQ; retried in a second if libmosquitto did not find it due yet.
  mutating func pinged(_ wasSent: Bool, at now: Instant) {
    sentAt = wasSent ? now : max(sentAt, now + (.seconds(1) - interval))
  }
}
