// Time as values. The core reads no clock: whoever calls it says what time it is.

/// A point on the monotonic clock that goes on during suspend (CLOCK_BOOTTIME).
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the machine started.
  public var nanoseconds: Int64

  /// The instant so many nanoseconds after the machine started.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Whether `left` comes first.
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Saturates instead of overflowing.
  public static func + (left: Instant, right: Duration) -> Instant {
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.wholeNanoseconds)
    return Instant(nanoseconds: overflow ? .max : sum)
  }
  /// The time from `right` to `left`.
  public static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds &- right.nanoseconds)
  }
}

/// The two clocks, read together: what an event's time is.
public struct Moment: Hashable, Sendable {
  /// For durations and deadlines.
  public var instant: Instant
  /// Milliseconds since 1970 by the wall clock, which may be wrong and may step.
  public var unixMilliseconds: Int64

  /// Both clocks' readings at one point.
  public init(instant: Instant, unixMilliseconds: Int64) {
    self.instant = instant
    self.unixMilliseconds = unixMilliseconds
  }

  /// Whole seconds since 1970, rounded down.
  public var unixSeconds: Int64 {
    let (quotient, remainder) = unixMilliseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Duration {
  /// In nanoseconds; durations beyond ±292 years saturate.
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
  /// In milliseconds, rounded towards zero.
  public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
