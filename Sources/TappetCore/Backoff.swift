// The pauses between attempts.

/// Pauses of which each is twice as long as the one before, up to the last.
package struct Backoff: Sendable {
  package let first: Duration
  package let last: Duration

  package init(_ first: Duration, upTo last: Duration) {
    self.first = first
    self.last = last
  }

  /// The pause after `count` earlier ones.
  package func pause(after count: Int) -> Duration { min(last, first * (1 << min(max(0, count), 16))) }

  /// The same with full jitter.
  func pause(after count: Int, random: inout Randomness) -> Duration { .upTo(pause(after: count), random: &random) }
}

extension Duration {
  /// A random time, but never the same millisecond: fifty boards behind one broker must not return all at once.
  static func upTo(_ ceiling: Duration, random: inout Randomness) -> Duration {
    .nanoseconds(Int64.random(in: 1_000_000...max(1_000_000, ceiling.wholeNanoseconds), using: &random))
  }
}
