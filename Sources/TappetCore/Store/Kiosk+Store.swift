// Handles the store's responses: completed or failed work.

extension Kiosk {
  mutating func storeAnswered(_ answer: StoreEvent, at now: Moment) -> [Effect] {
    switch answer {
    case .outbox(let destination, let answer): return outboxAnswered(destination, answer, at: now)
    case .counted(let id): return delivery.store.succeeded() + useCounted(id, at: now)
    case .roomCommandsRecorded: return roomCommandsRecorded(nil, at: now)
    case .roomCommandsFailed(let fault): return roomCommandsRecorded(fault, at: now)
    case .edit(let edit):
      delivery.edits.fetched(edit)
      return []
    case .editFailed(let fault):
      delivery.edits.fetchFailed()
      return delivery.store.failed(fault, at: now.instant)
    case .storeFailed(let id, let fault): return storeFailed(id, fault, at: now)
    case .dropped(let entries):
      delivery.edits.entriesRemoved()
      let outcomes = delivery.outbox.dropped(entries.filter { $0.destination == .broker })
      return dropped(outcomes + delivery.webhooks.dropped(entries.filter { $0.isWaiting }))
    case .dropFailed(let fault):
      delivery.outbox.dropFailed()
      delivery.webhooks.dropFailed()
      return delivery.store.failed(fault, at: now.instant)
    case .retried(let entries): return retried(entries)
    case .retryFailed(let fault): return delivery.store.failed(fault, at: now.instant)
    case .replaced:
      delivery.outbox.replaced()
      delivery.webhooks.replaced()
      return []
    case .checked: return delivery.store.succeeded()
    case .checkFailed(let fault): return delivery.store.failed(fault, at: now.instant)
    }
  }

  private mutating func outboxAnswered(
    _ destination: Destination, _ answer: OutboxAnswer, at now: Moment
  ) -> [Effect] {
    switch answer {
    case .stored(let id, let sequence):
      switch destination {
      case .broker:
        return delivery.store.succeeded() + stored(id, sequence: sequence) + outputsAfterEntry(id, at: now)
          + newsStored(id)
      case .webhook: return webhookStored(id, sequence: sequence) + outputsAfterEntry(id, at: now)
      }
    case .removed(let ids):
      delivery[destination].removed(ids)
      delivery.edits.entriesRemoved()
      return []
    case .removeFailed(let fault): return delivery.store.failed(fault, at: now.instant)
    case .fetched(let entries, let reachedEnd):
      delivery[destination].fetched(entries, reachedEnd: reachedEnd)
      return []
    case .fetchFailed(let fault):
      delivery[destination].fetchFailed()
      return delivery.store.failed(fault, isRead: true, at: now.instant)
    case .expired(let entries, let earliest): return expired(entries, earliest: earliest, of: destination)
    case .fetchExpiredFailed(let fault):
      delivery[destination].fetchExpiredFailed()
      return delivery.store.failed(fault, at: now.instant)
    }
  }

  private mutating func storeFailed(_ id: EntryID, _ fault: StoreFault, at now: Moment) -> [Effect] {
    let trouble = delivery.store.failed(fault, at: now.instant)
    let webhook = delivery.webhooks.notStored(id)
    tapPolicy.presence.notStored(id)
    newsNotStored(id)
    if let use = tapPolicy.tickets.failed(id), !use.hasEntry { return trouble + useNotCounted(use, fault, at: now) }
    guard let (entry, uid) = delivery.outbox.notStored(id) ?? webhook else { return trouble }
    notCounted(entry)
    if let uid { tapPolicy.taps.notAccepted(uid, action: entry.action) }
    let refusal = TapRefusal.notStored(action: entry.action, fault)
    if entry.trigger == .command { return trouble + commandNotStored(entry, refusal, at: now) }
    if entry.trigger == .inventory { return trouble }
    return trouble + refuse(entry.by ?? .kiosk, uid, refusal, entry.owner, at: now)
  }
}
