// Determines the state of every input: a level that lasts, read when its line is opened and changed by its edges.
//
// A level counts when it was steady for the input's debounce time. A line that is lost has no state, and the state from
// before is never assumed again. The level at which a line is found is neither a forced opening nor a request to exit.

/// The inputs of one panel.
struct InputBank: Sendable {
  /// A decision about one input.
  enum Outcome: Equatable, Sendable {
    /// The contact has opened; the output that opens it is to decide whether it was forced.
    case opened(Int, at: Instant)
    case closed(Int, after: Duration?, wasHeldOpen: Bool)
    /// The contact is open for longer than it may be.
    case heldOpen(Int, for: Duration)
    /// A person requests to exit.
    case exit(Int, at: Instant)
    /// The door was unlocked, and nobody has opened it.
    case notEntered(Int)
    /// The contact does not stop bouncing, so its level is not known.
    case chattering(Int)
  }

  /// Edges that are not steady yet.
  private struct Run: Sendable {
    var isOpen: Bool
    /// Time of the first edge.
    var first: Instant
    /// Time of the last edge.
    var last: Instant
    var count = 0
  }

  private struct Input: Sendable {
    var state = InputState()
    var run: Run?
    var period: Duration
    /// The time at which it has been open for too long, or is to be reported again; `nil` if never.
    var heldOpenAt: Instant?
  }

  /// An opening by an output, which its door may use for a while.
  private struct Opening: Sendable {
    var output: String
    var since: Instant
    var due: Instant
  }

  private let plans: [InputPlan]
  private var inputs: [Input]
  /// Time up to which all edges are known; `nil` if no line reports edges.
  private var readUntil: Instant?
  /// The last request to exit, by the output that it opens.
  private var exits: [(output: String, at: Instant)] = []
  /// The last opening of each output that has ended, until it is known whether it was used.
  private var openings: [Opening] = []

  init(_ plans: [InputPlan]) {
    self.plans = plans
    inputs = plans.map { Input(period: $0.debounce) }
  }

  var indices: Range<Int> { plans.indices }

  /// The states, in the order of the configuration.
  var states: [InputState] { inputs.map { $0.state } }

  /// The level of the input with this name; unknown while it changes, until the new level is steady.
  func steadyLevel(of name: String) -> InputLevel {
    guard let index = plans.firstIndex(where: { $0.name == name }) else { return .unknown }
    let level = inputs[index].state.level
    guard let run = inputs[index].run else { return level }
    return run.isOpen == (level == .open) ? level : .unknown
  }

  /// Time at which `due` must be called unless an event occurs earlier.
  var deadline: Instant? {
    let ofInputs = inputs.compactMap { (input) -> Instant? in
      .earliest(input.run.map { $0.last + input.period }, input.heldOpenAt)
    }
    return .earliest(ofInputs.min(), openings.map { $0.due }.min())
  }

  /// Handles the opening of a line at the given level, which replaces whatever was known.
  mutating func opened(_ index: Int, isOpen: Bool, debouncesItself: Bool, at now: Instant) {
    guard inputs.indices.contains(index) else { return }
    inputs[index] = Input(period: debouncesItself ? .zero : plans[index].debounce)
    set(index, isOpen ? .open : .closed, .found, since: now)
  }

  /// Handles the loss of a line: its state is unknown.
  mutating func lost(_ index: Int, at now: Instant) {
    guard inputs.indices.contains(index), inputs[index].state.level != .unknown else { return }
    inputs[index] = Input(period: plans[index].debounce)
    set(index, .unknown, .lost, since: now)
  }

  /// Handles an edge, or the level after edges that were lost.
  mutating func edge(_ index: Int, isOpen: Bool, at time: Instant) -> [Outcome] {
    guard inputs.indices.contains(index), inputs[index].state.level != .unknown else { return [] }
    let before = advance(to: time)
    var run = inputs[index].run ?? Run(isOpen: isOpen, first: time, last: time)
    run.isOpen = isOpen
    run.last = max(run.last, time)
    run.count += 1
    inputs[index].run = run
    if run.count > Limits.bouncesMax, run.last - run.first > Limits.bouncingMax {
      lost(index, at: time)
      return before + [.chattering(index)]
    }
    return before + settle(index, at: time)
  }

