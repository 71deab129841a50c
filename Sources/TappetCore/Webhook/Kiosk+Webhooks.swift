// The delivery of entries to their webhooks. Webhooks have a separate outbox, so that an unavailable broker does not
// delay them, and vice versa. Pure decision logic.

extension Kiosk {
  /// Whether the entry of a tap is pending for its webhook or room; the edit of an earlier message does not count.
  var hasWebhookEntries: Bool { delivery.webhooks.count > 0 || delivery.webhooks.uncommittedCount > 0 }

  // MARK: Sending

  /// Posts the entries that are due and may be posted, and starts the processes that are needed.
  mutating func postWhatMayBePosted(at now: Moment) -> [Effect] {
    if settings.usesWebhooks || delivery.webhooks.count > 0 { delivery.webhooks.beginReading() }
    // No entries are left, so no further request would detect that a server has recovered.
    if !hasWebhookEntries, !delivery.edits.isPending {
      delivery.webhookProcess.forgetTrouble()
      if !settings.hearsRooms { listening.process.forgetLoss() }
    }
    var effects = delivery.webhookProcess.renew(at: now.instant)
    let hadPosted = delivery.webhookProcess.hasPosted(to: .rooms)
    let due = delivery.webhooks.takePostable(
      at: now, clockIsGood: clockIsGood, &delivery.webhookProcess, roomsRun: listening.process.isRunning)
    effects += due.map { .post($0, room: settings.rooms.actions[$0.action], unixSeconds: now.unixSeconds) }
    if !hadPosted, delivery.webhookProcess.hasPosted(to: .rooms) { listening.duties.signAt = now.instant }
    if due.isEmpty { effects += wantProcesses(at: now) }
    let hasRoom = delivery.store.isGood || delivery.webhooks.resolvedCount < Limits.outboxResolvedMax
    if delivery.store.isReadable, hasRoom, let (after, limit) = delivery.webhooks.takeFetch() {
      effects.append(
        .store(
          .fetch(
            .webhook, after: after, limit: limit, clockIsGood: clockIsGood,
            excluding: delivery.webhookProcess.restingActions)))
    }
    return effects + editWhatMayBeEdited(at: now)
  }

  /// Starts the processes for the entries that are due.
  private mutating func wantProcesses(at now: Moment) -> [Effect] {
    let due = delivery.webhooks.helpersOfDue(at: now, clockIsGood: clockIsGood, delivery.webhookProcess)
    return due.reduce([]) { $0 + wantProcess($1, at: now.instant) }
  }

  /// Starts tappet-webhook or tappet-matrix because a request is due.
  mutating func wantProcess(_ helper: Helper, at now: Instant) -> [Effect] {
    helper == .rooms ? listening.process.want(true, at: now) : delivery.webhookProcess.want(at: now)
  }

  mutating func webhooksTimeUp(hasHeardAll: Bool, at now: Moment) -> [Effect] {
    let (effects, restIsOver) = delivery.webhookProcess.timerFired(at: now.instant, hasHeardAll: hasHeardAll)
    if !delivery.webhookProcess.isRunning { putBack(from: .webhooks) }
    if restIsOver { delivery.webhooks.readAgain() }
    return effects + expireEntries(of: .webhook, at: now)
  }

  /// Requeues the entries in flight of a process that has ended.
  mutating func putBack(from helper: Helper) {
    for id in delivery.webhookProcess.takePosted(to: helper) { _ = delivery.webhooks.requeue(id) }
  }

  // MARK: Answers

  mutating func webhookChanged(_ change: WebhookEvent, at now: Moment) -> [Effect] {
    switch change {
    case .ready: return delivery.webhookProcess.ready(at: now.instant)
    case .answered(let id, let status, let retryAfter):
      let decision = WebhookDecision(status: status, hasWorked: hasWorked(id))
      return settle(id, decision, retryAfter: retryAfter, at: now)
    case .created(let id, let event): return settle(id, .delivered, event: event, retryAfter: nil, at: now)
    case .failed(let id, let trouble, let code):
      let decision = WebhookDecision(trouble, code: code, hasWorked: hasWorked(id))
      return settle(id, decision, retryAfter: nil, at: now)
    case .notConfigured(let id): return settle(id, .givenUp(.notConfigured), retryAfter: nil, at: now)
    case .malformed:
      putBack(from: .webhooks)
      return delivery.webhookProcess.lose(.malformed, at: now.instant)
    case .ended(let end):
      putBack(from: .webhooks)
      return delivery.webhookProcess.ended(end, at: now.instant, random: &random)
    case .notStarted(let code): return delivery.webhookProcess.notStarted(code: code, at: now.instant, random: &random)
    }
  }

