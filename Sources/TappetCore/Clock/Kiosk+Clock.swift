// The wall clock: whether it can be believed, and whether anything waits for it. Decides only.
//
// Three things need it: a timestamp token, an action's hours, and an entry of an earlier start of the machine, whose
// age only the wall clock tells. Certificates do not: TLS judges them with the clock as it is, and a wrong one shows as
// a link that fails.

extension Kiosk {
  /// Whether `%T` may be sealed.
  package var clockIsGood: Bool { settings.trustsClock || clock.isSynchronised == true }

  /// Whether an action, or an entry that waits, cannot do without the wall clock.
  var needsClock: Bool {
    settings.usesTimestamp || delivery.outbox.isHoldingBack ?? (clock.hasHeldBack && delivery.outbox.count > 0)
      || delivery.webhooks.isHoldingBack == true && delivery.webhookProcess.restingActions.isEmpty
  }

  mutating func clockChecked(_ isSynchronised: Bool, at now: Moment) -> [Effect] {
    let wasGood = clockIsGood
    let isFirst = clock.isSynchronised == nil
    clock.isSynchronised = isSynchronised
    if isSynchronised { intake.gate.clockIsGood(at: now) }
    if isFirst, !wasGood, !clockIsGood { return [] }
    clockJudged(before: wasGood, at: now)
    if wasGood, clockIsGood, !isFirst {
      delivery.outbox.clockStepped(at: now.instant)
      delivery.webhooks.clockStepped(at: now.instant)
    }
    return []
  }

  /// Handles a clock that became good, or ceased to be.
  mutating func clockJudged(before wasGood: Bool, at now: Moment) {
    guard wasGood != clockIsGood else { return }
    delivery.outbox.clockChanged(at: now.instant)
    delivery.webhooks.clockChanged(at: now.instant)
  }

  /// Reports that the clock is missed, or no longer; where nothing needs it, it is never missed.
  mutating func reportClock() -> [Effect] {
    let isMissed = !clockIsGood && clock.isSynchronised != nil && needsClock
    clock.hasHeldBack = isMissed && !settings.usesTimestamp
    guard isMissed != clock.isMissed else { return [] }
    clock.isMissed = isMissed
    return [.report(.clock(isMissed ? .unknown : .good))]
  }
}
