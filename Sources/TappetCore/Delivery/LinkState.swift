// Maintains a connection to one of the brokers: connects, backs off, tries the next broker, and pauses after a storm.
// Without a broker, the link is stopped.

/// The kiosk's view of the broker link.
struct LinkState: Sendable {
  /// The state of the connection.
  enum State: Equatable, Sendable {
    /// There is no connection; the next attempt is due at `until`.
    case waiting(until: Instant)
    /// An attempt is in progress; the link always reports its outcome, because the link has a timeout.
    case connecting(since: Instant)
    /// The link is up; CONNACK has arrived.
    case connected(since: Instant)
    /// Disconnecting in order to reconnect; the link always reports the end of the connection.
    case reconnecting(since: Instant)
    /// Disconnecting in order to stop; the link always reports the end of the connection.
    case disconnecting(since: Instant)
    /// The link is closed, permanently or as long as no broker is configured.
    case stopped
  }

  private(set) var state: State
  /// Index of the current endpoint, connected or being tried.
  private(set) var endpoint: Int
  /// Whether an attempt has failed, or a connection was lost, since the last success.
  private(set) var hasFailed = false
  /// The condition to display: a failure is shown until a connection is established.
  var condition: KioskStatus.Link { endpointCount > 0 ? outcome : .absent }
  private var outcome = KioskStatus.Link.connecting
  private var policy = RetryPolicy()
  private var endpointCount: Int
  /// The endpoint that worked last, which is stored for the next start.
  private var proved: Int
  /// End of each endpoint's fallback to MQTT 3.1.1, in seconds since 1970; 0 if the endpoint supports MQTT 5.
  private var fallbacks: [Int: Int64]
  /// Number of consecutive attempts without a response to CONNECT, for each endpoint that supports MQTT 5.
  private var hangUps: [Int: Int] = [:]

  /// Creates a disconnected link, which first tries the endpoint that worked last.
  init(endpointCount: Int, first: Int = 0, fallbacks: [Int: Int64] = [:], connectAt now: Instant) {
    self.endpointCount = endpointCount
    endpoint = first < endpointCount ? first : 0
    proved = endpoint
    self.fallbacks = fallbacks
    state = endpointCount > 0 ? .waiting(until: now) : .stopped
  }

  /// Whether the first attempt has an outcome, or there is no broker.
  var isSettled: Bool { isUp || hasFailed || endpointCount == 0 }

  var isUp: Bool { if case .connected = state { true } else { false } }

  var isConnecting: Bool { if case .connecting = state { true } else { false } }

  var isStopped: Bool { state == .stopped }

  /// Start time of the pending command; `nil` if none is pending.
  var askedAt: Instant? {
    switch state {
    case .connecting(let since), .reconnecting(let since), .disconnecting(let since): since
    case .waiting, .connected, .stopped: nil
    }
  }

  var deadline: Instant? { if case .waiting(let until) = state { until } else { nil } }

  /// Starts the next attempt if it is due.
  mutating func timerFired(at now: Moment) -> [Effect] {
    guard let deadline, deadline <= now.instant else { return [] }
    state = .connecting(since: now.instant)
    // A clock that is behind only extends the fallback.
    if let until = fallbacks[endpoint], until > 0, until <= now.unixSeconds { fallbacks[endpoint] = nil }
    return [.connect(endpoint: endpoint, mqtt5: support)]
  }

  /// The current endpoint's support for MQTT 5.
  private var support: MQTT5Support {
    guard let until = fallbacks[endpoint] else { return .unknown }
    guard until == 0 else { return .absent }
    return hangUps[endpoint, default: 0] < Limits.hangUpsUntilDoubt ? .present : .unknown
  }

  /// Handles the broker's first MQTT 5 response.
  mutating func foundMQTT5() -> [Effect] {
    guard isConnecting else { return [] }
    hangUps[endpoint] = nil
    guard fallbacks[endpoint] != 0 else { return [] }
    fallbacks[endpoint] = 0
    return [.recordFallback(endpoint: endpoint, untilUnixSeconds: 0)]
  }

  /// Handles an attempt that succeeds only with MQTT 3.1.1, or a connection that ends because of MQTT 5; later attempts
  /// start with 3.1.1.
  mutating func didFallBack(_ failure: LinkFailure, at now: Moment) -> [Effect] {
    guard isConnecting || isUp else { return [] }
    let duration = failure.refusesMQTT5 ? Limits.fallbackMax : Limits.doubtfulFallbackMax
    let until = now.unixSeconds + duration.wholeMilliseconds / 1000
    fallbacks[endpoint] = until
    return [
      .report(.link(.didFallBack(endpoint: endpoint, failure, for: duration))),
      .recordFallback(endpoint: endpoint, untilUnixSeconds: until),
    ]
  }

