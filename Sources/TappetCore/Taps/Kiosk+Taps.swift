// The path of a tap, from the reading to the light that confirms the tap. Pure decision logic.

extension Kiosk {
  mutating func tagRead(_ reading: TagReading, at now: Moment) -> [Effect] {
    let uid = reading.uid
    if let effects = notExamined(uid, at: now) { return effects }
    switch settings.recognize(reading, or: tapPolicy.indexes.verify(reading), tapPolicy.learnedTags, tapPolicy.indexes)
    {
    case .failure(let refusal):
      tapPolicy.rates.recordRefused(uid, at: now.instant)
      return refuse(.tag, uid, refusal, at: now)
    case .success(let tap):
      if let refusal = tap.secret?.refusalOfPerson {
        tapPolicy.rates.recordRefused(uid, at: now.instant)
        return refuse(.tag, uid, refusal, tap.owner, at: now)
      }
      return tagVerified(uid, tap, at: now)
    }
  }

  /// Handles a tag whose content cannot be read: it may be an external tag with a known UID.
  mutating func tagUnreadable(_ uid: TagUID, _ fault: TagFault, at now: Moment) -> [Effect] {
    guard let tap = settings.recognize(uid, fault, tapPolicy.learnedTags, tapPolicy.indexes) else {
      return refuse(.tag, uid, .unreadable(fault), at: now)
    }
    return notExamined(uid, at: now) ?? tagVerified(uid, tap, at: now)
  }

  /// Returns the effects for a tag that is still on the reader, or that taps too often; `nil` for any other tag.
  private mutating func notExamined(_ uid: TagUID, at now: Moment) -> [Effect]? {
    guard !tapPolicy.taps.isHeld(uid) else { return ignore(uid, action: nil, .held, at: now) }
    guard let wait = tapPolicy.rates.waitToBeVerified(uid, at: now.instant) else { return nil }
    return refuse(.tag, uid, .tooMany(wait: wait), at: now)
  }

  private mutating func tagVerified(_ uid: TagUID, _ tap: VerifiedTap, at now: Moment) -> [Effect] {
    let action = tap.action
    // A tag left on the reader must not open a gate when power returns, here or at the broker. With `mode: hold`, a tag
    // on the reader is a state instead of a tap, but an output is driven only while a person may be present.
    if action.mode != .hold || !action.outputs.isEmpty, tapPolicy.taps.wasLeftLying(uid) {
      return ignore(uid, action: action.name, .held, tap.owner, at: now)
    }
    if let refusal = conditionRefusal(of: tap, at: now) { return refuse(.tag, uid, refusal, tap.owner, at: now) }
    if isSetOff(action, by: uid) { return ignore(uid, action: action.name, .held, tap.owner, at: now) }
    if let remaining = tapPolicy.taps.cooldownRemaining(uid, tap, at: now.instant) {
      // A tag with a ticket unlocks the panel only if its use is counted.
      return (tap.secret?.ticket == nil ? unlock(by: action, at: now) : [])
        + ignore(uid, action: action.name, .cooldown(remaining: remaining), tap.owner, at: now)
    }
    if let refusal = ticketRefusal(of: tap) { return refuse(.tag, uid, refusal, tap.owner, at: now) }
    if isAsking(about: uid) { return ignore(uid, action: action.name, .held, tap.owner, at: now) }
    let ended = panel.confirmation == nil ? [] : endConfirmation(.otherTouch)
    if let within = action.confirmWithin {
      if let room = action.confirmRoom {
        return ended + askInRoom(room, action, by: tap.by, within: within, uid, tap, at: now)
      }
      return ended + askToConfirm(Confirmation(tap: tap, uid: uid, until: now.instant + within), within: within)
    }
    return ended + tagAccepted(uid, tap, at: now)
  }

  /// Checks a tag again after its tap was confirmed, because the secret, the person or the time may have changed.
  mutating func tagConfirmed(_ uid: TagUID, _ tap: VerifiedTap, by: Originator, at now: Moment) -> [Effect] {
    var tap = tap
    tap.by = by
    if let former = tap.secret {
      guard let secret = tapPolicy.indexes.current(former) else {
        return refuse(by, uid, .invalidSignature(action: tap.action.name), tap.owner, at: now)
      }
      tap.secret = secret
    }
    let refusal = tap.secret?.refusalOfPerson ?? conditionRefusal(of: tap, at: now) ?? ticketRefusal(of: tap)
    if let refusal { return refuse(by, uid, refusal, tap.owner, at: now) }
    return tagAccepted(uid, tap, at: now)
  }

