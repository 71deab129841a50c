// All buttons together: their debouncers, the pairs, and their gestures. Pure; performs and forbids nothing by itself.

/// What the buttons did.
struct PanelInputs: Sendable {
  /// One thing that a person did, or that is wrong with a button.
  enum Outcome: Equatable, Sendable {
    case gesture(button: Int, Gesture)
    case chord(Int)
    /// Pressed while presses are diverted: it will be nothing else.
    case diverted(button: Int)
    case stuck(button: Int)
    case chattering(button: Int)
    case recovered(button: Int)
  }

  /// Whose presses go their way.
  enum Gate: Equatable, Sendable {
    case open
    /// Everything is diverted.
    case closed
    /// Everything but these buttons is.
    case only([Int])
  }

  /// What becomes of a press until its release.
  private enum Press: Sendable {
    case none
    /// Kept back until then: the other button of a pair may come.
    case waiting(since: Instant)
    /// Its gesture is being read.
    case reading
    /// It was part of a chord, or diverted.
    case swallowed
  }

  private let plan: PanelPlan
  private var debouncers: [Debouncer]
  private var gestures: [Gestures]
  private var presses: [Press]
  /// Set by the owner, for the presses that begin from now on.
  var gate: Gate = .open

  init(_ plan: PanelPlan) {
    self.plan = plan
    debouncers = plan.buttons.map { Debouncer($0.debounce) }
    gestures = plan.buttons.map { Gestures($0.gestures) }
    presses = [Press](repeating: .none, count: plan.buttons.count)
  }

  /// When `advance` has something to say if nothing comes before.
  var deadline: Instant? {
    var deadline: Instant?
    func consider(_ other: Instant?) { if let other, deadline.map({ other < $0 }) ?? true { deadline = other } }
    for index in debouncers.indices {
      consider(debouncers[index].deadline)
      consider(gestures[index].deadline)
      if case .waiting(let since) = presses[index] { consider(since + Limits.chordWindow) }
    }
    return deadline
  }

  mutating func opened(_ button: Int, isActive: Bool, debouncesItself: Bool) -> [Outcome] {
    guard debouncers.indices.contains(button) else { return [] }
    drop(button)
    return take(debouncers[button].opened(isActive: isActive, debouncesItself: debouncesItself), of: button)
  }

  mutating func closed(_ button: Int) {
    guard debouncers.indices.contains(button) else { return }
    debouncers[button].closed()
    drop(button)
  }

  mutating func edge(_ button: Int, isActive: Bool, at time: Instant) -> [Outcome] {
    guard debouncers.indices.contains(button) else { return [] }
    let before = advance(to: time)
    return before + take(debouncers[button].edge(isActive: isActive, at: time), of: button)
  }

  mutating func key(_ button: Int, isDown: Bool, at time: Instant) -> [Outcome] {
    guard debouncers.indices.contains(button) else { return [] }
    let before = advance(to: time)
    return before + take([isDown ? .pressed(time) : .released(time)], of: button)
  }

  mutating func advance(to now: Instant) -> [Outcome] {
    guard let deadline, deadline <= now else { return [] }
    var outcomes: [Outcome] = []
    for button in debouncers.indices {
      outcomes += take(debouncers[button].advance(to: now), of: button)
      if case .waiting(let since) = presses[button], since + Limits.chordWindow <= now {
        outcomes += read(button, since: since)
      }
      outcomes += told(gestures[button].advance(to: now), of: button)
    }
    return outcomes
  }

  /// Whatever was begun is nothing: the lock fell.
  mutating func dropAll() { for button in presses.indices { drop(button) } }

  private mutating func drop(_ button: Int) {
    gestures[button].cancel()
    switch presses[button] {
    case .none: break
    case .waiting, .reading, .swallowed: presses[button] = .swallowed
    }
  }

  private mutating func take(_ changes: [Debouncer.Change], of button: Int) -> [Outcome] {
    var outcomes: [Outcome] = []
    for change in changes {
      switch change {
      case .pressed(let time): outcomes += pressed(button, at: time)
      case .released(let time): outcomes += released(button, at: time)
      case .stuck: outcomes.append(.stuck(button: button))
      case .chattering:
        drop(button)
        outcomes.append(.chattering(button: button))
      case .recovered:
        presses[button] = .none
        outcomes.append(.recovered(button: button))
      }
    }
    return outcomes
  }

  private mutating func pressed(_ button: Int, at time: Instant) -> [Outcome] {
    let passes =
      switch gate {
      case .open: true
      case .closed: false
      case .only(let buttons): buttons.contains(button)
      }
    guard passes else {
      gestures[button].cancel()
      presses[button] = .swallowed
      return [.diverted(button: button)]
    }
    guard plan.chords.contains(where: { $0.first == button || $0.second == button }) else {
      return read(button, since: time)
    }
    presses[button] = .waiting(since: time)
    for (index, chord) in plan.chords.enumerated() {
      guard case .waiting = presses[chord.first], case .waiting = presses[chord.second] else { continue }
      drop(chord.first)
      drop(chord.second)
      return [.chord(index)]
    }
    return []
  }

  private mutating func released(_ button: Int, at time: Instant) -> [Outcome] {
    var outcomes: [Outcome] = []
    if case .waiting(let since) = presses[button] { outcomes += read(button, since: since) }
    if case .reading = presses[button] { outcomes += told(gestures[button].released(at: time), of: button) }
    presses[button] = .none
    return outcomes
  }

  private mutating func read(_ button: Int, since time: Instant) -> [Outcome] {
    presses[button] = .reading
    return told(gestures[button].pressed(at: time), of: button)
  }

  private func told(_ gestures: [Gesture], of button: Int) -> [Outcome] {
    gestures.map { .gesture(button: button, $0) }
  }
}
