// The rules. Each is checked against the parts of the world and the book, never against the kiosk's own beliefs:
//   - Only a genuine tag, a touched button or a proved command has anything stored.
//   - An entry is sent only from the disk, once on each connection, before its end, and in order.
//   - No accepted entry is lost, and every outcome is shown.
//   - All limits are kept.
//   - Work that can be done now is not left waiting.

import TappetCore

extension World {
  // MARK: Orders

  func judgeStored(_ entry: OutboxEntry, after event: Event) {
    let unknown = (settings.unknownTags.map { [$0] } ?? []) + [Cast.feed]
    guard let action = (settings.actions + unknown).first(where: { $0.name == entry.action }),
      let number = Book.actionNumbers[entry.action]
    else { return fail("\(entry.action) was stored, which is not configured") }
    let isForWebhook = entry.destination == .webhook
    let isRemoval = judgeNotes(entry, action)
    if !isRemoval, entry.trigger != .inventory {
      seen.stores += 1
      judgeRequired(action.requirements, for: action.name)
    }
    if !isRemoval, entry.trigger != .inventory, action != Cast.shelf { seen.otherActs += 1 }
    if entry.notes.ended == nil, entry.trigger != .inventory { judgeContent(entry, action) }
    if entry.expiry != .at(now.instant + action.expiresAfter) {
      fail("\(entry.action) was stored with another end")
    }
    if book.fates[entry.id] != nil { fail("a name was used twice") }
    switch entry.trigger {
    case .tag where isRemoval: break
    case .tag where action == Cast.shelf: judgeTouched(entry)
    case .tag:
      judgeTap(entry, action)
      judgePerson(entry.id, entry.action)
    case .button where action.confirmRoom != nil: judgeConfirmed(action)
    case .button: judgePress(entry.action, number)
    case .command: judgeCommand(for: entry.action)
    case .inventory: judgeNews(entry)
    case .input: judgeAlarm(entry.action)
    }
    judgeOriginator(entry, action, after: event)
    if action.offline == .drop, !isForWebhook, !isUp || isStopping {
      fail("\(action.name) was stored without a broker")
    }
    let size = entry.message.text.utf8.count
    // A removal is owed, whatever else waits.
    if !isRemoval, !(entry.trigger == .inventory && event.bringsOutcomes) { judgeRoom(for: size, action) }
    if isForWebhook {
      hook.pending = (hook.pending.count + 1, hook.pending.size + size)
    } else {
      book.pendingCount += 1
      book.pendingSize += size
    }
    book.fates[entry.id] = Book.Fate(action: number, size: size, isForWebhook: isForWebhook)
  }

  private func judgeContent(_ entry: OutboxEntry, _ action: Action) {
    let text = entry.destination == .webhook ? action.webhookBody?.text : expectedText(action, entry)
    if entry.topic != action.topic ?? "" || entry.message.text != text {
      fail("\(entry.action) was stored with another topic or message")
    }
  }

  private func judgeRoom(for size: Int, _ action: Action) {
    let (count, bytes) = promised
    if count >= settings.outboxCountMax { fail("the outbox holds \(count) and took one more") }
    // The size is that of the configured message: what facts make of it, or whether it is the end, comes later.
    if bytes + min(size, (action.webhookBody ?? action.message).text.utf8.count) > settings.outboxSizeMax {
      fail("the outbox holds \(bytes) bytes and took \(size) more")
    }
  }

  /// Entries and bytes of both outboxes, with those that are not committed yet.
  private var promised: (count: Int, size: Int) {
    (
      book.count + book.pendingCount + hook.count + hook.pending.count,
      book.size + book.pendingSize + hook.size + hook.pending.size
    )
  }

  private func judgeTap(_ entry: OutboxEntry, _ action: Action) {
    guard let tag = tapped, let readAt = tag.readAt, tag.action == action else {
      return fail("\(entry.action) was stored, and no genuine tag of it lies there")
    }
    if tag.isSpent { fail("one tap was stored twice") }
    if tag.wasLeft, action.mode != .hold { fail("\(entry.action) was stored for a tag that lay there at the start") }
    let heldFor = now.instant - readAt
    if heldFor < action.confirmWithin ?? .zero { fail("\(entry.action) was not confirmed") }
    lying?.isSpent = true
    book.acceptedCounts[tag.card] += 1
  }

  func judgePress(_ action: String, _ number: Int) {
    if book.isLate { fail("\(action) happened on a request of long ago") }
    if settings.panel.lockAfter != nil, book.isLocked { fail("\(action) happened while the panel is locked") }
    if contacts.contains(true) { return }
    guard let touched = book.touchedAt[number], now.instant - touched <= Limits.gestureTimeMax else {
      return fail("\(action) happened, and nobody touched its button")
    }
  }

