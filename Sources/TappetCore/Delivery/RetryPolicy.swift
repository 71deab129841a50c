// Delays before the broker is retried: exponential backoff with full jitter, and a pause after a storm of lost
// connections.

/// The delays after failed attempts and lost connections.
struct RetryPolicy: Sendable {
  /// Number of attempts since the last connection that proved stable.
  private(set) var failures = 0
  /// Number of failed attempts since the last connection, stable or not.
  private var failedInTurn = 0
  /// Recent losses of connections that had not proved stable, oldest first; at most one more than `Limits.stormCount`
  /// for each broker.
  private var losses: [Instant] = []
  /// Number of connections closed because of a message since the last acknowledged message.
  private var closesAtMessages = 0

  /// The next step after a lost connection.
  enum Decision: Equatable {
    case retry(after: Duration)
    case rest(losses: Int, Duration)
  }

  /// Returns the delay after a failed attempt with one of `endpointCount` brokers.
  ///
  /// The next of several brokers is tried almost immediately; only a full round of failures is followed by a backoff.
  mutating func connectionFailed(endpointCount: Int = 1, random: inout Randomness) -> Duration {
    failedInTurn += 1
    guard failedInTurn % endpointCount == 0 else {
      failures += 1
      return .upTo(Limits.nextBrokerDelayMax, random: &random)
    }
    return pause(endpointCount, &random)
  }

  /// Returns the next step after the loss of a connection that had lasted since `connectedAt`.
  mutating func connectionLost(
    connectedAt: Instant, at now: Instant, endpointCount: Int = 1, random: inout Randomness
  ) -> Decision {
    failedInTurn = 0
    if now - connectedAt >= Limits.connectionProvedAfter {
      failures = 0
      losses.removeAll()
      return .retry(after: pause(endpointCount, &random))
    }
    losses.removeAll { now - $0 > Limits.stormWindow }
    losses.append(now)
    guard losses.count <= Limits.stormCount * endpointCount else {
      let count = losses.count
      losses.removeAll()
      return .rest(losses: count, Limits.stormRest)
    }
    return .retry(after: pause(endpointCount, &random))
  }

  /// Returns the delay after the broker closed a connection because of a message; such a close is not part of a storm,
  /// and at first causes no backoff.
  mutating func connectionClosedAtMessage(
    connectedAt: Instant, at now: Instant, endpointCount: Int = 1, random: inout Randomness
  ) -> Duration {
    failedInTurn = 0
    if now - connectedAt >= Limits.connectionProvedAfter { (failures, closesAtMessages) = (0, 0) }
    closesAtMessages += 1
    return closesAtMessages <= Limits.quickClosesMax
      ? .upTo(Limits.reconnect.first, random: &random) : pause(endpointCount, &random)
  }

  /// Handles an acknowledged message.
  mutating func acknowledged() { closesAtMessages = 0 }

  /// Returns the next backoff delay.
  ///
  /// A cluster that is electing a new leader refuses connections for some seconds, so the first rounds have the lowest
  /// maximum delay.
  private mutating func pause(_ endpointCount: Int, _ random: inout Randomness) -> Duration {
    let round = failures / endpointCount
    let doublings = endpointCount == 1 ? round : max(0, round - Limits.electionRounds)
    failures += 1
    return Limits.reconnect.pause(after: doublings, random: &random)
  }
}
