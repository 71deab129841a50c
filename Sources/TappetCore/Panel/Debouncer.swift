// Debounces a contact's edges: each press counts exactly once. Pure; each edge carries its time.
//
//         press                       release
//   _____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|__________     the contact
//   _____|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_______     counted at the first edge (the default)
//   ___________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_______     short pulses suppressed: counted when steady for the period
//
// A release counts only after the contact was open for the period: an earlier edge belongs to the previous press.

/// The debounce settings of a button.
package struct DebounceSettings: Hashable, Sendable {
  /// Maximum time for which the contact may bounce.
  package var period: Duration
  /// Whether a press must last for the period; otherwise it counts at its first edge, however short it is.
  package var suppressesShortPulses: Bool

  /// Creates debounce settings, by default for an ordinary push-button.
  package init(period: Duration = Limits.debounceDefault, suppressesShortPulses: Bool = false) {
    self.period = period
    self.suppressesShortPulses = suppressesShortPulses
  }
}

/// Determines when an input is pressed and released.
package struct Debouncer: Sendable {
  /// A confirmed change of the input.
  package enum Change: Hashable, Sendable {
    /// Pressed since this instant.
    case pressed(Instant)
    /// Open since this instant.
    case released(Instant)
    /// Already pressed when the line was opened; the button is ignored until it is released.
    case stuck
    /// Still bouncing after a long time; the button is ignored until it is released.
    case chattering
    /// Working again after being stuck or chattering.
    case recovered
  }

  private enum State: Sendable {
    /// The line is not open.
    case closed
    case released
    case pressed
    /// The button is ignored until it is released; `wasReported` states whether that was reported.
    case ignored(wasReported: Bool)
  }

  /// A series of edges without a pause between them.
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
  /// Time of the last edge of the latest counted release.
  private var releasedAt: Instant?

  /// Creates a debouncer for a line that is not open yet.
  package init(_ settings: DebounceSettings) {
    self.settings = settings
    period = settings.period
  }

  /// Time at which `advance` is due unless an edge occurs earlier.
  package var deadline: Instant? { run.map { $0.last + period } }

  /// Handles the opening of the line at the given level; with `debouncesItself`, its edges are already debounced.
  @export(interface)
  package mutating func opened(isActive: Bool, debouncesItself: Bool) -> [Change] {
    period = debouncesItself ? .zero : settings.period
    run = nil
    releasedAt = nil
    self.isActive = isActive
    state = isActive ? .ignored(wasReported: true) : .released
    return isActive ? [.stuck] : []
  }

  /// Handles the loss of the line; a button that is pressed will not be reported as released.
  package mutating func closed() {
    state = .closed
    run = nil
  }

  /// Handles an edge to the level `isActive`.
  @export(interface)
  package mutating func edge(isActive: Bool, at time: Instant) -> [Change] {
    var changes = advance(to: time)
    if case .closed = state { return changes }
    var run = self.run ?? Run(since: time, last: time, count: 0)
    run.last = max(run.last, time)
    run.count += 1
    self.run = run
    self.isActive = isActive
    if case .released = state, isActive, !settings.suppressesShortPulses || period == .zero {
      if let releasedAt, time - releasedAt < period {
        // The contact bounced for longer than the period: this edge belongs to the previous press.
        state = .ignored(wasReported: false)
      } else {
        state = .pressed
        changes.append(.pressed(time))
      }
    }
    if run.count > Limits.bouncesMax, run.last - run.since > Limits.bouncingMax {
      if case .ignored = state {
      } else {
        state = .ignored(wasReported: true)
        changes.append(.chattering)
      }
    }
    return changes + advance(to: time)
  }

  /// Handles the loss of edges up to `time`, at which the level is `isActive`.
  ///
  /// The lost edges may have filled any pause, so no pause is assumed after the last edge that was read.
  package mutating func edgesLost(isActive: Bool, at time: Instant) -> [Change] {
    guard let last = run?.last else { return edge(isActive: isActive, at: time) }
    run?.last = max(last, time)
    return edge(isActive: isActive, at: time)
  }

  /// Handles the passing of time up to `now` without an edge.
  @export(interface)
  package mutating func advance(to now: Instant) -> [Change] {
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
    case (.ignored(let wasReported), false):
      state = .released
      releasedAt = last
      return wasReported ? [.recovered] : []
    case (.released, false), (.pressed, true), (.ignored, true), (.closed, _):
      return []
    }
  }
}
