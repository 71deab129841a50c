// Keeps tappet-webhook running while there are requests to send, and tracks the requests of webhooks and rooms, and
// whose servers are paused. Pure decision logic; the outbox manages the pending entries.

/// The kiosk's view of the webhooks.
struct WebhookSupervision: Sendable {
  /// The server to which a pause applies.
  private enum Server: Hashable, Sendable {
    /// The server of one action; for a room, a fault that affects only this action's requests to the homeserver.
    case action(String)
    /// The homeserver, which all of `roomActions` share.
    case homeserver
  }

  /// The retry pause of a server whose last request failed.
  private struct Rest: Sendable {
    /// The action whose request failed last.
    var action: String
    /// Number of consecutive failures; a brief pause requested by a busy server does not count.
    var failures: Int
    /// Time at which the pause ends; `nil` once the pause is over and the next request is in flight or due.
    var until: Instant?
    var fault: WebhookFault
  }

  private struct Request: Sendable {
    var action: String
    /// The process that sends the request: tappet-webhook, or tappet-matrix.
    var helper: Helper
  }

  /// The process tappet-webhook; tappet-matrix is supervised with the rooms.
  private(set) var process = HelperSupervision(.webhooks)
  /// The actions that share the homeserver.
  var roomActions: Set<String> = []
  /// The target of each action's webhook, as configured (`WebhookEndpoint.target`); none for rooms.
  var targets: [String: Int64] = [:]
  /// The target with which each action's webhook has worked.
  private var worked: [String: Int64] = [:]
  /// Entries refused by a webhook that has worked, the longest ago first; others are tried before them, so that an
  /// entry that alone is refused does not keep the others back.
  private(set) var refused: [EntryID] = []
  private var rests: [Server: Rest] = [:]
  /// The requests in flight.
  private var posted: [EntryID: Request] = [:]
  /// Time of the last message from tappet-webhook, or of the last request to it.
  private var lastHeard = Instant(nanoseconds: 0)
  /// Whether the files loaded by the process are outdated; if so, the process exits once no request is in flight.
  private var isStale = false

  /// The reason why tappet-webhook is not running although it should be.
  var loss: HelperLoss? { process.loss }

  var isRunning: Bool { process.isRunning }

  /// The first failed action and its fault; actions are sorted by name, so that the result does not change needlessly.
  var trouble: (action: String, WebhookFault)? {
    rests.values.filter { $0.failures > 0 }.inOrder { $0.action < $1.action }.first.map { ($0.action, $0.fault) }
  }

  /// Returns the servers whose pauses apply to the action.
  private func servers(_ action: String) -> [Server] {
    roomActions.contains(action) ? [.action(action), .homeserver] : [.action(action)]
  }

  /// Returns whether the last request to the action's server failed.
  func hasFailed(_ action: String) -> Bool { servers(action).contains { (rests[$0]?.failures ?? 0) > 0 } }

  /// Returns whether the action's webhook, as configured now, has ever accepted a request.
  func hasWorked(_ action: String) -> Bool { targets[action].map { worked[action] == $0 } ?? false }

  /// Whether a request under this id is in flight.
  func isPosted(_ id: EntryID) -> Bool { posted[id] != nil }

  func isResting(_ action: String) -> Bool { servers(action).contains { rests[$0]?.until != nil } }

  /// The actions whose entries remain in the store, because their servers are paused.
  var restingActions: [String] { roomActions.union(rests.values.map { $0.action }).filter { isResting($0) } }

  /// The process that sends the requests of the action.
  func helper(of action: String) -> Helper { roomActions.contains(action) ? .rooms : .webhooks }

  /// Returns whether a further request for the action may be sent to its process; `roomsRun` states whether
  /// tappet-matrix accepts orders.
  func mayPost(_ action: String, roomsRun: Bool) -> Bool {
    let helper = helper(of: action)
    guard helper == .rooms ? roomsRun : isRunning && !isStale, posted.count < Limits.webhooksInflightMax else {
      return false
    }
    // After a failure, a single request tests the server.
    if rests[.homeserver] != nil, helper == .rooms { return !hasPosted(to: .rooms) }
    let count = posted.values.reduce(0) { $1.action == action ? $0 + 1 : $0 }
    return count < (rests[.action(action)] != nil ? 1 : Limits.webhooksInflightPerActionMax)
  }

  /// Returns whether a request of the process is in flight.
  func hasPosted(to helper: Helper) -> Bool { posted.values.contains { $0.helper == helper } }

  /// Forgets the requests in flight of a process that has ended, and returns them.
  mutating func takePosted(to helper: Helper) -> [EntryID] {
    let lost = posted.filter { $0.value.helper == helper }
    for id in lost.keys { posted[id] = nil }
    return Array(lost.keys)
  }

  /// Time at which an idle process exits, or a process that does not respond counts as hung.
  private var silenceEnds: Instant {
    lastHeard + (hasPosted(to: .webhooks) ? Limits.webhookAnswerMax : Limits.webhookIdleMax)
  }

  var deadline: Instant? {
    .earliest(isRunning ? silenceEnds : process.deadline, rests.values.compactMap { $0.until }.min())
  }

