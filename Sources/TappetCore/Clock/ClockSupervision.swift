// The state of the clock, and of the features that depend on it.

struct ClockSupervision: Sendable {
  var isSynchronised: Bool?
  /// Whether the clock was last reported as needed, but not good.
  var isMissed = false
  /// Whether entries need the clock while it is not good; they are neither read nor rechecked while the link is down.
  var hasHeldBack = false
  /// Days left until the first certificate expires, if they are too few.
  var certificateDaysLeft: Int?
}
