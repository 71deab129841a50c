// Keeps a helper process running while the configuration needs it. Pure decision logic.

/// The kiosk's view of a helper process.
struct HelperSupervision: Sendable {
  enum State: Equatable, Sendable {
    /// No process is needed.
    case none
    /// The process was started, but is not ready yet.
    case starting(since: Instant)
    case running
    /// The process was killed or requested to exit; it is restarted if it is still needed.
    case ending(killAt: Instant)
    case resting(until: Instant)
  }

  private let helper: Helper
  private(set) var state = State.none
  private var isWanted = false
  private var failures = 0
  /// The reason why the process is not running although it should be.
  private(set) var loss: HelperLoss?

  init(_ helper: Helper) { self.helper = helper }

  /// Whether the process accepts orders.
  var isRunning: Bool { state == .running }

  /// Whether the process was started and has neither exited nor been requested to exit.
  var isAlive: Bool {
    switch state {
    case .starting, .running: true
    case .none, .ending, .resting: false
    }
  }

  var deadline: Instant? {
    switch state {
    case .none, .running: nil
    case .starting(let since): since + Limits.helperStartMax
    case .ending(let killAt): killAt
    case .resting(let until): until
    }
  }

  /// Sets whether the process should run.
  mutating func want(_ isWanted: Bool, at now: Instant) -> [Effect] {
    self.isWanted = isWanted
    switch state {
    case .none: return isWanted ? start(at: now) : []
    case .resting:
      if !isWanted { (state, loss) = (.none, nil) }
      return []
    case .starting, .running: return isWanted ? [] : end(at: now)
    case .ending: return []
    }
  }

  /// Stops the process, so that its successor reads the changed settings.
  mutating func replace(at now: Instant) -> [Effect] {
    switch state {
    case .starting, .running: return end(at: now)
    case .none, .ending, .resting:
      endPause(at: now)
      return []
    }
  }

  /// Ends the pause after a failure.
  mutating func endPause(at now: Instant) { if case .resting = state { state = .resting(until: now) } }

  /// Clears the failure; a process that is paused after a failure is not restarted.
  mutating func forgetLoss() {
    loss = nil
    if case .resting = state { (state, isWanted) = (.none, false) }
  }

  /// Handles the deadline; a process is silent only if all messages that have arrived are handled.
  mutating func timerFired(at now: Instant, hasHeardAll: Bool = true) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    switch state {
    case .starting: return hasHeardAll ? lose(.silent, at: now) : []
    case .ending:
      state = .ending(killAt: now + Limits.helperEndMax)
      return [.kill(helper)]
    case .resting: return again(at: now)
    case .none, .running: return []
    }
  }

  mutating func ready() -> [Effect] {
    guard case .starting = state else { return [] }
    state = .running
    failures = 0
    defer { loss = nil }
    return loss == nil ? [] : [.report(.helper(helper, .back))]
  }

  /// Restarts, without a pause, a process that exited in order to be restarted.
  mutating func endedToBeginAgain(at now: Instant) -> [Effect] {
    switch state {
    case .starting, .running, .ending: again(at: now)
    case .none, .resting: []
    }
  }

  /// Handles the exit of the process, requested or not.
  mutating func ended(_ end: ProcessEnd, at now: Instant, random: inout Randomness) -> [Effect] {
    switch state {
    case .starting, .running:
      let effects = report(.ended(end))
      rest(at: now, random: &random)
      return effects
    case .ending:
      if loss != nil, isWanted {
        rest(at: now, random: &random)
        return []
      }
      return again(at: now)
    case .none, .resting: return []
    }
  }

  /// Restarts the process if it is still needed.
  private mutating func again(at now: Instant) -> [Effect] {
    if isWanted { return start(at: now) }
    (state, loss) = (.none, nil)
    return []
  }

  mutating func notStarted(code: Int32, at now: Instant, random: inout Randomness) -> [Effect] {
    guard case .starting = state else { return [] }
    rest(at: now, random: &random)
    return report(.notStarted(code: code))
  }

  /// Kills a process that hangs or sends malformed messages.
  mutating func lose(_ why: HelperLoss, at now: Instant) -> [Effect] {
    switch state {
    case .starting, .running:
      state = .ending(killAt: now + Limits.helperEndMax)
      return [.kill(helper)] + report(why)
    case .none, .ending, .resting: return []
    }
  }

  /// Kills the process, because it is no longer needed.
  mutating func kill(at now: Instant) -> [Effect] {
    isWanted = false
    switch state {
    case .starting, .running, .ending:
      state = .ending(killAt: now + Limits.helperEndMax)
      return [.kill(helper)]
    case .none, .resting: return []
    }
  }

  private mutating func start(at now: Instant) -> [Effect] {
    state = .starting(since: now)
    return [.start(helper)]
  }

  private mutating func end(at now: Instant) -> [Effect] {
    state = .ending(killAt: now + Limits.helperEndMax)
    loss = nil
    return [.stop(helper)]
  }

  private mutating func report(_ why: HelperLoss) -> [Effect] {
    defer { loss = why }
    return loss == why ? [] : [.report(.helper(helper, .lost(why)))]
  }

  private mutating func rest(at now: Instant, random: inout Randomness) {
    state = .resting(until: now + Limits.helperRetry.pause(after: failures, random: &random))
    failures += 1
  }
}
