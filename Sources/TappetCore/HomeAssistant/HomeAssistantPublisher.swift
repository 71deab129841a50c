// The times of the messages to Home Assistant: the discovery at the connect, at its birth and after a change, the
// outputs' levels when they differ from what it knows. Pure; time comes as an argument.

/// The messages to Home Assistant on this connection, and those that are still to come.
struct HomeAssistantPublisher: Sendable {
  private var isUp = false
  /// Whether Home Assistant has said on this connection that it ends, and not that it is back.
  var isAway = false
  private var discoveryDue: Instant?
  private var discoveredAt: Instant?
  private var levels: [Bool] = []
  private var messages = TokenBucket()

  /// When the discovery is due.
  var deadline: Instant? { discoveryDue }

  /// Notes whether the broker can be reached; a new connection begins with everything.
  mutating func noteLink(isUp: Bool, at now: Instant) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    levels = []
    discoveryDue = nil
    // Nobody says whether it has come back meanwhile.
    isAway = false
    if isUp { discover(at: now) }
  }

  /// Plans the discovery, at that time or as soon as the last one is old enough.
  ///
  /// A Home Assistant that still sets the first one up drops the second (2025.4 and 2026.2).
  mutating func discover(at instant: Instant) {
    guard isUp else { return }
    let earliest = discoveredAt.map { max(instant, $0 + Limits.discoveryIntervalMin) } ?? instant
    discoveryDue = min(discoveryDue ?? earliest, earliest)
  }

  /// Whether the discovery is due, which counts as done.
  mutating func takeDiscovery(at now: Instant) -> Bool {
    guard let due = discoveryDue, due <= now else { return false }
    discoveryDue = nil
    discoveredAt = now
    return true
  }

  /// The outputs whose levels it does not know, which counts as done.
  mutating func takeLevels(_ current: [Bool]) -> [Int] {
    defer { levels = current }
    guard levels.count == current.count else { return Array(current.indices) }
    return current.indices.filter { levels[$0] != current[$0] }
  }

  /// Forgets what is known of Home Assistant: it is another one, or it was not listened to for a while.
  mutating func replaced() { (isAway, levels) = (false, []) }

  /// Forgets the outputs' levels, which are other outputs' now.
  mutating func outputsReplaced() { levels = [] }

  /// Whether one more message about a tap or a press may be sent, which it counts.
  mutating func admit(at now: Instant) -> Bool {
    guard isUp, messages.wait(perMinute: Limits.tapMessagesPerMinute, at: now) == nil else { return false }
    messages.use(perMinute: Limits.tapMessagesPerMinute, at: now)
    return true
  }
}
