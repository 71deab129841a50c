// Jobs that write the next tag, and the rules:
//   - While a job waits or writes, no tag becomes a tap, and the light tells of the job.
//   - An order follows only the one before, and a secret is saved only after its tag was written.
//   - A job ends once: when its time is over, when it is cancelled, or with the reader that writes its tag.

import TappetCore

/// The job in progress.
struct TagJobBook {
  var isRequested = false
  /// Whether the job has been prepared, so that the next tag is its own.
  var isWriting = false
  var isCancelled = false
  var limit: Duration?
  /// The last time from which the job may wait for its tag as long as its limit.
  var waitsSince = Instant(nanoseconds: 0)
  /// The tag of the order without an answer.
  var ordered: TagUID?
  /// Whether there was no reader for the order.
  var isOrderLost = false
  /// Whether the saving of a secret has no answer.
  var isSaving = false
  /// Whether the last secret was saved.
  var isSaved = false

  /// Whether the job waits for a tag.
  var isWaiting: Bool { isWriting && ordered == nil && !isSaving }
}

extension World {
  /// The tag whose tap may act: one that the reader has seen, and that is not a job's.
  var tapped: Lying? { reader == .ready && !tagJob.isWriting && lying?.isSeen == true ? lying : nil }

  /// A job is requested, prepared, refused or cancelled, whichever comes next.
  func tagJobChanges(_ number: Int) {
    guard tagJob.isRequested else {
      tagJob = TagJobBook()
      tagJob.isRequested = true
      tagJob.limit = number % 2 == 0 ? nil : .seconds(10)
      return tell(.tagJob(.requested(limit: tagJob.limit)))
    }
    if tagJob.isWriting || number % 8 == 7 {
      tagJob.isCancelled = true
      return tell(.tagJob(.cancelled))
    }
    let draft = try? TagDraft(
      action: Cast.actions[0], index: 1, label: nil, carriesKey: false, unixSeconds: now.unixSeconds)
    guard number % 8 > 0, let draft else {
      tagJob = TagJobBook()
      return tell(.tagJob(.refused))
    }
    (tagJob.isWriting, tagJob.waitsSince) = (true, now.instant)
    tell(.tagJob(.prepared(TagJob(number % 4 == 1 ? .erase : .write(draft, protects: false), passwordKey: nil))))
  }

  /// The reader has written the tag, or it was pulled away (0) or never there (1); or the secret was saved, or not (0).
  func tagJobAnswers(_ number: Int) {
    if tagJob.isSaving {
      (tagJob.isSaving, tagJob.isSaved) = (false, number % 8 > 0)
      tagJob.waitsSince = now.instant
      return tell(.tagJob(.secretSaved(tagJob.isSaved)))
    }
    guard let uid = tagJob.ordered, reader == .ready, !isHanging else { return }
    let fault: TagWriteFault? = number % 8 == 0 ? .pulledAway(begun: true) : number % 8 == 1 ? .notThere : nil
    (tagJob.ordered, tagJob.waitsSince) = (nil, now.instant)
    tell(.reader(.orderDone(OrderOutcome(uid: uid, model: .ntag213, writes: 1, fault: fault))))
  }

  func perform(_ step: TagJob.Step, after event: Event) {
    if !tagJob.isWriting { fail("a tag was written without a job") }
    switch step {
    case .order(let order):
      if !tagJob.isWaiting { fail("two tags were written at a time") }
      tagJob.ordered = order.uid
      tagJob.isOrderLost = reader == .none
    case .notify: break
    case .save:
      guard case .reader(.orderDone(let outcome), _) = event, outcome.fault == nil else {
        return fail("the secret of a tag was saved that was not written")
      }
      tagJob.isSaving = true
    case .end(let end):
      if case .done(_, .some, _) = end, !tagJob.isSaved { fail("a job is done whose secret was not saved") }
      if case .done = end {} else { seen.refusedLights -= 1 }
      tagJob = TagJobBook()
    }
  }

  /// Lets the kiosk know of an order for which there was no reader; a job outlives neither its time nor its reader.
  func judgeTagJob(after event: Event) {
    if tagJob.isOrderLost {
      tagJob.isOrderLost = false
      tell(.tagJob(.orderLost))
      if tagJob.isWriting { fail("a job waits for an order that no reader has") }
    }
    guard tagJob.isWriting else { return }
    if case .readerEnded = event, tagJob.ordered != nil { fail("a job outlives the reader that writes its tag") }
    if tagJob.isCancelled, tagJob.isWaiting, case .tagJob = event { fail("a job outlives its end") }
    let isDue = World.nextDeadline(of: &kiosk, at: now).map { $0 <= now.instant } ?? false
    if let limit = tagJob.limit, tagJob.isWaiting, !isDue, !isFinished, tagJob.waitsSince + limit < now.instant {
      fail("a job outlives its time")
    }
  }
}
