// Decides what the kiosk does next; performs nothing. The transitions of a tap are here, in Kiosk+Taps.swift and in
// Kiosk+Delivery.swift, those of the panel in Kiosk+Panel.swift, the clock's in Kiosk+Clock.swift, a change of the
// configuration in Kiosk+Settings.swift.
//
// In: an `Event` and the time. Out: effects, in the order in which to perform them, and `nextDeadline`, when
// `Event.timerFired` is due. It reads no clock and no file; the same seed and the same events give the same effects.
// Invariants: only verified and committed entries are published; an entry is published at most once on a connection;
// nothing is published after its expiry; something is always pending or due.

/// The decisions of one kiosk.
package struct Kiosk: Sendable {
  /// The stages of its life.
  private enum Phase: Equatable, Sendable {
    case starting
    case running
    case draining(until: Instant)
    case closing(until: Instant)
    case finished
  }

  /// The configuration, until `Event.reconfigured`.
  package internal(set) var settings: KioskSettings
  private var phase: Phase = .starting
  private(set) var reader: ReaderSupervision
  var link: LinkSupervision
  var outbox: Outbox
  /// The entries for webhooks.
  var webhooks = Outbox(OutboxSummary())
  var supervision = WebhookSupervision()
  /// The process tappet-inventory, what is asked of it, and what it wants to be passed on.
  var inventory = HelperSupervision(.inventory)
  var desk = InventoryDesk()
  var news = InventoryNewsDuties()
  /// The process that listens in rooms.
  var rooms = HelperSupervision(.rooms)
  var roomDuties = RoomDuties()
  var site = SiteDuties()
  var taps = TapDeduplicator()
  var rates = TapRateLimiter()
  var refusals = RefusalLogThrottle()
  var backlog = BacklogLogThrottle()
  var inputs: PanelInputs
  var outputs: OutputBank
  var lock: PanelLock
  var commands: CommandGate
  var commandRefusals = RefusalLogThrottle(countsCommands: true)
  var waitingReplies = PendingReplies()
  var firmware = FirmwareDuties()
  var telemetry = TelemetryDuties()
  var homeAssistant = HomeAssistantDuties()
  var panel = PanelSupervision()
  /// The pending confirmation.
  var confirmation: Confirmation?
  /// Whether the next tag is for a job.
  var isWriting = false
  var secrets: [TagSecret] = []
  var indexes: ActionIndexes
  /// The tags of others that the store has.
  var learnedTags = ForeignTags()
  /// The removals that are owed.
  var presence = Presence()
  /// The number of accepted taps of each tag that is counted.
  var tagCounts: [TagUID: Int64] = [:]
  var random: Randomness
  /// The numbers of taps and presses by their outcome.
  package internal(set) var counters = Counters()
  var isClockSynchronised: Bool?
  /// Whether the clock is missed, as it was reported last.
  var isClockMissed = false
  /// Whether it is missed because of entries; they are not read, and not judged again, while the link is down.
  var hasHeldBack = false
  /// Days left until the first certificate expires, while they are too few.
  var certificateDaysLeft: Int?
  var store = StoreSupervision()
  var tickets = TicketLedger()
  /// The lasting light on display.
  private var shownLight: Light?
  /// Since when the store owes an answer, counted from its last one; `nil` means that it owes none.
  private var storeSilentSince: Instant?

  /// A kiosk that waits for `Event.started`; `seed` is for jitter and entry names.
  @export(interface)
  package init(settings: KioskSettings, seed: (UInt64, UInt64, UInt64, UInt64), at now: Instant) {
    self.settings = settings
    indexes = ActionIndexes(settings.actions, secrets: [])
    reader = ReaderSupervision(startAt: now)
    _ = reader.want(settings.hasReader, at: now)
    link = LinkSupervision(
      endpointCount: settings.endpointCount, first: settings.firstEndpoint, fallbacks: settings.fallbacks,
      connectAt: now)
    outbox = Outbox(OutboxSummary())
    inputs = PanelInputs(settings.panel)
    outputs = OutputBank(settings.panel.outputs, at: now)
    lock = PanelLock(after: settings.panel.lockAfter, code: settings.panel.unlockCode)
    commands = CommandGate(settings.commands, startedAt: now)
    random = Randomness(seed: seed)
  }

  /// Whether an answer that always comes has not come, or a deadline passed long ago.
  ///
  /// Then a thread hangs, or the loop around the kiosk does, and only a new process helps. For a watchdog: as long as
  /// the loop turns and this is false, there is progress. Faults that pass by themselves do not count: a broker that is
  /// away, a disk that is full, a silent reader (which is killed and restarted).
  package func isStuck(at now: Moment) -> Bool {
    func isOld(_ instant: Instant?) -> Bool { instant.map { now.instant - $0 > Limits.answerMax } ?? false }
    return isOld(storeSilentSince) || isOld(link.askedAt) || isOld(nextDeadline(at: now))
  }

  /// Returns when `Event.timerFired` is due unless something happens before; `nil` means that only an event matters.
  @export(interface)
  package func nextDeadline(at now: Moment) -> Instant? {
    var deadline: Instant?
    func consider(_ other: Instant?) { if let other, deadline.map({ other < $0 }) ?? true { deadline = other } }
    switch phase {
    case .starting, .finished: return nil
    case .closing(let until): return until
    case .draining(let until): deadline = until
    case .running:
      deadline = reader.deadline
      consider(presence.deadline)
      consider(link.deadline)
      consider(store.deadline)
      consider(expiryDeadline(at: now))
      if isSending { consider(outbox.aloneDeadline(at: now, clockIsGood: clockIsGood)) }
      consider(webhookExpiryDeadline(at: now))
      consider(supervision.deadline)
      consider(inventory.deadline)
      consider(desk.deadline)
      consider(roomDeadline)
      consider(site.retryAt)
      consider(panel.deadline)
      consider(refusals.deadline)
      consider(commandRefusals.deadline)
      consider(backlog.deadline)
    }
    consider(outputs.deadline)
    consider(firmware.deadline)
    consider(telemetry.deadline)
    consider(homeAssistant.deadline)
    consider(inputs.deadline)
    consider(lock.deadline)
    consider(confirmation?.until)
    return deadline
  }

  /// Handles one event and returns the effects to perform.
  @export(interface)
  package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
    var effects: [Effect]
    switch event {
    case .started(let summary): effects = start(summary, at: now)
    case .timerFired: effects = []
    case .clockChecked(let isSynchronised): effects = clockChecked(isSynchronised, at: now)
    case .reconfigured(let settings, let reconnect, let newReader):
      effects = reconfigured(settings, reconnect: reconnect, at: now)
      if newReader { effects += reader.replace(at: now.instant) }
      effects += reader.want(self.settings.hasReader, at: now.instant)
    case .certificates(let daysLeft): effects = certificatesChecked(daysLeft)
    case .secretsLoaded(let loaded):
      loadSecrets(loaded)
      effects = []
    case .tagsLearned(let tags):
      learnedTags = ForeignTags(tags)
      effects = []
    case .actionRenamed(let former, let name):
      presence.renameAction(former, to: name)
      effects = []
    case .tagJob(let phase): effects = tagJobChanged(phase)
    case .reader(let message): effects = readerSaid(message, at: now)
    case .readerMalformed(let error): effects = reader.malformed(error)
    case .readerEnded(let end): effects = reader.ended(end, at: now.instant)
    case .readerNotStarted(let code): effects = reader.notStarted(code: code, at: now.instant)
    case .store(let answer): effects = storeAnswered(answer, at: now)
    case .dropAsked(let id):
      let excluded = outbox.willDrop(id)
      effects = [.drop(id, excluding: excluded + webhooks.willDrop(id).filter { !excluded.contains($0) })]
    case .link(let change): effects = linkChanged(change, at: now)
    case .fillFailed(let id): effects = undeliverable(id, code: nil)
    case .webhook(let change): effects = webhookChanged(change, at: now)
    case .webhookFillFailed(let id): effects = webhookUnfillable(id, at: now)
    case .inventory(let change): effects = inventoryChanged(change, at: now)
    case .inventoryReplaced: effects = inventory.replace(at: now.instant)
    case .rooms(let change): effects = roomsChanged(change, at: now)
    case .site(let change): effects = siteChanged(change, at: now)
    case .webhooksReplaced:
      supervision.replace()
      webhooks.readAgain()
      effects = rooms.replace(at: now.instant)
    case .panel(let change): effects = panelChanged(change, at: now)
    case .outputAsked(let name, let request, let cause):
      effects = drive([OutputOrder(output: name, request: request)], cause, at: now)
    case .commandArrived(let arrival): effects = commandArrived(arrival, at: now)
    case .commandsSubscribed(let index, let isGranted): effects = commandsSubscribed(index, isGranted: isGranted)
    case .tokenSealed(let token, let unixSeconds):
      commands.noteSealed(token, unixSeconds: unixSeconds)
      effects = []
    case .commandsDiscarded: effects = commandsDiscarded(at: now)
    case .homeAssistant(let isOnline): effects = homeAssistantChanged(isOnline: isOnline, at: now)
    case .stopRequested: effects = stop(at: now)
    }
    // Edges come with their own time; others of the same moment may follow, so the kiosk waits for them.
    if case .panel(.edge) = event {} else if isTaking { effects += dueOnPanel(at: now) }
    effects += removalsDue(at: now)
    effects += firmwareDue(at: now)
    effects += dueOnOutputs(at: now) + dueEffects(at: now)
    effects += sendWhatMayBeSent(at: now)
    effects += postWhatMayBePosted(at: now)
    effects += reportClock()
    effects += lastingLight()
    effects += telemetryDue(at: now) + homeAssistantDue(after: effects, at: now)
    noteProgress(of: event, at: now.instant)
    return effects.inOrderOfPerformance()
  }

  private mutating func noteProgress(of event: Event, at now: Instant) {
    guard isAwaitingStore else { return storeSilentSince = nil }
    if case .store = event { storeSilentSince = now } else if storeSilentSince == nil { storeSilentSince = now }
  }

  // MARK: Life

  private mutating func start(_ summary: OutboxSummary, at now: Moment) -> [Effect] {
    guard phase == .starting else { return [] }
    phase = .running
    outbox = Outbox(summary)
    webhooks = Outbox(summary.ofWebhooks)
    presence = Presence(summary.arrivals)
    tagCounts = summary.tagCounts
    site.record = summary.site
    lock.resume(failures: summary.wrongCodes, at: now.instant)
    firmware.restore(summary.openings, settings.commands, at: now.instant)
    let count = summary.count + summary.webhookCount
    let restored: [Effect] = count > 0 ? [.report(.outboxRestored(count: count))] : []
    return restored + inventory.want(settings.inventory != nil, at: now.instant)
      + rooms.want(settings.hearsRooms, at: now.instant)
  }

  /// Stops: the first request drains what is in flight for a bounded time; a second one ends at once.
  private mutating func stop(at now: Moment) -> [Effect] {
    switch phase {
    case .starting:
      phase = .finished
      return [.finish]
    case .running:
      phase = .draining(until: now.instant + Limits.drainMax)
      firmware.stop()
      return endConfirmation(.closed) + closeOutputs(at: now) + reportRefusals() + backlog.reportRest()
        + [.report(.stopping(unacknowledged: outbox.inflightCount + webhooks.inflightCount))] + reader.stop()
    case .draining, .closing:
      phase = .finished
      return [.finish]
    case .finished:
      return []
    }
  }

  /// Whether an entry that is accepted now can be sent now.
  var isSending: Bool { link.isUp && phase == .running }

  /// Whether webhooks are posted.
  var isPosting: Bool { phase == .running }

  /// Whether an end was requested.
  var isStopping: Bool {
    switch phase {
    case .starting, .running: false
    case .draining, .closing, .finished: true
    }
  }

  /// Whether taps and presses are handled: while stopping only those that a commit can promise, at the very end none.
  var isTaking: Bool {
    switch phase {
    case .running, .draining: true
    case .starting, .closing, .finished: false
    }
  }

  private mutating func dueEffects(at now: Moment) -> [Effect] {
    switch phase {
    case .starting, .finished:
      return []
    case .running:
      return reader.timeUp(at: now.instant) + link.timeUp(at: now) + store.timeUp(at: now.instant)
        + inventoryDue(at: now) + roomsDue(at: now) + site.timeUp(at: settings.site, now.instant)
        + panel.timeUp(at: now.instant) + refusalsDue(at: now.instant)
        + backlog.timeUp(at: now.instant)
        + expireWhatIsOver(at: now) + webhooksTimeUp(at: now)
    case .draining(let until):
      let isDrained =
        outbox.inflightCount == 0 && outbox.uncommittedCount == 0 && webhooks.inflightCount == 0
        && webhooks.uncommittedCount == 0
      guard isDrained || until <= now.instant else { return [] }
      phase = .closing(until: now.instant + Limits.closeMax)
      // Their process is killed: they can be taken back.
      webhooks.putAllBack()
      return link.stop(at: now.instant) + supervision.stop() + inventory.want(false, at: now.instant)
        + rooms.want(false, at: now.instant) + finishIfClosed()
    case .closing(let until):
      return until <= now.instant ? finish() : finishIfClosed()
    }
  }

  /// Reports what was refused and not reported one by one, because no later call will.
  private mutating func reportRefusals() -> [Effect] { refusals.reportRest() + commandRefusals.reportRest() }

  private mutating func refusalsDue(at now: Instant) -> [Effect] {
    refusals.timeUp(at: now) + commandRefusals.timeUp(at: now)
  }

  private mutating func finishIfClosed() -> [Effect] { link.isStopped && reader.isStopped ? finish() : [] }

  private mutating func finish() -> [Effect] {
    phase = .finished
    return [.finish]
  }

  // MARK: Reader

  private mutating func readerSaid(_ message: ReaderMessage, at now: Moment) -> [Effect] {
    let wasUsable = reader.isUsable
    let effects = reader.received(message, at: now.instant)
    notePresence(message, wasUsable: wasUsable, at: now.instant)
    guard wasUsable else { return effects }
    if isWriting { return effects + saidWhileWriting(message, at: now) }
    switch message {
    case .tagArrived(let uid):
      taps.tagArrived(uid, sinceReady: reader.sinceReady(at: now.instant))
      return effects + [.light(.reading)]
    case .tagRead(let reading): return effects + tagRead(reading, at: now)
    case .tagFaulted(let uid, _, let fault): return effects + tagUnreadable(uid, fault, at: now)
    case .tagLeft(let uid):
      taps.tagLeft(uid)
      return effects + tagGone(uid)
    case .tagDescribed, .ready, .heartbeat, .lost, .orderProgress, .orderDone: return effects
    }
  }

  // MARK: Store

  private mutating func storeAnswered(_ answer: StoreEvent, at now: Moment) -> [Effect] {
    switch answer {
    case .stored(let id, let sequence):
      return store.succeeded() + stored(id, sequence: sequence) + outputsAfterEntry(id, at: now) + newsStored(id)
    case .counted(let id): return store.succeeded() + useCounted(id, at: now)
    case .storeFailed(let id, let fault):
      let trouble = store.failed(fault, at: now.instant)
      let webhook = webhooks.notStored(id)
      presence.notStored(id)
      newsNotStored(id)
      if let use = tickets.failed(id), !use.hasEntry { return trouble + useNotCounted(use, fault, at: now) }
      guard let (entry, uid) = outbox.notStored(id) ?? webhook else { return trouble }
      notCounted(entry)
      if let uid { taps.notAccepted(uid, action: entry.action) }
      let refusal = TapRefusal.notStored(action: entry.action, fault)
      if entry.trigger == .command { return trouble + commandNotStored(entry, refusal, at: now) }
      if entry.trigger == .inventory { return trouble }
      return trouble + refuse(entry.trigger, uid, refusal, entry.owner, at: now)
    case .fetched(let entries, let reachedEnd):
      outbox.fetched(entries, reachedEnd: reachedEnd)
      return []
    case .removed(let ids):
      outbox.removed(ids)
      return []
    case .expired(let entries, let earliest):
      return expired(entries, earliest: earliest)
    case .dropped(let entries):
      let outcomes = outbox.dropped(entries.filter { $0.destination == .broker })
      return dropped(outcomes + webhooks.dropped(entries.filter { $0.isWaiting }))
    case .webhooks(let answer):
      return webhooksAnswered(answer, at: now)
    case .replaced:
      outbox.replaced()
      webhooks.replaced()
      return []
    case .checked:
      return store.succeeded()
    case .fetchExpiredFailed(let fault):
      outbox.fetchExpiredFailed()
      return store.failed(fault, at: now.instant)
    case .fetchFailed(let fault):
      outbox.fetchFailed()
      return store.failed(fault, isRead: true, at: now.instant)
    case .dropFailed(let fault):
      outbox.dropFailed()
      webhooks.dropFailed()
      return store.failed(fault, at: now.instant)
    case .removeFailed(let fault), .checkFailed(let fault):
      return store.failed(fault, at: now.instant)
    }
  }

  /// The effect that shows the lasting light, if another one is shown.
  private mutating func lastingLight() -> [Effect] {
    let light = baseLight
    guard light != shownLight, phase != .starting else { return [] }
    shownLight = light
    return [.light(light)]
  }
}
