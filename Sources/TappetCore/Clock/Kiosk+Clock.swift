// The wall clock: whether it can be trusted, and whether anything waits for it. Pure decision logic.
//
// The clock is needed for a timestamp token, for an action's hours, and for an entry from before the last boot, whose
// age can only be determined with the wall clock. It is not needed for certificates: TLS checks them against the clock
// even if the clock is wrong, in which case the link fails.

extension Kiosk {
  /// Whether the clock is trusted, so that `%T` may be sealed.
  package var clockIsGood: Bool { settings.trustsClock || clock.isSynchronized == true }

  /// Whether an action or a pending entry needs the wall clock.
  var needsClock: Bool {
    settings.usesTimestamp || delivery.outbox.isHoldingBack ?? (clock.hasHeldBack && delivery.outbox.count > 0)
      || delivery.webhooks.isHoldingBack == true && delivery.webhookProcess.restingActions.isEmpty
  }

  mutating func clockChecked(_ isSynchronized: Bool, at now: Moment) -> [Effect] {
    let wasGood = clockIsGood
    let isFirst = clock.isSynchronized == nil
    clock.isSynchronized = isSynchronized
    if isSynchronized { intake.gate.clockIsGood(at: now) }
    if isFirst, !wasGood, !clockIsGood { return [] }
    clockJudged(before: wasGood, at: now)
    if wasGood, clockIsGood, !isFirst {
      delivery.outbox.clockStepped(at: now.instant)
      delivery.webhooks.clockStepped(at: now.instant)
      // Today may be another day.
      stock.followed = nil
    }
    return []
  }

  /// Handles a change in whether the clock is good.
  mutating func clockJudged(before wasGood: Bool, at now: Moment) {
    guard wasGood != clockIsGood else { return }
    delivery.outbox.clockChanged(at: now.instant)
    delivery.webhooks.clockChanged(at: now.instant)
  }

  /// Reports a change in whether the clock is needed but not good.
  mutating func reportClock() -> [Effect] {
    let isMissed = !clockIsGood && clock.isSynchronized != nil && needsClock
    clock.hasHeldBack = isMissed && !settings.usesTimestamp
    guard isMissed != clock.isMissed else { return [] }
    clock.isMissed = isMissed
    return [.report(.clock(isMissed ? .unknown : .good))]
  }
}