  /// Handles a genuine tag that is permitted to act.
  private mutating func tagAccepted(_ uid: TagUID, _ tap: VerifiedTap, at now: Moment) -> [Effect] {
    let action = tap.action
    let ticket = tap.secret?.ticket
    // A ticket unlocks the panel once its use is committed.
    let effects = ticket == nil ? unlock(by: action, at: now) : []
    if let wait = tapPolicy.rates.waitToBeAccepted(uid, at: now.instant) {
      return effects + refuse(tap.by, uid, .tooMany(wait: wait), tap.owner, at: now)
    }
    if action.mode == .inventory, ticket == nil {
      recordAccepted(uid, tap, at: now)
      return effects + touchInventory(uid, tap, at: now) + secretUsed(tap, on: uid, at: now)
    }
    let refusal = refusal(of: action)
    if ticket != nil, let refusal { return effects + refuse(tap.by, uid, refusal, tap.owner, at: now) }
    let performed =
      ticket.map { used($0, uid, tap, at: now) } ?? touched(action, by: tap.by, uid, tap, refusal, at: now)
    // A tap that drove an output counts, even if its message is refused.
    guard refusal == nil || !action.outputs.isEmpty else { return effects + performed }
    recordAccepted(uid, tap, at: now)
    return effects + performed + secretUsed(tap, on: uid, at: now)
  }

  /// Records an accepted tap, and thereby starts its cooldown.
  private mutating func recordAccepted(_ uid: TagUID, _ tap: VerifiedTap, at now: Moment) {
    panel.lock.used(at: now.instant)
    tapPolicy.rates.recordAccepted(uid, at: now.instant)
    tapPolicy.taps.recordAccepted(uid, tap, cooldownMax: settings.cooldownMax, at: now.instant)
  }

  private mutating func secretUsed(_ tap: VerifiedTap, on uid: TagUID, at now: Moment) -> [Effect] {
    guard let secret = tap.secret else { return [] }
    let isNews = tapPolicy.indexes.learn(uid, secret)
    return [.store(.recordSecretUse(id: secret.id, uid: isNews ? uid : nil, unixSeconds: now.unixSeconds))]
  }

  /// Drives the action's outputs immediately, and enqueues the action's message unless `refusal` is set.
  mutating func touched(
    _ action: Action, by: Originator, _ uid: TagUID?, _ tap: VerifiedTap?, _ refusal: TapRefusal?, at now: Moment
  ) -> [Effect] {
    guard let refusal else { return perform(action, by: by, uid, tap, at: now).effects }
    return drive(action.outputs, .action(action.name, by: by), at: now)
      + refuse(by, uid, refusal, tap?.owner, at: now)
  }

  private func ticketRefusal(of tap: VerifiedTap) -> TapRefusal? {
    guard let secret = tap.secret, tapPolicy.tickets.isUsedUp(secret), let person = secret.person else { return nil }
    return .usedUp(action: tap.action.name, person: person.name)
  }

  /// Counts a use of the tap's ticket, together with the entry of the tap or separately.
  ///
  /// Outputs, the lock and the inventory wait for the commit.
  private mutating func used(_ ticket: String, _ uid: TagUID, _ tap: VerifiedTap, at now: Moment) -> [Effect] {
    if tap.action.mode != .inventory, let entry = enter(tap.action, by: tap.by, uid, tap, at: now) {
      tapPolicy.tickets.use(tap, uid, entry.id, hasEntry: true, at: now.instant)
      return [.store(.append(entry))]
    }
    let id = EntryID(high: random.next(), low: random.next())
    tapPolicy.tickets.use(tap, uid, id, hasEntry: false, at: now.instant)
    return [.store(.countUse(id, ticket: ticket))]
  }

  /// Handles the commit of a use without an entry by performing the action.
  mutating func useCounted(_ id: EntryID, at now: Moment) -> [Effect] {
    guard let use = tapPolicy.tickets.committed(id) else { return [] }
    let action = use.tap.action
    if let effects = missed(use, at: now) { return effects }
    let effects = unlock(by: action, at: now)
    if action.mode == .inventory { return effects + touchInventory(use.uid, use.tap, at: now) }
    return effects + perform(action, by: use.tap.by, use.uid, use.tap, at: now).effects
  }

  /// Handles the commit of a use with an entry by unlocking the panel and driving the action's outputs.
  mutating func outputsAfterEntry(_ id: EntryID, at now: Moment) -> [Effect] {
    guard let use = tapPolicy.tickets.committed(id) else { return [] }
    let action = use.tap.action
    if let effects = missed(use, at: now) { return effects }
    return unlock(by: action, at: now) + drive(action.outputs, .action(action.name, by: use.tap.by), at: now)
  }

