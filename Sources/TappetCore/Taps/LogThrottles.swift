// Limits on log output, so that a broken device or a malicious person cannot fill the disk.

struct LogThrottles: Sendable {
  /// Limits the log of refused taps and presses.
  var refusals = RefusalLogThrottle()
  var commandRefusals = RefusalLogThrottle(countsCommands: true)
  /// Limits the log of deliveries from a long backlog.
  var backlog = BacklogLogThrottle()
}
