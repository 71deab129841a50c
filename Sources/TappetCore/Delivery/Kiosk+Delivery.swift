// Link events, and the outcomes of an entry: delivered, permanently refused, dropped, or expired.

extension Kiosk {
  mutating func linkChanged(_ change: LinkEvent, at now: Moment) -> [Effect] {
    switch change {
    case .connected:
      let effects = delivery.link.connected(at: now.instant)
      guard delivery.link.isUp else { return effects }
      delivery.outbox.linkUp()
      let setAside = delivery.outbox.suspicion.connected(at: now.instant).map {
        [Effect.report(.entry(.setAside($0, endpoint: delivery.link.endpoint)))]
      }
      return effects + (setAside ?? []) + announceDevices(at: now.instant)
    case .didFallBack(let failure): return delivery.link.didFallBack(failure, at: now)
    case .foundMQTT5: return delivery.link.foundMQTT5()
    case .lacksRetained:
      return delivery.link.isConnecting ? [.report(.link(.withoutRetained(endpoint: delivery.link.endpoint)))] : []
    case .failed(let failure):
      let acquitted =
        delivery.link.isConnecting ? delivery.outbox.suspicion.wasAway(failure, endpoint: delivery.link.endpoint) : nil
      delivery.link.endedByOrder(at: now.instant)
      return delivery.link.failed(failure, at: now.instant, random: &random)
        + (acquitted.map { [.store(.recordCloses([$0]))] } ?? [])
    case .lost(let failure): return lost(failure, at: now)
    case .disconnected:
      let effects = delivery.link.disconnected(at: now.instant)
      // The kiosk did not request the disconnect: the link and the entries in flight are unchanged.
      return delivery.link.isUp ? effects : effects + endDelivery()
    case .acknowledged, .acknowledgedUnheard: return acknowledged(Event.link(change).acknowledgements, at: now)
    case .publishRefused(let id, let code):
      delivery.outbox.suspicion.answered()
      return RefusalBackoff.isTransient(code)
        ? refusedForNow(id, code: code, at: now) : giveUp(id, .broker(code: code), at: now)
    }
  }

  private mutating func lost(_ failure: LinkFailure, at now: Moment) -> [Effect] {
    let blame =
      delivery.link.isUp && failure.mayBeOfMessage
      ? delivery.outbox.closedByBroker(endpoint: delivery.link.endpoint, at: now.instant) : nil
    let effects = endDelivery()
    delivery.link.endedByOrder(at: now.instant)
    guard let blame else { return effects + delivery.link.lost(failure, at: now.instant, random: &random) }
    return effects
      + delivery.link.lost(
        failure.explained(by: blame), isAtMessage: delivery.outbox.suspicion.isActive, at: now.instant, random: &random)
      + [.store(.recordCloses(blame.counts))]
  }

  func deliveryDeadline(at now: Moment) -> Instant? {
    guard isRunning else { return nil }
    let aloneDeadline = isSending ? delivery.outbox.aloneDeadline(at: now, clockIsGood: clockIsGood) : nil
    return .earliest(
      delivery.link.deadline, delivery.store.deadline, delivery.webhookProcess.deadline, delivery.edits.restsUntil,
      aloneDeadline, isSending ? delivery.refusals.deadline : nil, expiryDeadline(of: .broker, at: now),
      expiryDeadline(of: .webhook, at: now))
  }

  /// Handles expired timers, and sends what may be sent; during a stop, only removes what was delivered.
  mutating func deliveryDue(hasHeardAll: Bool, at now: Moment) -> [Effect] {
    guard isRunning else { return delivery.outbox.removeDelivered(isSending: false) }
    var effects = delivery.link.timerFired(at: now) + delivery.store.timerFired(at: now.instant)
    effects += expireEntries(of: .broker, at: now) + webhooksTimeUp(hasHeardAll: hasHeardAll, at: now)
    effects += drainOutbox(at: now) + delivery.outbox.removeDelivered(isSending: isSending)
    return effects + postWhatMayBePosted(at: now)
  }