  var isUp: Bool { if case .up = link { true } else { false } }

  var clockIsGood: Bool { isSynchronized || settings.trustsClock }

  /// Whether an action cannot do without the clock that is missing.
  var isTokenWaiting: Bool { !clockIsGood && settings.actions.contains { $0.message.usesTimestamp } }

  func judgePublished(_ entry: OutboxEntry, unixSeconds: Int64) {
    if !isUp { fail("published without a link") }
    if isStopping { fail("published while stopping") }
    if isHeld(entry.action) { fail("published while Home Assistant is away") }
    if disk.owesDrop { fail("published an entry that may be about to be dropped") }
    let place = disk.index(of: entry.id)
    guard let row = place.map({ disk.rows[$0] }) ?? disk.goneRows.first(where: { $0.id == entry.id }) else {
      return fail("published an entry that is not on the disk")
    }
    if row.entry.topic != entry.topic || row.entry.message != entry.message || row.entry.isRetained != entry.isRetained
    {
      fail("published something other than was stored")
    }
    if book.fates[entry.id] == nil { fail("published an entry that was never accepted") }
    if !book.sent.insert(entry.id).inserted { fail("published twice on one connection") }
    if book.settled.contains(entry.id) { fail("published after its outcome") }
    if row.isOver(at: now, clockIsGood: true) { fail("published after its end") }
    if !row.maySend(clockIsGood: clockIsGood) { fail("published an entry that must wait for the clock") }
    if unixSeconds != now.unixSeconds { fail("published a token of another second") }
    judgeCompany(of: entry.id)
    outstanding.append(entry.id)
    judgeAhead(row, entry)
    guard let number = Book.actionNumbers[entry.action] else { return }
    // An entry that was set aside holds back no other.
    if poison.isAside(entry.id) { return }
    if book.lastSent[number].era == row.era, book.lastSent[number].sequence > row.sequence {
      fail("\(entry.action) was sent out of order")
    }
    book.lastSent[number] = (row.era, row.sequence)
  }

  /// An entry that the link holds ahead of its turn has time to spare, and no token.
  private func judgeAhead(_ row: Disk.Row, _ entry: OutboxEntry) {
    if outstanding.count <= Limits.inflightMax { return }
    if outstanding.count > Limits.inflightMax + Limits.linkAheadMax { fail("\(outstanding.count) in flight") }
    if entry.message.usesTimestamp { fail("a token was made \(outstanding.count) messages ahead") }
    if row.isOver(at: now.later(by: Limits.linkAheadExpiryMin), clockIsGood: true) {
      fail("an entry that ends soon was handed over ahead of its turn")
    }
  }

  /// An entry is removed from its row, where it has one.
  func judgeForgotten(_ entry: OutboxEntry) {
    if let row = disk.rows.first(where: { $0.id == entry.id }), row.sequence != entry.sequence {
      fail("an entry was forgotten at \(entry.sequence) instead of \(row.sequence)")
    }
    // An earlier event, or a report of this one, was the end of a delivered entry.
    if book.delivered.remove(entry.id) != nil { return }
    seen.forgets += 1
    judgeEnd(of: entry.id)
  }

  /// An entry comes to its end, once, because of the current event.
  private func judgeEnd(of id: EntryID) {
    guard book.answering.contains(id) else { return fail("an entry was forgotten before its answer") }
    if !book.settled.insert(id).inserted { fail("an entry was forgotten twice") }
    leaveBook(id)
    if let index = disk.index(of: id) { disk.forget(at: index) }
  }

  /// An entry that is in flight cannot be taken back.
  func judgeDrop(of id: EntryID?, sparing excluding: [EntryID]) {
    let underWay = outstanding + hook.outstanding.map { $0.id }
    if Set(excluding) != Set(underWay.filter { id == nil || $0 == id }) {
      fail("a drop spares \(excluding.count) entries while \(outstanding.count) are in flight")
    }
  }

  func leaveBook(_ id: EntryID) {
    if book.memoryOnly.remove(id) != nil { return }
    let size = book.fates[id]?.size ?? 0
    if book.fates[id]?.isForWebhook == true {
      hook.count -= 1
      hook.size -= size
      return
    }
    book.count -= 1
    book.size -= size
  }

  // MARK: Lights and reports

  func judgeLight(_ light: Light) {
    seen.lights += 1
    switch light {
    case .accepted, .queued: seen.acceptedLights += 1
    case .deliveredByTag, .deliveredByButton: seen.deliveredLights += 1
    case .expired: seen.expiredLights += 1
    case .refused: seen.refusedLights += 1
    default: if light.isLasting { book.shownLight = light }
    }
  }

