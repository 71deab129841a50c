// Limits the number of refusals that are reported individually, so that a person who keeps tapping cannot fill the disk
// with log lines. At the end of each minute, the number of further refusals is reported.

/// Counts reported and unreported refusals.
struct RefusalLogThrottle: Sendable {
  /// Whether the throttle counts commands instead of taps and presses.
  private let countsCommands: Bool
  private var until: Instant?
  private var reportedCount = 0
  private var unreportedCount = 0

  init(countsCommands: Bool = false) { self.countsCommands = countsCommands }

  /// Time at which the number of unreported refusals is due; `nil` if there are none.
  var deadline: Instant? { unreportedCount > 0 ? until : nil }

  /// Reports a refusal individually, or counts it.
  mutating func report(_ report: Report, at now: Instant) -> [Effect] {
    let effects = startWindow(at: now)
    if reportedCount < Limits.reportedRefusalsMax {
      reportedCount += 1
      return effects + [.report(report)]
    }
    unreportedCount += 1
    return effects
  }

  /// Counts a refusal that is not reported individually.
  mutating func count(at now: Instant) -> [Effect] {
    defer { unreportedCount += 1 }
    return startWindow(at: now)
  }

  /// Starts the next window if the last has ended.
  private mutating func startWindow(at now: Instant) -> [Effect] {
    let effects = timerFired(at: now)
    if until.map({ $0 <= now }) ?? true { (until, reportedCount) = (now + Limits.reportedRefusalsWindow, 0) }
    return effects
  }

  mutating func timerFired(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return reportRest()
  }

  /// Reports the count early, because no later call will report it.
  mutating func reportRest() -> [Effect] {
    guard unreportedCount > 0 else { return [] }
    let count = unreportedCount
    unreportedCount = 0
    return [.report(countsCommands ? .command(.refusedMore(count: count)) : .tap(.refusedMore(count: count)))]
  }
}