  /// Handles the deadline; `restIsOver` means that a pause is over, so the store must be read again.
  mutating func timerFired(at now: Instant, hasHeardAll: Bool = true) -> (effects: [Effect], restIsOver: Bool) {
    var restIsOver = false
    for (server, rest) in rests {
      guard let until = rest.until, until <= now else { continue }
      rests[server]?.until = nil
      restIsOver = true
    }
    return (processTimeUp(at: now, hasHeardAll: hasHeardAll), restIsOver)
  }

  // MARK: The process

  private mutating func processTimeUp(at now: Instant, hasHeardAll: Bool) -> [Effect] {
    guard isRunning, silenceEnds <= now else {
      return process.timerFired(at: now, hasHeardAll: hasHeardAll)
    }
    guard hasHeardAll else { return [] }
    return hasPosted(to: .webhooks) ? process.lose(.silent, at: now) : process.want(false, at: now)
  }

  /// Starts the process because an entry is due.
  mutating func want(at now: Instant) -> [Effect] { process.want(true, at: now) }

  mutating func ready(at now: Instant) -> [Effect] {
    lastHeard = now
    return process.ready()
  }

  /// Handles the exit of the process, whether requested or not.
  mutating func ended(_ end: ProcessEnd, at now: Instant, random: inout Randomness) -> [Effect] {
    isStale = false
    return process.ended(end, at: now, random: &random)
  }

  mutating func notStarted(code: Int32, at now: Instant, random: inout Randomness) -> [Effect] {
    process.notStarted(code: code, at: now, random: &random)
  }

  /// Kills a process that hangs or sends malformed messages.
  mutating func lose(_ why: HelperLoss, at now: Instant) -> [Effect] { process.lose(why, at: now) }

  /// Marks the process as outdated, so that later requests use the current configuration and files.
  mutating func replace(at now: Instant) {
    isStale = process.isAlive
    rests.removeAll()
    process.endPause(at: now)
  }

  /// Kills the process, because the kiosk is stopping.
  mutating func stop(at now: Instant) -> [Effect] { process.kill(at: now) }

  // MARK: Requests

  mutating func willPost(_ id: EntryID, _ action: String, at now: Instant) {
    let helper = helper(of: action)
    posted[id] = Request(action: action, helper: helper)
    if helper == .webhooks { lastHeard = now }
  }

  /// Handles the response to a request; returns false if the response was not expected.
  mutating func answered(_ id: EntryID, at now: Instant) -> Bool {
    guard let request = posted.removeValue(forKey: id) else { return false }
    if request.helper == .webhooks { lastHeard = now }
    return true
  }

  /// Terminates a process with outdated files, if no request is in flight.
  mutating func renew(at now: Instant) -> [Effect] {
    isStale && isRunning && !hasPosted(to: .webhooks) ? process.want(false, at: now) : []
  }

  /// Restores the targets that have worked.
  mutating func restore(worked: [String: Int64]) { self.worked = worked }

  mutating func renameAction(_ former: String, to name: String) {
    worked[name] = worked.removeValue(forKey: former) ?? worked[name]
  }

  /// Handles an accepted request; returns what to record, if the webhook works for the first time.
  mutating func accepted(_ action: String) -> [Effect] {
    guard let target = targets[action], worked[action] != target else { return [] }
    worked[action] = target
    return [.store(.recordWebhook(action: action, target: target))]
  }

  /// Handles a refusal that is retried.
  mutating func recordRefusal(of id: EntryID) {
    refused.removeAll { $0 == id }
    if refused.count >= Limits.outboxWindow { refused.removeFirst() }
    refused.append(id)
  }

  mutating func forgetRefusal(of id: EntryID) { if !refused.isEmpty { refused.removeAll { $0 == id } } }

  /// Handles a response by which a server accepted or refused a request; returns whether the server had failed before.
  mutating func succeeded(_ action: String) -> Bool {
    servers(action).reduce(false) { (rests.removeValue(forKey: $1)?.failures ?? 0) > 0 || $0 }
  }

  /// Clears the failures of the servers and of the process.
  mutating func forgetTrouble() {
    if !rests.isEmpty { rests.removeAll() }
    if !refused.isEmpty { refused.removeAll() }
    process.forgetLoss()
  }

  /// Pauses the action's server; returns the length of the pause.
  ///
  /// A server that requests a pause of less than a second counts as busy, not as failed, unless it does so repeatedly.
  mutating func failed(
    _ action: String, _ fault: WebhookFault, retryAfter: Duration?, at now: Instant, random: inout Randomness
  ) -> Duration {
    let server: Server = roomActions.contains(action) && fault.isOfHomeserver ? .homeserver : .action(action)
    let earlier = rests[server]
    var pause = Limits.webhookRetry.pause(after: earlier?.failures ?? 0, random: &random)
    let isBusy = earlier == nil && retryAfter.map { $0 < Limits.webhookRetry.first } ?? false
    if let retryAfter {
      let least = isBusy ? Limits.webhookRetryAfterMin : pause
      pause = max(least, min(retryAfter, Limits.webhookRetryAfterMax))
    }
    // If two parallel requests fail, they count as one failure.
    if let until = earlier?.until { pause = max(pause, until - now) }
    rests[server] = Rest(
      action: action, failures: (earlier?.failures ?? 0) + (isBusy || earlier?.until != nil ? 0 : 1),
      until: now + pause, fault: fault)
    // The process is replaced, so that the next process reads a renewed certificate or file.
    if fault.mayBeOfFiles, helper(of: action) == .webhooks { isStale = true }
    return pause
  }
}
