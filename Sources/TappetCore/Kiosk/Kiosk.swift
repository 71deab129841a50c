// Decides what the kiosk does next, but performs no effects. The state is grouped by subject; the transitions of each
// subject are next to its group: Taps/Kiosk+Taps.swift, Delivery/Kiosk+Delivery.swift, and so on.
//
// Input: an `Event` and the time. Output: effects, in the order in which to perform them, and `nextDeadline`, the time
// at which `Event.timerFired` is due. The kiosk reads no clock and no file; the same seed and the same events produce
// the same effects.
//
// Invariants: only verified and committed entries are published; an entry is published at most once per connection;
// no entry is published after its expiry; a response or a deadline is always pending.

/// The decision logic of one kiosk.
package struct Kiosk: Sendable {
  /// The phases in the life of a kiosk.
  private enum Phase: Equatable, Sendable {
    case starting
    case running
    case draining(until: Instant)
    case closing(until: Instant)
    case finished
  }

  /// The groups of state with timers, in the order in which they are handled after each event.
  private enum Group: CaseIterable {
    case panel, removals, firmware, outputs, reader, tagJob, inventory, rooms, site, throttles, stop, delivery, clock,
      selfReport
  }

  /// The current configuration, replaced by `Event.reconfigured`.
  package internal(set) var settings: KioskSettings
  private var phase: Phase = .starting
  private(set) var reader: ReaderSupervision
  var tapPolicy: TapPolicy
  var tagJobs = TagJobDesk()
  var panel: PanelState
  var intake: CommandIntake
  var delivery: Deliveries
  var stock = StockPublisher()
  var listening = ListenerSupervision()
  var site = SiteDuties()
  var clock = ClockSupervision()
  var selfReport = SelfReport()
  var throttles = LogThrottles()
  /// The numbers of taps and presses by outcome.
  package internal(set) var counters = Counters()
  var random: Randomness

  /// Creates a kiosk that waits for `Event.started`; `seed` is for jitter and entry ids.
  @export(interface)
  package init(settings: KioskSettings, seed: (UInt64, UInt64, UInt64, UInt64), at now: Instant) {
    self.settings = settings
    reader = ReaderSupervision(startAt: now)
    _ = reader.want(settings.hasReader, at: now)
    tapPolicy = TapPolicy(settings)
    panel = PanelState(settings.panel, at: now)
    intake = CommandIntake(gate: CommandValidator(settings.commands, startedAt: now))
    delivery = Deliveries(
      link: LinkState(
        endpointCount: settings.endpointCount, first: settings.firstEndpoint, fallbacks: settings.fallbacks,
        connectAt: now))
    delivery.webhookProcess.roomActions = Set(settings.rooms.actions.keys)
    delivery.webhookProcess.targets = settings.webhookTargets
    random = Randomness(seed: seed)
  }

  /// Lets a tag that is on the reader at the start act, because a person holds it there.
  package mutating func expectTap() { reader.wasUnattended = false }

  /// Returns whether a guaranteed response or a deadline is long overdue.
  ///
  /// If so, a thread or the loop around the kiosk hangs, and only a restart helps. For a watchdog: as long as the loop
  /// runs and the result is false, the kiosk is making progress. Transient faults do not count: an unavailable broker,
  /// a full disk, or a silent reader (which is killed and restarted).
  package func isStuck(at now: Moment) -> Bool {
    func isOld(_ instant: Instant?) -> Bool { instant.map { now.instant - $0 > Limits.answerMax } ?? false }
    return isOld(delivery.storeSilentSince) || isOld(delivery.link.askedAt) || isOld(nextDeadline(at: now))
  }

  /// Returns when `Event.timerFired` is due if no other event arrives first; `nil` if no timer is needed.
  @export(interface)
  package func nextDeadline(at now: Moment) -> Instant? {
    if phase == .starting || phase == .finished { return nil }
    return Group.allCases.compactMap { isActive($0) ? deadline(of: $0, at: now) : nil }.min()
  }

  /// Returns whether the timers of the group are handled in the current phase.
  private func isActive(_ group: Group) -> Bool {
    switch group {
    case .reader, .inventory, .rooms, .site, .throttles: isRunning
    case .panel, .removals: isTaking
    case .firmware, .outputs, .tagJob, .stop, .delivery, .clock, .selfReport: true
    }
  }

  private func deadline(of group: Group, at now: Moment) -> Instant? {
    switch group {
    case .panel: panelDeadline
    case .removals: tapPolicy.presence.deadline
    case .firmware: intake.firmware.deadline
    case .outputs: panel.outputs.deadline
    case .reader: reader.deadline
    case .tagJob: tagJobs.deadline
    case .inventory: stock.deadline
    case .rooms: roomDeadline
    case .site: site.retryAt
    case .throttles: throttles.deadline
    case .stop: if case .draining(let end) = phase { end } else if case .closing(let end) = phase { end } else { nil }
    case .delivery: deliveryDeadline(at: now)
    case .clock: nil
    case .selfReport: selfReport.deadline
    }
  }

  /// Handles the group's deadline, and whatever else is due after the event, whose effects so far are given.
  private mutating func due(_ group: Group, after event: Event, _ effects: [Effect], at now: Moment) -> [Effect] {
    // A timer fires after everything that has arrived was handled, so only then a process can count as silent.
    let hasHeardAll = if case .timerFired = event { true } else { false }
    return switch group {
    case .panel: panelDue(after: event, at: now)
    case .removals: removalsDue(at: now)
    case .firmware: firmwareDue(at: now)
    case .outputs: outputsDue(at: now)
    case .reader: reader.timerFired(at: now.instant, hasHeardAll: hasHeardAll)
    case .tagJob: tagJobs.timerFired(at: now.instant).effects
    case .inventory: inventoryDue(hasHeardAll: hasHeardAll, at: now)
    case .rooms: roomsDue(hasHeardAll: hasHeardAll, at: now)
    case .site: site.timerFired(at: settings.site, now.instant)
    case .throttles: throttles.timerFired(at: now.instant)
    case .stop: stopDue(at: now)
    case .delivery: deliveryDue(hasHeardAll: hasHeardAll, at: now)
    // The messages about the kiosk include its light, which depends on whether anything waits for the clock.
    case .clock: reportClock() + lastingLight()
    case .selfReport: telemetryDue(at: now) + homeAssistantDue(after: effects, at: now) + inventoryListsDue(at: now)
    }
  }

  /// Handles one event and returns the effects to perform.
  @export(interface)
  package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
    var effects: [Effect]
    switch event {
    case .started(let summary): effects = start(summary, at: now)
    case .timerFired: effects = []
    case .clockChecked(let isSynchronized): effects = clockChecked(isSynchronized, at: now)
    case .reconfigured(let settings, let reconnect, let newReader):
      effects = reconfigured(settings, reconnect: reconnect, at: now)
      if newReader { effects += reader.replace(at: now.instant) }
      effects += reader.want(self.settings.hasReader, at: now.instant)
    case .certificates(let daysLeft): effects = certificatesChecked(daysLeft)
    case .secretsLoaded(let loaded):
      loadSecrets(loaded)
      effects = []
    case .tagsLearned(let tags):
      tapPolicy.learnedTags = ForeignTags(tags)
      effects = []
    case .actionRenamed(let former, let name): effects = actionRenamed(former, to: name)
    case .tagJob(let change): effects = tagJobChanged(change, at: now)
    case .reader(let message, let sentAt):
      effects = handleReaderMessage(message, sentAt: sentAt, at: now) + tagJobReceived(message)
    case .readerMalformed(let error): effects = reader.malformed(error, at: now.instant)
    case .readerEnded(let end): effects = reader.ended(end, at: now.instant) + tagJobs.readerEnded().effects
    case .readerNotStarted(let code): effects = reader.notStarted(code: code, at: now.instant)
    case .store(let answer): effects = storeAnswered(answer, at: now)
    case .dropAsked(let id): effects = dropAsked(id)
    case .retryAsked(let id): effects = retryAsked(id, at: now)
    case .link(let change): effects = linkChanged(change, at: now)
    case .delivered(let acknowledgements): effects = acknowledged(acknowledgements, at: now)
    case .fillFailed(let id, let destination): effects = fillFailed(id, for: destination, at: now)
    case .webhook(let change): effects = webhookChanged(change, at: now)
    case .inventory(let change): effects = inventoryChanged(change, at: now)
    case .inventoryReplaced: effects = stock.process.replace(at: now.instant)
    case .rooms(let change): effects = roomsChanged(change, at: now)
    case .site(let change): effects = siteChanged(change, at: now)
    case .pageOpened(let code):
      selfReport.pageErrno = code
      effects = []
    case .webhooksReplaced:
      delivery.webhookProcess.replace(at: now.instant)
      delivery.webhooks.readAgain()
      // A process that only sends is started again when a message is due.
      let isNeeded = settings.hearsRooms
      effects = isNeeded ? listening.process.replace(at: now.instant) : listening.process.want(false, at: now.instant)
    case .panel(let change): effects = panelChanged(change, at: now)
    case .outputAsked(let name, let request, let by, let time):
      effects = drive([OutputOrder(output: name, request: request)], .request(by), askedAt: time, at: now)
    case .commandArrived(let arrival): effects = commandArrived(arrival, at: now)
    case .commandsSubscribed(let index, let isGranted): effects = commandsSubscribed(index, isGranted: isGranted)
    case .tokenSealed(let token, let unixSeconds):
      intake.gate.recordSealed(token, unixSeconds: unixSeconds)
      effects = []
    case .commandsDiscarded: effects = commandsDiscarded(at: now)
    case .homeAssistant(let isOnline): effects = homeAssistantChanged(isOnline: isOnline, at: now)
    case .stopRequested: effects = stop(at: now)
    }
    for group in Group.allCases where isActive(group) { effects += due(group, after: event, effects, at: now) }
    effects += recordOutcomes(in: effects)
    listening.ledger.recordAnswers(in: effects, at: now.instant)
    recordProgress(of: event, at: now.instant)
    return effects.inOrderOfPerformance()
  }

  private mutating func recordProgress(of event: Event, at now: Instant) {
    guard isAwaitingStore else { return delivery.storeSilentSince = nil }
    if case .store = event {
      delivery.storeSilentSince = now
    } else if delivery.storeSilentSince == nil {
      delivery.storeSilentSince = now
    }
  }

  // MARK: Life

  private mutating func start(_ summary: OutboxSummary, at now: Moment) -> [Effect] {
    guard phase == .starting else { return [] }
    phase = .running
    delivery.outbox = Outbox(summary)
    delivery.webhooks = Outbox(summary.ofWebhooks)
    delivery.webhookProcess.restore(worked: summary.workedWebhooks)
    if summary.hasRoomEdits || !settings.rooms.reporting.isEmpty { delivery.edits.use(hasRows: summary.hasRoomEdits) }
    tapPolicy.presence = PendingRemovals(summary.arrivals)
    tapPolicy.tagCounts = summary.tagCounts
    site.record = summary.site
    panel.lock.resume(failures: summary.wrongCodes, at: now.instant)
    intake.firmware.restore(summary.openings, settings.commands, at: now.instant)
    listening.ledger = RoomLedger(position: summary.roomPosition, summary.roomCommands)
    for row in summary.roomCommands { intake.gate.recordActed(row) }
    let count = summary.count + summary.webhookCount
    let restored: [Effect] = count > 0 ? [.report(.outboxRestored(count: count))] : []
    return restored + stock.process.want(settings.inventory != nil, at: now.instant)
      + listening.process.want(settings.hearsRooms, at: now.instant)
  }

  /// Handles a stop request: the first drains the entries in flight for a bounded time; the second exits immediately.
  private mutating func stop(at now: Moment) -> [Effect] {
    switch phase {
    case .starting:
      phase = .finished
      return [.finish]
    case .running:
      phase = .draining(until: now.instant + Limits.drainMax)
      intake.firmware.stop()
      return endConfirmation(.closed) + closeOutputs(at: now) + cancelWill(settings.rooms.will)
        + throttles.reportRest()
        + [.report(.stopping(unacknowledged: delivery.outbox.inflightCount + delivery.webhooks.inflightCount))]
        + reader.stop()
    case .draining, .closing:
      phase = .finished
      return [.finish]
    case .finished:
      return []
    }
  }

  /// Whether an entry accepted now can be sent immediately.
  var isSending: Bool { delivery.link.isUp && isRunning }

  /// Whether the kiosk has started, and no stop was requested.
  var isRunning: Bool { phase == .running }

  /// Whether a stop was requested.
  var isStopping: Bool {
    switch phase {
    case .starting, .running: false
    case .draining, .closing, .finished: true
    }
  }

  /// Whether taps and presses are handled; while draining, only those that can be queued, and while closing, none.
  var isTaking: Bool {
    switch phase {
    case .running, .draining: true
    case .starting, .closing, .finished: false
    }
  }

  private mutating func stopDue(at now: Moment) -> [Effect] {
    switch phase {
    case .starting, .running, .finished:
      return []
    case .draining(let until):
      let isDrained =
        delivery.outbox.inflightCount == 0 && delivery.outbox.uncommittedCount == 0
        && delivery.webhooks.inflightCount == 0
        && delivery.webhooks.uncommittedCount == 0 && !listening.will.isCancelling
      guard isDrained || until <= now.instant else { return [] }
      phase = .closing(until: now.instant + Limits.closeMax)
      // The webhook process is killed, so its requests can be requeued.
      delivery.webhooks.putAllBack()
      return delivery.link.stop(at: now.instant) + delivery.webhookProcess.stop(at: now.instant)
        + stock.process.want(false, at: now.instant)
        + listening.process.want(false, at: now.instant) + finishIfClosed()
    case .closing(let until):
      return until <= now.instant ? finish() : finishIfClosed()
    }
  }

  private mutating func finishIfClosed() -> [Effect] { delivery.link.isStopped && reader.isStopped ? finish() : [] }

  private mutating func finish() -> [Effect] {
    phase = .finished
    return [.finish]
  }

  // MARK: Reader

  private mutating func handleReaderMessage(
    _ message: ReaderMessage, sentAt: Instant?, at now: Moment
  ) -> [Effect] {
    let wasUsable = reader.isUsable
    let effects = reader.received(message, at: now.instant)
    recordPresence(message, wasUsable: wasUsable, at: now.instant)
    guard wasUsable else { return effects }
    if case .tagArrived(let uid, _) = message { stock.desk.tapped(uid) }
    if tagJobs.isWriting { return effects + saidWhileWriting(message) }
    switch message {
    case .tagArrived(let uid, let wasPresent):
      tapPolicy.taps.tagArrived(uid, wasPresent: wasPresent, wasUnattended: reader.wasUnattended)
      return effects + [.light(.reading)]
    case .tagRead(let reading):
      if let age = age(of: sentAt, at: now) { return effects + refuse(.tag, reading.uid, .tooLate(age: age), at: now) }
      return effects + tagRead(reading, at: now)
    case .tagFaulted(let uid, _, let fault):
      if let age = age(of: sentAt, at: now) { return effects + refuse(.tag, uid, .tooLate(age: age), at: now) }
      return effects + tagUnreadable(uid, fault, at: now)
    case .tagLeft(let uid):
      tapPolicy.taps.tagLeft(uid)
      return effects + tagGone(uid)
    case .tagDescribed, .ready, .heartbeat, .lost, .orderProgress, .orderDone: return effects
    }
  }

  /// Returns the effect that shows the base light, unless it is already shown.
  private mutating func lastingLight() -> [Effect] {
    let light = baseLight
    guard light != panel.shownLight, phase != .starting else { return [] }
    panel.shownLight = light
    return [.light(light)]
  }
}