  private mutating func drainOutbox(at now: Moment) -> [Effect] {
    delivery.refusals.endPauses(at: now.instant)
    // The store keeps the entries for Home Assistant while it is offline, and those that the broker refuses for now.
    let awaiting = selfReport.homeAssistant.isAway ? settings.awaitingActions : []
    delivery.outbox.hold(awaiting + delivery.refusals.resting)
    guard isSending else { return [] }
    let trying = delivery.refusals.trying
    var effects = delivery.outbox.takeSendable(at: now, clockIsGood: clockIsGood, trying: trying).map {
      Effect.publish($0, unixSeconds: now.unixSeconds)
    }
    // A full disk can be read, but does not accept the removal of sent entries.
    let hasRoom = delivery.store.isGood || delivery.outbox.resolvedCount < Limits.outboxResolvedMax
    if delivery.store.isReadable, hasRoom, let (after, limit) = delivery.outbox.takeFetch() {
      effects.append(.store(.fetch(.broker, after: after, limit: limit, clockIsGood: clockIsGood)))
    }
    return effects
  }

  /// Handles an entry that the broker may accept later: it stays in the outbox until it expires.
  private mutating func refusedForNow(_ id: EntryID, code: Int32, at now: Moment) -> [Effect] {
    guard let entry = delivery.outbox.takeBack(id) else { return [] }
    let isFirst = delivery.refusals.code(of: entry.action) == nil
    let pause = delivery.refusals.refused(entry.action, code, at: now.instant, random: &random)
    guard pause != nil else { return [] }
    return (isFirst ? [.light(.queued)] : []) + [.report(.entry(.queued(entry, .brokerRefuses(code: code))))]
  }

  /// Handles acknowledgements that arrived together; while a long backlog drains, each light is shown only once.
  mutating func acknowledged(_ acknowledgements: [(id: EntryID, isHeard: Bool)], at now: Moment) -> [Effect] {
    var (lights, effects): ([Light], [Effect]) = ([], [])
    for (id, isHeard) in acknowledgements {
      guard let entry = delivery.outbox.resolve(id) else { continue }
      delivery.outbox.removable.append(entry)
      delivery.outbox.suspicion.answered()
      delivery.refusals.accepted(entry.action)
      delivery.link.acknowledged()
      counters.delivered += 1
      let isOneOfMany = entry.acceptedAt == nil && delivery.outbox.count >= Limits.reportedBacklogMax
      if let light = entry.lightOfDelivery, !isOneOfMany || !lights.contains(light) { lights.append(light) }
      effects += delivered(entry, isHeard: isHeard, isOneOfMany: isOneOfMany, at: now)
      effects += isOneOfMany ? throttles.backlog.countDelivery(at: now.instant) : throttles.backlog.reportRest()
    }
    return lights.map { .light($0) } + effects
  }

  /// Returns the report of a delivery, and the reply to the command that caused the entry.
  mutating func delivered(
    _ entry: OutboxEntry, isHeard: Bool = true, isOneOfMany: Bool = false, at now: Moment
  ) -> [Effect] {
    let report: EntryReport =
      isOneOfMany
      ? .deliveredOfMany(entry, isHeard: isHeard)
      : .delivered(entry, after: entry.acceptedAt.map { now.instant - $0 }, isHeard: isHeard)
    return [.report(.entry(report))] + commandEnded(entry.id, .done)
  }

  /// Handles the end of the connection.
  mutating func endDelivery() -> [Effect] {
    delivery.outbox.linkDown()
    intake.gate.linkDown()
    intake.firmware.reported(at: nil)
    return throttles.backlog.reportRest()
  }

  /// Gives up an entry that its destination will never accept.
  mutating func giveUp(_ id: EntryID, _ refusal: DeliveryRefusal, at now: Moment) -> [Effect] {
    guard let entry = delivery[refusal.destination].resolve(id) else { return [] }
    let report: EntryReport
    switch refusal {
    case .broker(let code):
      counters.undeliverable += 1
      report = .undeliverable(entry, code: code)
    case .webhook(let refusal):
      counters.webhooks.givenUp += 1
      delivery.webhookProcess.forgetRefusal(of: id)
      _ = serverReplied(entry.action)
      report = .givenUp(entry, refusal)
    }
    return [
      .light(.refused), .report(.entry(report)),
      .store(.giveUp(entry, refusal, unixMilliseconds: now.unixMilliseconds)),
    ] + commandEnded(id, .refused(.undeliverable))
  }

