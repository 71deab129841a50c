// Tracks the tag on the reader, and the tags and secrets that were accepted recently.

/// A record of taps, kept just long enough to count a held tag once and to enforce an action's cooldown.
struct TapDeduplicator: Sendable {
  /// The tag whose tap was counted, and whose removal has not been reported.
  private var held: TagUID?
  /// The tag that was on the reader when the first reader became ready, until it leaves.
  private var early: TagUID?
  /// Whether any tag has arrived since the start.
  private var hasSeenTag = false
  /// Last acceptance of each tag and secret; entries older than the longest cooldown are dropped.
  private var accepted: [(uid: TagUID, secretID: String?, action: String, at: Instant)] = []

  /// Handles a tag that left the field.
  mutating func tagLeft(_ uid: TagUID) {
    if held == uid { held = nil }
    if early == uid { early = nil }
  }

  /// Handles a tag that arrived.
  ///
  /// A new reader reports a tag that was there all along within moments of becoming ready; a tag that is reported later
  /// was removed in between, although its removal was not reported.
  mutating func tagArrived(_ uid: TagUID, sinceReady: Duration) {
    let wasThere = sinceReady <= Limits.heldTagReturnMax
    if held == uid, wasThere { return }
    held = nil
    early = wasThere && !hasSeenTag ? uid : nil
    hasSeenTag = true
  }

  /// Returns whether the tag has been there since before the start, in which case the kiosk may be unattended.
  func wasThereAtStart(_ uid: TagUID) -> Bool { early == uid }

  /// Returns whether this reading belongs to a tap that was already counted; otherwise counts it.
  mutating func isHeld(_ uid: TagUID) -> Bool {
    if held == uid { return true }
    held = uid
    return false
  }

  /// Returns the remaining cooldown; `nil` if it is over.
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

  /// Handles a tap that could not be stored: the next tap may be accepted.
  mutating func notAccepted(_ uid: TagUID, action: String) {
    accepted.removeAll { $0.uid == uid && $0.action == action }
  }

  /// Remembers an accepted tap.
  mutating func recordAccepted(_ uid: TagUID, _ tap: VerifiedTap, cooldownMax: Duration, at now: Instant) {
    let (action, secretID) = (tap.action.name, tap.secret?.id)
    accepted.removeAll {
      now - $0.at > cooldownMax || ($0.uid == uid && $0.secretID == secretID && $0.action == action)
    }
    if accepted.count >= Limits.cooldownsMax { accepted.removeFirst() }
    accepted.append((uid, secretID, action, now))
  }
}