  /// Returns whether the webhook of an entry in flight has ever accepted a request.
  private func hasWorked(_ id: EntryID) -> Bool {
    delivery.webhooks.inflight[id].map { delivery.webhookProcess.hasWorked($0.action) } ?? false
  }

  private mutating func settle(
    _ id: EntryID, _ verdict: WebhookDecision, event: String? = nil, retryAfter: Duration?, at now: Moment
  ) -> [Effect] {
    guard delivery.webhookProcess.answered(id, at: now.instant) else { return [] }
    if let edit = delivery.edits.posted, edit.transaction == id {
      return editAnswered(edit, verdict, retryAfter: retryAfter, at: now)
    }
    switch verdict {
    case .delivered: return webhookDelivered(id, event, at: now)
    case .givenUp(let refusal): return giveUp(id, .webhook(refusal), at: now)
    case .again(let fault):
      guard let entry = delivery.webhooks.requeue(id) else { return [] }
      counters.webhooks.again += 1
      if fault.isRefusal { delivery.webhookProcess.recordRefusal(of: id) }
      let light: [Effect] = delivery.webhookProcess.hasFailed(entry.action) ? [] : [.light(.queued)]
      let pause = delivery.webhookProcess.failed(
        entry.action, fault, retryAfter: retryAfter, at: now.instant, random: &random)
      let renewed = fault.mayBeOfFiles ? renewRooms(after: entry.action, at: now.instant) : []
      guard delivery.webhookProcess.hasFailed(entry.action) else { return renewed }
      return light + [.report(.webhook(.waits(action: entry.action, fault, retryIn: pause)))] + renewed
    }
  }

  /// Ends a tappet-matrix that only sends, so that its successor reads the session and the other files again.
  private mutating func renewRooms(after action: String, at now: Instant) -> [Effect] {
    guard delivery.webhookProcess.helper(of: action) == .rooms, !settings.hearsRooms,
      !delivery.webhookProcess.hasPosted(to: .rooms)
    else { return [] }
    return listening.process.want(false, at: now)
  }

  private mutating func webhookDelivered(_ id: EntryID, _ event: String?, at now: Moment) -> [Effect] {
    guard let entry = delivery.webhooks.resolve(id) else { return [] }
    counters.webhooks.delivered += 1
    delivery.webhookProcess.forgetRefusal(of: id)
    let worked = delivery.webhookProcess.accepted(entry.action)
    let isBack = serverReplied(entry.action)
    let isReported = delivery.edits.isUsed && event.map { $0.utf8.count <= Limits.roomEventSizeMax } ?? false
    let removal = StoreRequest.remove(.webhook, [entry], event: isReported ? event : nil)
    return (isBack ? [.report(.webhook(.back(action: entry.action)))] : [])
      + (entry.lightOfDelivery.map { [.light($0)] } ?? []) + delivered(entry, at: now) + [.store(removal)] + worked
  }

  /// Handles a response by which a server accepted or refused a request; returns whether the server had failed before.
  ///
  /// Entries removed from memory during the server's pause are read again, as one of two parallel requests may fail.
  mutating func serverReplied(_ action: String) -> Bool {
    let wasResting = delivery.webhookProcess.isResting(action)
    let isBack = delivery.webhookProcess.succeeded(action)
    if wasResting { delivery.webhooks.readAgain() }
    return isBack
  }

  // MARK: The store

  /// Handles the commit of an entry; an entry that also goes to the broker is reported with the commit for the broker.
  mutating func webhookStored(_ id: EntryID, sequence: Int64) -> [Effect] {
    guard let (entry, uid) = delivery.webhooks.stored(id, sequence: sequence, clockIsGood: clockIsGood) else {
      return []
    }
    let waits = delivery.webhookProcess.hasFailed(entry.action)
    let queued: [Effect] = waits ? [.report(.entry(.queued(entry, .webhookFails)))] : []
    if delivery.outbox.isUncommitted(id) { return queued }
    counters.accepted += 1
    let accepted: [Effect] = [.light(waits ? .queued : .accepted), .report(.entry(.accepted(entry, uid: uid)))]
    return delivery.store.succeeded() + accepted + commandStored(id) + queued
  }
}
