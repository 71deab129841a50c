// All buttons together: their debouncers, chords and gestures. Pure; the owner performs actions and sets the gate.

/// Interprets the buttons' edges.
struct PanelInputs: Sendable {
  /// A person's action, or a fault of a button.
  enum Outcome: Equatable, Sendable {
    case gesture(button: Int, Gesture)
    case chord(Int)
    /// The button was pressed while presses are diverted; the press has no other effect.
    case diverted(button: Int)
    /// The press or gesture took place before `oldest`, and has no other effect.
    case late(button: Int, at: Instant)
    case stuck(button: Int)
    case chattering(button: Int)
    case recovered(button: Int)
  }

  /// Determines which presses are let through.
  enum Gate: Equatable, Sendable {
    case open
    /// All presses are diverted.
    case closed
    /// All presses are diverted, except for these buttons.
    case only([Int])
  }

  /// The state of a press until its release.
  private enum Press: Sendable {
    case none
    /// The press is held back briefly, because the other button of a chord may follow.
    case waiting(since: Instant)
    /// The press is being recognized as a gesture.
    case reading
    /// The press was part of a chord, or diverted.
    case swallowed
  }

  /// The state of one button.
  private struct Contact: Sendable {
    var debouncer: Debouncer
    var gestures: Gestures
    var press: Press
  }

  private let plan: PanelPlan
  private var contacts: [Contact] = []
  /// Time up to which all edges are known; `nil` if no line reports edges.
  private var readUntil: Instant?
  /// The gate for presses that start after it was set; the owner sets it.
  var gate: Gate = .open
  /// The time before which presses and gestures are too old to have an effect; the owner sets it.
  var oldest = Instant(nanoseconds: .min)

  init(_ plan: PanelPlan) {
    self.plan = plan
    for button in plan.buttons {
      contacts.append(
        Contact(debouncer: Debouncer(button.debounce), gestures: Gestures(button.gestures), press: .none))
    }
  }

  /// Time at which `due` must be called unless an event occurs earlier.
  var deadline: Instant? {
    contacts.compactMap { contact in
      let chordEnd: Instant? = if case .waiting(let since) = contact.press { since + Limits.chordWindow } else { nil }
      return .earliest(contact.debouncer.deadline, contact.gestures.deadline, chordEnd)
    }.min()
  }

  mutating func opened(_ button: Int, isActive: Bool, debouncesItself: Bool) -> [Outcome] {
    guard contacts.indices.contains(button) else { return [] }
    drop(button)
    return handle(contacts[button].debouncer.opened(isActive: isActive, debouncesItself: debouncesItself), of: button)
  }

  mutating func closed(_ button: Int) {
    guard contacts.indices.contains(button) else { return }
    contacts[button].debouncer.closed()
    drop(button)
  }

  mutating func edge(_ button: Int, isActive: Bool, at time: Instant) -> [Outcome] {
    guard contacts.indices.contains(button) else { return [] }
    let before = advance(to: time)
    return before + handle(contacts[button].debouncer.edge(isActive: isActive, at: time), of: button)
  }

  mutating func edgesLost(_ button: Int, isActive: Bool, at time: Instant) -> [Outcome] {
    guard contacts.indices.contains(button) else { return [] }
    // The lost edges come first, because this button cannot be assumed to have been steady in the meantime.
    let changes = contacts[button].debouncer.edgesLost(isActive: isActive, at: time)
    return handle(changes, of: button) + advance(to: time)
  }

  mutating func key(_ button: Int, isDown: Bool, at time: Instant) -> [Outcome] {
    guard contacts.indices.contains(button) else { return [] }
    let before = advance(to: time)
    return before + handle([isDown ? .pressed(time) : .released(time)], of: button)
  }

  mutating func edgesRead(until time: Instant) { readUntil = time }

  /// Handles timers that expired by the time up to which all edges are known: an unread edge may have ended a pause.
  mutating func due(at now: Instant) -> [Outcome] { advance(to: readUntil.map { min($0, now) } ?? now) }

  private mutating func advance(to now: Instant) -> [Outcome] {
    guard let deadline, deadline <= now else { return [] }
    var outcomes: [Outcome] = []
    for button in contacts.indices {
      outcomes += handle(contacts[button].debouncer.advance(to: now), of: button)
      if case .waiting(let since) = contacts[button].press, since + Limits.chordWindow <= now {
        outcomes += read(button, since: since)
      }
      let due = contacts[button].gestures.deadline ?? now
      outcomes += gestureOutcomes(contacts[button].gestures.advance(to: now), of: button, at: due)
    }
    return outcomes
  }

  /// Discards all unfinished presses and gestures, because the panel was locked.
  mutating func dropAll() { for button in contacts.indices { drop(button) } }

  private mutating func drop(_ button: Int) {
    contacts[button].gestures.cancel()
    switch contacts[button].press {
    case .none: break
    case .waiting, .reading, .swallowed: contacts[button].press = .swallowed
    }
  }

  private mutating func handle(_ changes: [Debouncer.Change], of button: Int) -> [Outcome] {
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
        contacts[button].press = .none
        outcomes.append(.recovered(button: button))
      }
    }
    return outcomes
  }

  private mutating func pressed(_ button: Int, at time: Instant) -> [Outcome] {
    guard time >= oldest else {
      contacts[button].gestures.cancel()
      contacts[button].press = .swallowed
      return [.late(button: button, at: time)]
    }
    let passes =
      switch gate {
      case .open: true
      case .closed: false
      case .only(let buttons): buttons.contains(button)
      }
    guard passes else {
      contacts[button].gestures.cancel()
      contacts[button].press = .swallowed
      return [.diverted(button: button)]
    }
    guard plan.chords.contains(where: { $0.first == button || $0.second == button }) else {
      return read(button, since: time)
    }
    contacts[button].press = .waiting(since: time)
    for (index, chord) in plan.chords.enumerated() {
      guard case .waiting = contacts[chord.first].press, case .waiting = contacts[chord.second].press else { continue }
      drop(chord.first)
      drop(chord.second)
      return [.chord(index)]
    }
    return []
  }

  private mutating func released(_ button: Int, at time: Instant) -> [Outcome] {
    var outcomes: [Outcome] = []
    if case .waiting(let since) = contacts[button].press { outcomes += read(button, since: since) }
    if case .reading = contacts[button].press {
      outcomes += gestureOutcomes(contacts[button].gestures.released(at: time), of: button, at: time)
    }
    contacts[button].press = .none
    return outcomes
  }

  private mutating func read(_ button: Int, since time: Instant) -> [Outcome] {
    contacts[button].press = .reading
    return gestureOutcomes(contacts[button].gestures.pressed(at: time), of: button, at: time)
  }

  /// Returns the outcomes of gestures that were recognized at `time`.
  private func gestureOutcomes(_ gestures: [Gesture], of button: Int, at time: Instant) -> [Outcome] {
    if !gestures.isEmpty, time < oldest { return [.late(button: button, at: time)] }
    return gestures.map { .gesture(button: button, $0) }
  }
}
