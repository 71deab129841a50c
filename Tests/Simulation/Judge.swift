// The rules. Each is checked against the parts of the world and the book, never against what the kiosk believes:
// nothing is stored but what a genuine tag or a touched button asked for; nothing is sent that is not on the disk, or twice on a
// connection, or after its end, or out of order; nothing accepted is lost; every outcome is shown; the bounds are kept; and
// what could be done now is never left undone.

import TappetCore

extension World {
  // MARK: Orders

  func judgeStored(_ entry: OutboxEntry, after event: Event) {
    seen.stores += 1
    guard let action = settings.actions.first(where: { $0.name == entry.action }),
      let number = Book.actionNumbers[entry.action]
    else { return complain("\(entry.action) was stored, which is not configured") }
    if entry.topic != action.topic || entry.message != action.message {
      complain("\(entry.action) was stored with another topic or message")
    }
    if entry.expiry != .at(now.instant + action.expiresAfter) {
      complain("\(entry.action) was stored with another end")
    }
    if book.fates[entry.id] != nil { complain("a name was used twice") }
    switch entry.trigger {
    case .tag: judgeTap(entry, action)
    case .button: judgePress(entry, number)
    }
    if action.offline == .drop, !isUp || isStopping { complain("\(action.name) was stored without a broker") }
    let size = action.message.text.utf8.count
    if book.count + book.pendingCount >= settings.outboxCountMax {
      complain("the outbox holds \(book.count + book.pendingCount) and took one more")
    }
    if book.size + book.pendingSize + size > settings.outboxSizeMax {
      complain("the outbox holds \(book.size + book.pendingSize) bytes and took \(size) more")
    }
    book.pendingCount += 1
    book.pendingSize += size
    book.fates[entry.id] = Book.Fate(action: number, size: size)
  }

  private func judgeTap(_ entry: OutboxEntry, _ action: Action) {
    guard reader == .ready, let tag = lying, tag.isSeen, let readAt = tag.readAt, tag.action == action else {
      return complain("\(entry.action) was stored, and no genuine tag of it lies there")
    }
    if tag.isSpent { complain("one tap was stored twice") }
    let heldFor = now.instant - readAt
    if heldFor < action.confirmWithin ?? .zero { complain("\(entry.action) was not confirmed") }
    lying?.isSpent = true
    book.acceptedCounts[tag.card] += 1
  }

  private func judgePress(_ entry: OutboxEntry, _ number: Int) {
    if settings.panel.lockAfter != nil, book.isLocked {
      complain("\(entry.action) was stored while the panel is locked")
    }
    if contacts.contains(true) { return }
    guard let touched = book.touchedAt[number], now.instant - touched <= Limits.gestureTimeMax else {
      return complain("\(entry.action) was stored, and nobody touched its button")
    }
  }

  private var isUp: Bool { if case .up = link { true } else { false } }

  private var clockIsGood: Bool { isSynchronised || settings.trustsClock }

  func judgePublished(_ entry: OutboxEntry, unixSeconds: Int64) {
    if !isUp { complain("published without a link") }
    if isStopping { complain("published while stopping") }
    if disk.owesDrop { complain("published what may be on its way out") }
    let place = disk.index(of: entry.id)
    guard let row = place.map({ disk.rows[$0] }) ?? disk.goneRows.first(where: { $0.id == entry.id }) else {
      return complain("published what is not on the disk")
    }
    if row.entry.topic != entry.topic || row.entry.message != entry.message || row.entry.isRetained != entry.isRetained
    {
      complain("published something else than was stored")
    }
    if book.fates[entry.id] == nil { complain("published what was never accepted") }
    if !book.sent.insert(entry.id).inserted { complain("published twice on one connection") }
    if book.settled.contains(entry.id) { complain("published after its outcome") }
    if row.isOver(at: now, clockIsGood: true) { complain("published after its end") }
    if !row.maySend(clockIsGood: clockIsGood) { complain("published what must wait for the clock") }
    if unixSeconds != now.unixSeconds { complain("a token of another second") }
    outstanding.append(entry.id)
    if outstanding.count > Limits.inflightMax { complain("\(outstanding.count) in flight") }
    guard let number = Book.actionNumbers[entry.action] else { return }
    if book.lastSent[number].era == row.era, book.lastSent[number].sequence > row.sequence {
      complain("\(entry.action) was sent out of order")
    }
    book.lastSent[number] = (row.era, row.sequence)
  }

