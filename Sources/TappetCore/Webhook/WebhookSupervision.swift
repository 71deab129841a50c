// Keeps tappet-webhook running while there are requests to send, and tracks which actions' servers are paused. Pure
// decision logic; the outbox manages the pending entries.

/// The kiosk's view of the webhooks.
struct WebhookSupervision: Sendable {
  /// The state of the process.
  enum State: Equatable, Sendable {
    /// No process runs, and none is wanted.
    case none
    /// The process was started, and is loading its files.
    case starting(since: Instant)
    /// The process accepts requests; `idleSince` is set while none are in flight.
    case running(idleSince: Instant?)
    /// Requested to exit, or killed; restarted when it is wanted.
    case ending(killAt: Instant)
    /// The process failed; it may be restarted at `until`.
    case resting(until: Instant)
    /// The process is no longer wanted.
    case stopped
  }

  /// The server of a pause.
  private enum Server: Hashable, Sendable {
    /// The server of one action, or a fault of one request to the homeserver.
    case action(String)
    /// The homeserver, for all of `roomActions`.
    case homeserver
  }

  /// The retry pause of a server whose last request failed.
  private struct Rest: Sendable {
    /// The action whose request failed last.
    var action: String
    /// Number of failures in a row.
    var failures: Int
    /// The end of the pause; `nil` once it is over and the next request is in flight or due.
    var until: Instant?
    var fault: WebhookFault
  }

  private(set) var state = State.none
  /// The actions that share a homeserver.
  var roomActions: Set<String> = []
  private var rests: [Server: Rest] = [:]
  /// The actions of the requests in flight.
  private var posted: [EntryID: String] = [:]
  /// Time of the last message from tappet-webhook, or of the last request to it.
  private var lastHeard = Instant(nanoseconds: 0)
  private var failures = 0
  /// The reason why tappet-webhook is not running although it should be.
  private(set) var loss: HelperLoss?
  /// Whether the process has loaded outdated files; if so, it exits when no request is in flight.
  private var isStale = false

  /// The first failed action with its fault; ordered by name, so that it does not change needlessly.
  var trouble: (action: String, WebhookFault)? {
    Array(rests.values).inOrder { $0.action < $1.action }.first.map { ($0.action, $0.fault) }
  }

  /// Returns the servers whose pauses hold for the action.
  private func servers(_ action: String) -> [Server] {
    roomActions.contains(action) ? [.action(action), .homeserver] : [.action(action)]
  }

  /// Returns whether the action's server failed last time.
  func hasFailed(_ action: String) -> Bool { servers(action).contains { rests[$0] != nil } }

  func isResting(_ action: String) -> Bool { servers(action).contains { rests[$0]?.until != nil } }

  /// The actions whose entries stay in the store for now.
  var restingActions: [String] { roomActions.union(rests.values.map { $0.action }).filter { isResting($0) } }

  /// Returns whether the process accepts another request for this action.
  func mayPost(_ action: String) -> Bool {
    guard case .running = state, !isStale, posted.count < Limits.webhooksInflightMax else { return false }
    // After a failure, a single request tests the server.
    if rests[.homeserver] != nil, roomActions.contains(action) {
      return !posted.values.contains { roomActions.contains($0) }
    }
    let count = posted.values.reduce(0) { $1 == action ? $0 + 1 : $0 }
    return count < (rests[.action(action)] != nil ? 1 : Limits.webhooksInflightPerActionMax)
  }

  var deadline: Instant? {
    var deadline: Instant?
    switch state {
    case .none, .stopped: break
    case .starting(let since): deadline = since + Limits.webhookStartMax
    case .running(let idleSince):
      deadline = idleSince.map { $0 + Limits.webhookIdleMax } ?? (lastHeard + Limits.webhookAnswerMax)
    case .ending(let killAt): deadline = killAt
    case .resting(let until): deadline = until
    }
    for rest in rests.values {
      if let until = rest.until, until < deadline ?? Instant(nanoseconds: .max) { deadline = until }
    }
    return deadline
  }

  // MARK: Time

  /// Handles the deadline; the second result states whether a pause is over, and the store is to be read again.
  mutating func timerFired(at now: Instant, random: inout Randomness) -> (effects: [Effect], restIsOver: Bool) {
    var restIsOver = false
    for (server, rest) in rests {
      guard let until = rest.until, until <= now else { continue }
      rests[server]?.until = nil
      restIsOver = true
    }
    return (processTimeUp(at: now, random: &random), restIsOver)
  }

  private mutating func processTimeUp(at now: Instant, random: inout Randomness) -> [Effect] {
    switch state {
    case .starting(let since) where since + Limits.webhookStartMax <= now: return lose(.silent, at: now)
    case .running(let idleSince):
      if let idleSince {
        guard idleSince + Limits.webhookIdleMax <= now else { return [] }
        return end(at: now)
      }
      return lastHeard + Limits.webhookAnswerMax <= now ? lose(.silent, at: now) : []
    case .ending(let killAt) where killAt <= now:
      state = .ending(killAt: now + Limits.webhookDeathMax)
      return [.kill(.webhooks)]
    case .resting(let until) where until <= now:
      state = .none
      return []
    case .none, .starting, .ending, .resting, .stopped: return []
    }
  }

