// Bounds of the log: a broken device or a malicious person must not fill the disk.

struct LogThrottles: Sendable {
  /// Refused taps and presses.
  var refusals = RefusalLogThrottle()
  var commandRefusals = RefusalLogThrottle(countsCommands: true)
  /// Entries that cannot be sent.
  var backlog = BacklogLogThrottle()
}