  /// Returns the effects of a use that must not drive an output or unlock the panel any longer, because its commit took
  /// too long, or because a door has moved since; `nil` if it may.
  private mutating func missed(_ use: UseCounter.Waiting, at now: Moment) -> [Effect]? {
    let late = age(of: use.at, at: now).map { TapRefusal.tooLate(age: $0) }
    guard use.tap.action.needsProof, let refusal = late ?? requirementRefusal(of: use.tap.action) else { return nil }
    return refuse(use.tap.by, use.uid, refusal, use.tap.owner, at: now)
  }

  /// Handles a use that could not be stored: the action is not performed.
  mutating func useNotCounted(_ use: UseCounter.Waiting, _ fault: StoreFault, at now: Moment) -> [Effect] {
    let action = use.tap.action.name
    tapPolicy.taps.notAccepted(use.uid, action: action)
    return refuse(use.tap.by, use.uid, .notStored(action: action, fault), use.tap.owner, at: now)
  }

  /// Drives the action's outputs immediately, and enqueues its message; returns the id of the message's entry.
  mutating func perform(
    _ action: Action, by: Originator, _ uid: TagUID? = nil, _ tap: VerifiedTap? = nil, at now: Moment
  ) -> (effects: [Effect], entry: EntryID?) {
    let trigger = by.trigger
    if action.mode != .inventory, trigger != .inventory, trigger != .input { stock.desk.release() }
    let effects = drive(action.outputs, .action(action.name, by: by), at: now)
    if let entry = enter(action, by: by, uid, tap, at: now) {
      return (effects + [.store(.append(entry))], entry.id)
    }
    if trigger == .inventory { return (effects, nil) }
    counters.accepted += 1
    return (
      effects + [.light(.accepted), .report(.tap(.performed(action: action.name, by: by, uid: uid, tap?.owner)))], nil
    )
  }

  /// Unlocks the panel: the tag's holder may use the panel, even if the message is refused.
  private mutating func unlock(by action: Action, at now: Moment) -> [Effect] {
    let forgot: [Effect] = panel.lock.failures > 0 ? [.store(.recordWrongCodes(0))] : []
    guard action.unlocksPanel, panel.lock.unlock(at: now.instant) else { return [] }
    return forgot + [.report(.panel(.unlocked(.tag)))]
  }

  mutating func buttonAccepted(_ action: Action, by: Originator, at now: Moment) -> [Effect] {
    if let refusal = conditionRefusal(of: action, at: now) { return refuse(by, nil, refusal, at: now) }
    if action.job != .show { return jobChosen(action, by: by, nil, VerifiedTap(action: action), at: now) }
    return touched(action, by: by, nil, nil, refusal(of: action), at: now)
  }

  /// Handles the commit of an entry, which is accepted only now, so that the light's promise survives a power failure.
  mutating func stored(_ id: EntryID, sequence: Int64) -> [Effect] {
    guard let (entry, uid) = delivery.outbox.stored(id, sequence: sequence, clockIsGood: clockIsGood) else { return [] }
    tapPolicy.presence.stored(id)
    if entry.trigger == .inventory { return [.report(.entry(.accepted(entry, uid: nil)))] }
    counters.accepted += 1
    let accepted = [Effect.report(.entry(.accepted(entry, uid: uid)))] + commandStored(id)
    guard let reason = reasonToWait(entry) else { return [.light(.accepted)] + accepted }
    return [.light(.queued)] + accepted + [.report(.entry(.queued(entry, reason)))]
  }

  mutating func refuse(
    _ by: Originator, _ uid: TagUID?, _ refusal: TapRefusal, _ owner: TagOwner? = nil, at now: Moment
  ) -> [Effect] {
    stock.desk.release()
    return refuseStillHolding(by, uid, refusal, owner, at: now)
  }

  /// Refuses a touch, and keeps what is held at the shelf.
  mutating func refuseStillHolding(
    _ by: Originator, _ uid: TagUID?, _ refusal: TapRefusal, _ owner: TagOwner?, at now: Moment
  ) -> [Effect] {
    counters.refused += 1
    let report = Report.tap(.refused(by: by, uid: uid, refusal, owner))
    return [.light(.refused)] + throttles.refusals.report(report, at: now.instant)
  }

  private mutating func ignore(
    _ uid: TagUID, action: String?, _ reason: TapIgnored, _ owner: TagOwner? = nil, at now: Moment
  ) -> [Effect] {
    counters.ignored += 1
    let report = Report.tap(.ignored(uid: uid, action: action, reason, owner))
    return [.light(baseLight)] + throttles.refusals.report(report, at: now.instant)
  }