  func judgeForgotten(_ id: EntryID) {
    seen.forgets += 1
    guard book.answering.contains(id) else { return complain("an entry was forgotten that nobody answered") }
    if !book.settled.insert(id).inserted { complain("an entry was forgotten twice") }
    leaveBook(id)
    if let index = disk.index(of: id) { disk.forget(at: index) }
  }

  /// What is with the broker cannot be taken back.
  func judgeDrop(of id: EntryID?, sparing spared: [EntryID]) {
    if Set(spared) != Set(outstanding.filter { id == nil || $0 == id }) {
      complain("a drop spares \(spared.count), and \(outstanding.count) are with the broker")
    }
  }

  private func leaveBook(_ id: EntryID) {
    if book.homeless.remove(id) != nil { return }
    book.count -= 1
    book.size -= book.fates[id]?.size ?? 0
  }

  // MARK: What people are told

  func judgeLight(_ light: Light) {
    seen.lights += 1
    switch light {
    case .accepted, .queued: seen.acceptedLights += 1
    case .deliveredByTag, .deliveredByButton: seen.deliveredLights += 1
    case .expired: seen.expiredLights += 1
    case .refused: seen.refusedLights += 1
    case .reading: break
    case .starting, .ready, .offline, .readerLost, .clockUnknown, .fault, .locked, .confirming, .certificateExpiring,
      .writing:
      book.shownLight = light
    }
  }

  func judgeReport(_ report: Report, after event: Event) {
    switch report {
    case .accepted(let entry, _):
      seen.acceptedReports += 1
      book.fates[entry.id]?.isPromised = true
    case .delivered(let entry, _):
      seen.deliveredReports += 1
      noteOutcome(entry)
    case .undeliverable(let entry, _):
      seen.undeliverableReports += 1
      noteOutcome(entry)
    case .expired(let entry):
      seen.expiredReports += 1
      if book.homeless.remove(entry.id) != nil {
        seen.homelessExpired += 1
        book.settled.insert(entry.id)
      }
      noteOutcome(entry)
    case .dropped(let entry):
      seen.droppedReports += 1
      noteOutcome(entry)
    case .refused(let trigger, _, let refusal):
      noteRefusalTold()
      judgeRefusal(trigger, refusal, after: event)
    case .ignored: noteRefusalTold()
    case .confirming: seen.questions += 1
    case .panelLocked:
      book.isLocked = true
      book.touchesSinceLock = 0
    case .panelUnlocked(let trigger): judgeUnlocked(by: trigger)
    case .refusedMore, .queued, .readerReady, .readerLost, .linkUp, .linkFailed, .linkLost, .linkStorm, .linkClosed,
      .clockGood, .clockUnknown, .certificateExpiring, .certificatesGood, .storeTrouble, .storeRecovered,
      .outboxRestored, .stopping, .panelLost, .panelRecovered, .buttonStuck, .buttonChattering, .buttonRecovered,
      .codeRefused, .confirmationEnded:
      break
    }
  }

  private func noteOutcome(_ entry: OutboxEntry) {
    guard let fate = book.fates[entry.id] else { return complain("an outcome of what was never accepted") }
    if fate.outcomeLife == life { complain("two outcomes of one entry") }
    book.fates[entry.id]?.hasOutcome = true
    book.fates[entry.id]?.outcomeLife = life
  }

  /// A refusal without a line of its own: for the tag it counts all the same.
  private func noteRefusalUntold() {
    guard seen.refusedLights > 0, seen.refusalsTold == 0, let tag = lying else { return }
    book.refusedAt[tag.card] = now.instant
  }

  /// At most thirty in a minute's window have a line; two windows can meet.
  private func noteRefusalTold() {
    seen.refusalsTold += 1
    let most = 2 * Limits.toldRefusalsMax
    if book.toldRefusals.count >= most {
      if now.instant - book.toldRefusals.removeFirst() < Limits.toldRefusalsWindow {
        complain("more than \(most) refusals were told within a minute")
      }
    }
    book.toldRefusals.append(now.instant)
  }

