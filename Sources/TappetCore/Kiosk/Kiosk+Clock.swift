// The wall clock: whether it can be believed, and whether anything waits for it. Decides only.
//
// Three things need it: a timestamp token, an action's hours, and an entry of an earlier start of the machine, whose
// age only the wall clock tells. Certificates do not: TLS judges them with the clock as it is, and a wrong one shows as
// a link that fails.

extension Kiosk {
  /// Whether `%T` may be sealed.
  package var clockIsGood: Bool { settings.trustsClock || isClockSynchronised == true }

  /// Whether an action, or an entry that waits, cannot do without the wall clock.
  var needsClock: Bool {
    settings.usesTimestamp || outbox.isHoldingBack ?? (hasHeldBack && outbox.count > 0)
      || webhooks.isHoldingBack == true && supervision.restingActions.isEmpty
  }

  mutating func clockChecked(_ isSynchronised: Bool, at now: Moment) -> [Effect] {
    let wasGood = clockIsGood
    let isFirst = isClockSynchronised == nil
    isClockSynchronised = isSynchronised
    if isSynchronised { commands.clockIsGood(at: now) }
    if isFirst, !wasGood, !clockIsGood { return [] }
    clockJudged(before: wasGood, at: now)
    if wasGood, clockIsGood, !isFirst {
      outbox.clockStepped(at: now.instant)
      webhooks.clockStepped(at: now.instant)
    }
    return []
  }

  /// Handles a clock that became good, or ceased to be.
  mutating func clockJudged(before wasGood: Bool, at now: Moment) {
    guard wasGood != clockIsGood else { return }
    outbox.clockChanged(at: now.instant)
    webhooks.clockChanged(at: now.instant)
  }

  /// Reports that the clock is missed, or no longer; where nothing needs it, it is never missed.
  mutating func reportClock() -> [Effect] {
    let isMissed = !clockIsGood && isClockSynchronised != nil && needsClock
    hasHeldBack = isMissed && !settings.usesTimestamp
    guard isMissed != isClockMissed else { return [] }
    isClockMissed = isMissed
    return [.report(isMissed ? .clockUnknown : .clockGood)]
  }
}
