// The uses of tickets that were counted since the start, and what waits for the commit of its count. A count is in the
// store with the entry of its tap, and before an output is driven: a kiosk that is killed gives no ticket another use.

/// Counts the taps of people who may tap a number of times.
struct UseCounter: Sendable {
  /// A tap whose count is on its way to the disk.
  struct Waiting: Sendable {
    var tap: VerifiedTap
    var uid: TagUID
    /// Whether an entry brings the count along.
    var hasEntry: Bool
  }

  private var counts: [String: Int64] = [:]
  private var waiting: [EntryID: Waiting] = [:]

  /// Whether the store owes an answer about a count.
  var isAwaitingStore: Bool { !waiting.isEmpty }

  /// Whether the tag's person has no use left.
  func isUsedUp(_ secret: TagSecret) -> Bool {
    guard let limits = secret.person?.limits, let uses = limits.uses else { return false }
    return uses <= used(limits)
  }

  private func used(_ limits: PersonLimits) -> Int64 { max(limits.used, counts[limits.ticket] ?? 0) }

  /// Counts a use, until `failed` takes it back.
  mutating func use(_ tap: VerifiedTap, _ uid: TagUID, _ id: EntryID, hasEntry: Bool) {
    guard let limits = tap.secret?.person?.limits else { return }
    counts[limits.ticket] = used(limits) + 1
    waiting[id] = Waiting(tap: tap, uid: uid, hasEntry: hasEntry)
  }

  /// Handles the commit; `nil` when no ticket is concerned.
  mutating func committed(_ id: EntryID) -> Waiting? { waiting.removeValue(forKey: id) }

  /// Handles a commit that failed; `nil` when no ticket is concerned.
  mutating func failed(_ id: EntryID) -> Waiting? {
    guard let waiting = waiting.removeValue(forKey: id) else { return nil }
    if let ticket = waiting.tap.secret?.ticket, let count = counts[ticket] { counts[ticket] = count - 1 }
    return waiting
  }

  /// Forgets the tickets that none of these secrets has any more, and of which no use is under way.
  mutating func keep(_ secrets: [TagSecret]) {
    guard !counts.isEmpty else { return }
    let known = Set(secrets.compactMap { $0.ticket } + waiting.values.compactMap { $0.tap.secret?.ticket })
    for ticket in Array(counts.keys) where !known.contains(ticket) { counts[ticket] = nil }
  }
}

extension Kiosk {
  /// Takes over the secrets, and with them the people and their limits.
  mutating func loadSecrets(_ loaded: [TagSecret]) {
    tapPolicy.secrets = loaded
    tapPolicy.tickets.keep(loaded)
    tapPolicy.indexes = ActionIndexes(settings.actions, secrets: loaded)
  }

  /// Whether the store owes an answer.
  var isAwaitingStore: Bool {
    delivery.outbox.isAwaitingStore || delivery.webhooks.isAwaitingStore || delivery.store.isChecking
      || tapPolicy.tickets.isAwaitingStore
  }
}