  private func judgeRefusal(_ trigger: Trigger, _ refusal: TapRefusal, after event: Event) {
    switch refusal {
    case .outboxFull(let action, let count, let size):
      let wanted = Cast.actions.first { $0.name == action }?.message.text.utf8.count ?? 0
      let promised = (count: book.count + book.pendingCount, size: book.size + book.pendingSize)
      if (count, size) != promised { complain("the outbox was said to hold \(count), and holds \(promised.count)") }
      if count < settings.outboxCountMax, size + wanted <= settings.outboxSizeMax {
        complain("refused for want of room, and there is some")
      }
    case .brokerAway(let action):
      if isUp, !isStopping { complain("\(action) was refused for want of a broker, and there is one") }
    case .tooMany:
      // Somebody else's taps are no reason.
      guard let tag = lying else { return complain("too many taps of no tag") }
      let lately = [book.refusedAt[tag.card]] + sameTag(tag.card)
      let isRefusedOften = lately.contains { $0.map { now.instant - $0 <= .seconds(60) } ?? false }
      if !isRefusedOften, book.acceptedCounts[tag.card] < Limits.acceptedTapsPerTagMax {
        complain("a tag was refused for what others did")
      }
    case .unreadable, .content, .malformedURL, .noSuchAction, .noTagConfigured, .invalidSignature:
      guard trigger == .tag, let tag = lying else { return complain("a tap was refused that nobody made") }
      if tag.action != nil, case .reader(.tagRead) = event {
        complain("a genuine tag was refused as if it were none")
      }
      book.refusedAt[tag.card] = now.instant
    case .notStored, .panelLocked: break
    }
  }

  /// The last card is a forged one with the first one's UID.
  private func sameTag(_ card: Int) -> [Instant?] {
    switch card {
    case 0: [book.refusedAt[Cast.cards.count - 1]]
    case Cast.cards.count - 1: [book.refusedAt[0]]
    default: []
    }
  }

  private func judgeUnlocked(by trigger: Trigger) {
    switch trigger {
    case .tag: if lying?.action?.unlocksPanel != true { complain("the panel was unlocked without its tag") }
    case .button:
      // The right code has the light of what is accepted.
      seen.codes += 1
      if book.touchesSinceLock < settings.panel.unlockCode.count { complain("the panel was unlocked without its code") }
    }
    book.isLocked = false
  }

  // MARK: After each event

  func judge(_ event: Event) {
    switch event {
    case .store(let answer): judgeAnswer(answer)
    case .link(.acknowledged(let id)):
      let isAnswer = book.answering == [id]
      if seen.deliveredLights != (isAnswer ? 1 : 0) || seen.deliveredReports != seen.deliveredLights
        || seen.forgets != seen.deliveredLights
      {
        complain("PUBACK: \(seen.deliveredLights) lights, \(seen.forgets) forgotten")
      }
    case .link(.publishRefused), .fillFailed:
      if seen.undeliverableReports != 1 || seen.refusedLights < 1 || seen.forgets != 1 {
        complain("what the broker refused was not shown")
      }
    case .reader(.tagRead):
      noteRefusalUntold()
      if reader == .ready, seen.lights == 0, seen.stores == 0 { complain("a tap came to nothing") }
    case _: break
    }
    if case .store = event {
    } else if seen.acceptedLights != seen.codes {
      complain("a promise was made before the commit")
    }
    if case .link(.acknowledged) = event {
    } else if seen.deliveredLights > 0 {
      complain("delivery was shown without a PUBACK")
    }
    if seen.stores > 0, case .reader(.tagRead) = event, seen.stores > 1 { complain("one tap was stored twice") }
    if kiosk.outboxCount != book.count { complain("the outbox counts \(kiosk.outboxCount), and holds \(book.count)") }
    judgeWhatLasts()
    judgeProgress()
  }

