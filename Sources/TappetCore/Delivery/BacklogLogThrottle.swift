// A long outbox that drains must not fill a disk with log lines: its entries are reported as a number, once a minute
// and at the end.

/// Counts the deliveries that are not reported one by one.
struct BacklogLogThrottle: Sendable {
  private var count = 0
  /// When the number is due; `nil` means that there is none.
  private(set) var deadline: Instant?

  /// Counts a delivery.
  mutating func note(at now: Instant) -> [Effect] {
    count += 1
    if deadline == nil { deadline = now + Limits.reportedBacklogInterval }
    return timerFired(at: now)
  }

  mutating func timerFired(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return reportRest()
  }

  /// Reports the number: the time is up, the rest is reported one by one, or the connection has ended.
  mutating func reportRest() -> [Effect] {
    guard count > 0 else { return [] }
    defer { (count, deadline) = (0, nil) }
    return [.report(.entry(.deliveredMore(count: count)))]
  }
}
