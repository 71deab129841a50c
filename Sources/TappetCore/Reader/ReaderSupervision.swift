// Keeps a tappet-reader running: starts the process, handles its messages, kills it if it stops responding, and
// restarts it with an increasing delay.

/// The kiosk's view of the reader's process.
struct ReaderSupervision: Sendable {
  /// The state of the process.
  enum State: Equatable, Sendable {
    /// No reader is configured, and no process is running.
    case absent
    /// No process is running; a process is to be started at the given time.
    case waiting(until: Instant)
    /// The process was started, but has not sent a message yet.
    case starting(since: Instant)
    /// The process is polling for tags.
    ///
    /// `hasReported` is whether it has sent a message since it became ready: the first reports a tag that lay there.
    case polling(lastHeard: Instant, hasReported: Bool)
    /// The process is reading a tag that arrived.
    case reading(since: Instant)
    /// The process has been given up and is exiting; if it is still running at `killAt`, it is killed.
    case ending(killAt: Instant?)
    /// The process was requested to exit, and will not be restarted.
    case stopping
    /// The process has exited, and will not be restarted.
    case stopped
  }

  private(set) var state: State
  /// Whether a reader is configured.
  private(set) var isWanted = true
  /// Number of consecutive failed starts.
  private var failures = 0
  /// The last reported loss without a recovery; a loss is reported only once, not at every failed attempt.
  private var reportedLoss: ReaderLoss?
  /// Whether a tag that was present when the reader became ready may have been placed without a person waiting for it:
  /// the kiosk was not running, or the reader was away for long.
  var wasUnattended = true
  /// Time since which a reader that worked has been away; `nil` while there is none.
  private var awaySince: Instant?

  init(startAt now: Instant) { state = .waiting(until: now) }

  var isUsable: Bool {
    switch state {
    case .polling, .reading: true
    case .absent, .waiting, .starting, .ending, .stopping, .stopped: false
    }
  }

  /// Whether a loss of the reader was reported and the reader has not recovered since.
  var isLost: Bool { reportedLoss != nil }

  var isStopped: Bool { state == .stopped }

  /// The reader's state as displayed; a lost reader is shown as lost until it is ready again.
  var condition: KioskStatus.Reader {
    if let reportedLoss { return .lost(reportedLoss) }
    return switch state {
    case .absent: .absent
    case .waiting, .starting, .ending: isWanted ? .starting : .absent
    case .polling, .reading: .ready
    case .stopping, .stopped: .stopped
    }
  }

  /// Time at which `timerFired` is due unless a message arrives earlier.
  var deadline: Instant? {
    switch state {
    case .waiting(let until): until
    case .starting(let since): since + Limits.readerStartMax
    case .polling(let lastHeard, _): lastHeard + Limits.readerSilenceMax
    case .reading(let since): since + Limits.readerReadMax
    case .ending(let killAt): killAt
    case .absent, .stopping, .stopped: nil
    }
  }

  /// Handles the deadline; a process is silent only if all messages that have arrived are handled.
  mutating func timerFired(at now: Instant, hasHeardAll: Bool) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    switch state {
    case .waiting:
      state = .starting(since: now)
      return [.start(.reader)]
    case .starting, .polling, .reading:
      return hasHeardAll ? [.kill(.reader)] + markLost(.silent, at: now) : []
    case .ending:
      state = .ending(killAt: nil)
      return [.kill(.reader)]
    case .absent, .stopping, .stopped:
      return []
    }
  }

  /// Handles a message from the process.
  mutating func received(_ message: ReaderMessage, at now: Instant) -> [Effect] {
    let wasUsable = isUsable
    defer { if wasUsable, isUsable { awaySince = nil } }
    switch (state, message) {
    case (.starting, .ready(let device)):
      state = .polling(lastHeard: now, hasReported: false)
      failures = 0
      reportedLoss = nil
      if let awaySince, now - awaySince > Limits.readerAbsenceMax { wasUnattended = true }
      return [.report(.reader(.ready(device: device)))]
    case (.starting, .lost(let fault, let code)), (.polling, .lost(let fault, let code)),
      (.reading, .lost(let fault, let code)):
      return markLost(.fault(fault, code: code), killAt: now + Limits.readerDeathMax, at: now)
    case (.polling, .tagArrived):
      state = .reading(since: now)
    case (.polling, _), (.reading, .tagRead), (.reading, .tagFaulted), (.reading, .tagLeft):
      state = .polling(lastHeard: now, hasReported: true)
    case (.reading, .ready), (.reading, .heartbeat), (.reading, .tagArrived), (.reading, .tagDescribed),
      (.reading, .orderProgress), (.reading, .orderDone):
      break  // The deadline of the read remains in effect.
    case (.absent, _), (.starting, _), (.waiting, _), (.ending, _), (.stopping, _), (.stopped, _):
      break  // The message is from a process that was given up.
    }
    return []
  }

  /// Handles an invalid message: the process can no longer be trusted.
  mutating func malformed(_ error: WireError, at now: Instant) -> [Effect] {
    switch state {
    case .starting, .polling, .reading: [.kill(.reader)] + markLost(.malformed(error), at: now)
    case .absent, .waiting, .ending, .stopping, .stopped: []
    }
  }

  /// Handles the exit of the process, and restarts it if a reader is configured.
  mutating func ended(_ end: ProcessEnd, at now: Instant) -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      let effects = markLost(.ended(end), at: now)
      scheduleRestart(at: now)
      return effects
    case .ending:
      if isWanted { scheduleRestart(at: now) } else { state = .absent }
      return []
    case .stopping:
      state = .stopped
      return []
    case .absent, .waiting, .stopped:
      return []
    }
  }

  /// Handles a process that could not be started.
  mutating func notStarted(code: Int32, at now: Instant) -> [Effect] {
    guard case .starting = state else { return [] }
    let effects = markLost(.notStarted(code: code), at: now)
    scheduleRestart(at: now)
    return effects
  }

  /// Stops the reader, without reporting a loss, so that a reader for the new device is started afterwards.
  mutating func replace(at now: Instant) -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      state = .ending(killAt: now + Limits.readerDeathMax)
      return [.stop(.reader)]
    case .absent, .waiting, .ending, .stopping, .stopped:
      return []
    }
  }

  /// Starts or stops the supervision of a reader, depending on the configuration.
  mutating func want(_ isWanted: Bool, at now: Instant) -> [Effect] {
    guard isWanted != self.isWanted else { return [] }
    self.isWanted = isWanted
    if isWanted {
      if state == .absent { state = .waiting(until: now) }
      return []
    }
    (reportedLoss, failures) = (nil, 0)
    if case .waiting = state { state = .absent }
    return replace(at: now)
  }

  /// Stops the reader permanently.
  mutating func stop() -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      state = .stopping
      return [.stop(.reader)]
    case .ending:
      state = .stopping
      return []
    case .absent, .waiting:
      state = .stopped
      return []
    case .stopping, .stopped:
      return []
    }
  }

  private mutating func markLost(_ loss: ReaderLoss, killAt: Instant? = nil, at now: Instant) -> [Effect] {
    switch state {
    case .polling(_, hasReported: true), .reading: (wasUnattended, awaySince) = (false, now)
    case .polling, .absent, .waiting, .starting, .ending, .stopping, .stopped: break
    }
    state = .ending(killAt: killAt)
    guard reportedLoss != loss else { return [] }
    reportedLoss = loss
    return [.report(.reader(.lost(loss)))]
  }

  private mutating func scheduleRestart(at now: Instant) {
    state = .waiting(until: now + Limits.readerRestart.pause(after: failures))
    failures += 1
  }
}