  private func judgeAnswer(_ answer: StoreEvent) {
    switch answer {
    case .stored(let id, _):
      book.isStoreInTrouble = false
      if seen.acceptedLights != 1 || seen.acceptedReports != 1 { complain("a commit was not shown as accepted") }
      let size = book.fates[id]?.size ?? 0
      book.pendingCount -= 1
      book.pendingSize -= size
      book.count += 1
      book.size += size
    case .storeFailed(let id, _):
      book.isStoreInTrouble = true
      if seen.refusedLights < 1 { complain("what could not be stored was not shown as refused") }
      book.pendingCount -= 1
      book.pendingSize -= book.fates[id]?.size ?? 0
      lying?.isSpent = false
    case .expired:
      // What was settled before has its outcome; what was not is forgotten, and told first.
      if seen.forgets != book.answering.count { complain("\(book.answering.count) expired, \(seen.forgets) are to go") }
      let outcomes = seen.forgets + seen.homelessExpired
      if seen.expiredLights != outcomes || seen.expiredReports != outcomes {
        complain("\(outcomes) expired, \(seen.expiredLights) were shown")
      }
    case .checked: book.isStoreInTrouble = false
    case .dropped(let entries):
      var outcomes = 0
      for entry in entries where book.settled.insert(entry.id).inserted {
        outcomes += 1
        leaveBook(entry.id)
      }
      if seen.droppedReports != outcomes { complain("\(outcomes) were dropped, \(seen.droppedReports) were told") }
    case .replaced:
      let loss = disk.takeLoss()
      noteLoss(loss)
      (book.count, book.size) = (0, 0)
      for row in loss { book.homeless.insert(row.id) }
    case .removeFailed, .fetchFailed, .fetchExpiredFailed, .dropFailed, .checkFailed: book.isStoreInTrouble = true
    case .removed, .fetched: break
    }
  }

  /// What lasts says the truth about each part.
  private func judgeWhatLasts() {
    guard let light = book.shownLight else { return }
    if book.isStoreInTrouble, light != .fault, light != .confirming {
      complain("\(light.name) is shown, and the disk fails")
    }
    switch light {
    case .ready, .locked, .certificateExpiring:
      if reader != .ready || !isUp || !clockIsGood { complain("\(light.name) is shown, and something is away") }
      let isNear = book.certificateDays.map { $0 <= Int(Limits.certificateWarningDays) } ?? false
      if isNear != (light == .certificateExpiring) { complain("\(light.name) is shown, the certificate has its days") }
      if light == .ready, settings.panel.lockAfter != nil, book.isLocked {
        complain("ready is shown, and it is locked")
      }
    case .starting, .offline, .readerLost, .clockUnknown, .fault, .confirming: break
    case .writing: complain("writing is shown, and nobody writes a tag in these stories")
    case .reading, .accepted, .deliveredByTag, .deliveredByButton, .queued, .refused, .expired: break
    }
  }

  /// Nothing may wait for ever: an answer is outstanding, a part is alive, or a deadline is set; and what could be done now
  /// is being done.
  private func judgeProgress() {
    if isFinished { return }
    let deadline = World.nextDeadline(of: &kiosk, at: now)
    guard disk.isIdle else { return }
    if deadline == nil, !isAnotherAlive { complain("nothing is awaited and nothing is due") }
    guard isBegun, !isStopping, !book.isStoreInTrouble, deadline.map({ $0 > now.instant }) ?? true else { return }
    // What is in memory alone may wait for the clock, and holds back its action's later ones.
    let canSend = isUp && outstanding.count < Limits.inflightMax && book.homeless.isEmpty
    for row in disk.rows where !row.isForgotten && !outstanding.contains(row.id) {
      if row.isOver(at: now, clockIsGood: clockIsGood) {
        if !book.settled.contains(row.id) { return complain("an entry is over, and nobody lets it go") }
      } else if canSend, row.maySend(clockIsGood: clockIsGood) {
        return complain("an entry could be sent, and waits for nothing")
      }
    }
  }

  private var isAnotherAlive: Bool {
    if reader == .starting || reader == .ending { return true }
    switch link {
    case .connecting, .closing: return true
    case .none, .up: return false
    }
  }
}
