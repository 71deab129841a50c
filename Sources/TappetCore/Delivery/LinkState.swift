// Keeps a connection to one of the brokers: connects, waits, tries the next, pauses in a storm.

/// The link as the kiosk sees it.
struct LinkState: Sendable {
  /// The state of the connection.
  enum State: Equatable, Sendable {
    /// There is none; the next attempt is due then.
    case waiting(until: Instant)
    /// An attempt is under way; always answered, because the link has a time limit of its own.
    case connecting(since: Instant)
    /// The link is up; CONNACK has arrived.
    case connected(since: Instant)
    /// Asked to disconnect, to connect again afterwards; always answered.
    case reconnecting(since: Instant)
    /// Asked to disconnect; always answered.
    case disconnecting(since: Instant)
    /// No longer wanted.
    case stopped
  }

  private(set) var state: State
  /// Index of the endpoint that is tried, or connected to.
  private(set) var endpoint: Int
  /// Whether an attempt has failed, or a connection was lost, since the last success.
  private(set) var hasFailed = false
  /// For people: a failure lasts until a connection is made.
  private(set) var condition = KioskStatus.Link.connecting
  private var policy = RetryPolicy()
  private var endpointCount: Int
  /// The endpoint that worked last; it is remembered for the next start.
  private var proved: Int
  /// Until when, in seconds since 1970, MQTT 5 is not tried with an endpoint; 0 if it speaks MQTT 5.
  private var fallbacks: [Int: Int64]
  /// Attempts in turn without an answer to CONNECT, of endpoints that speak MQTT 5.
  private var hangUps: [Int: Int] = [:]

  /// A link without a connection, which begins with the endpoint that worked last.
  init(endpointCount: Int, first: Int = 0, fallbacks: [Int: Int64] = [:], connectAt now: Instant) {
    self.endpointCount = endpointCount
    endpoint = first < endpointCount ? first : 0
    proved = endpoint
    self.fallbacks = fallbacks
    state = .waiting(until: now)
  }

  var isUp: Bool { if case .connected = state { true } else { false } }

  var isConnecting: Bool { if case .connecting = state { true } else { false } }

  var isStopped: Bool { state == .stopped }

  /// When the pending command was given; `nil` means that there is none.
  var askedAt: Instant? {
    switch state {
    case .connecting(let since), .reconnecting(let since), .disconnecting(let since): since
    case .waiting, .connected, .stopped: nil
    }
  }

  var deadline: Instant? { if case .waiting(let until) = state { until } else { nil } }

  /// Handles the deadline.
  mutating func timerFired(at now: Moment) -> [Effect] {
    guard let deadline, deadline <= now.instant else { return [] }
    state = .connecting(since: now.instant)
    // A clock that is behind only keeps it for longer.
    if let until = fallbacks[endpoint], until > 0, until <= now.unixSeconds { fallbacks[endpoint] = nil }
    return [.connect(endpoint: endpoint, mqtt5: support)]
  }

  /// Whether the endpoint speaks MQTT 5.
  private var support: MQTT5Support {
    guard let until = fallbacks[endpoint] else { return .unknown }
    guard until == 0 else { return .absent }
    return hangUps[endpoint, default: 0] < Limits.hangUpsUntilDoubt ? .present : .unknown
  }

  /// Handles the first answer in MQTT 5.
  mutating func foundMQTT5() -> [Effect] {
    guard isConnecting else { return [] }
    hangUps[endpoint] = nil
    guard fallbacks[endpoint] != 0 else { return [] }
    fallbacks[endpoint] = 0
    return [.noteFallback(endpoint: endpoint, untilUnixSeconds: 0)]
  }

  /// Handles an attempt that works only with MQTT 3.1.1, or a connection that ends for MQTT 5: the next ones begin with
  /// 3.1.1.
  mutating func didFallBack(_ failure: LinkFailure, at now: Moment) -> [Effect] {
    guard isConnecting || isUp else { return [] }
    let duration = failure.refusesMQTT5 ? Limits.fallbackMax : Limits.doubtfulFallbackMax
    let until = now.unixSeconds + duration.wholeMilliseconds / 1000
    fallbacks[endpoint] = until
    return [
      .report(.link(.didFallBack(endpoint: endpoint, failure, for: duration))),
      .noteFallback(endpoint: endpoint, untilUnixSeconds: until),
    ]
  }

  /// Handles a CONNACK that accepts the connection.
  mutating func connected(at now: Instant) -> [Effect] {
    guard case .connecting = state else { return [] }
    state = .connected(since: now)
    hasFailed = false
    hangUps[endpoint] = nil
    let usesFallback = support == .absent
    condition = .connected(endpoint: endpoint, usesFallback: usesFallback)
    let report = Effect.report(.link(.connected(endpoint: endpoint, usesFallback: usesFallback)))
    guard endpoint != proved else { return [report] }
    proved = endpoint
    return [report, .noteBroker(endpoint: endpoint)]
  }

  /// Handles a failed attempt: the next endpoint is tried.
  mutating func failed(_ failure: LinkFailure, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .connecting = state else { return [] }
    if failure.mayRefuseMQTT5 { hangUps[endpoint, default: 0] += 1 }
    let delay = policy.connectionFailed(endpointCount: endpointCount, random: &random)
    let failed = endpoint
    condition = .failed(endpoint: failed, failure)
    wait(delay, at: now)
    return [.report(.link(.failed(endpoint: failed, failure, retryIn: delay)))]
  }

  /// Handles an acknowledged message.
  mutating func acknowledged() { policy.acknowledged() }

  /// Handles a connection that broke, or that the broker closed because of a message.
  mutating func lost(
    _ failure: LinkFailure, isAtMessage: Bool = false, at now: Instant, random: inout Randomness
  ) -> [Effect] {
    guard case .connected(let since) = state else { return [] }
    let lostEndpoint = endpoint
    condition = .failed(endpoint: lostEndpoint, failure)
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
      condition = .resting(losses: losses, rest: rest)
      wait(rest, at: now)
      return [
        .report(.link(.lost(endpoint: lostEndpoint, failure, retryIn: rest))),
        .report(.link(.storm(losses: losses, rest: rest))),
      ]
    }
  }

  /// Handles a link that ended at our own command.
  mutating func disconnected(at now: Instant) -> [Effect] {
    switch state {
    case .disconnecting, .reconnecting:
      endedByOrder(at: now)
      condition = .closed
      return [.report(.link(.closed))]
    case .waiting, .connecting, .connected, .stopped:
      return []
    }
  }

  /// Replaces the endpoints: the first one is tried at once, with MQTT 5 again.
  ///
  /// The failures of the old ones mean nothing for the new ones.
  mutating func reconnect(endpointCount: Int, at now: Instant) -> [Effect] {
    self.endpointCount = endpointCount
    (endpoint, proved) = (0, 0)
    policy = RetryPolicy()
    let effects: [Effect] = fallbacks.isEmpty ? [] : [.store(.forgetFallbacks)]
    (fallbacks, hangUps) = ([:], [:])
    switch state {
    case .waiting:
      state = .waiting(until: now)
      return effects
    case .connecting, .connected:
      state = .reconnecting(since: now)
      return effects + [.disconnect]
    case .reconnecting, .disconnecting, .stopped:
      return effects
    }
  }

  /// Ends the link, because no connection is wanted any more.
  ///
  /// An attempt under way is aborted.
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

  /// Counts any end of the connection as the requested one, once an end was requested.
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
