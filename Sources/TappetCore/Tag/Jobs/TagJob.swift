// A tag job, from the wait for the tag to the end of the job. Decides which commands to send, and when a secret may be
// saved, but does neither itself.
//
//     waiting ──tag there──▶ working ──done──▶ [saving ──saved──▶ [protecting ──done──▶]] ended
//        ▲                      │
//        └──── pulled away ─────┘
//
// Invariant: `save` is requested only after the tag was read back and contained the message.

/// A job for the next tag.
package struct TagJob: Sendable {
  /// The operation that a job performs.
  package enum Work: Sendable {
    /// Write the draft's message, and save its secret; with `protects`, protect the tag with a password afterwards.
    case write(TagDraft, protects: Bool)
    /// Write this message, which is not secret.
    case writeMessage([UInt8])
    case erase
    case lock
    case format
  }

  /// A step for the job's owner to perform.
  package indirect enum Step: Sendable {
    /// Send the given command to tappet-reader.
    case order(ReaderOrder)
    /// Save the secret, remove the secret that it replaces, and then call `saved`.
    case save(TagSecret, FormerSecret?)
    /// Show the given notice to the user.
    case notify(TagJobNotice)
    /// The job is over.
    case end(TagJobEnd)
  }

  private enum State: Sendable {
    case waiting
    case working(TagUID)
    case saving(OrderOutcome)
    case protecting(OrderOutcome)
    case ended
  }

  /// The operation that the job performs.
  package let work: Work
  private let passwordKey: SecretKey?
  private let known: FormerSecrets
  private var state = State.waiting
  /// The most recent tag, and the secret that it contained before the job changed it.
  private var former: (uid: TagUID, secret: FormerSecret?)?
  /// Whether a tag was left half-written, without a message.
  private var leftTorn = false
  /// The tag on the reader before the job; it may have been removed in the meantime, and a different tag presented.
  private var presumed: TagUID?
  /// A tag that arrived before the reply to a command for a different tag.
  private var arrived: TagReading?

  /// Creates a job that waits for a tag.
  ///
  /// `passwordKey` is the kiosk's key for tag passwords; `nil` means that no key exists yet, and so no tag is
  /// protected. `known` contains the secrets that may be on the tag.
  package init(_ work: Work, passwordKey: SecretKey?, known: FormerSecrets = FormerSecrets()) {
    self.work = work
    self.known = known
    self.passwordKey = passwordKey
  }

  /// Whether a tag is being written now.
  package var isWorking: Bool {
    switch state {
    case .working, .saving, .protecting: true
    case .waiting, .ended: false
    }
  }

  /// Handles a tag that was on the reader before the job started; `url` is the URL on the tag.
  package mutating func tagIsThere(_ uid: TagUID, holding url: TagURL? = nil) -> [Step] {
    presumed = uid
    return begin(uid, holding: url)
  }

  private mutating func begin(_ uid: TagUID, holding url: TagURL?) -> [Step] {
    guard case .waiting = state else { return [] }
    recordFormer(of: uid, url)
    let task: TagTask
    switch work {
    case .write(let draft, _):
      if isFull, !isReplacing(draft.secret.action) {
        return end(.failed(nil, .noRoom(action: draft.secret.action, max: known.limit)))
      }
      task = .write(draft.message)
    case .writeMessage(let message): task = .write(message)
    case .erase: task = .erase
    case .lock: task = .lock
    case .format: task = .format
    }
    guard let order = order(uid, task) else { return end(.failed(nil, .noRandomness)) }
    state = .working(uid)
    return [.order(order)]
  }

  /// Handles a message from tappet-reader.
  @export(interface)
  package mutating func received(_ message: ReaderMessage) -> [Step] {
    switch (state, message) {
    case (.waiting, .tagRead(let reading)):
      presumed = nil
      return begin(reading.uid, holding: try? reading.tagURL())
    case (.waiting, .tagFaulted(_, let model, let fault)):
      // The job keeps waiting if the tag was moved; the tag is detected again once it is still.
      if case .pulledAway = fault { return [.notify(.heldTooShort)] }
      return end(.failed(model, .unreadable(fault)))
    case (.working, .orderProgress(let done, let total)), (.protecting, .orderProgress(let done, let total)):
      return [.notify(.progress(done: Int(done), total: Int(total)))]
    case (.working(let uid), .tagRead(let reading)) where reading.uid != uid:
      arrived = reading
      return []
    case (.working, .tagLeft(let uid)):
      if arrived?.uid == uid { arrived = nil }
      return []
    case (.working(let uid), .orderDone(let outcome)) where outcome.uid == uid: return worked(outcome)
    case (.protecting(let written), .orderDone(let outcome)) where outcome.uid == written.uid:
      return protected(written, outcome)
    default: return []
    }
  }

  /// Handles the result of saving the secret.
  @export(interface)
  package mutating func saved(_ isSaved: Bool) -> [Step] {
    guard case .saving(let outcome) = state, case .write(let draft, let protects) = work else { return [] }
    guard isSaved else { return end(.notSaved) }
    guard protects else { return end(.done(outcome, draft.secret, isProtected: false)) }
    guard let order = order(outcome.uid, .protect) else {
      return end(.doneUnprotected(outcome, draft.secret, .refused(begun: false)))
    }
    state = .protecting(outcome)
    return [.order(order)]
  }

  /// Cancels the job because its requester is gone, or because tags can no longer be read.
  ///
  /// Does nothing while a tag is being written: a write is short, and is always completed.
  package mutating func giveUp(_ reason: TagJobFailure) -> [Step] {
    switch state {
    case .waiting: return end(.failed(nil, failure(reason)))
    case .working, .saving, .protecting, .ended: return []
    }
  }

  /// Handles the loss of tappet-reader, and of any pending reply.
  @export(interface)
  package mutating func readerLost() -> [Step] {
    switch state {
    case .protecting(let outcome):
      guard case .write(let draft, _) = work else { return [] }
      return end(.doneUnprotected(outcome, draft.secret, .pulledAway(begun: true)))
    case .waiting: return end(.failed(nil, leftTorn ? .leftTorn : .readerLost(torn: false)))
    case .working: return end(.failed(nil, .readerLost(torn: true)))
    case .saving, .ended: return []
    }
  }

  /// Returns the reason to report: a half-written tag, or an action with no room for more tags, is more specific.
  private func failure(_ reason: TagJobFailure) -> TagJobFailure {
    if leftTorn { return .leftTorn }
    switch (reason, work) {
    // The command-line tool cancels the kiosk's job on timeout.
    case (.noTag, .write(let draft, _)) where isFull, (.cancelled, .write(let draft, _)) where isFull:
      return .noRoom(action: draft.secret.action, max: known.limit)
    default: return reason
    }
  }

  private mutating func worked(_ outcome: OrderOutcome) -> [Step] {
    switch outcome.fault {
    case nil:
      guard case .write(let draft, _) = work else { return end(.done(outcome, nil, isProtected: false)) }
      state = .saving(outcome)
      var secret = draft.secret
      if !outcome.uid.isRandom { secret.uid = outcome.uid }
      return [.save(secret, former?.secret)]
    case .pulledAway(begun: true):
      leftTorn = true
      return [.notify(.pulledAway(begun: true))] + waitAgain()
    case .pulledAway(begun: false), .notThere:
      // The presumed tag was not presented for this job, so its removal is not reported.
      return (presumed == outcome.uid ? [] : [.notify(.pulledAway(begun: false))]) + waitAgain()
    case .some(let fault):
      return end(.failed(outcome.model, .tag(fault)))
    }
  }

  private mutating func waitAgain() -> [Step] {
    state = .waiting
    guard let reading = arrived else { return [] }
    arrived = nil
    return received(.tagRead(reading))
  }

  private mutating func protected(_ written: OrderOutcome, _ outcome: OrderOutcome) -> [Step] {
    guard case .write(let draft, _) = work else { return [] }
    var sum = written
    sum.writes += outcome.writes
    if let fault = outcome.fault { return end(.doneUnprotected(sum, draft.secret, fault)) }
    return end(.done(sum, draft.secret, isProtected: true))
  }

  /// Records the tag's former secret, because a half-written tag no longer contains it.
  private mutating func recordFormer(of uid: TagUID, _ url: TagURL?) {
    let secret = url.flatMap { known.secret(of: $0, on: uid) }
    if secret != nil || former?.uid != uid { former = (uid, secret) }
  }

  private var isFull: Bool {
    guard case .write(let draft, _) = work else { return false }
    return known.isFull(draft.secret.action)
  }

  private func isReplacing(_ action: String) -> Bool {
    guard case .replaced(let secret) = former?.secret else { return false }
    return secret.action == action
  }

  /// The URL that a write job puts on the tag; `nil` for other jobs.
  package var writtenURL: TagURL? {
    guard case .write(let draft, _) = work else { return nil }
    return draft.url
  }

  private func order(_ uid: TagUID, _ task: TagTask) -> ReaderOrder? {
    guard let passwordKey else { return ReaderOrder(uid: uid, task: task) }
    guard let password = try? TagPassword(of: uid, key: passwordKey) else { return nil }
    return ReaderOrder(uid: uid, password: password, task: task)
  }

  private mutating func end(_ end: TagJobEnd) -> [Step] {
    state = .ended
    return [.end(end)]
  }
}

