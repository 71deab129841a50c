// The state of the clock, and of the features that depend on it.

struct ClockSupervision: Sendable {
  var isSynchronized: Bool?
  /// Whether the last report stated that the clock is needed but not good.
  var isMissed = false
  /// Whether entries wait for the clock to become good; while the link is down, they are neither read nor rechecked.
  var hasHeldBack = false
  /// Days until the first certificate expires; `nil` unless the expiry is near.
  var certificateDaysLeft: Int?
}
