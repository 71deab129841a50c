// What is worth telling a person, as facts. The sentences are made elsewhere, in one place.

/// Why a tap or a press was not accepted, in the order of the checks (formats.md, "Tag URL").
public indirect enum TapRefusal: Error, Hashable, Sendable {
  /// The tag could not be read.
  case unreadable(TagFault)
  /// It was read, but there is no tag URL on it.
  case content(TagContentError)
  /// What is on it is no tag URL.
  case malformedURL(TagURLError)
  /// No action has this index.
  case noSuchAction(index: Int64)
  /// The action has no secret.
  case noTagConfigured(action: String)
  /// None of the action's secrets made this signature.
  case invalidSignature(action: String)
  /// The action is not to be queued, and the broker is away.
  case brokerAway(action: String)
  /// The outbox has no room; what it holds and what it may hold.
  case outboxFull(action: String, count: Int, size: Int)
  /// The disk did not take it.
  case notStored(action: String, StoreFault)
  /// The buttons are locked.
  case panelLocked
  /// This tag was refused, or accepted, too often lately; how long it is not taken.
  case tooMany(wait: Duration)
}

/// Why a tap was neither accepted nor refused.
public enum TapIgnored: Hashable, Sendable {
  /// The tag lies on the reader since its last tap.
  case held
  /// The action's cooldown is not over.
  case cooldown(remaining: Duration)
}

/// Why the reader was given up.
public enum ReaderLoss: Hashable, Sendable {
  /// It said so itself; libnfc's code.
  case fault(ReaderFault, code: Int32)
  /// It ended without a word.
  case ended(ProcessEnd)
  /// It hangs.
  case silent
  /// It sent what is no message.
  case malformed(ReaderMessageError)
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}

/// Why an accepted entry waits.
public enum QueueReason: Hashable, Sendable {
  case linkDown
  case clockUnknown
  case behindOthers(count: Int)
}

/// Why a question got no answer.
public enum ConfirmationEnd: Hashable, Sendable {
  /// The time for it is over.
  case timeUp
  /// Another button was pressed, or another tag came.
  case otherTouch
  /// The tag was taken away, or its reader went.
  case tagGone
  /// The panel was locked, the configuration changed, or the kiosk ends.
  case closed
}

/// One fact for people.
public indirect enum Report: Sendable {
  case readerReady(device: String)
  case readerLost(ReaderLoss)
  case refused(trigger: Trigger, uid: TagUID?, TapRefusal)
  case ignored(uid: TagUID, action: String?, TapIgnored)
  /// So many more were refused or ignored within the minute, and not told one by one.
  case refusedMore(count: Int)
  case accepted(OutboxEntry, uid: TagUID?)
  case queued(OutboxEntry, QueueReason)
  case delivered(OutboxEntry, after: Duration?)
  case expired(OutboxEntry)
  /// A person took it out of the outbox.
  case dropped(OutboxEntry)
  /// The broker will never take it; MQTT's reason code, or nil when no message could be made.
  case undeliverable(OutboxEntry, code: Int32?)
  case linkUp(endpoint: Int)
  case linkFailed(endpoint: Int, LinkFailure, retryIn: Duration)
  case linkLost(endpoint: Int, LinkFailure, retryIn: Duration)
  case linkStorm(losses: Int, rest: Duration)
  case linkClosed
  case clockGood
  case clockUnknown
  /// The days that are left of the first certificate to end; negative: it has ended.
  case certificateExpiring(daysLeft: Int)
  /// The certificates in use have time left again.
  case certificatesGood
  case storeTrouble(StoreFault)
  case storeRecovered
  case outboxRestored(count: Int)
  case stopping(unacknowledged: Int)
  case panelLost(PanelPart, PanelFault)
  case panelRecovered(PanelPart)
  /// It was pressed before anybody could have pressed it.
  case buttonStuck(Int)
  /// It does not come to rest.
  case buttonChattering(Int)
  case buttonRecovered(Int)
  case panelLocked
  case panelUnlocked(Trigger)
  /// How long no code is taken.
  case codeRefused(wait: Duration)
  case confirming(action: String, Trigger, within: Duration)
  case confirmationEnded(action: String, ConfirmationEnd)
}
