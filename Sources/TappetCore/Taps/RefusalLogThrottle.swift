// Which refusals are reported one by one: a person who keeps tapping must not fill a disk with log lines. The rest of a
// minute is reported as a number at its end.

/// Counts the refusals that are reported and those that are not.
struct RefusalLogThrottle: Sendable {
  /// Whether it counts commands, and not taps and presses.
  private let countsCommands: Bool
  private var until: Instant?
  private var reportedCount = 0
  private var unreportedCount = 0

  init(countsCommands: Bool = false) { self.countsCommands = countsCommands }

  /// When the number of unreported refusals is due; `nil` means that there are none.
  var deadline: Instant? { unreportedCount > 0 ? until : nil }

  /// Reports a refusal by itself, or counts it.
  mutating func report(_ report: Report, at now: Instant) -> [Effect] {
    var effects = timerFired(at: now)
    if until.map({ $0 <= now }) ?? true {
      until = now + Limits.reportedRefusalsWindow
      reportedCount = 0
    }
    if reportedCount < Limits.reportedRefusalsMax {
      reportedCount += 1
      effects.append(.report(report))
    } else {
      unreportedCount += 1
    }
    return effects
  }

  /// Counts a refusal that is not reported by itself.
  mutating func count(at now: Instant) -> [Effect] {
    let effects = timerFired(at: now)
    if until.map({ $0 <= now }) ?? true {
      until = now + Limits.reportedRefusalsWindow
      reportedCount = 0
    }
    unreportedCount += 1
    return effects
  }

  mutating func timerFired(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return reportRest()
  }

  /// Reports the number before its time, because no later call will.
  mutating func reportRest() -> [Effect] {
    guard unreportedCount > 0 else { return [] }
    let count = unreportedCount
    unreportedCount = 0
    return [.report(countsCommands ? .command(.refusedMore(count: count)) : .tap(.refusedMore(count: count)))]
  }
}
