// The base light, shown while the kiosk is idle.

extension Kiosk {
  /// The light shown while the kiosk is idle; the most serious fault takes precedence.
  package var baseLight: Light {
    @export(interface) get {
      if panel.confirmation != nil { return .confirming }
      if stock.isAwaitingTap { return .holding }
      if !delivery.store.isGood || !panel.supervision.isGood { return .fault }
      if reader.isLost { return .readerLost }
      if tapPolicy.isWriting { return .writing }
      if delivery.link.hasFailed || stock.process.loss != nil
        || hasWebhookEntries && (delivery.webhookProcess.loss != nil || delivery.webhookProcess.trouble != nil)
      {
        return .offline
      }
      if clock.isMissed { return .clockUnknown }
      guard reader.isUsable || !reader.isWanted, delivery.link.isUp else { return .starting }
      if clock.certificateDaysLeft != nil { return .certificateExpiring }
      return panel.lock.isLocked ? .locked : .ready
    }
  }
}
