// Tracks the tag on the reader, and the tags and secrets that were accepted recently.

/// Records taps, just long enough to count a held tag once and to enforce cooldowns.
struct TapDeduplicator: Sendable {
  /// The tag whose tap was counted, and whose removal has not been reported yet.
  private var held: TagUID?
  /// The tag that was present when the first reader became ready, until the tag leaves.
  private var early: TagUID?
  /// Whether any tag has arrived since the start.
  private var hasSeenTag = false
  /// Last acceptance of each tag and secret; those older than the longest cooldown are dropped.
  private var accepted: [(uid: TagUID, secretID: String?, action: String, at: Instant)] = []

  /// Handles the removal of a tag.
  mutating func tagLeft(_ uid: TagUID) {
    if held == uid { held = nil }
    if early == uid { early = nil }
  }

  /// Handles the arrival of a tag.
  ///
  /// If a tag was present all along, a new reader reports it immediately after becoming ready. A tag that is reported
  /// later was removed in between, although its removal was not reported.
  mutating func tagArrived(_ uid: TagUID, sinceReady: Duration) {
    let wasThere = sinceReady <= Limits.heldTagReturnMax
    if held == uid, wasThere { return }
    held = nil
    early = wasThere && !hasSeenTag ? uid : nil
    hasSeenTag = true
  }

  /// Returns whether the tag has been on the reader since before the start, in which case the kiosk may be unattended.
  func wasThereAtStart(_ uid: TagUID) -> Bool { early == uid }

  /// Returns whether this reading belongs to a tap that was already counted; otherwise counts it.
  mutating func isHeld(_ uid: TagUID) -> Bool {
    if held == uid { return true }
    held = uid
    return false
  }

  /// Returns the remaining cooldown; `nil` if the cooldown is over.
  ///
  /// The cooldown also applies by secret: a URL copied to another tag carries the same secret, but not the same UID.
  func cooldownRemaining(_ uid: TagUID, _ tap: VerifiedTap, at now: Instant) -> Duration? {
    let last = accepted.last {
      $0.action == tap.action.name && ($0.uid == uid || tap.secret != nil && $0.secretID == tap.secret?.id)
    }
    guard let last else { return nil }
    let remaining = tap.action.cooldown - (now - last.at)
    return remaining > .zero ? remaining : nil
  }

  /// Handles a tap that could not be stored, so that the next tap may be accepted.
  mutating func notAccepted(_ uid: TagUID, action: String) {
    accepted.removeAll { $0.uid == uid && $0.action == action }
  }

  /// Records an accepted tap.
  mutating func recordAccepted(_ uid: TagUID, _ tap: VerifiedTap, cooldownMax: Duration, at now: Instant) {
    let (action, secretID) = (tap.action.name, tap.secret?.id)
    accepted.removeAll {
      now - $0.at > cooldownMax || ($0.uid == uid && $0.secretID == secretID && $0.action == action)
    }
    if accepted.count >= Limits.cooldownsMax { accepted.removeFirst() }
    accepted.append((uid, secretID, action, now))
  }
}