  func judgeReport(_ report: Report, after event: Event) {
    switch report {
    case .entry(.accepted(let entry, _)):
      seen.acceptedReports += 1
      book.fates[entry.id]?.isPromised = true
    case .entry(.delivered(let entry, _, _)), .entry(.deliveredOfMany(let entry, _)):
      seen.deliveredReports += 1
      if entry.destination == .broker {
        judgeEnd(of: entry.id)
        book.delivered.insert(entry.id)
      }
      recordOutcome(entry)
    case .entry(.undeliverable(let entry, _)), .entry(.givenUp(let entry, _)):
      seen.undeliverableReports += 1
      hook.restsUntil[entry.action] = nil
      recordOutcome(entry)
    case .entry(.expired(let entry)):
      seen.expiredReports += 1
      if book.memoryOnly.remove(entry.id) != nil {
        seen.memoryOnlyExpired += 1
        book.settled.insert(entry.id)
      }
      recordOutcome(entry)
    case .entry(.dropped(let entry)), .entry(.droppedOfMany(let entry)):
      seen.droppedReports += 1
      recordOutcome(entry)
    case .tap(.refused(let by, _, let refusal, _)):
      recordRefusalTold()
      judgeRefusal(by.trigger, refusal, after: event)
    case .tap(.ignored(_, let action, .held, _)):
      recordRefusalTold()
      judgeHeld(action)
    case .tap(.ignored): recordRefusalTold()
    case .tap(.confirming): seen.questions += 1
    case .inventory(let report): judgeResult(report)
    case .job(let report): judgeJob(report)
    case .tap(.performed(_, let by, _, _)):
      seen.performed += 1
      if tickets.counted == nil { recordPerformed(by.trigger, again: false) }
    case .output(.switched(let index, let isOn, let reason)):
      judgeCause(index, reason)
      judgeOpening(by: index, isOn: isOn, reason)
    case .output(.refused(_, let cause, .unmet(let unmet))): judgeUnmet(unmet, cause)
    case .output(.waits(let index, _, let cause)): judgeWaiting(index, cause)
    case .input(let report): judgeInput(report)
    case .command(.accepted(let topic, let target, _)): judgeCommand(on: topic, target)
    case .panel(.locked):
      book.isLocked = true
      book.touchesSinceLock = 0
    case .panel(.unlocked(let trigger)): judgeUnlocked(by: trigger)
    case .webhook(.waits(let action, _, let pause)): hook.restsUntil[action] = now.instant + pause
    case .entry(.setAside(let entry, _)): judgeSetAside(entry)
    case .site(.refused(let refusal)): judgeSiteRefusal(refusal)
    case .webhook(.back(let action)): hook.restsUntil[action] = nil
    case .entry(.deliveredMore), .entry(.droppedMore), .entry(.queued), .tap(.refusedMore), .tap(.confirmationEnded),
      .reader, .link, .helper, .store, .clock, .panel, .output(.refused), .command, .room, .site, .scanner,
      .outboxRestored, .stopping:
      break
    }
  }

  private func recordOutcome(_ entry: OutboxEntry) {
    guard let fate = book.fates[entry.id] else { return fail("an entry has an outcome and was never accepted") }
    if fate.outcomeLife == life { fail("an entry has two outcomes") }
    book.fates[entry.id]?.hasOutcome = true
    book.fates[entry.id]?.outcomeLife = life
  }

  /// A refusal counts for its tag even when it has no line of its own in the log.
  private func recordRefusalUntold() {
    guard seen.refusedLights > 0, seen.refusalsTold == 0, let tag = lying else { return }
    book.refusedAt[tag.card] = now.instant
  }

  /// At most thirty refusals in a window of a minute have a line, and two windows can touch.
  private func recordRefusalTold() {
    seen.refusalsTold += 1
    let most = 2 * Limits.reportedRefusalsMax
    if book.toldRefusals.count >= most {
      if now.instant - book.toldRefusals.removeFirst() < Limits.reportedRefusalsWindow {
        fail("more than \(most) refusals were reported within a minute")
      }
    }
    book.toldRefusals.append(now.instant)
  }

