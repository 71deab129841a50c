// Publishes the kiosk's state: after each change, at most once a second, and every minute. Pure decision logic.

/// The values of a published state, used to detect changes.
struct TelemetryState: Hashable, Sendable {
  var status: KioskStatus
  var counters: Counters
  var outboxCount: Int
  var webhookCount: Int
  var certificateDaysLeft: Int?
}

/// The state that was last published on this connection.
struct TelemetryPublisher: Sendable {
  private var published: (state: TelemetryState, at: Instant)?
  private var hasChanged = false

  /// Time at which the next message is due if nothing changes; `nil` if there is no connection.
  var deadline: Instant? {
    published.map { $0.at + (hasChanged ? Limits.stateIntervalMin : Limits.stateInterval) }
  }

  /// Returns whether `state` is to be published now; if so, records it as published.
  mutating func isDue(_ state: TelemetryState, at now: Instant) -> Bool {
    if let published { hasChanged = published.state != state }
    if let deadline, now < deadline { return false }
    published = (state, now)
    hasChanged = false
    return true
  }

  /// Forgets the published state, because the connection has ended.
  mutating func stop() { self = TelemetryPublisher() }
}

extension Kiosk {
  /// Publishes the state if it is configured and due.
  mutating func telemetryDue(at now: Moment) -> [Effect] {
    guard settings.publishesState, delivery.link.isUp else {
      selfReport.telemetry.stop()
      return []
    }
    let state = TelemetryState(
      status: status, counters: counters, outboxCount: outboxCount, webhookCount: webhookCount,
      certificateDaysLeft: clock.certificateDaysLeft)
    return selfReport.telemetry.isDue(state, at: now.instant) ? [.announce(.state)] : []
  }
}
