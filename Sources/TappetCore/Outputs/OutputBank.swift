// Determines the level of every output: pulses, maximum on-times, interlocks with their dead times, and the loss of the
// link. All requests are handled here, so that they cannot conflict.
//
// "Active" means away from the safe level. At most one output of a group is active; a request to another output waits
// until the dead time after the last falling edge is over, and a newer request replaces the waiting one. Switching off
// is never delayed. The outputs' state before the bank exists is unknown, so each group starts with its dead time.

/// The outputs of one panel.
struct OutputBank: Sendable {
  private struct State: Sendable {
    /// The time of activation; `nil` means that the output is at its safe level.
    var since: Instant?
    /// The time at which the output returns to its safe level automatically; `nil` means never.
    var until: Instant?
    /// Whether the output is active for the duration of a pulse.
    var isPulse = false
    /// Whether the door has opened during the pulse, which therefore ends early.
    var isRelocking = false
    /// Whether the output's line is available.
    var isAvailable = false
    /// The request that is waiting for the end of the dead time.
    var waiting: (request: OutputRequest, cause: OutputCause)?
    /// The end of the dead time after the output's last falling edge.
    var deadUntil: Instant?
    /// The last time for which the output was active.
    var lastActive: ClosedRange<Instant>?
  }

  private let plans: [OutputPlan]
  private var states: [State]
  private var isClosed = false
  /// The creation time of the bank.
  private let begunAt: Instant
  /// The time at which the link was lost; `nil` while it is up.
  private var linkDownSince: Instant?

  init(_ plans: [OutputPlan], at now: Instant) {
    self.plans = plans
    begunAt = now
    states = [State](repeating: State(), count: plans.count)
  }

  var indices: Range<Int> { plans.indices }

  func index(of name: String) -> Int? { plans.firstIndex { $0.name == name } }

  /// Returns since when the output is away from its safe level, whether it is on, and whether its line is available.
  func status(of index: Int) -> (since: Instant?, isOn: Bool, isAvailable: Bool) {
    let since = states[index].since
    return (since, (since != nil) != plans[index].isSafeOn, states[index].isAvailable)
  }

  /// The end of the output's pulse; `nil` if it gets none.
  func pulseEnd(of index: Int) -> Instant? { states[index].isPulse ? states[index].until : nil }

  /// Returns the cause of the request that waits for the end of the dead time; `nil` if none does.
  func causeOfWaiting(_ index: Int) -> OutputCause? { states[index].waiting?.cause }

  /// The time at which `advance` is due.
  var deadline: Instant? {
    plans.indices.compactMap { index in
      let isWaiting = states[index].waiting != nil
      return .earliest(states[index].until, linkDeadline(of: index), isWaiting ? deadUntil(around: index) : nil)
    }.min()
  }

  // MARK: Requests

  /// Returns why a request would be refused now; `nil` if it would be accepted.
  func refusal(of index: Int) -> OutputRefusal? {
    if isClosed { return .closing }
    return states[index].isAvailable ? nil : .unavailable
  }

  /// Returns whether the request returns the output to its safe level.
  func isSafe(_ request: OutputRequest, of index: Int) -> Bool { request == (plans[index].isSafeOn ? .on : .off) }

  /// Returns whether the request lets the output leave its safe level, or stay away from it.
  func isActivating(_ request: OutputRequest, of index: Int) -> Bool {
    switch request {
    case .on: !plans[index].isSafeOn
    case .off: plans[index].isSafeOn
    case .pulse: true
    case .toggle: states[index].since == nil && states[index].waiting == nil
    }
  }

  /// Executes a request, or queues it until the dead time is over; returns the resulting changes.
  mutating func perform(
    _ request: OutputRequest, of index: Int, _ cause: OutputCause, at now: Instant
  ) -> Result<[OutputChange], OutputRefusal> {
    if let refusal = refusal(of: index) { return .failure(refusal) }
    guard isActivating(request, of: index) else {
      states[index].waiting = nil
      return .success(release(index, .asked(cause), at: now))
    }
    if states[index].since != nil {
      prolong(index, isPulse: request == .pulse, at: now)
      return .success([])
    }
    return .success(interlocked(index, request, cause, at: now))
  }

