// What becomes of a running kiosk when its configuration changes. Deciding only.
//
// What was accepted stays accepted: an entry of an action that is gone goes out as it was stored, up to its own expiry.

extension Kiosk {
  mutating func reconfigured(_ settings: KioskSettings, reconnect: Bool, at now: Moment) -> [Effect] {
    guard !isStopping else { return [] }
    let old = self.settings
    let wasGood = clockIsGood
    self.settings = settings
    // A question may be about an action that is not there any more.
    var effects = endConfirmation(.closed)
    if settings.trustsClock != old.trustsClock { effects += clockJudged(before: wasGood, at: now) }
    if settings.panel != old.panel { effects += panelReplaced(from: old.panel) }
    // Another count is another list, whatever was said.
    if reconnect || settings.endpointCount != old.endpointCount {
      effects += link.reconnect(endpointCount: settings.endpointCount, at: now.instant)
    }
    return effects
  }

  /// No button works until its line is opened anew; a lock that differs falls, as at the start.
  private mutating func panelReplaced(from old: PanelPlan) -> [Effect] {
    inputs = PanelInputs(settings.panel)
    panel = PanelSupervision()
    guard settings.panel.lockAfter != old.lockAfter || settings.panel.unlockCode != old.unlockCode else { return [] }
    let wasLocked = lock.isLocked
    lock = PanelLock(after: settings.panel.lockAfter, code: settings.panel.unlockCode)
    return lock.isLocked && !wasLocked ? [.report(.panelLocked)] : []
  }

  /// The panel's parts were let go: what was wrong with them is over, and nothing is pressed.
  mutating func panelClosed() -> [Effect] {
    inputs = PanelInputs(settings.panel)
    panel = PanelSupervision()
    return []
  }
}
