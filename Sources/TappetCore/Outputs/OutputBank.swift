// Decides the level of every output: pulses, the longest time on, interlocks with their dead time, the loss of the
// link. All requests come here, so that no two of them can disagree.
//
// "Active" is away from the safe level. In a group at most one output is active; another one waits until the dead time
// after the last falling edge is over, and a newer request replaces the waiting one. Off is never delayed. Nobody knows
// what was active before a bank: so it begins with the dead time of each group.

/// The outputs of one panel.
struct OutputBank: Sendable {
  private struct State: Sendable {
    /// Since when it is active; `nil` means that it is at its safe level.
    var since: Instant?
    /// When it returns by itself; `nil` means never.
    var until: Instant?
    /// Whether it is active for the time of a pulse.
    var isPulse = false
    /// Whether its line is there.
    var isAvailable = false
    /// The request that waits for the dead time.
    var waiting: (request: OutputRequest, cause: OutputCause)?
    /// When the dead time that its last edge began is over.
    var deadUntil: Instant?
  }

  private let plans: [OutputPlan]
  private var states: [State]
  private var isClosed = false
  /// When the bank began.
  private let begunAt: Instant
  /// Since when the link is down; `nil` while it is up.
  private var linkDownSince: Instant?

  init(_ plans: [OutputPlan], at now: Instant) {
    self.plans = plans
    begunAt = now
    states = [State](repeating: State(), count: plans.count)
  }

  var indices: Range<Int> { plans.indices }

  func index(of name: String) -> Int? { plans.firstIndex { $0.name == name } }

  /// Whether the output is on, and whether its line is there.
  func status(of index: Int) -> (isOn: Bool, isAvailable: Bool) {
    ((states[index].since != nil) != plans[index].isSafeOn, states[index].isAvailable)
  }

  /// Whether a request waits for the dead time.
  func isWaiting(_ index: Int) -> Bool { states[index].waiting != nil }

  /// When `advance` is due.
  var deadline: Instant? {
    var deadline: Instant?
    func consider(_ other: Instant?) { if let other, deadline.map({ other < $0 }) ?? true { deadline = other } }
    for index in plans.indices {
      consider(states[index].until)
      consider(linkDeadline(of: index))
      if states[index].waiting != nil { consider(deadUntil(around: index)) }
    }
    return deadline
  }

  // MARK: Requests

  /// Why a request would have no effect now; `nil` when it would have one.
  func refusal(of index: Int) -> OutputRefusal? {
    if isClosed { return .closing }
    return states[index].isAvailable ? nil : .unavailable
  }

  /// Does what was requested as far as it is allowed.
  mutating func ask(
    _ request: OutputRequest, of index: Int, _ cause: OutputCause, at now: Instant
  ) -> Result<[OutputChange], OutputRefusal> {
    if let refusal = refusal(of: index) { return .failure(refusal) }
    let isActive = states[index].since != nil
    let wantsActive: Bool =
      switch request {
      case .on: !plans[index].isSafeOn
      case .off: plans[index].isSafeOn
      case .pulse: true
      case .toggle: !isActive && states[index].waiting == nil
      }
    guard wantsActive else {
      states[index].waiting = nil
      return .success(release(index, .asked(cause), at: now))
    }
    if isActive {
      prolong(index, isPulse: request == .pulse, at: now)
      return .success([])
    }
    return .success(interlocked(index, request, cause, at: now))
  }

  /// Activates the output, after the others of its group and their dead time.
  private mutating func interlocked(
    _ index: Int, _ request: OutputRequest, _ cause: OutputCause, at now: Instant
  ) -> [OutputChange] {
    var changes: [OutputChange] = []
    for other in plans.indices where other != index && isTogether(other, index) {
      states[other].waiting = nil
      changes += release(other, .interlock, at: now)
    }
    if let end = deadUntil(around: index), now < end {
      states[index].waiting = (request, cause)
      return changes + [.waits(index, end - now, cause)]
    }
    return changes + activate(index, isPulse: request == .pulse, cause, at: now)
  }

  private mutating func activate(
    _ index: Int, isPulse: Bool, _ cause: OutputCause, at now: Instant
  ) -> [OutputChange] {
    states[index].waiting = nil
    states[index].since = now
    states[index].isPulse = isPulse
    states[index].until = end(of: index, since: now, pulse: isPulse ? now + plans[index].pulse : nil)
    return [.level(index, isOn: !plans[index].isSafeOn, .asked(cause))]
  }

