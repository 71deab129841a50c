// The light that lasts while nothing happens.

extension Kiosk {
  /// The lasting light while nothing happens: the most serious fault first.
  package var baseLight: Light {
    if confirmation != nil || desk.isHolding { return .confirming }
    if !store.isGood || !panel.isGood { return .fault }
    if reader.isLost { return .readerLost }
    if isWriting { return .writing }
    if link.hasFailed || inventory.loss != nil || supervision.loss != nil || supervision.trouble != nil {
      return .offline
    }
    if isClockMissed { return .clockUnknown }
    guard reader.isUsable || !reader.isWanted, link.isUp else { return .starting }
    if certificateDaysLeft != nil { return .certificateExpiring }
    return lock.isLocked ? .locked : .ready
  }
}
