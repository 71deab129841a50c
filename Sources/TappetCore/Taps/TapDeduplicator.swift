// Tracks the tag on the reader, and the tags and secrets that were accepted recently.

/// Records taps, just long enough to count a held tag once and to enforce cooldowns.
struct TapDeduplicator: Sendable {
  /// The tag whose tap was counted, and whose removal has not been reported yet.
  private var held: TagUID?
  /// A tag that was on the reader before taps were accepted; cleared when the tag leaves.
  private var leftLying: TagUID?
  /// Last acceptance of each tag and secret; those older than the longest cooldown are dropped.
  private var accepted: [(uid: TagUID, secretID: String?, action: String, at: Instant)] = []

  /// Handles the removal of a tag.
  mutating func tagLeft(_ uid: TagUID) {
    if held == uid { held = nil }
    if leftLying == uid { leftLying = nil }
  }

  /// Handles the arrival of a tag.
  ///
  /// A tag that was not already present when the reader became ready was removed before, even if its removal was not
  /// reported.
  mutating func tagArrived(_ uid: TagUID, wasPresent: Bool, wasUnattended: Bool) {
    if wasPresent, held == uid || leftLying == uid { return }
    held = nil
    leftLying = wasPresent && wasUnattended ? uid : nil
  }

  /// Returns whether the tag was placed while the kiosk was not running or its reader was away, so that perhaps no
  /// person is present.
  func wasLeftLying(_ uid: TagUID) -> Bool { leftLying == uid }

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