  mutating func edgesRead(until time: Instant) { readUntil = time }

  /// Handles timers that expired by the time up to which all edges are known.
  mutating func due(at now: Instant) -> [Outcome] { advance(to: readUntil.map { min($0, now) } ?? now) }

  /// Records whether the opening was forced.
  mutating func judged(_ index: Int, _ cause: InputCause) { inputs[index].state.cause = cause }

  /// Returns whether a request to exit through the output precedes the given time, at which the door has opened.
  func isLeaving(through output: String, at instant: Instant, leeway: Duration, validFor time: Duration) -> Bool {
    exits.contains { $0.output == output && $0.at <= instant + leeway && instant <= $0.at + time }
  }

  /// Records that an output has left its safe level: an earlier opening that may still be used continues.
  mutating func openingBegan(_ output: String) { openings.removeAll { $0.output == output } }

  /// Records that an output has returned to its safe level: people may use the opening for a while.
  mutating func openingEnded(_ output: String, active: ClosedRange<Instant>) {
    guard let period = doors(of: output).map({ plans[$0].debounce }).max() else { return }
    let due = active.upperBound + Limits.openingUseMax + period
    openings.append(Opening(output: output, since: active.lowerBound, due: due))
  }

  private func doors(of output: String) -> [Int] {
    plans.indices.filter { plans[$0].isContact && plans[$0].output == output }
  }

  private mutating func advance(to now: Instant) -> [Outcome] {
    guard let deadline, deadline <= now else { return [] }
    let outcomes = inputs.indices.flatMap { settle($0, at: now) + heldOpen($0, at: now) }
    let over = openings.filter { $0.due <= now }
    openings.removeAll { $0.due <= now }
    return outcomes + over.compactMap { unused($0) }
  }

  /// Returns the outcome of an opening that nobody has used: all doors have been closed since before it, for certain.
  private func unused(_ opening: Opening) -> Outcome? {
    let doors = doors(of: opening.output)
    let areClosed = doors.allSatisfy { door in
      let state = inputs[door].state
      return state.level == .closed && inputs[door].run == nil && state.since.map { $0 <= opening.since } ?? false
    }
    return areClosed ? doors.first.map { .notEntered($0) } : nil
  }

  /// Accepts the level of edges that have been steady for long enough.
  private mutating func settle(_ index: Int, at now: Instant) -> [Outcome] {
    guard let run = inputs[index].run, run.last + inputs[index].period <= now else { return [] }
    inputs[index].run = nil
    let state = inputs[index].state
    guard run.isOpen != (state.level == .open) else { return [] }
    let wasFound = state.cause == .found
    set(index, run.isOpen ? .open : .closed, .changed, since: run.last)
    guard plans[index].isContact else { return run.isOpen ? [leaving(index, at: run.first)] : [] }
    if run.isOpen { return [.opened(index, at: run.first)] }
    let time = wasFound ? nil : state.since.map { run.last - $0 }
    return [.closed(index, after: time, wasHeldOpen: state.isHeldOpen)]
  }

  private mutating func leaving(_ index: Int, at time: Instant) -> Outcome {
    if let output = plans[index].output {
      exits.removeAll { $0.output == output }
      exits.append((output, time))
    }
    return .exit(index, at: time)
  }

  private mutating func heldOpen(_ index: Int, at now: Instant) -> [Outcome] {
    guard let due = inputs[index].heldOpenAt, due <= now, let since = inputs[index].state.since else { return [] }
    inputs[index].state.isHeldOpen = true
    inputs[index].heldOpenAt = now + Limits.heldOpenRepeat
    return [.heldOpen(index, for: now - since)]
  }

  private mutating func set(_ index: Int, _ level: InputLevel, _ cause: InputCause, since time: Instant) {
    inputs[index].state = InputState(level: level, cause: cause, since: time)
    let limit = level == .open && plans[index].isContact ? plans[index].heldOpen : nil
    inputs[index].heldOpenAt = limit.map { time + $0 }
  }
}
