// Keeps a tappet-reader running: started, listened to, killed when it is silent, started again with a growing delay.

/// The reader's process as the kiosk sees it.
struct ReaderSupervision: Sendable {
  /// What is known of the process.
  enum State: Equatable, Sendable {
    /// None runs; one is to be started then.
    case waiting(until: Instant)
    /// Started; not heard of yet.
    case starting(since: Instant)
    /// Polling for tags.
    case polling(readyAt: Instant, lastHeard: Instant)
    /// Reading a tag that arrived.
    case reading(readyAt: Instant, since: Instant)
    /// Given up; its end is awaited. It is killed then, if it has only said so itself and libnfc holds it up.
    case ending(killAt: Instant?)
    /// Asked to end, for good.
    case stopping
    /// Gone, and not wanted any more.
    case stopped
  }

  private(set) var state: State
  /// Starts in a row that came to nothing.
  private var failures = 0
  /// The loss that was reported last and not followed by a recovery: each is told once, not at each attempt.
  private var reportedLoss: ReaderLoss?

  init(startAt now: Instant) { state = .waiting(until: now) }

  var isUsable: Bool {
    switch state {
    case .polling, .reading: true
    case .waiting, .starting, .ending, .stopping, .stopped: false
    }
  }

  /// Whether its loss was reported and it has not come back.
  var isLost: Bool { reportedLoss != nil }

  var isStopped: Bool { state == .stopped }

  /// When something must be done if nothing is heard until then.
  var deadline: Instant? {
    switch state {
    case .waiting(let until): until
    case .starting(let since): since + Limits.readerStartMax
    case .polling(_, let lastHeard): lastHeard + Limits.readerSilenceMax
    case .reading(_, let since): since + Limits.readerReadMax
    case .ending(let killAt): killAt
    case .stopping, .stopped: nil
    }
  }

  /// How long ago the reader said that it is ready.
  func sinceReady(at now: Instant) -> Duration {
    switch state {
    case .polling(let readyAt, _), .reading(let readyAt, _): now - readyAt
    case .waiting, .starting, .ending, .stopping, .stopped: .zero
    }
  }

  /// The deadline passed.
  mutating func timeUp(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    switch state {
    case .waiting:
      state = .starting(since: now)
      return [.startReader]
    case .starting, .polling, .reading:
      return [.killReader] + lose(.silent)
    case .ending:
      state = .ending(killAt: nil)
      return [.killReader]
    case .stopping, .stopped:
      return []
    }
  }

  /// A message was heard.
  mutating func heard(_ message: ReaderMessage, at now: Instant) -> [Effect] {
    switch (state, message) {
    case (.starting, .ready(let device)):
      state = .polling(readyAt: now, lastHeard: now)
      failures = 0
      reportedLoss = nil
      return [.report(.readerReady(device: device))]
    case (.starting, .lost(let fault, let code)), (.polling, .lost(let fault, let code)),
      (.reading, .lost(let fault, let code)):
      return lose(.fault(fault, code: code), killAt: now + Limits.readerDeathMax)
    case (.polling(let readyAt, _), .tagArrived):
      state = .reading(readyAt: readyAt, since: now)
    case (.polling(let readyAt, _), _), (.reading(let readyAt, _), .tagRead), (.reading(let readyAt, _), .tagFaulted),
      (.reading(let readyAt, _), .tagLeft):
      state = .polling(readyAt: readyAt, lastHeard: now)
    case (.reading, .ready), (.reading, .heartbeat), (.reading, .tagArrived), (.reading, .orderProgress),
      (.reading, .orderDone):
      break  // The read's own deadline stands.
    case (.starting, _), (.waiting, _), (.ending, _), (.stopping, _), (.stopped, _):
      break  // From a process that was given up.
    }
    return []
  }

  /// It sent what is no message: it is not itself any more.
  mutating func malformed(_ error: ReaderMessageError) -> [Effect] {
    switch state {
    case .starting, .polling, .reading: [.killReader] + lose(.malformed(error))
    case .waiting, .ending, .stopping, .stopped: []
    }
  }

  /// The process is gone; another follows.
  mutating func ended(_ end: ProcessEnd, at now: Instant) -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      let effects = lose(.ended(end))
      scheduleRestart(at: now)
      return effects
    case .ending:
      scheduleRestart(at: now)
      return []
    case .stopping:
      state = .stopped
      return []
    case .waiting, .stopped:
      return []
    }
  }

  /// The process could not even be started.
  mutating func notStarted(code: Int32, at now: Instant) -> [Effect] {
    guard case .starting = state else { return [] }
    let effects = lose(.notStarted(code: code))
    scheduleRestart(at: now)
    return effects
  }

  /// Another device is to be read: this one's reader ends, which is no loss, and another follows.
  mutating func replace(at now: Instant) -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      state = .ending(killAt: now + Limits.readerDeathMax)
      return [.stopReader]
    case .waiting, .ending, .stopping, .stopped:
      return []
    }
  }

  /// No reader is wanted any more.
  mutating func stop() -> [Effect] {
    switch state {
    case .starting, .polling, .reading:
      state = .stopping
      return [.stopReader]
    case .ending:
      state = .stopping
      return []
    case .waiting:
      state = .stopped
      return []
    case .stopping, .stopped:
      return []
    }
  }

  private mutating func lose(_ loss: ReaderLoss, killAt: Instant? = nil) -> [Effect] {
    state = .ending(killAt: killAt)
    guard reportedLoss != loss else { return [] }
    reportedLoss = loss
    return [.report(.readerLost(loss))]
  }

  private mutating func scheduleRestart(at now: Instant) {
    let delay = min(Limits.readerRestartDelayMax, Limits.readerRestartDelayMin * (1 << min(failures, 4)))
    failures += 1
    state = .waiting(until: now + delay)
  }
}