  private mutating func end(at now: Instant) -> [Effect] {
    state = .ending(killAt: now + Limits.webhookDeathMax)
    return [.stop(.webhooks)]
  }

  // MARK: The process

  /// Starts the process because an entry is due.
  mutating func want(at now: Instant) -> [Effect] {
    guard state == .none else { return [] }
    state = .starting(since: now)
    isStale = false
    return [.start(.webhooks)]
  }

  mutating func ready(at now: Instant) -> [Effect] {
    guard case .starting = state else { return [] }
    state = .running(idleSince: now)
    failures = 0
    lastHeard = now
    defer { loss = nil }
    return loss == nil ? [] : [.report(.helper(.webhooks, .back))]
  }

  /// Handles the end of the process, requested or not.
  mutating func ended(_ end: ProcessEnd, at now: Instant, random: inout Randomness) -> [Effect] {
    switch state {
    case .ending:
      state = loss == nil ? .none : rest(at: now, random: &random)
      return []
    case .starting, .running:
      let effects = report(.ended(end))
      state = rest(at: now, random: &random)
      posted.removeAll()
      return effects
    case .none, .resting, .stopped: return []
    }
  }

  mutating func notStarted(code: Int32, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .starting = state else { return [] }
    let effects = report(.notStarted(code: code))
    state = rest(at: now, random: &random)
    return effects
  }

  /// Kills a process that hangs or sends malformed messages.
  mutating func lose(_ why: HelperLoss, at now: Instant) -> [Effect] {
    switch state {
    case .starting, .running:
      posted.removeAll()
      state = .ending(killAt: now + Limits.webhookDeathMax)
      return [.kill(.webhooks)] + report(why)
    case .none, .ending, .resting, .stopped: return []
    }
  }

  private mutating func report(_ why: HelperLoss) -> [Effect] {
    defer { loss = why }
    return loss == why ? [] : [.report(.helper(.webhooks, .lost(why)))]
  }

  private mutating func rest(at now: Instant, random: inout Randomness) -> State {
    defer { failures += 1 }
    return .resting(until: now + Limits.webhookRetry.pause(after: failures, random: &random))
  }

  /// Marks the process as outdated, so that later requests use the current files.
  mutating func replace() {
    isStale = true
    rests.removeAll()
    if case .resting = state { state = .none }
  }

  /// Kills the process, because it is no longer wanted.
  mutating func stop() -> [Effect] {
    defer { state = .stopped }
    switch state {
    case .starting, .running, .ending: return [.kill(.webhooks)]
    case .none, .resting, .stopped: return []
    }
  }

  // MARK: Requests

  mutating func willPost(_ id: EntryID, _ action: String, at now: Instant) {
    posted[id] = action
    lastHeard = now
    state = .running(idleSince: nil)
  }

  /// Handles the answer to a request; returns false if the answer is not expected.
  mutating func answered(_ id: EntryID, at now: Instant) -> Bool {
    guard posted.removeValue(forKey: id) != nil, case .running = state else { return false }
    lastHeard = now
    if posted.isEmpty { state = .running(idleSince: now) }
    return true
  }

  /// Ends a process with outdated files, once no request is in flight.
  mutating func renew(at now: Instant) -> [Effect] {
    guard isStale, posted.isEmpty, case .running = state else { return [] }
    return end(at: now)
  }

  /// Handles a server that accepted or refused a request; returns whether the server had failed before.
  mutating func succeeded(_ action: String) -> Bool {
    servers(action).reduce(false) { rests.removeValue(forKey: $1) != nil || $0 }
  }

  /// Clears the failures of the servers and of the process.
  mutating func forgetTrouble() {
    if !rests.isEmpty { rests.removeAll() }
    loss = nil
  }

  /// Pauses the action's server; returns the length of the pause.
  mutating func failed(
    _ action: String, _ fault: WebhookFault, retryAfter: Duration?, at now: Instant, random: inout Randomness
  ) -> Duration {
    let server: Server = roomActions.contains(action) && fault.isOfHomeserver ? .homeserver : .action(action)
    let earlier = rests[server]
    var pause = Limits.webhookRetry.pause(after: earlier?.failures ?? 0, random: &random)
    if let retryAfter { pause = max(pause, min(retryAfter, Limits.webhookRetryAfterMax)) }
    // Of two parallel requests, the second failure counts with the first.
    if let until = earlier?.until { pause = max(pause, until - now) }
    rests[server] = Rest(
      action: action, failures: (earlier?.failures ?? 0) + (earlier?.until == nil ? 1 : 0), until: now + pause,
      fault: fault)
    switch fault {
    // A renewed certificate or file is read by the next process.
    case .trouble(.certificateRefused, _), .trouble(.handshakeFailed, _), .trouble(.fileUnusable, _),
      .trouble(.tokenRefused, _):
      isStale = true
    case .trouble, .status: break
    }
    return pause
  }
}
