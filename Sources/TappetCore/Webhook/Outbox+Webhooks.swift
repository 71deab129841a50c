// The differences of the outbox for webhooks: it is read whenever something is in it, and each action's server has
// pauses of its own.

extension Outbox {
  /// Begins to read the store, if nobody has yet.
  mutating func beginReading() { if reading == .idle { linkUp() } }

  /// Whether the entry is on its way to a server.
  func isInflight(_ id: EntryID) -> Bool { inflight[id] != nil }

  /// Whether the store owes an answer about this entry.
  func isUncommitted(_ id: EntryID) -> Bool { uncommitted[id] != nil }

  /// Whether an entry could be posted now.
  func hasDue(at now: Moment, clockIsGood: Bool, _ supervision: WebhookSupervision) -> Bool {
    guard unansweredDropCount == 0 else { return false }
    return window.contains { mayBePosted($0, at: now, clockIsGood: clockIsGood, supervision) }
  }

  /// Takes the next entries to post.
  ///
  /// Entries of a resting server leave the memory: they are read again when the rest is over, and keep nothing back.
  mutating func takePostable(
    at now: Moment, clockIsGood: Bool, _ supervision: inout WebhookSupervision
  ) -> [OutboxEntry] {
    guard !window.isEmpty else { return [] }
    var taken: [OutboxEntry] = []
    var kept: [OutboxEntry] = []
    for entry in window {
      if supervision.isResting(entry.action), !memoryOnly.contains(entry.id) { continue }
      if unansweredDropCount == 0, supervision.mayPost(entry.action),
        mayBePosted(entry, at: now, clockIsGood: clockIsGood, supervision)
      {
        supervision.willPost(entry.id, entry.action, at: now.instant)
        inflight[entry.id] = entry
        taken.append(entry)
      } else {
        // The store has to remove it; a step of the clock may have ended its time unexpectedly.
        if entry.expiry.isOver(at: now) { note(entry.expiry) }
        kept.append(entry)
      }
    }
    window = kept
    return taken
  }

  private func mayBePosted(
    _ entry: OutboxEntry, at now: Moment, clockIsGood: Bool, _ supervision: WebhookSupervision
  ) -> Bool {
    let isInPass = expiring.map { entry.expiry.isOver(at: $0.moment) } ?? false
    return !supervision.isResting(entry.action) && entry.isSendable(clockIsGood: clockIsGood)
      && !entry.expiry.isOver(at: now) && !isInPass
  }

  /// Handles a request that is to be repeated: the entry waits again; `nil` when it was not under way.
  mutating func requeue(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    note(entry.expiry)
    // Entries beyond the place up to which the store was read come with the next reading.
    guard memoryOnly.contains(id) || entry.sequence <= readThrough else { return entry }
    let place = window.firstIndex { $0.sequence > entry.sequence } ?? window.endIndex
    window.insert(entry, at: place)
    return entry
  }

  /// The last sequence that was read.
  private var readThrough: Int64 {
    switch reading {
    case .idle: 0
    case .behind(let through), .complete(let through): through
    case .fetching(let after): after
    }
  }

  /// Handles the end of tappet-webhook: what was under way waits again.
  mutating func putAllBack() { for id in inflightIDs(nil) { _ = requeue(id) } }
}

extension OutboxEntry {
  /// Whether it waits for its webhook: one that was given up has no row of its own any more.
  var isWaiting: Bool { destination == .webhook && sequence > 0 }
}
