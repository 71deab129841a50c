// The rules about answers of the store, lasting lights, and work that waits.

import TappetCore

extension World {
  func judgeAnswer(_ answer: StoreEvent) {
    switch answer {
    case .outbox(_, .removeFailed), .outbox(_, .fetchFailed), .outbox(_, .fetchExpiredFailed):
      book.isStoreInTrouble = true
    case .outbox(.webhook, let answer): judgeWebhookStored(answer)
    case .outbox(.broker, .stored(let id, _)):
      book.isStoreInTrouble = false
      let lights = book.newsEntries.contains(id) ? 0 : 1
      if seen.acceptedLights != lights || seen.acceptedReports != 1 { fail("a commit was not shown as accepted") }
      let size = book.fates[id]?.size ?? 0
      book.pendingCount -= 1
      book.pendingSize -= size
      book.count += 1
      book.size += size
    case .counted, .roomCommandsRecorded, .edit: book.isStoreInTrouble = false
    case .roomCommandsFailed, .editFailed: book.isStoreInTrouble = true
    case .storeFailed(let id, _) where tickets.counted != nil:
      book.isStoreInTrouble = true
      if seen.refusedLights < 1 { fail("a failed count was not shown as refused") }
      tickets.failed(id)
      lying?.isSpent = false
    case .storeFailed(let id, _):
      tickets.failed(id)
      book.isStoreInTrouble = true
      if shelf.newsEntry == id { shelf.newsEntry = nil }
      shelf.stock.notStored(id)
      if seen.refusedLights < 1, !book.newsEntries.contains(id) { fail("a failed commit was not shown as refused") }
      let size = book.fates[id]?.size ?? 0
      if book.fates[id]?.isForWebhook == true {
        hook.pending = (hook.pending.count - 1, hook.pending.size - size)
      } else {
        book.pendingCount -= 1
        book.pendingSize -= size
      }
      lying?.isSpent = false
    case .outbox(.broker, .expired):
      // A settled entry has its outcome already; every other one is reported first, and then forgotten.
      if seen.forgets != book.answering.count {
        fail("\(book.answering.count) entries expired, and \(seen.forgets) are forgotten")
      }
      let outcomes = seen.forgets + seen.memoryOnlyExpired
      if seen.expiredLights != outcomes || seen.expiredReports != outcomes {
        fail("\(outcomes) entries expired, and \(seen.expiredLights) were shown")
      }
    case .checked: book.isStoreInTrouble = false
    case .dropped(let entries):
      var outcomes = 0
      for entry in entries where book.settled.insert(entry.id).inserted {
        outcomes += 1
        leaveBook(entry.id)
      }
      if seen.droppedReports != outcomes {
        fail("\(outcomes) entries were dropped, and \(seen.droppedReports) reported")
      }
    case .replaced:
      let loss = disk.takeLoss()
      recordLoss(loss)
      (book.count, book.size) = (0, 0)
      (hook.count, hook.size) = (0, 0)
      for row in loss { book.memoryOnly.insert(row.id) }
      book.delivered = []
    case .retried, .retryFailed: fail("a retry was answered, and nobody requested one")
    case .dropFailed, .checkFailed: book.isStoreInTrouble = true
    case .outbox(.broker, _): break
    }
  }

