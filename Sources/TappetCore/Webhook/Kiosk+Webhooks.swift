// The way of an entry to its webhook. It has an outbox of its own, so that a broker that is away keeps no webhook back,
// nor the other way round. Decides only.

extension Kiosk {
  // MARK: Sending

  /// Posts what may be posted, and starts tappet-webhook when something is due.
  mutating func postWhatMayBePosted(at now: Moment) -> [Effect] {
    guard isPosting else { return [] }
    if settings.usesWebhooks || webhooks.count > 0 { webhooks.beginReading() }
    // Nothing would find out that the server is back.
    if webhooks.count == 0, webhooks.uncommittedCount == 0 { supervision.forgetTrouble() }
    var effects = supervision.renew(at: now.instant)
    let due = webhooks.takePostable(at: now, clockIsGood: clockIsGood, &supervision)
    effects += due.map { .postWebhook($0, unixSeconds: now.unixSeconds) }
    if due.isEmpty, webhooks.hasDue(at: now, clockIsGood: clockIsGood, supervision) {
      effects += supervision.want(at: now.instant)
    }
    let hasRoom = store.isGood || webhooks.resolvedCount < Limits.outboxResolvedMax
    if store.isReadable, hasRoom, let (after, limit) = webhooks.takeFetch() {
      effects.append(
        .fetchWebhooks(
          after: after, limit: limit, clockIsGood: clockIsGood, excluding: supervision.restingActions))
    }
    return effects
  }

  mutating func webhooksTimeUp(at now: Moment) -> [Effect] {
    let (effects, restIsOver) = supervision.timeUp(at: now.instant, random: &random)
    switch supervision.state {
    case .ending: webhooks.putAllBack()
    case .none, .starting, .running, .resting, .stopped: break
    }
    if restIsOver { webhooks.readAgain() }
    return effects + expireWebhooks(at: now)
  }

  // MARK: Answers

  mutating func webhookChanged(_ change: WebhookEvent, at now: Moment) -> [Effect] {
    switch change {
    case .ready: return supervision.ready(at: now.instant)
    case .answered(let id, let status, let retryAfter):
      return settle(id, WebhookVerdict(status: status), retryAfter: retryAfter, at: now)
    case .failed(let id, let trouble, let code):
      return settle(id, WebhookVerdict(trouble, code: code), retryAfter: nil, at: now)
    case .notConfigured(let id): return settle(id, .givenUp(.notConfigured), retryAfter: nil, at: now)
    case .malformed:
      webhooks.putAllBack()
      return supervision.lose(.malformed, at: now.instant)
    case .ended(let end):
      webhooks.putAllBack()
      return supervision.ended(end, at: now.instant, random: &random)
    case .notStarted(let code): return supervision.notStarted(code: code, at: now.instant, random: &random)
    }
  }

  private mutating func settle(
    _ id: EntryID, _ verdict: WebhookVerdict, retryAfter: Duration?, at now: Moment
  ) -> [Effect] {
    guard supervision.answered(id, at: now.instant) else { return [] }
    switch verdict {
    case .delivered: return webhookDelivered(id, at: now)
    case .givenUp(let refusal): return giveUp(id, refusal, at: now)
    case .again(let fault):
      guard let entry = webhooks.putBack(id) else { return [] }
      counters.webhooks.again += 1
      let light: [Effect] = supervision.hasFailed(entry.action) ? [] : [.light(.queued)]
      let pause = supervision.failed(entry.action, fault, retryAfter: retryAfter, at: now.instant, random: &random)
      return light + [.report(.webhookWaits(action: entry.action, fault, retryIn: pause))]
    }
  }

  private mutating func webhookDelivered(_ id: EntryID, at now: Moment) -> [Effect] {
    guard let entry = webhooks.resolve(id) else { return [] }
    counters.webhooks.delivered += 1
    let isBack = serverReplied(entry.action)
    let report = Effect.report(.delivered(entry, after: entry.acceptedAt.map { now.instant - $0 }))
    return (isBack ? [.report(.webhookBack(action: entry.action))] : []) + entry.lightOfDelivery
      + [report, .forgetWebhooks([entry])] + commandEnded(id, .done)
  }

