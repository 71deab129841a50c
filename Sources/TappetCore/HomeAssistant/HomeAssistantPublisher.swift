// The timing of messages to Home Assistant: discovery on connect, on its birth message and after a change; the outputs'
// levels when they differ from the levels last published. Pure; time is passed as an argument.

/// The published and pending messages to Home Assistant on this connection.
struct HomeAssistantPublisher: Sendable {
  private var isUp = false
  /// Whether Home Assistant has reported on this connection that it is stopping, and has not reported its return.
  var isAway = false
  private var discoveryDue: Instant?
  private var discoveredAt: Instant?
  private var levels: [Bool] = []
  private var inputs: [(state: InputState, hasTime: Bool)] = []
  private var messages = TokenBucket()

  /// The time at which the discovery is due.
  var deadline: Instant? { discoveryDue }

  /// Records whether the broker can be reached; on a new connection, all messages are sent again.
  mutating func recordLink(isUp: Bool, at now: Instant) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    outputsReplaced()
    discoveryDue = nil
    // Home Assistant may have returned in the meantime without the kiosk receiving its message.
    isAway = false
    if isUp { discover(at: now) }
  }

  /// Schedules the discovery for the given time, or for as soon as the last discovery is old enough.
  ///
  /// While Home Assistant is still processing one discovery, it drops the next (2025.4 and 2026.2).
  mutating func discover(at instant: Instant) {
    guard isUp else { return }
    let earliest = discoveredAt.map { max(instant, $0 + Limits.discoveryIntervalMin) } ?? instant
    discoveryDue = min(discoveryDue ?? earliest, earliest)
  }

  /// Returns whether the discovery is due, and marks it as sent.
  mutating func takeDiscovery(at now: Instant) -> Bool {
    guard let due = discoveryDue, due <= now else { return false }
    discoveryDue = nil
    discoveredAt = now
    return true
  }

  /// Returns the indices of the outputs whose levels must be published, and marks the levels as published.
  mutating func takeLevels(_ current: [Bool]) -> [Int] {
    defer { levels = current }
    guard levels.count == current.count else { return Array(current.indices) }
    return current.indices.filter { levels[$0] != current[$0] }
  }

  /// Returns the indices of the inputs whose states must be published, and marks the states as published.
  mutating func takeInputs(_ current: [InputState], hasTime: Bool) -> [Int] {
    defer { inputs = current.map { ($0, hasTime) } }
    guard inputs.count == current.count else { return Array(current.indices) }
    return current.indices.filter { inputs[$0].state != current[$0] || inputs[$0].hasTime != hasTime }
  }

  /// Discards the state of Home Assistant, because it is a new instance or its messages were not received for a while.
  mutating func replaced() { (isAway, levels, inputs) = (false, [], []) }

  /// Discards the published levels of outputs and states of inputs, because they were replaced.
  mutating func outputsReplaced() { (levels, inputs) = ([], []) }

  /// Returns whether one more message about a tap or a press may be sent, and counts the message.
  mutating func admit(at now: Instant) -> Bool {
    guard isUp, messages.wait(perMinute: Limits.tapMessagesPerMinute, at: now) == nil else { return false }
    messages.use(perMinute: Limits.tapMessagesPerMinute, at: now)
    return true
  }
}
