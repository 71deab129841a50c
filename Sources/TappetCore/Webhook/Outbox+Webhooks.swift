// The webhook outbox, in contrast to the broker's: it is read whenever it is not empty, and each action's server has
// separate retry pauses.

extension Outbox {
  /// Starts reading the store, unless it is already being read.
  mutating func beginReading() { if reading == .idle { linkUp() } }

  /// Returns whether the store has not yet confirmed the commit of the entry.
  func isUncommitted(_ id: EntryID) -> Bool { uncommitted[id] != nil }

  /// Returns the processes of those entries that could be posted now.
  func helpersOfDue(at now: Moment, clockIsGood: Bool, _ supervision: WebhookSupervision) -> [Helper] {
    guard unansweredDropCount == 0 else { return [] }
    let due = window.filter { mayBePosted($0, at: now, clockIsGood: clockIsGood, supervision) }
    return [.webhooks, .rooms].filter { helper in due.contains { supervision.helper(of: $0.action) == helper } }
  }

  /// Returns whether no entry of these actions is in memory, in flight, or in an unread part of the store.
  ///
  /// Entries for a paused server do not count.
  func isClear(of actions: Set<String>) -> Bool {
    let isRead = if case .complete = reading { true } else { count == 0 }
    let pending = window + Array(inflight.values) + uncommitted.values.map { $0.entry }
    return isRead && !pending.contains { actions.contains($0.action) }
  }

  /// Takes the next entries to post.
  ///
  /// Entries for a paused server are removed from memory so that they block no others, and are read again after the
  /// pause.
  mutating func takePostable(
    at now: Moment, clockIsGood: Bool, _ supervision: inout WebhookSupervision, roomsRun: Bool
  ) -> [OutboxEntry] {
    guard !window.isEmpty else { return [] }
    window.removeAll { supervision.isResting($0.action) && !memoryOnly.contains($0.id) }
    var taken: [OutboxEntry] = []
    for entry in inOrderOfRefusal(window, supervision.refused) {
      if unansweredDropCount == 0, supervision.mayPost(entry.action, roomsRun: roomsRun),
        mayBePosted(entry, at: now, clockIsGood: clockIsGood, supervision)
      {
        supervision.willPost(entry.id, entry.action, at: now.instant)
        inflight[entry.id] = entry
        taken.append(entry)
      } else if entry.expiry.isOver(at: now) {
        // The clock may have been set, so that the entry expired unexpectedly; the store has to remove it.
        recordExpiry(entry.expiry)
      }
    }
    if !taken.isEmpty { window.removeAll { inflight[$0.id] != nil } }
    return taken
  }

  /// Returns the entries with those that were refused last, in the order of the refusals.
  private func inOrderOfRefusal(_ entries: [OutboxEntry], _ refused: [EntryID]) -> [OutboxEntry] {
    guard !refused.isEmpty else { return entries }
    return entries.filter { !refused.contains($0.id) }
      + refused.compactMap { id in entries.first { $0.id == id } }
  }

  private func mayBePosted(
    _ entry: OutboxEntry, at now: Moment, clockIsGood: Bool, _ supervision: WebhookSupervision
  ) -> Bool {
    let isInPass = expiring.map { entry.expiry.isOver(at: $0.moment) } ?? false
    return !supervision.isResting(entry.action) && entry.isSendable(clockIsGood: clockIsGood)
      && !entry.expiry.isOver(at: now) && !isInPass
  }

  /// Requeues the entry of a request that is to be retried; returns `nil` if the request was not in flight.
  mutating func requeue(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    recordExpiry(entry.expiry)
    // Entries beyond the position up to which the store was read are included in the next read.
    guard memoryOnly.contains(id) || entry.sequence <= readThrough else { return entry }
    let place = window.firstIndex { $0.sequence > entry.sequence } ?? window.endIndex
    window.insert(entry, at: place)
    return entry
  }

  /// The last sequence number that was read from the store.
  private var readThrough: Int64 {
    switch reading {
    case .idle: 0
    case .behind(let through), .complete(let through): through
    case .fetching(let after): after
    }
  }

  /// Requeues all entries in flight, because the kiosk is stopping.
  mutating func putAllBack() { for id in inflightIDs(nil) { _ = requeue(id) } }
}

extension OutboxEntry {
  /// Whether the entry is pending for its webhook; an entry that was given up no longer has a separate row.
  var isWaiting: Bool { destination == .webhook && sequence > 0 }
}
