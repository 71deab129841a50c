// The pauses after messages that the broker refuses temporarily, for example because of a quota. Each action has its
// own pause, so that the messages of other actions are sent in the meantime. Pure decision logic.

/// The actions whose last message the broker has refused temporarily.
struct RefusalBackoff: Sendable {
  private struct Rest: Sendable {
    /// The PUBACK's reason code.
    var code: Int32
    /// Number of consecutive refusals; parallel ones count once.
    var failures = 0
    /// Time at which the pause ends; `nil` while a single message tests the broker.
    var until: Instant?
  }

  private var rests: [String: Rest] = [:]

  /// Whether the same message can be accepted later (MQTT 5.0 §3.4.2.1): unspecified error, server unavailable, busy,
  /// identifier in use, receive maximum exceeded, message rate too high, quota exceeded.
  ///
  /// The others are about the message: its topic, its payload, the rights of the client.
  static func isTransient(_ code: Int32) -> Bool {
    switch code {
    case 0x80, 0x88, 0x89, 0x91, 0x93, 0x96, 0x97: true
    default: false
    }
  }

  /// The actions whose messages wait, sorted so that the result does not change needlessly.
  var resting: [String] {
    rests.isEmpty ? [] : rests.filter { $0.value.until != nil }.map { $0.key }.inOrder { $0 < $1 }
  }

  /// The actions of which a single message tests the broker.
  var trying: [String] { rests.isEmpty ? [] : rests.filter { $0.value.until == nil }.map { $0.key } }

  var deadline: Instant? { rests.isEmpty ? nil : rests.values.compactMap { $0.until }.min() }

  /// The reason code of the action's last refusal; `nil` if its last message was accepted.
  func code(of action: String) -> Int32? { rests[action]?.code }

  /// Handles a refusal; returns the length of the pause, or `nil` if the action is pausing already.
  mutating func refused(_ action: String, _ code: Int32, at now: Instant, random: inout Randomness) -> Duration? {
    var rest = rests[action] ?? Rest(code: code)
    rest.code = code
    defer { rests[action] = rest }
    guard rest.until == nil else { return nil }
    let pause = Limits.refusalRetry.pause(after: rest.failures, random: &random)
    rest.failures += 1
    rest.until = now + pause
    return pause
  }

  mutating func accepted(_ action: String) { if !rests.isEmpty { rests[action] = nil } }

  mutating func endPauses(at now: Instant) {
    for (action, rest) in rests {
      if let until = rest.until, until <= now { rests[action]?.until = nil }
    }
  }
}
