// The timing of messages to Home Assistant: discovery at connect, at its birth message and after a change; the outputs'
// levels when they differ from those last published. Pure; time is passed as an argument.

/// The published and pending messages to Home Assistant on this connection.
struct HomeAssistantPublisher: Sendable {
  private var isUp = false
  /// Whether Home Assistant has reported on this connection that it stops, but not that it is back.
  var isAway = false
  private var discoveryDue: Instant?
  private var discoveredAt: Instant?
  private var levels: [Bool] = []
  private var messages = TokenBucket()

  /// The time at which the discovery is due.
  var deadline: Instant? { discoveryDue }

  /// Records whether the broker can be reached; a new connection starts with all messages.
  mutating func recordLink(isUp: Bool, at now: Instant) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    levels = []
    discoveryDue = nil
    // It may have returned in the meantime without a message.
    isAway = false
    if isUp { discover(at: now) }
  }

  /// Schedules the discovery at that time, or as soon as the last discovery is old enough.
  ///
  /// While Home Assistant sets up the first discovery, it drops the second (2025.4 and 2026.2).
  mutating func discover(at instant: Instant) {
    guard isUp else { return }
    let earliest = discoveredAt.map { max(instant, $0 + Limits.discoveryIntervalMin) } ?? instant
    discoveryDue = min(discoveryDue ?? earliest, earliest)
  }

  /// Returns whether the discovery is due, and marks it as done.
  mutating func takeDiscovery(at now: Instant) -> Bool {
    guard let due = discoveryDue, due <= now else { return false }
    discoveryDue = nil
    discoveredAt = now
    return true
  }

  /// Returns the outputs whose levels have to be published, and marks them as done.
  mutating func takeLevels(_ current: [Bool]) -> [Int] {
    defer { levels = current }
    guard levels.count == current.count else { return Array(current.indices) }
    return current.indices.filter { levels[$0] != current[$0] }
  }

  /// Discards the state of Home Assistant: it is another instance, or its messages were not received for a while.
  mutating func replaced() { (isAway, levels) = (false, []) }

  /// Discards the outputs' levels, because the outputs were replaced.
  mutating func outputsReplaced() { levels = [] }

  /// Returns whether another message about a tap or a press may be sent, and counts the message.
  mutating func admit(at now: Instant) -> Bool {
    guard isUp, messages.wait(perMinute: Limits.tapMessagesPerMinute, at: now) == nil else { return false }
    messages.use(perMinute: Limits.tapMessagesPerMinute, at: now)
    return true
  }
}