  /// Handles a CONNACK that accepts the connection.
  mutating func connected(at now: Instant) -> [Effect] {
    guard case .connecting = state else { return [] }
    state = .connected(since: now)
    hasFailed = false
    hangUps[endpoint] = nil
    let usesFallback = support == .absent
    outcome = .connected(endpoint: endpoint, usesFallback: usesFallback)
    let report = Effect.report(.link(.connected(endpoint: endpoint, usesFallback: usesFallback)))
    guard endpoint != proved else { return [report] }
    proved = endpoint
    return [report, .recordBroker(endpoint: endpoint)]
  }

  /// Handles a failed attempt: the next endpoint is tried.
  mutating func failed(_ failure: LinkFailure, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .connecting = state else { return [] }
    if failure.mayRefuseMQTT5 { hangUps[endpoint, default: 0] += 1 }
    let delay = policy.connectionFailed(endpointCount: endpointCount, random: &random)
    let failed = endpoint
    outcome = .failed(endpoint: failed, failure)
    wait(delay, at: now)
    return [.report(.link(.failed(endpoint: failed, failure, retryIn: delay)))]
  }

  /// Handles an acknowledged message.
  mutating func acknowledged() { policy.acknowledged() }

  /// Handles a connection that was lost, or closed by the broker because of a message.
  mutating func lost(
    _ failure: LinkFailure, isAtMessage: Bool = false, at now: Instant, random: inout Randomness
  ) -> [Effect] {
    guard case .connected(let since) = state else { return [] }
    let lostEndpoint = endpoint
    outcome = .failed(endpoint: lostEndpoint, failure)
    if isAtMessage {
      let delay = policy.connectionClosedAtMessage(
        connectedAt: since, at: now, endpointCount: endpointCount, random: &random)
      wait(delay, at: now)
      return [.report(.link(.lost(endpoint: lostEndpoint, failure, retryIn: delay)))]
    }
    switch policy.connectionLost(connectedAt: since, at: now, endpointCount: endpointCount, random: &random) {
    case .retry(let delay):
      wait(delay, at: now)
      return [.report(.link(.lost(endpoint: lostEndpoint, failure, retryIn: delay)))]
    case .rest(let losses, let rest):
      outcome = .resting(losses: losses, rest: rest)
      wait(rest, at: now)
      return [
        .report(.link(.lost(endpoint: lostEndpoint, failure, retryIn: rest))),
        .report(.link(.storm(losses: losses, rest: rest))),
      ]
    }
  }

  /// Handles the end of a connection that the kiosk closed.
  mutating func disconnected(at now: Instant) -> [Effect] {
    switch state {
    case .disconnecting, .reconnecting:
      endedByOrder(at: now)
      outcome = .closed
      return [.report(.link(.closed))]
    case .waiting, .connecting, .connected, .stopped:
      return []
    }
  }

  /// Replaces the endpoints; the first endpoint is tried immediately, starting with MQTT 5 again.
  ///
  /// Failures of the old endpoints do not carry over to the new ones. Without endpoints, the link is closed.
  mutating func reconnect(endpointCount: Int, at now: Instant) -> [Effect] {
    self.endpointCount = endpointCount
    (endpoint, proved) = (0, 0)
    policy = RetryPolicy()
    let effects: [Effect] = fallbacks.isEmpty ? [] : [.store(.forgetFallbacks)]
    (fallbacks, hangUps) = ([:], [:])
    guard endpointCount > 0 else {
      hasFailed = false
      return effects + stop(at: now)
    }
    switch state {
    case .waiting:
      state = .waiting(until: now)
      return effects
    case .stopped:
      (state, outcome) = (.waiting(until: now), .connecting)
      return effects
    case .connecting, .connected:
      state = .reconnecting(since: now)
      return effects + [.disconnect]
    case .reconnecting(let since), .disconnecting(let since):
      state = .reconnecting(since: since)
      return effects
    }
  }

  /// Closes the link until `reconnect` is called.
  ///
  /// An attempt in progress is aborted.
  mutating func stop(at now: Instant) -> [Effect] {
    switch state {
    case .connecting, .connected:
      state = .disconnecting(since: now)
      return [.disconnect]
    case .waiting:
      state = .stopped
      return []
    case .reconnecting(let since):
      state = .disconnecting(since: since)
      return []
    case .disconnecting, .stopped:
      return []
    }
  }

  /// Once a disconnect was requested, treats any end of the connection as the requested disconnect.
  mutating func endedByOrder(at now: Instant) {
    switch state {
    case .disconnecting: state = .stopped
    case .reconnecting: state = .waiting(until: now)
    case .waiting, .connecting, .connected, .stopped: break
    }
  }

  private mutating func wait(_ delay: Duration, at now: Instant) {
    hasFailed = true
    endpoint = (endpoint + 1) % endpointCount
    state = .waiting(until: now + delay)
  }
}
