// Exponential backoff between attempts.

/// A sequence of pauses, each twice as long as the one before, up to `last`.
package struct Backoff: Sendable {
  package let first: Duration
  package let last: Duration

  package init(_ first: Duration, upTo last: Duration) {
    self.first = first
    self.last = last
  }

  /// Returns the pause after `count` earlier pauses.
  package func pause(after count: Int) -> Duration { min(last, first * (1 << min(max(0, count), 16))) }

  /// Returns a random pause, up to that after `count` earlier pauses (full jitter).
  package func pause(after count: Int, random: inout Randomness) -> Duration {
    .upTo(pause(after: count), random: &random)
  }
}

extension Duration {
  /// Returns a random time from 1 ms to `ceiling`, so that fifty boards do not reconnect to one broker simultaneously.
  package static func upTo(_ ceiling: Duration, random: inout Randomness) -> Duration {
    .nanoseconds(Int64.random(in: 1_000_000...max(1_000_000, ceiling.wholeNanoseconds), using: &random))
  }
}