  /// Handles a request for the level that the output has.
  private mutating func prolong(_ index: Int, isPulse: Bool, at now: Instant) {
    guard let since = states[index].since else { return }
    guard isPulse else {
      states[index].isPulse = false
      return states[index].until = end(of: index, since: since, pulse: nil)
    }
    // A pulse does not end what was switched on to stay.
    guard states[index].isPulse, let until = states[index].until else { return }
    switch plans[index].repeats {
    case .ignored: break
    case .extends: states[index].until = end(of: index, since: since, pulse: until + plans[index].pulse)
    case .restarts: states[index].until = end(of: index, since: since, pulse: now + plans[index].pulse)
    }
  }

  private func end(of index: Int, since: Instant, pulse: Instant?) -> Instant? {
    guard let limit = plans[index].maxOn.map({ since + $0 }) else { return pulse }
    return pulse.map { min($0, limit) } ?? limit
  }

  private mutating func release(_ index: Int, _ reason: OutputReason, at now: Instant) -> [OutputChange] {
    guard states[index].since != nil else { return [] }
    rest(index, at: now)
    return [.level(index, isOn: plans[index].isSafeOn, reason)]
  }

  private mutating func rest(_ index: Int, at now: Instant) {
    states[index].since = nil
    states[index].until = nil
    if let group = plans[index].interlock { states[index].deadUntil = now + deadTime(of: group) }
  }

  // MARK: Groups

  private func isTogether(_ one: Int, _ other: Int) -> Bool {
    plans[one].interlock != nil && plans[one].interlock == plans[other].interlock
  }

  private func deadTime(of group: String) -> Duration {
    plans.reduce(.zero) { $1.interlock == group ? max($0, $1.deadTime) : $0 }
  }

  /// The end of the dead time for this output: the other ones' edges count, its own do not.
  private func deadUntil(around index: Int) -> Instant? {
    guard let group = plans[index].interlock else { return nil }
    return plans.indices.reduce(begunAt + deadTime(of: group)) { end, other in
      other == index || !isTogether(other, index) ? end : max(end, states[other].deadUntil ?? end)
    }
  }

  // MARK: Time, the link, the lines

  /// Does what is due by time alone.
  mutating func advance(to now: Instant) -> [OutputChange] {
    var changes: [OutputChange] = []
    for index in plans.indices {
      if let until = states[index].until, until <= now {
        changes += release(index, states[index].isPulse ? .pulseOver : .limit, at: now)
      }
      if let due = linkDeadline(of: index), due <= now { changes += release(index, .linkLost, at: now) }
    }
    for index in plans.indices {
      guard let (request, cause) = states[index].waiting, (deadUntil(around: index) ?? now) <= now else { continue }
      changes += activate(index, isPulse: request == .pulse, cause, at: now)
    }
    return changes
  }

  /// Notes whether the broker can be reached.
  mutating func noteLink(isUp: Bool, at now: Instant) {
    if isUp { linkDownSince = nil } else if linkDownSince == nil { linkDownSince = now }
  }

  private func linkDeadline(of index: Int) -> Instant? {
    guard let limit = plans[index].safeWithoutLink, let down = linkDownSince, let since = states[index].since else {
      return nil
    }
    return max(down, since) + limit
  }

  /// Handles a line that is there, at its safe level.
  mutating func opened(_ index: Int, at now: Instant) -> [OutputChange] {
    guard !isClosed, !states[index].isAvailable else { return [] }
    states[index].isAvailable = true
    return plans[index].startsOn ? interlocked(index, .on, .start, at: now) : []
  }

  /// Handles a line that is gone; the kernel has released it.
  mutating func lost(_ index: Int, at now: Instant) {
    states[index].isAvailable = false
    states[index].waiting = nil
    if states[index].since != nil { rest(index, at: now) }
  }

  /// Returns everything to its safe level, for good.
  mutating func close(at now: Instant) -> [OutputChange] {
    isClosed = true
    return plans.indices.flatMap { index in
      states[index].waiting = nil
      return release(index, .closing, at: now)
    }
  }
}