  /// Handles a server that took a request, or refused it; returns whether it had failed before.
  ///
  /// Entries that left the memory while it rested are read again: of two requests, one may have failed.
  private mutating func serverReplied(_ action: String) -> Bool {
    let wasResting = supervision.isResting(action)
    let isBack = supervision.succeeded(action)
    if wasResting { webhooks.readAgain() }
    return isBack
  }

  /// Handles an entry that no request will ever deliver.
  mutating func giveUp(_ id: EntryID, _ refusal: WebhookRefusal, at now: Moment) -> [Effect] {
    guard let entry = webhooks.resolve(id) else { return [] }
    counters.webhooks.givenUp += 1
    _ = serverReplied(entry.action)
    return [
      .light(.refused), .report(.webhookGivenUp(entry, refusal)),
      .giveUpWebhook(entry, refusal, unixMilliseconds: now.unixMilliseconds),
    ] + commandEnded(id, .refused(.undeliverable))
  }

  /// Handles a `%T` that cannot be filled.
  mutating func webhookUnfillable(_ id: EntryID, at now: Moment) -> [Effect] {
    guard webhooks.isInflight(id) else { return [] }
    _ = supervision.answered(id, at: now.instant)
    return giveUp(id, .unfillable, at: now)
  }

  // MARK: The store

  mutating func webhooksAnswered(_ answer: StoreEvent, at now: Moment) -> [Effect] {
    switch answer {
    case .stored(let id, let sequence):
      return webhookStored(id, sequence: sequence) + outputsAfterEntry(id, at: now)
    case .fetched(let entries, let reachedEnd):
      webhooks.fetched(entries, reachedEnd: reachedEnd)
      return []
    case .fetchFailed(let fault):
      webhooks.fetchFailed()
      return store.failed(fault, isRead: true, at: now.instant)
    case .removed(let ids):
      webhooks.removed(ids)
      return []
    case .expired(let entries, let earliest):
      let (outcomes, rows) = webhooks.expired(entries, earliest: earliest)
      counters.webhooks.expired += outcomes.count
      let effects = outcomes.flatMap { [Effect.light(.expired), .report(.expired($0))] } + repliesToExpired(outcomes)
      let gone = entries.filter { entry in rows.contains(entry.id) }
      return gone.isEmpty ? effects : effects + [.forgetWebhooks(gone)]
    case .fetchExpiredFailed(let fault):
      webhooks.fetchExpiredFailed()
      return store.failed(fault, at: now.instant)
    case .removeFailed(let fault), .checkFailed(let fault): return store.failed(fault, at: now.instant)
    case .storeFailed, .counted, .dropped, .dropFailed, .replaced, .checked, .webhooks: return []
    }
  }

  /// Handles the commit; an entry that the broker gets, too, is reported with the broker's.
  private mutating func webhookStored(_ id: EntryID, sequence: Int64) -> [Effect] {
    guard let (entry, uid) = webhooks.stored(id, sequence: sequence, clockIsGood: clockIsGood) else { return [] }
    let waits = supervision.hasFailed(entry.action)
    let queued: [Effect] = waits ? [.report(.queued(entry, .webhookFails))] : []
    if outbox.isUncommitted(id) { return queued }
    counters.accepted += 1
    return store.succeeded() + [.light(waits ? .queued : .accepted), .report(.accepted(entry, uid: uid))]
      + commandStored(id) + queued
  }

  private mutating func expireWebhooks(at now: Moment) -> [Effect] {
    guard let deadline = webhookExpiryDeadline(at: now), deadline <= now.instant else { return [] }
    let excluded = webhooks.willExpire(at: now, clockIsGood: clockIsGood)
    return [.fetchExpiredWebhooks(clockIsGood: clockIsGood, excluding: excluded)]
  }

  func webhookExpiryDeadline(at now: Moment) -> Instant? { expiryDeadline(of: webhooks, at: now) }
}
