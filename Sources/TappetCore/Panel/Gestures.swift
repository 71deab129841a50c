// Makes gestures out of one button's presses and releases. Pure; time comes with the events.
//
// A press counts at its first edge unless something else may still become of it: a hold is known at its time or at the
// release, a double or triple press when the last of them comes, or when none came within the time. Presses that turn out
// to be no double are presses, each of them, and each with its release behind it: nothing that a person did is lost.

/// What a person did with a button.
public enum Gesture: UInt8, CaseIterable, Hashable, Sendable {
  case press = 0
  case hold = 1
  case double = 2
  case triple = 3
  case `repeat` = 4
  case release = 5

  /// The key in the configuration.
  public var name: String {
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

/// What is to be told apart on one button.
public struct GestureSettings: Hashable, Sendable {
  /// Action names by gesture; nil: the gesture means nothing.
  public var actions: [String?]
  /// Pressed for so long it is held.
  public var holdAfter: Duration
  /// From one press of a double or triple to the next.
  public var within: Duration
  /// Held, the first repeat comes after this.
  public var repeatAfter: Duration
  /// Then one each.
  public var repeatEvery: Duration

  /// A button that does nothing.
  public init() {
    actions = [String?](repeating: nil, count: Gesture.allCases.count)
    holdAfter = Limits.holdDefault
    within = Limits.multiplePressDefault
    repeatAfter = Limits.repeatAfterDefault
    repeatEvery = Limits.repeatEveryDefault
  }

  /// The action that a gesture sets off.
  public subscript(gesture: Gesture) -> String? {
    get { actions[Int(gesture.rawValue)] }
    set { actions[Int(gesture.rawValue)] = newValue }
  }

  func has(_ gesture: Gesture) -> Bool { self[gesture] != nil }

  /// How many presses are waited for.
  var pressesMax: Int { has(.triple) ? 3 : has(.double) ? 2 : 1 }
}

/// One button's reader.
public struct Gestures: Sendable {
  private enum State: Sendable {
    case idle
    /// Pressed for the `count`th time; `isDecided`: what it is was said.
    case down(since: Instant, count: Int, isDecided: Bool, repeatAt: Instant?)
    /// Released after `count` presses of which nothing was said yet.
    case between(count: Int, until: Instant)
  }

  private let settings: GestureSettings
  private var state: State = .idle

  /// A reader for a button that is not pressed.
  public init(_ settings: GestureSettings) { self.settings = settings }

  /// When `advance` has something to say if nothing comes before.
  public var deadline: Instant? {
    switch state {
    case .idle: return nil
    case .between(_, let until): return until
    case .down(let since, _, let isDecided, let repeatAt):
      guard !isDecided else { return repeatAt }
      let decision = since + (settings.has(.hold) ? settings.holdAfter : settings.within)
      return repeatAt.map { min($0, decision) } ?? decision
    }
  }

  /// Whatever was begun is nothing.
  public mutating func cancel() { state = .idle }

  /// The button is pressed since `time`.
  public mutating func pressed(at time: Instant) -> [Gesture] {
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

  /// The button is open since `time`.
  public mutating func released(at time: Instant) -> [Gesture] {
    let gestures = advance(to: time)
    guard case .down(let since, let count, let isDecided, _) = state else { return gestures }
    state = .idle
    if isDecided { return gestures + release }
    let until = since + settings.within
    if settings.pressesMax > 1, time < until {
      // What it was is not known yet, and its release comes behind that.
      state = .between(count: count, until: until)
      return gestures
    }
    return gestures + presses(count) + release
  }

  /// The time is `now`, and nothing happened.
  public mutating func advance(to now: Instant) -> [Gesture] {
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
            // What came before it was no double then.
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
        // After a pause of the whole machine one is enough.
        let next = due + settings.repeatEvery
        repeatAt = next > now ? next : now + settings.repeatEvery
      }
      state = .down(since: since, count: count, isDecided: isDecided, repeatAt: repeatAt)
    }
    return gestures
  }

  /// So many presses and no more: a double, or each for itself; without the release of the last.
  private func presses(_ count: Int) -> [Gesture] {
    if count == 2, settings.has(.double) { return [.double] }
    var gestures: [Gesture] = [.press]
    for _ in 1..<count { gestures += release + [.press] }
    return gestures
  }

  private var release: [Gesture] { settings.has(.release) ? [.release] : [] }
}
