// Types for times. The core does not read a clock: its callers pass the time in.

/// A point on the monotonic clock that keeps running during suspend (CLOCK_BOOTTIME).
package struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the machine started.
  package var nanoseconds: Int64

  /// Creates an instant from the number of nanoseconds since the machine started.
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates an instant from the number of milliseconds since the machine started; saturates.
  package init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  /// Milliseconds since the machine started, rounded down.
  package var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }

  /// Returns whether `left` is earlier than `right`.
  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Returns the instant `right` after `left`; saturates instead of overflowing.
  package static func + (left: Instant, right: Duration) -> Instant {
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
  /// Returns the time from `right` to `left`.
  package static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds &- right.nanoseconds)
  }
  /// Returns the earliest of the given deadlines; `nil` if there is none.
  package static func earliest(_ deadlines: Instant?...) -> Instant? { deadlines.compactMap { $0 }.min() }
}

/// The time of an event, as a simultaneous reading of both clocks.
package struct Moment: Hashable, Sendable {
  /// The monotonic time, for durations and deadlines.
  package var instant: Instant
  /// Wall-clock time, in milliseconds since 1970; the wall clock may be wrong, and may step.
  package var unixMilliseconds: Int64

  /// Creates a moment from a reading of both clocks.
  package init(instant: Instant, unixMilliseconds: Int64) {
    self.instant = instant
    self.unixMilliseconds = unixMilliseconds
  }

  /// Returns the moment `time` later, assuming that no clock is set in the meantime; saturates.
  package func later(by time: Duration) -> Moment {
    let (sum, overflow) = unixMilliseconds.addingReportingOverflow(time.wholeMilliseconds)
    return Moment(instant: instant + time, unixMilliseconds: overflow ? .max : sum)
  }

  /// Whole seconds since 1970, rounded down.
  package var unixSeconds: Int64 {
    let (quotient, remainder) = unixMilliseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Duration {
  /// The duration in nanoseconds; durations beyond ±292 years saturate.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
  /// The duration in milliseconds, rounded towards zero.
  package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
