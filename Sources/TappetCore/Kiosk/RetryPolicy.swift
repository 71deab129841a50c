// When to try the broker again: exponential with full jitter, and a rest when connections are lost in a storm.

/// A small generator for jitter and names (xoshiro256**, Blackman and Vigna 2018); not for keys.
public struct Randomness: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// The same seed gives the same numbers.
  ///
  /// All zero is replaced: the generator would stand still.
  public init(seed: (UInt64, UInt64, UInt64, UInt64)) {
    state = seed == (0, 0, 0, 0) ? (1, 2, 3, 4) : seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    let product = state.1 &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = (state.3 << 45) | (state.3 >> 19)
    return result
  }
}

/// Decides how long to wait after a connection that failed or was lost.
struct RetryPolicy: Sendable {
  /// Attempts since the last connection that proved itself.
  private(set) var failures = 0
  /// When connections that did not prove themselves were lost lately, oldest first; at most `Limits.stormCount + 1`.
  private var losses: [Instant] = []

  /// What to do next.
  enum Verdict: Equatable {
    case retry(after: Duration)
    case rest(losses: Int, Duration)
  }

  /// An attempt never became a connection.
  mutating func connectionFailed(random: inout Randomness) -> Duration {
    let ceiling = min(Limits.reconnectDelayMax, Limits.reconnectDelayMin * (1 << min(failures, 6)))
    failures += 1
    // Full jitter, but never in the same millisecond: fifty boards behind one broker must not return as one.
    return .nanoseconds(Int64.random(in: 1_000_000...max(1_000_000, ceiling.wholeNanoseconds), using: &random))
  }

  /// A connection that had lasted since `connectedAt` was lost.
  mutating func connectionLost(connectedAt: Instant, at now: Instant, random: inout Randomness) -> Verdict {
    if now - connectedAt >= Limits.connectionProvedAfter {
      failures = 0
      losses.removeAll()
      return .retry(after: connectionFailed(random: &random))
    }
    losses.removeAll { now - $0 > Limits.stormWindow }
    losses.append(now)
    guard losses.count <= Limits.stormCount else {
      let count = losses.count
      losses.removeAll()
      return .rest(losses: count, Limits.stormRest)
    }
    return .retry(after: connectionFailed(random: &random))
  }
}
