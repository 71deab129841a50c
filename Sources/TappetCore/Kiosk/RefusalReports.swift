// Which refusals are told one by one: a person who hammers away must not fill a disk with lines. The rest of a minute is told
// as a number at its end.

/// Counts what is told and what is not.
struct RefusalReports: Sendable {
  private var until: Instant?
  private var toldCount = 0
  private var untoldCount = 0

  /// When a number is to be told; nil: there is none.
  var deadline: Instant? { untoldCount > 0 ? until : nil }

  /// The report's line, if it has one of its own.
  mutating func tell(_ report: Report, at now: Instant) -> [Effect] {
    var effects = timeUp(at: now)
    if until.map({ $0 <= now }) ?? true {
      until = now + Limits.toldRefusalsWindow
      toldCount = 0
    }
    if toldCount < Limits.toldRefusalsMax {
      toldCount += 1
      effects.append(.report(report))
    } else {
      untoldCount += 1
    }
    return effects
  }

  mutating func timeUp(at now: Instant) -> [Effect] {
    guard let deadline, deadline <= now else { return [] }
    return tellRest()
  }

  /// The number, before its time: nobody will ask any more.
  mutating func tellRest() -> [Effect] {
    guard untoldCount > 0 else { return [] }
    let count = untoldCount
    untoldCount = 0
    return [.report(.refusedMore(count: count))]
  }
}
