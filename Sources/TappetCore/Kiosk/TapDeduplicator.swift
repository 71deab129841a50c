// Which tag is on the reader, and which was accepted lately.

/// Remembers taps just long enough to count a held tag once and to keep an action's cooldown.
struct TapDeduplicator: Sendable {
  /// The tag whose tap was counted and that has not been seen to leave.
  private var held: TagUID?
  /// When each tag was last accepted; entries older than the longest cooldown are dropped.
  private var accepted: [(uid: TagUID, action: String, at: Instant)] = []

  /// Handles a tag that left the field.
  mutating func tagLeft(_ uid: TagUID) { if held == uid { held = nil } }

  /// Handles a tag that arrived.
  ///
  /// A new reader sees a tag that was there all along within moments of being ready; one that comes later has been
  /// away, though nobody saw it leave.
  mutating func tagArrived(_ uid: TagUID, sinceReady: Duration) {
    if held == uid, sinceReady <= Limits.heldTagReturnMax { return }
    held = nil
  }

  /// Whether this reading belongs to a tap that was counted before; counts it if not.
  mutating func isHeld(_ uid: TagUID) -> Bool {
    if held == uid { return true }
    held = uid
    return false
  }

  /// The rest of the cooldown; `nil` when it is over.
  func cooldownRemaining(_ uid: TagUID, _ action: Action, at now: Instant) -> Duration? {
    guard let last = accepted.last(where: { $0.uid == uid && $0.action == action.name }) else { return nil }
    let remaining = action.cooldown - (now - last.at)
    return remaining > .zero ? remaining : nil
  }

  /// Handles a tap that the disk did not take: the next one may be accepted.
  mutating func notAccepted(_ uid: TagUID, action: String) {
    accepted.removeAll { $0.uid == uid && $0.action == action }
  }

  /// Remembers an accepted tap.
  mutating func noteAccepted(_ uid: TagUID, _ action: Action, cooldownMax: Duration, at now: Instant) {
    accepted.removeAll { now - $0.at > cooldownMax || ($0.uid == uid && $0.action == action.name) }
    if accepted.count >= Limits.cooldownsMax { accepted.removeFirst() }
    accepted.append((uid, action.name, now))
  }
}
