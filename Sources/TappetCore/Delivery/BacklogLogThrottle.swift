// Keeps a long outbox from filling the disk with log lines while it drains: deliveries are reported as a count, once a
// minute and at the end.

/// The count of deliveries that are not reported individually.
struct BacklogLogThrottle: Sendable {
  private var count = 0
  /// Time at which the count is due; `nil` if there is none.
  private(set) var deadline: Instant?

  /// Counts a delivery.
  mutating func countDelivery(at now: Instant) -> [Effect] {
    count += 1
    if deadline == nil { deadline = now + Limits.reportedBacklogInterval }
    return timerFired(at: now)
  }

  mutating func timerFired(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return reportRest()
  }

  /// Reports the count because it is due, further deliveries are reported individually, or the connection has ended.
  mutating func reportRest() -> [Effect] {
    guard count > 0 else { return [] }
    defer { (count, deadline) = (0, nil) }
    return [.report(.entry(.deliveredMore(count: count)))]
  }
}
