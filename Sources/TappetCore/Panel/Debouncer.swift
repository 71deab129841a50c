// Makes presses out of a contact's edges: each is counted once, none is invented. Pure; time comes with the edges.
//
//         press                       release
//   _____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|__________     the contact
//   _____|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_______     counted at the first edge (the default)
//   ___________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_______     short pulses suppressed: counted when steady for the period
//
// A release counts only when the contact was open for the period: whatever comes sooner belongs to the press before.

/// How a button's edges are read.
public struct DebounceSettings: Hashable, Sendable {
  /// How long a contact may bounce.
  public var period: Duration
  /// Whether a press must last for the period; otherwise it counts at its first edge, however short it is.
  public var suppressesShortPulses: Bool

  /// For an ordinary push-button.
  public init(period: Duration = Limits.debounceDefault, suppressesShortPulses: Bool = false) {
    self.period = period
    self.suppressesShortPulses = suppressesShortPulses
  }
}

/// One input's judge.
public struct Debouncer: Sendable {
  /// What became certain.
  public enum Change: Hashable, Sendable {
    /// It is pressed since then.
    case pressed(Instant)
    /// It is open since then.
    case released(Instant)
    /// It was pressed before anybody could have pressed it; it counts for nothing until it is released.
    case stuck
    /// It has not come to rest for long; it counts for nothing until it is released.
    case chattering
    /// What was stuck or chattering is as it should be.
    case recovered
  }

  private enum State: Sendable {
    /// There is no line.
    case closed
    case released
    case pressed
    /// `wasSaid`: somebody was told.
    case ignored(wasSaid: Bool)
  }

  /// Edges without a rest between them.
  private struct Run: Sendable {
    var since: Instant
    var last: Instant
    var count: Int
  }

  private let settings: DebounceSettings
  private var period: Duration
  private var state: State = .closed
  private var run: Run?
  private var isActive = false
  /// The last edge before the release that was counted last.
  private var releasedAt: Instant?

  /// A judge for a line that is not open yet.
  public init(_ settings: DebounceSettings) {
    self.settings = settings
    period = settings.period
  }

  /// When `advance` has something to say if no edge comes before.
  public var deadline: Instant? { run.map { $0.last + period } }

  /// The line is open, at this level; `debouncesItself`: its edges are a contact's no more.
  public mutating func opened(isActive: Bool, debouncesItself: Bool) -> [Change] {
    period = debouncesItself ? .zero : settings.period
    run = nil
    releasedAt = nil
    self.isActive = isActive
    state = isActive ? .ignored(wasSaid: true) : .released
    return isActive ? [.stuck] : []
  }

  /// The line is gone: what was pressed is neither pressed nor released.
  public mutating func closed() {
    state = .closed
    run = nil
  }

  /// An edge to `isActive`.
  public mutating func edge(isActive: Bool, at time: Instant) -> [Change] {
    var changes = advance(to: time)
    if case .closed = state { return changes }
    var run = self.run ?? Run(since: time, last: time, count: 0)
    run.last = max(run.last, time)
    run.count += 1
    self.run = run
    self.isActive = isActive
    if case .released = state, isActive, !settings.suppressesShortPulses || period == .zero {
      if let releasedAt, time - releasedAt < period {
        // It bounced on after we had given it up: a late edge, for the press before was the last.
        state = .ignored(wasSaid: false)
      } else {
        state = .pressed
        changes.append(.pressed(time))
      }
    }
    if run.count > Limits.bouncesMax, run.last - run.since > Limits.bouncingMax {
      if case .ignored = state {
      } else {
        state = .ignored(wasSaid: true)
        changes.append(.chattering)
      }
    }
    return changes + advance(to: time)
  }

  /// Edges were lost up to `time`, when the level was `isActive`.
  ///
  /// What was lost may have filled any rest, so none is assumed since the last edge that was read.
  public mutating func edgesLost(isActive: Bool, at time: Instant) -> [Change] {
    guard let last = run?.last else { return edge(isActive: isActive, at: time) }
    run?.last = max(last, time)
    return edge(isActive: isActive, at: time)
  }

  /// The time is `now`, and no edge came.
  public mutating func advance(to now: Instant) -> [Change] {
    guard let last = run?.last, last + period <= now else { return [] }
    run = nil
    switch (state, isActive) {
    case (.released, true):
      state = .pressed
      return [.pressed(last)]
    case (.pressed, false):
      state = .released
      releasedAt = last
      return [.released(last)]
    case (.ignored(let wasSaid), false):
      state = .released
      releasedAt = last
      return wasSaid ? [.recovered] : []
    case (.released, false), (.pressed, true), (.ignored, true), (.closed, _):
      return []
    }
  }
}