  private func judgeRefusal(_ trigger: Trigger, _ refusal: TapRefusal, after event: Event) {
    switch refusal {
    case .outboxFull(let action, let count, let size):
      let wanted = Cast.actions.first { $0.name == action }.map { ($0.webhookBody ?? $0.message).text.utf8.count } ?? 0
      let promised = promised
      if (count, size) != promised { fail("the outbox is reported with \(count), and holds \(promised.count)") }
      recordOutputs(of: action, trigger)
      if count < settings.outboxCountMax, size + wanted <= settings.outboxSizeMax {
        fail("refused for lack of room, although there is some")
      }
    case .brokerAway(let action):
      recordOutputs(of: action, trigger)
      if isUp, !isStopping { fail("\(action) was refused for lack of a broker, although there is one") }
    case .webhookAway(let action):
      recordOutputs(of: action, trigger)
      if hook.restsUntil[action] == nil, hook.lostAt == nil { fail("\(action) was refused, and its server is there") }
    case .tooMany:
      // Taps of other tags do not count.
      guard let tag = lying else { return fail("too many taps without a tag") }
      let lately = [book.refusedAt[tag.card]] + sameTag(tag.card)
      let isRefusedOften = lately.contains { $0.map { now.instant - $0 <= .seconds(60) } ?? false }
      if !isRefusedOften, book.acceptedCounts[tag.card] < Limits.acceptedTapsPerTagMax {
        fail("a tag was refused because of other tags")
      }
    case .unreadable, .content, .malformedURL, .noSuchAction, .noTagConfigured, .invalidSignature,
      .strayIndex, .copiedURL:
      guard trigger == .tag, let tag = lying else { return fail("a tap was refused that nobody made") }
      if tag.action != nil, case .reader(.tagRead, _) = event {
        fail("a genuine tag was refused as a forged one")
      }
      book.refusedAt[tag.card] = now.instant
    case .personSuspended, .limitedPerson, .usedUp:
      judgeRefusalOfPerson(refusal)
      if case .personSuspended = refusal, let tag = lying { book.refusedAt[tag.card] = now.instant }
    case .nobodyToAsk(let action):
      if room.process == .ready, hearsRooms { fail("\(action) was refused, and the room would have heard it") }
    case .notInInventory(_, let fault, _): judgeShelfRefusal(fault)
    case .needsProof(let action): judgeCopyRefused(action, trigger)
    case .unmet(_, let unmet): judgeUnmet(unmet)
    case .tooLate(let age): if age <= Limits.touchAgeMax { fail("a touch of now was refused as too late") }
    case .notStored, .panelLocked, .wrongTime, .commandOfLimitedPerson: break
    }
  }

  /// Refusals of the card with the same UID.
  private func sameTag(_ card: Int) -> [Instant?] {
    switch card {
    case 0: [book.refusedAt[Cast.copyOfFirst]]
    case Cast.copyOfFirst: [book.refusedAt[0]]
    default: []
    }
  }

  // MARK: After each event

  func judge(_ event: Event) {
    switch event {
    case .store(let answer): judgeAnswer(answer)
    case .link(.acknowledged), .delivered:
      let shown = book.answering.count { !book.newsEntries.contains($0) }
      let least = book.count + shown < Limits.reportedBacklogMax ? shown : min(1, shown)
      if !(least...shown).contains(seen.deliveredLights) || seen.deliveredReports != book.answering.count {
        fail("a PUBACK led to \(seen.deliveredLights) lights and \(seen.deliveredReports) reports")
      }
    case .webhook(let answer): judgeWebhookAnswer(answer)
    case .link(.publishRefused), .fillFailed:
      if seen.undeliverableReports != 1 || seen.refusedLights < 1 || seen.forgets != 1 {
        fail("a refusal by the broker was not shown")
      }
    case .reader(.tagRead, _):
      recordRefusalUntold()
      recordTouch()
      if reader == .ready, !tagJob.isWriting, seen.lights == 0, seen.stores + seen.touches + seen.questions == 0 {
        fail("a tap had no effect")
      }
    case _: break
    }
    switch event {
    // A request that failed is shown as an entry that waits.
    case .store, .webhook: break
    case _: if seen.acceptedLights != seen.codes + seen.performed { fail("a promise was made before the commit") }
    }
    switch event {
    case .link(.acknowledged), .delivered, .webhook(.answered): break
    case _: if seen.deliveredLights > 0 { fail("delivery was shown without a PUBACK") }
    }
    if seen.stores > 0, case .reader(.tagRead, _) = event, seen.stores > 1 { fail("one tap was stored twice") }
    if kiosk.outboxCount != book.count {
      fail("the kiosk counts \(kiosk.outboxCount) entries, and the outbox holds \(book.count)")
    }
    recordRelease()
    judgeLateRemovals()
    judgeWhatLasts()
    judgeOutputs()
    judgeDoors(after: event)
    judgeAssistant()
    judgeStock()
    judgeProgress()
    judgeWebhookProgress()
  }
}

extension Event {
  /// Whether entries may leave the outbox with it, which the book learns of after what is entered in their place.
  fileprivate var bringsOutcomes: Bool {
    switch self {
    case .store, .link, .delivered, .webhook, .fillFailed: true
    case _: false
    }
  }
}