  /// A lasting light tells the truth about each part.
  func judgeWhatLasts() {
    judgeJobTime()
    guard let light = book.shownLight else { return }
    if book.isStoreInTrouble, ![.fault, .confirming, .holding, .forced].contains(light) {
      fail("\(light.name) is shown while the disk fails")
    }
    judgeUnread(light)
    switch light {
    case .ready, .locked, .certificateExpiring, .unread:
      if (settings.hasReader && reader != .ready) || needsLink && !isUp || isTokenWaiting {
        fail("\(light.name) is shown while a part is missing")
      }
      if doors.isAlarming { fail("\(light.name) is shown while a door is open that is not to be") }
      if tagJob.isWriting { fail("\(light.name) is shown while a job waits for a tag") }
      let isNear = book.certificateDays.map { $0 <= Int(Limits.certificateWarningDays) } ?? false
      if isNear != (light == .certificateExpiring) { fail("\(light.name) is the wrong light for the certificate") }
      if light == .ready, settings.panel.lockAfter != nil, book.isLocked {
        fail("ready is shown while the panel is locked")
      }
    case .clockUnknown:
      if !isTokenWaiting, book.count + hook.count == 0 {
        fail("clock-unknown is shown, and nothing waits for the clock")
      }
    case .readerLost: if !settings.hasReader { fail("reader-lost is shown though none is configured") }
    case .holding:
      if shelf.held == nil, jobs.job == nil, !isStopping { fail("holding is shown, and nothing is held") }
    case .forced, .doorOpen:
      if !doors.isAlarming { fail("\(light.name) is shown, and no door is open by force or for too long") }
    case .writing: if !tagJob.isWriting { fail("writing is shown, and no job waits for a tag") }
    default: break
    }
  }

  func judgeUnlocked(by trigger: Trigger) {
    switch trigger {
    case .tag: judgeUnlockedByTag()
    case .command, .inventory, .input: fail("the panel was unlocked by nobody in front of it")
    case .button:
      // The right code is shown by the light for an accepted tap.
      seen.codes += 1
      if book.touchesSinceLock < settings.panel.unlockCode.count { fail("the panel was unlocked without its code") }
    }
    book.isLocked = false
  }

  /// Whether a tap may need the broker.
  private var needsLink: Bool {
    settings.endpointCount > 0
      && (settings.homeAssistant != nil || settings.inventory?.topic != nil || settings.unknownTags?.topic != nil
        || settings.actions.contains { $0.topic != nil })
  }

  /// Nothing waits without end: an answer is outstanding, a part is alive, or a deadline is set.
  ///
  /// Work that can be done now is under way.
  func judgeProgress() {
    if isFinished { return }
    let deadline = World.nextDeadline(of: &kiosk, at: now)
    guard disk.isIdle else { return }
    if deadline == nil, !isAnotherAlive { fail("nothing is awaited and nothing is due") }
    guard isBegun, !isStopping, !book.isStoreInTrouble, deadline.map({ $0 > now.instant }) ?? true else { return }
    if !settings.hasReader, reader == .starting || reader == .ready { fail("a reader runs though none is configured") }
    if settings.inventory == nil, shelf.process == .starting || shelf.process == .ready {
      fail("tappet-inventory runs though none is configured")
    }
    if !hearsRooms, room.process == .starting || room.process == .ready {
      fail("a process listens in rooms though none has commands")
    }
    if room.process == .none, room.question != nil { fail("a question is open, and nobody listens") }
    judgeRemovals()
    // An entry in memory alone may wait for the clock, and holds back later entries of its action.
    let canSend = isUp && outstanding.count < Limits.inflightMax && book.memoryOnly.isEmpty
    for row in disk.rows where !row.isForgotten && row.entry.destination == .broker && !outstanding.contains(row.id) {
      if row.isOver(at: now, clockIsGood: clockIsGood) {
        if !book.settled.contains(row.id) { return fail("an entry has expired and stays in the outbox") }
      } else if canSend, !mayWait(row), !isHeld(row.entry.action), row.maySend(clockIsGood: clockIsGood) {
        return fail("an entry could be sent, and is not")
      }
    }
  }

  /// A delivered entry stays on the disk only while the link is full, so that more are delivered, or the link ends.
  func judgeLateRemovals() {
    let mayWait = isUp && !isStopping && outstanding.count >= Limits.inflightMax
    if !book.delivered.isEmpty, !mayWait || book.delivered.count >= Limits.removalsMax {
      fail("\(book.delivered.count) delivered entries stay, and \(outstanding.count) are in flight")
    }
  }

  private var isAnotherAlive: Bool {
    if reader == .starting || reader == .ending { return true }
    switch link {
    case .connecting, .closing: return true
    // Without a reader only an event matters.
    case .up: return !settings.hasReader
    case .none: return false
    }
  }
}
