// Limits on log output: a broken device or a malicious person must not fill the disk.

struct LogThrottles: Sendable {
  /// Refused taps and presses.
  var refusals = RefusalLogThrottle()
  var commandRefusals = RefusalLogThrottle(countsCommands: true)
  /// Deliveries of a long backlog.
  var backlog = BacklogLogThrottle()
}