  /// Gives up an entry whose `%T` could not be filled in.
  mutating func fillFailed(_ id: EntryID, for destination: Destination, at now: Moment) -> [Effect] {
    if destination == .webhook { _ = delivery.webhookProcess.answered(id, at: now.instant) }
    return giveUp(id, DeliveryRefusal(number: WebhookRefusal.unfillable.number, of: destination), at: now)
  }

  /// Number of further entries that the outbox accepts.
  package var outboxRoom: Int {
    max(0, settings.outboxCountMax - delivery.outbox.promised.count - delivery.webhooks.promised.count)
  }

  /// Instructs the store to move the given entry, or all that were given up, back to the outbox.
  mutating func retryAsked(_ id: EntryID?, at now: Moment) -> [Effect] {
    [.store(.retry(RetryOrder(id, settings.actions, countMax: outboxRoom, at: now)))]
  }

  mutating func retried(_ entries: [OutboxEntry]) -> [Effect] {
    for destination in Destination.allCases {
      delivery[destination].retried(entries.filter { $0.destination == destination })
    }
    return entries.map { .report(.entry(.queued($0, .retried))) }
  }

  /// Instructs the store to drop the given entry, or all entries, except entries in flight.
  mutating func dropAsked(_ id: EntryID?) -> [Effect] {
    let excluded = delivery.outbox.willDrop(id)
    let others = delivery.webhooks.willDrop(id).filter { !excluded.contains($0) }
    return [.store(.drop(id, excluding: excluded + others))]
  }

  mutating func dropped(_ entries: [OutboxEntry]) -> [Effect] {
    let replies = repliesToExpired(entries)
    let areMany = entries.count >= Limits.reportedBacklogMax
    return entries.map { .report(.entry(areMany ? .droppedOfMany($0) : .dropped($0))) } + replies
      + (areMany ? [.report(.entry(.droppedMore(count: entries.count)))] : [])
  }

  mutating func expired(_ entries: [OutboxEntry], earliest: Expiry?, of destination: Destination) -> [Effect] {
    var (outcomes, rows) = delivery[destination].expired(entries, earliest: earliest)
    if destination == .broker {
      for place in outcomes.indices {
        outcomes[place].refusal = delivery.refusals.code(of: outcomes[place].action)
      }
    }
    let effects =
      outcomes.flatMap { [Effect.light(.expired), .report(.entry(.expired($0)))] } + repliesToExpired(outcomes)
    switch destination {
    case .broker: counters.expired += outcomes.count
    case .webhook: counters.webhooks.expired += outcomes.count
    }
    return rows.isEmpty ? effects : effects + [.store(.remove(destination, rows))]
  }

  mutating func expireEntries(of destination: Destination, at now: Moment) -> [Effect] {
    guard let deadline = expiryDeadline(of: destination, at: now), deadline <= now.instant else { return [] }
    let excluded = delivery[destination].willExpire(at: now, clockIsGood: clockIsGood)
    return [.store(.fetchExpired(destination, now, clockIsGood: clockIsGood, excluding: excluded))]
  }

  private func expiryDeadline(of destination: Destination, at now: Moment) -> Instant? {
    delivery.store.isGood ? delivery[destination].expiryDeadline(at: now, clockIsGood: clockIsGood) : nil
  }
}

extension LinkFailure {
  /// Returns the failure with the cause that the kiosk determined.
  fileprivate func explained(by blame: Blame) -> LinkFailure {
    let reason = if case .disconnectedByBroker(let code) = self { code } else { ReasonCode?.none }
    if blame.isCertain {
      return .closedAtMessage(topic: blame.message.topic, size: blame.message.message.size, reason)
    }
    return blame.suspectCount > 0 ? .closedAtMessages(count: blame.suspectCount, reason) : self
  }
}

extension OutboxEntry {
  /// The light that shows the delivery; none for inventory changes, which were not triggered at the panel.
  var lightOfDelivery: Light? {
    switch trigger {
    case .tag: .deliveredByTag
    case .button, .command, .input: .deliveredByButton
    case .inventory: nil
    }
  }
}
