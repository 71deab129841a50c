// Recognizes gestures in one button's presses and releases. Pure; each event carries its time.
//
// A press counts at its first edge unless it can still become a different gesture: a hold is recognized after its time
// or at the release, a double or triple press at its last press or when no further press occurs in time. Presses that
// turn out not to be a double press count as single presses, each followed by its release, so none is lost.

/// A person's action on a button.
package enum Gesture: UInt8, CaseIterable, Hashable, Sendable {
  case press = 0
  case hold = 1
  case double = 2
  case triple = 3
  case `repeat` = 4
  case release = 5

  /// The gesture's key in the configuration.
  package var name: String {
    @export(interface) get {
      switch self {
      case .press: "press"
      case .hold: "hold"
      case .double: "double"
      case .triple: "triple"
      case .repeat: "repeat"
      case .release: "release"
      }
    }
  }
}

/// The gestures to distinguish on one button.
package struct GestureSettings: Hashable, Sendable {
  /// Action names, indexed by gesture; `nil` means that the gesture does nothing.
  package var actions: [String?]
  /// Duration after which a press is a hold.
  package var holdAfter: Duration
  /// Maximum time from one press of a double or triple press to the next.
  package var within: Duration
  /// Time from a press to its first repetition.
  package var repeatAfter: Duration
  /// Interval between two repetitions.
  package var repeatEvery: Duration

  /// Creates the settings of a button that does nothing.
  package init() {
    actions = [String?](repeating: nil, count: Gesture.allCases.count)
    holdAfter = Limits.holdDefault
    within = Limits.multiplePressDefault
    repeatAfter = Limits.repeatAfterDefault
    repeatEvery = Limits.repeatEveryDefault
  }

  /// The name of the action that a gesture triggers; `nil` if the gesture does nothing.
  package subscript(gesture: Gesture) -> String? {
    get { actions[Int(gesture.rawValue)] }
    set { actions[Int(gesture.rawValue)] = newValue }
  }

  func has(_ gesture: Gesture) -> Bool { self[gesture] != nil }

  /// Maximum number of presses in a configured gesture.
  var pressesMax: Int { has(.triple) ? 3 : has(.double) ? 2 : 1 }
}

/// Recognizes one button's gestures.
package struct Gestures: Sendable {
  private enum State: Sendable {
    case idle
    /// Pressed for the `count`th time; with `isDecided`, the gesture was already reported.
    case down(since: Instant, count: Int, isDecided: Bool, repeatAt: Instant?)
    /// Released after `count` presses that have not been reported yet.
    case between(count: Int, until: Instant)
  }

  private let settings: GestureSettings
  private var state: State = .idle

  /// Creates a recognizer for a button that is not pressed.
  package init(_ settings: GestureSettings) { self.settings = settings }

  /// Time at which `advance` is due unless an event occurs earlier.
  package var deadline: Instant? {
    @export(interface) get {
      switch state {
      case .idle: return nil
      case .between(_, let until): return until
      case .down(let since, _, let isDecided, let repeatAt):
        guard !isDecided else { return repeatAt }
        let decision = since + (settings.has(.hold) ? settings.holdAfter : settings.within)
        return repeatAt.map { min($0, decision) } ?? decision
      }
    }
  }

  /// Discards an unfinished gesture.
  package mutating func cancel() { state = .idle }

  /// Handles a press at `time`.
  @export(interface)
  package mutating func pressed(at time: Instant) -> [Gesture] {
    var gestures = advance(to: time)
    var count = 1
    if case .between(let before, _) = state { count += before }
    let repeatAt = settings.has(.repeat) ? time + settings.repeatAfter : nil
    var isDecided = true
    if settings.pressesMax == 1 {
      isDecided = !settings.has(.hold)
      if isDecided { gestures.append(.press) }
    } else if count == settings.pressesMax {
      gestures.append(count == 3 ? .triple : .double)
    } else {
      isDecided = false
    }
    state = .down(since: time, count: count, isDecided: isDecided, repeatAt: repeatAt)
    return gestures
  }

  /// Handles a release at `time`.
  @export(interface)
  package mutating func released(at time: Instant) -> [Gesture] {
    let gestures = advance(to: time)
    guard case .down(let since, let count, let isDecided, _) = state else { return gestures }
    state = .idle
    if isDecided { return gestures + release }
    let until = since + settings.within
    if settings.pressesMax > 1, time < until {
      // The gesture is not known yet; its release will be reported after it.
      state = .between(count: count, until: until)
      return gestures
    }
    return gestures + presses(count) + release
  }

  /// Handles the passing of time up to `now` without an event.
  @export(interface)
  package mutating func advance(to now: Instant) -> [Gesture] {
    guard let deadline, deadline <= now else { return [] }
    var gestures: [Gesture] = []
    switch state {
    case .idle: break
    case .between(let count, _):
      state = .idle
      gestures = presses(count) + release
    case .down(let since, let count, var isDecided, var repeatAt):
      if !isDecided {
        if settings.has(.hold) {
          if since + settings.holdAfter <= now {
            // This press is a hold, so the preceding presses were not a double press.
            for _ in 1..<count { gestures += [.press] + release }
            gestures.append(.hold)
            isDecided = true
          }
        } else if since + settings.within <= now {
          gestures += presses(count)
          isDecided = true
        }
      }
      if let due = repeatAt, due <= now {
        gestures.append(.repeat)
        // After the machine was suspended, a single repetition is sufficient.
        let next = due + settings.repeatEvery
        repeatAt = next > now ? next : now + settings.repeatEvery
      }
      state = .down(since: since, count: count, isDecided: isDecided, repeatAt: repeatAt)
    }
    return gestures
  }

  /// Returns `count` presses as a double press, if it is configured, or as single presses; omits the last release.
  private func presses(_ count: Int) -> [Gesture] {
    if count == 2, settings.has(.double) { return [.double] }
    var gestures: [Gesture] = [.press]
    for _ in 1..<count { gestures += release + [.press] }
    return gestures
  }

  private var release: [Gesture] { settings.has(.release) ? [.release] : [] }
}