/// A notice for the user during a job.
package enum TagJobNotice: Hashable, Sendable {
  case progress(done: Int, total: Int)
  /// The tag was moved while it was being read; nothing was changed.
  case heldTooShort
  /// The tag was removed while it was being written; with `begun`, it must be written again.
  case pulledAway(begun: Bool)
}

/// The reason why a job failed.
package enum TagJobFailure: Hashable, Sendable {
  case tag(TagWriteFault)
  case unreadable(TagFault)
  /// No tag was presented in time.
  case noTag
  /// The action has reached its limit of secrets, and none of its secrets is on this tag alone.
  case noRoom(action: String, max: Int)
  /// A tag that was pulled away half-written did not return.
  case leftTorn
  case cancelled
  /// The reader was lost; `torn` if it was writing at that time.
  case readerLost(torn: Bool)
  case noRandomness
}

/// The outcome of a job.
package indirect enum TagJobEnd: Sendable {
  /// The job is done; contains the secret that was saved, if any.
  case done(OrderOutcome, TagSecret?, isProtected: Bool)
  /// The tag works, but can be rewritten without a password.
  case doneUnprotected(OrderOutcome, TagSecret, TagWriteFault)
  /// The tag was written, but its secret could not be saved, so it does not work.
  case notSaved
  case failed(TagModel?, TagJobFailure)

  /// Whether the job was completed in full.
  var isDone: Bool { if case .done = self { true } else { false } }

  /// The secret that was saved, if any.
  var savedSecret: TagSecret? {
    switch self {
    case .done(_, let secret, _): secret
    case .doneUnprotected(_, let secret, _): secret
    case .notSaved, .failed: nil
    }
  }
}
