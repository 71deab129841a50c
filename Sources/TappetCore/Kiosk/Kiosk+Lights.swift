// The base light, shown while the kiosk is idle.

extension Kiosk {
  /// The light shown while the kiosk is idle; the most serious fault takes precedence.
  package var baseLight: Light {
    @export(interface) get {
      if panel.confirmation != nil { return .confirming }
      if stock.isAwaitingTap { return .holding }
      if inputStates.contains(where: { $0.isForced }) { return .forced }
      if !delivery.store.isGood || !panel.supervision.isGood { return .fault }
      if reader.isLost { return .readerLost }
      if tagJobs.isWriting { return .writing }
      if inputStates.contains(where: { $0.isHeldOpen }) { return .doorOpen }
      if isDestinationAway { return .offline }
      if clock.isMissed { return .clockUnknown }
      guard reader.isUsable || !reader.isWanted, delivery.link.isSettled else { return .starting }
      if clock.certificateDaysLeft != nil { return .certificateExpiring }
      if listening.unread?.isLit ?? false { return .unread }
      return panel.lock.isLocked ? .locked : .ready
    }
  }

  /// Whether a destination that a tap needs is known to be unreachable.
  private var isDestinationAway: Bool {
    if settings.tapsNeedBroker, delivery.link.hasFailed { return true }
    if stock.process.loss != nil { return true }
    if hasWebhookEntries, delivery.webhookProcess.loss != nil || delivery.webhookProcess.trouble != nil { return true }
    let homeserverIsAway = listening.process.loss != nil || listening.duties.fault != nil
    return homeserverIsAway && !settings.rooms.actions.isEmpty
  }
}
