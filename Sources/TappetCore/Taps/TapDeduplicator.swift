// Which tag is on the reader, and which tags and secrets were accepted lately.

/// Remembers taps just long enough to count a held tag once and to keep an action's cooldown.
struct TapDeduplicator: Sendable {
  /// The tag whose tap was counted and that has not been seen to leave.
  private var held: TagUID?
  /// The tag that was there when the first reader was ready, until it leaves.
  private var early: TagUID?
  /// Whether any tag has come since the start.
  private var hasSeenTag = false
  /// When each tag and secret was last accepted; entries older than the longest cooldown are dropped.
  private var accepted: [(uid: TagUID, secretID: String?, action: String, at: Instant)] = []

  /// Handles a tag that left the field.
  mutating func tagLeft(_ uid: TagUID) {
    if held == uid { held = nil }
    if early == uid { early = nil }
  }

  /// Handles a tag that arrived.
  ///
  /// A new reader sees a tag that was there all along within moments of being ready; one that comes later has been
  /// away, though nobody saw it leave.
  mutating func tagArrived(_ uid: TagUID, sinceReady: Duration) {
    let wasThere = sinceReady <= Limits.heldTagReturnMax
    if held == uid, wasThere { return }
    held = nil
    early = wasThere && !hasSeenTag ? uid : nil
    hasSeenTag = true
  }

  /// Whether the tag has been there since before the start, so that nobody may be in front of the kiosk.
  func wasThereAtStart(_ uid: TagUID) -> Bool { early == uid }

  /// Whether this reading belongs to a tap that was counted before; counts it if not.
  mutating func isHeld(_ uid: TagUID) -> Bool {
    if held == uid { return true }
    held = uid
    return false
  }

  /// The rest of the cooldown; `nil` when it is over.
  ///
  /// It counts by secret too: a URL that was copied onto another tag brings the secret along, and not the UID.
  func cooldownRemaining(_ uid: TagUID, _ tap: VerifiedTap, at now: Instant) -> Duration? {
    let last = accepted.last {
      $0.action == tap.action.name && ($0.uid == uid || tap.secret != nil && $0.secretID == tap.secret?.id)
    }
    guard let last else { return nil }
    let remaining = tap.action.cooldown - (now - last.at)
    return remaining > .zero ? remaining : nil
  }

  /// Handles a tap that the disk did not take: the next one may be accepted.
  mutating func notAccepted(_ uid: TagUID, action: String) {
    accepted.removeAll { $0.uid == uid && $0.action == action }
  }

  /// Remembers an accepted tap.
  mutating func noteAccepted(_ uid: TagUID, _ tap: VerifiedTap, cooldownMax: Duration, at now: Instant) {
    let (action, secretID) = (tap.action.name, tap.secret?.id)
    accepted.removeAll {
      now - $0.at > cooldownMax || ($0.uid == uid && $0.secretID == secretID && $0.action == action)
    }
    if accepted.count >= Limits.cooldownsMax { accepted.removeFirst() }
    accepted.append((uid, secretID, action, now))
  }
}
