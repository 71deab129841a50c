// The state of the clock, and of what depends on it.

struct ClockSupervision: Sendable {
  var isSynchronised: Bool?
  /// Whether the clock is missed, as it was reported last.
  var isMissed = false
  /// Whether it is missed because of entries; they are not read, and not judged again, while the link is down.
  var hasHeldBack = false
  /// Days left until the first certificate expires, while they are too few.
  var certificateDaysLeft: Int?
}
