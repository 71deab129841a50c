// Limits on log output, so that a broken device or a malicious person cannot fill the disk.

struct LogThrottles: Sendable {
  /// Limits the log of refused taps and presses.
  var refusals = RefusalLogThrottle()
  var commandRefusals = RefusalLogThrottle(countsCommands: true)
  /// Limits the log of deliveries from a long backlog.
  var backlog = BacklogLogThrottle()

  var deadline: Instant? { .earliest(refusals.deadline, commandRefusals.deadline, backlog.deadline) }

  mutating func timerFired(at now: Instant) -> [Effect] {
    refusals.timerFired(at: now) + commandRefusals.timerFired(at: now) + backlog.timerFired(at: now)
  }

  /// Reports all counts early, because no later call will.
  mutating func reportRest() -> [Effect] {
    refusals.reportRest() + commandRefusals.reportRest() + backlog.reportRest()
  }
}