  /// Returns the reason to refuse an otherwise allowed action at present; `nil` if there is none.
  func refusal(of action: Action) -> TapRefusal? {
    // A scanned tag is reported to Home Assistant immediately or not at all.
    if action.name == KioskSettings.scannedTagsName { return isSending ? nil : .brokerAway(action: action.name) }
    guard action.topic != nil || action.webhookBody != nil else { return nil }
    if action.offline == .drop {
      guard action.topic == nil || isSending else { return .brokerAway(action: action.name) }
      let isOfRoom = delivery.webhookProcess.helper(of: action.name) == .rooms
      let loss = isOfRoom ? listening.process.loss : delivery.webhookProcess.loss
      let fails = hasWebhookEntries && (loss != nil || delivery.webhookProcess.hasFailed(action.name))
      guard action.webhookBody == nil || isRunning && !fails else { return .webhookAway(action: action.name) }
    }
    let count = delivery.outbox.promised.count + delivery.webhooks.promised.count
    let size = delivery.outbox.promised.size + delivery.webhooks.promised.size
    let added = action.message.size + (action.webhookBody?.size ?? 0)
    let hasRoom = count < settings.outboxCountMax && size + added <= settings.outboxSizeMax
    return hasRoom ? nil : .outboxFull(action: action.name, count: count, size: size)
  }

  /// Creates the action's entry, and registers it as uncommitted; returns `nil` if the action sends no message.
  private mutating func enter(
    _ action: Action, by: Originator, _ uid: TagUID?, _ tap: VerifiedTap?, at now: Moment
  ) -> OutboxEntry? {
    guard action.topic != nil || action.webhookBody != nil else { return nil }
    let isForBroker = action.topic != nil
    let count = counted(uid)
    let trigger = by.trigger
    if trigger == .tag, let entry = switchedOff(action, uid, tap, count, at: now) {
      delivery.outbox.willStore(entry, uid)
      return entry
    }
    let id = EntryID(high: random.next(), low: random.next())
    let facts = action.namesFacts ? facts(of: action, by: by, uid, tap, count, at: now) : TapFacts()
    let body = action.webhookBody?.filled(with: facts, id: id)
    let message = action.message.filled(with: facts, id: id)
    let arrival =
      action.removal == nil || trigger != .tag
      ? nil : TagArrival(entry: id, action: action.name, uid: action.mode == .hold ? uid : nil, tap, count: count)
    let entry = OutboxEntry(
      id: id, action: action.name, topic: action.topicTemplate?.topic(with: facts) ?? "",
      message: isForBroker ? message : body ?? message, isRetained: action.isRetained,
      trigger: trigger, acceptedUnixMilliseconds: now.unixMilliseconds, acceptedAt: now.instant,
      expiry: .at(now.instant + action.expiresAfter), destination: isForBroker ? .broker : .webhook,
      webhookBody: isForBroker ? body : nil, uid: uid, tag: tap?.label, person: tap?.secret?.person,
      notes: EntryNotes(
        count: count, arrival: arrival, ticket: tap?.secret?.ticket, homeAssistantID: tap?.homeAssistantID,
        isReported: settings.rooms.reporting.contains(action.name), by: by))
    if let arrival { tapPolicy.presence.willStore(arrival) }
    if isForBroker { delivery.outbox.willStore(entry, uid) }
    if let webhook = entry.forWebhook { delivery.webhooks.willStore(webhook, isForBroker ? nil : uid) }
    return entry
  }

  /// Returns the facts about the tap that the action's message may use.
  private func facts(
    of action: Action, by: Originator, _ uid: TagUID?, _ tap: VerifiedTap?, _ count: Int64?, at now: Moment
  ) -> TapFacts {
    var facts = facts(of: action, at: now)
    facts[.by] = by.name(tap?.owner) ?? ""
    facts[.uid] = uid.map { Hex.encode($0.bytes) } ?? ""
    facts[.tag] = tap?.label ?? ""
    facts[.person] = tap?.secret?.person?.name ?? ""
    facts[.text] = tap?.text ?? ""
    facts[.uri] = tap?.uri ?? ""
    facts[.count] = count.map { String($0) } ?? ""
    if let outcome = tap?.outcome { facts.add(outcome) }
    return facts
  }

  /// Returns those facts about a tap that do not depend on the tag.
  func facts(of action: Action, at now: Moment) -> TapFacts {
    var facts = TapFacts()
    facts[.action] = action.name
    facts[.kiosk] = settings.kioskName
    facts[.time] = UTCTime(unixSeconds: now.unixSeconds).text
    facts[.unix] = String(now.unixSeconds)
    return facts
  }

  private func reasonToWait(_ entry: OutboxEntry) -> QueueReason? {
    if !isSending { return .linkDown }
    if !entry.isSendable(clockIsGood: clockIsGood) { return .clockUnknown }
    if let code = delivery.refusals.code(of: entry.action) { return .brokerRefuses(code: code) }
    if delivery.outbox.held.contains(entry.action) { return .homeAssistantAway }
    let ahead = delivery.outbox.count - 1 - delivery.outbox.inflightCount
    return ahead >= Limits.inflightMax ? .behindOthers(count: ahead) : nil
  }
}
