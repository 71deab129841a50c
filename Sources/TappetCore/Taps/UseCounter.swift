// Ticket uses counted since the start, and taps waiting for their count to be committed. A count is committed in the
// same transaction as the tap's entry, before any output is driven, so that killing the kiosk does not grant an extra
// use.

/// Counts the taps of people whose number of taps is limited.
struct UseCounter: Sendable {
  /// A tap whose count has not been committed yet.
  struct Waiting: Sendable {
    var tap: VerifiedTap
    var uid: TagUID
    /// Whether the count is committed together with an entry.
    var hasEntry: Bool
    /// The time of the tap.
    var at: Instant
  }

  private var counts: [String: Int64] = [:]
  private var waiting: [EntryID: Waiting] = [:]

  /// Whether the store has not yet confirmed the commit of a count.
  var isAwaitingStore: Bool { !waiting.isEmpty }

  /// Returns whether the secret's owner has no uses left.
  func isUsedUp(_ secret: TagSecret) -> Bool {
    guard let limits = secret.person?.limits, let uses = limits.uses else { return false }
    return uses <= used(limits)
  }

  private func used(_ limits: PersonLimits) -> Int64 { max(limits.used, counts[limits.ticket] ?? 0) }

  /// Counts a use, which `failed` reverts.
  mutating func use(_ tap: VerifiedTap, _ uid: TagUID, _ id: EntryID, hasEntry: Bool, at now: Instant) {
    guard let limits = tap.secret?.person?.limits else { return }
    counts[limits.ticket] = used(limits) + 1
    waiting[id] = Waiting(tap: tap, uid: uid, hasEntry: hasEntry, at: now)
  }

  /// Handles a commit; returns the tap, or `nil` if the commit involves no ticket.
  mutating func committed(_ id: EntryID) -> Waiting? { waiting.removeValue(forKey: id) }

  /// Handles a failed commit; returns the tap, or `nil` if the commit involves no ticket.
  mutating func failed(_ id: EntryID) -> Waiting? {
    guard let waiting = waiting.removeValue(forKey: id) else { return nil }
    if let ticket = waiting.tap.secret?.ticket, let count = counts[ticket] { counts[ticket] = count - 1 }
    return waiting
  }

  /// Forgets the tickets that have no pending use and belong to none of the given secrets.
  mutating func keep(_ secrets: [TagSecret]) {
    guard !counts.isEmpty else { return }
    let known = Set(secrets.compactMap { $0.ticket } + waiting.values.compactMap { $0.tap.secret?.ticket })
    for ticket in Array(counts.keys) where !known.contains(ticket) { counts[ticket] = nil }
  }
}

extension Kiosk {
  /// Replaces the secrets, including the people and their limits.
  mutating func loadSecrets(_ loaded: [TagSecret]) {
    tapPolicy.secrets = loaded
    tapPolicy.tickets.keep(loaded)
    tapPolicy.indexes = ActionIndexes(settings.actions, secrets: loaded)
  }

  /// Whether a response from the store is pending.
  var isAwaitingStore: Bool {
    delivery.outbox.isAwaitingStore || delivery.webhooks.isAwaitingStore || delivery.store.isChecking
      || tapPolicy.tickets.isAwaitingStore || listening.ledger.isCommitting
      || delivery.edits.isAwaitingStore
  }
}
