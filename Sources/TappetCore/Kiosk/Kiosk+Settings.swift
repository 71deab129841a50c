// Changes the configuration of a running kiosk. Pure decision logic.
//
// Accepted entries stay accepted: an entry of a removed action is sent as stored, until it expires.

extension Kiosk {
  mutating func reconfigured(_ settings: KioskSettings, reconnect: Bool, at now: Moment) -> [Effect] {
    guard !isStopping else { return [] }
    let old = self.settings
    let wasGood = clockIsGood
    self.settings = settings
    tapPolicy.indexes = ActionIndexes(settings.actions, secrets: tapPolicy.secrets)
    intake.gate.replace(by: settings.commands, at: now.instant)
    intake.firmware.reconfigure(settings.commands, at: now.instant)
    if delivery.link.isUp {
      intake.firmware.reported(at: settings.commands.contains { $0.firmware != nil } ? now.instant : nil)
    }
    // A confirmation may be about an action that was removed.
    var effects = endConfirmation(.closed)
    rediscover(after: old, at: now)
    if settings.trustsClock != old.trustsClock { clockJudged(before: wasGood, at: now) }
    effects += stock.process.want(settings.inventory != nil, at: now.instant)
    delivery.webhookProcess.roomActions = Set(settings.rooms.actions.keys)
    delivery.webhookProcess.targets = settings.webhookTargets
    if !settings.rooms.reporting.isEmpty { delivery.edits.use(hasRows: false) }
    if settings.rooms.will != old.rooms.will { effects += cancelWill(old.rooms.will) }
    // A process that only sends is started when a message is due.
    if settings.hearsRooms || old.hearsRooms { effects += listening.process.want(settings.hearsRooms, at: now.instant) }
    if !settings.hearsRooms { listening.duties.fault = nil }
    if settings.rooms.will != old.rooms.will { listening.will.replace() }
    if settings.rooms.unread != old.rooms.unread { listening.unread = nil }
    if settings.rooms.inviters != old.rooms.inviters { listening.invitations.processEnded() }
    if settings.site != old.site { site.replace() }
    if settings.inventory == nil { stock.news = InventoryNewsDuties() }
    if settings.panel != old.panel { effects += panelReplaced(from: old.panel, at: now.instant) }
    // A different number of endpoints means a different list, regardless of `reconnect`.
    if reconnect || settings.endpointCount != old.endpointCount {
      delivery.outbox.suspicion.tryAgain()
      effects += delivery.link.reconnect(endpointCount: settings.endpointCount, at: now.instant)
    }
    return effects
  }

  mutating func actionRenamed(_ former: String, to name: String) -> [Effect] {
    tapPolicy.presence.renameAction(former, to: name)
    delivery.webhookProcess.renameAction(former, to: name)
    return []
  }

  /// Replaces the panel: no button works until its line is reopened; changed lock settings lock it, as at startup.
  private mutating func panelReplaced(from old: PanelPlan, at now: Instant) -> [Effect] {
    _ = panelClosed(at: now)
    guard settings.panel.lockAfter != old.lockAfter || settings.panel.unlockCode != old.unlockCode else { return [] }
    let (wasLocked, failures) = (panel.lock.isLocked, panel.lock.failures)
    panel.lock = PanelLock(after: settings.panel.lockAfter, code: settings.panel.unlockCode)
    panel.lock.resume(failures: failures, at: now)
    return panel.lock.isLocked && !wasLocked ? [.report(.panel(.locked))] : []
  }

  /// Handles the release of the panel's parts: their faults are cleared, no button is pressed, and no output is on.
  mutating func panelClosed(at now: Instant) -> [Effect] {
    panel.inputs = PanelInputs(settings.panel)
    panel.outputs = OutputBank(settings.panel.outputs, at: now)
    panel.contacts = InputBank(settings.panel.inputs)
    panel.supervision = PanelSupervision()
    return []
  }
}
