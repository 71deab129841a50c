// Keeps a connection to one of the brokers: connects, waits, tries the next, rests in a storm.

/// The link as the kiosk sees it.
struct LinkSupervision: Sendable {
  /// What is known of the connection.
  enum State: Equatable, Sendable {
    /// None; the next attempt is then.
    case waiting(until: Instant)
    /// Connecting; always answered, the link has its own time limit.
    case connecting(since: Instant)
    /// CONNACK came.
    case connected(since: Instant)
    /// Asked to disconnect, and then to connect anew; always answered.
    case reconnecting(since: Instant)
    /// Asked to disconnect; always answered.
    case disconnecting(since: Instant)
    /// Not wanted any more.
    case stopped
  }

  private(set) var state: State
  /// Which endpoint is tried, or connected to.
  private(set) var endpoint = 0
  /// Whether an attempt has failed, or a connection was lost, since the last success.
  private(set) var hasFailed = false
  private var policy = RetryPolicy()
  private var endpointCount: Int

  init(endpointCount: Int, connectAt now: Instant) {
    self.endpointCount = endpointCount
    state = .waiting(until: now)
  }

  var isUp: Bool { if case .connected = state { true } else { false } }

  var isStopped: Bool { state == .stopped }

  /// When the order was given whose answer is awaited; nil: there is none.
  var askedAt: Instant? {
    switch state {
    case .connecting(let since), .reconnecting(let since), .disconnecting(let since): since
    case .waiting, .connected, .stopped: nil
    }
  }

  var deadline: Instant? { if case .waiting(let until) = state { until } else { nil } }

  /// The deadline passed.
  mutating func timeUp(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    state = .connecting(since: now)
    return [.connect(endpoint: endpoint)]
  }

  /// CONNACK said yes.
  mutating func connected(at now: Instant) -> [Effect] {
    guard case .connecting = state else { return [] }
    state = .connected(since: now)
    hasFailed = false
    return [.report(.linkUp(endpoint: endpoint))]
  }

  /// An attempt came to nothing: the next endpoint's turn.
  mutating func failed(_ failure: LinkFailure, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .connecting = state else { return [] }
    let delay = policy.connectionFailed(random: &random)
    let failed = endpoint
    wait(delay, at: now)
    return [.report(.linkFailed(endpoint: failed, failure, retryIn: delay))]
  }

  /// The connection broke.
  mutating func lost(_ failure: LinkFailure, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .connected(let since) = state else { return [] }
    let lostEndpoint = endpoint
    switch policy.connectionLost(connectedAt: since, at: now, random: &random) {
    case .retry(let delay):
      wait(delay, at: now)
      return [.report(.linkLost(endpoint: lostEndpoint, failure, retryIn: delay))]
    case .rest(let losses, let rest):
      wait(rest, at: now)
      return [
        .report(.linkLost(endpoint: lostEndpoint, failure, retryIn: rest)),
        .report(.linkStorm(losses: losses, rest: rest)),
      ]
    }
  }

  /// The link ended by our own order.
  mutating func disconnected(at now: Instant) -> [Effect] {
    switch state {
    case .disconnecting, .reconnecting:
      endedByOrder(at: now)
      return [.report(.linkClosed)]
    case .waiting, .connecting, .connected, .stopped:
      return []
    }
  }

  /// The endpoints are others: the first one's turn, at once.
  ///
  /// What went wrong with the old ones says nothing of them.
  mutating func reconnect(endpointCount: Int, at now: Instant) -> [Effect] {
    self.endpointCount = endpointCount
    endpoint = 0
    policy = RetryPolicy()
    switch state {
    case .waiting:
      state = .waiting(until: now)
      return []
    case .connecting, .connected:
      state = .reconnecting(since: now)
      return [.disconnect]
    case .reconnecting, .disconnecting, .stopped:
      return []
    }
  }

  /// No connection is wanted any more.
  ///
  /// An attempt under way is broken off.
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

  /// Once an end was ordered, any end of the connection is it.
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