  /// Releases the other outputs of the group, and activates the given output, if necessary after the dead time.
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
    states[index].isRelocking = false
    states[index].until = end(of: index, since: now, pulse: isPulse ? now + plans[index].pulse : nil)
    return [.level(index, isOn: !plans[index].isSafeOn, .asked(cause))]
  }

  /// Extends an output that already has the requested level.
  private mutating func prolong(_ index: Int, isPulse: Bool, at now: Instant) {
    guard let since = states[index].since else { return }
    guard isPulse else {
      states[index].isPulse = false
      return states[index].until = end(of: index, since: since, pulse: nil)
    }
    // A pulse does not switch off an output that was switched on permanently.
    guard states[index].isPulse, let until = states[index].until else { return }
    if plans[index].repeats != .ignored { states[index].isRelocking = false }
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
    if let since = states[index].since { states[index].lastActive = since...max(since, now) }
    states[index].since = nil
    states[index].until = nil
    if let group = plans[index].interlock { states[index].deadUntil = now + deadTime(of: group) }
  }

  // MARK: Doors

  /// The duration of the output's pulse.
  func pulse(of index: Int) -> Duration { plans[index].pulse }

  /// The last time for which the output was active; `nil` if it never was.
  func lastActive(of index: Int) -> ClosedRange<Instant>? { states[index].lastActive }

  /// Returns whether the output was active at the given time, or within `time` before it.
  func hasOpened(_ index: Int, by instant: Instant, leeway: Duration, validFor time: Duration) -> Bool {
    if let since = states[index].since, since <= instant + leeway { return true }
    guard let last = states[index].lastActive else { return false }
    return last.lowerBound <= instant + leeway && instant <= last.upperBound + time
  }

  /// Ends a pulse, because the door has opened; a relay does not follow a pulse below the minimum.
  mutating func relock(_ index: Int, at now: Instant) -> [OutputChange] {
    guard states[index].isPulse, let since = states[index].since, let until = states[index].until else { return [] }
    states[index].isRelocking = true
    let end = min(until, since + Limits.pulseMin)
    states[index].until = end
    return end <= now ? release(index, .relocked, at: now) : []
  }

  // MARK: Groups

  private func isTogether(_ one: Int, _ other: Int) -> Bool {
    plans[one].interlock != nil && plans[one].interlock == plans[other].interlock
  }

  private func deadTime(of group: String) -> Duration {
    plans.reduce(.zero) { $1.interlock == group ? max($0, $1.deadTime) : $0 }
  }

  /// Returns the end of the dead time for an output, which depends only on the edges of the group's other outputs.
  private func deadUntil(around index: Int) -> Instant? {
    guard let group = plans[index].interlock else { return nil }
    return plans.indices.reduce(begunAt + deadTime(of: group)) { end, other in
      other == index || !isTogether(other, index) ? end : max(end, states[other].deadUntil ?? end)
    }
  }

  // MARK: Time, the link, the lines

  /// Handles expired timers.
  mutating func advance(to now: Instant) -> [OutputChange] {
    var changes: [OutputChange] = []
    for index in plans.indices {
      if let until = states[index].until, until <= now {
        let pulseEnd: OutputReason = states[index].isRelocking ? .relocked : .pulseOver
        changes += release(index, states[index].isPulse ? pulseEnd : .limit, at: now)
      }
      if let due = linkDeadline(of: index), due <= now { changes += release(index, .linkLost, at: now) }
    }
    for index in plans.indices {
      guard let (request, cause) = states[index].waiting else { continue }
      let end = deadUntil(around: index) ?? now
      guard end <= now else { continue }
      if now - end > Limits.touchAgeMax {
        changes += withdraw(index, .tooLate)
        continue
      }
      changes += activate(index, isPulse: request == .pulse, cause, at: now)
    }
    return changes
  }

  /// Refuses the request that waits for the end of the dead time.
  mutating func withdraw(_ index: Int, _ refusal: OutputRefusal) -> [OutputChange] {
    guard let (request, cause) = states[index].waiting else { return [] }
    states[index].waiting = nil
    return [.missed(index, request, cause, refusal)]
  }

  /// Records whether the broker can be reached.
  mutating func recordLink(isUp: Bool, at now: Instant) {
    if isUp { linkDownSince = nil } else if linkDownSince == nil { linkDownSince = now }
  }

  private func linkDeadline(of index: Int) -> Instant? {
    guard let limit = plans[index].safeWithoutLink, let down = linkDownSince, let since = states[index].since else {
      return nil
    }
    return max(down, since) + limit
  }

  /// Handles a line that was opened at its safe level.
  mutating func opened(_ index: Int, at now: Instant) -> [OutputChange] {
    guard !isClosed, !states[index].isAvailable else { return [] }
    states[index].isAvailable = true
    return plans[index].startsOn ? interlocked(index, .on, .request(.kiosk), at: now) : []
  }

  /// Handles the loss of a line; the kernel has released it.
  mutating func lost(_ index: Int, at now: Instant) {
    states[index].isAvailable = false
    states[index].waiting = nil
    if states[index].since != nil { rest(index, at: now) }
  }

  /// Returns all outputs to their safe levels permanently.
  mutating func close(at now: Instant) -> [OutputChange] {
    isClosed = true
    return plans.indices.flatMap { index in
      states[index].waiting = nil
      return release(index, .closing, at: now)
    }
  }
}
