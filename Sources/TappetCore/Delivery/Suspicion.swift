// A broker may reject a message by closing the connection, because of its topic, its size or an access rule. Such a
// message must not block the others, and a mere restart of the broker must not cost any message its place. An entry
// that was in flight when the broker closed two connections is therefore suspect. It is sent alone, after all other
// entries, on a connection that has proved to work. If the broker immediately closes three such connections, and
// accepts the next one without having been unavailable in between, the entry is set aside: it is retried alone, less
// and less often, until it expires.

/// The number of connections that the broker closed with an entry in flight.
package struct CloseCount: Hashable, Sendable {
  package var id: EntryID
  package var sequence: Int64
  package var count: Int
}

/// A message that may have caused the broker to close the connection, alone or as one of several.
struct Blame {
  /// The entry that was in flight, alone or as one of several.
  var message: OutboxEntry
  /// Whether the entry was in flight alone.
  var isCertain: Bool
  /// The counts changed by the close.
  var counts: [CloseCount]

  /// The number of entries that are suspect now.
  var suspectCount: Int { counts.count { $0.count >= Limits.closesOfSuspect } }
}

/// The entries that may cause the broker to close the connection.
struct Suspicion: Sendable {
  /// The suspect that is in flight alone.
  private(set) var alone: (id: EntryID, since: Instant)?
  /// Time from which entries that were set aside may be retried; `nil` means immediately.
  private(set) var asideDueAt: Instant?
  /// Entries set aside that were encountered since the process started; at most `Limits.suspectsMax`.
  private(set) var asideIDs: Set<EntryID> = []
  private var asidePause: Duration = .zero
  /// Counts that changed since the process started; for other entries, `OutboxEntry.closes` applies.
  private var counts: [EntryID: Int] = [:]
  /// The entry that was in flight alone when the last connection ended, until the broker is reached again.
  private var doubt: Doubt?
  private var upSince: Instant?
  /// Whether the broker has responded to a message on this connection.
  private var hasAnswered = false
  /// Time since which unsuspected entries have had their turn.
  private var turnSince: Instant?

  private struct Doubt: Sendable {
    var entry: OutboxEntry
    var endpoint: Int
    /// The count before this close.
    var before: Int
  }

  // MARK: Counts

  func closes(of entry: OutboxEntry) -> Int { counts[entry.id] ?? entry.closes }

  func isSuspect(_ entry: OutboxEntry) -> Bool { closes(of: entry) >= Limits.closesOfSuspect }

  func isAside(_ entry: OutboxEntry) -> Bool { closes(of: entry) >= Limits.closesUntilAside }

  /// Whether any message is known to make the broker close the connection.
  var isActive: Bool { counts.values.contains { $0 >= Limits.closesOfSuspect } }

  /// Returns the entry with the fewest closed connections; among several such entries, the oldest.
  func leastSuspect(of entries: [OutboxEntry]) -> OutboxEntry? {
    entries.min { (closes(of: $0), $0.sequence) < (closes(of: $1), $1.sequence) }
  }

  private mutating func set(_ entry: OutboxEntry, _ count: Int) -> CloseCount {
    // The other counts are still in the store.
    if counts.count >= Limits.suspectsMax { counts.removeAll() }
    counts[entry.id] = count
    recordAside(entry.id, isAside: count >= Limits.closesUntilAside)
    return CloseCount(id: entry.id, sequence: entry.sequence, count: count)
  }

  /// Records whether an entry is set aside.
  mutating func recordAside(_ id: EntryID, isAside: Bool) {
    if !isAside {
      asideIDs.remove(id)
    } else if asideIDs.count < Limits.suspectsMax {
      asideIDs.insert(id)
    }
  }

  /// Handles a store that lost all entries except the given ones.
  mutating func keepAside(_ entries: [OutboxEntry]) {
    asideIDs = []
    for entry in entries { recordAside(entry.id, isAside: isAside(entry)) }
  }

  /// Handles an entry that has left the outbox; `isAnswered` means that the broker accepted or refused it without
  /// closing the connection.
  mutating func forget(_ entry: OutboxEntry, isAnswered: Bool = false) {
    if isAnswered, isAside(entry) { tryAgain() }
    counts[entry.id] = nil
    asideIDs.remove(entry.id)
    if doubt?.entry.id == entry.id { doubt = nil }
    guard alone?.id == entry.id else { return }
    alone = nil
    turnSince = nil
  }

  /// Allows all entries that were set aside to be retried immediately.
  mutating func tryAgain() { (asideDueAt, asidePause) = (nil, .zero) }

  // MARK: The connection

  /// Handles a new connection; returns the entry that is set aside from now on, because the broker was available
  /// without interruption.
  mutating func connected(at now: Instant) -> OutboxEntry? {
    (upSince, hasAnswered, turnSince) = (now, false, now)
    defer { doubt = nil }
    guard let doubt, doubt.before < Limits.closesUntilAside, isAside(doubt.entry) else { return nil }
    return doubt.entry
  }

  /// Handles a failed attempt: the broker was unavailable, so the last connection did not end because of a message.
  mutating func wasAway(_ failure: LinkFailure, endpoint: Int) -> CloseCount? {
    guard let doubt, doubt.endpoint == endpoint, failure.mayBeOfRestart else { return nil }
    self.doubt = nil
    return doubt.before < Limits.closesUntilAside ? set(doubt.entry, doubt.before) : nil
  }

  mutating func connectionEnded() { (alone, upSince) = (nil, nil) }

  /// Handles a message that the broker acknowledged or refused.
  mutating func answered() { hasAnswered = true }

  /// Time at which the connection has proved to work, by a response or by staying up.
  var provedAt: Instant? { upSince.map { hasAnswered ? $0 : $0 + Limits.suspectQuietMin } }

  /// Whether unsuspected entries have had their turn for long enough.
  mutating func isTurnOfSuspects(at now: Instant) -> Bool {
    let since = turnSince ?? now
    turnSince = since
    return now - since >= Limits.suspectWaitMax
  }

  mutating func sendsAlone(_ id: EntryID, at now: Instant) { alone = (id, now) }

  /// Handles the end of a connection on which only the given entry was in flight.
  mutating func closedAlone(_ entry: OutboxEntry, endpoint: Int, at now: Instant) -> CloseCount {
    let before = closes(of: entry)
    doubt = Doubt(entry: entry, endpoint: endpoint, before: before)
    if before + 1 >= Limits.closesUntilAside {
      let isTrial = before >= Limits.closesUntilAside
      asidePause = min(max(isTrial ? asidePause * 2 : asidePause, Limits.asidePauseMin), Limits.asidePauseMax)
      asideDueAt = now + asidePause
    }
    return set(entry, min(before + 1, Limits.closesMax))
  }

  /// Handles the end of a connection on which other entries were also in flight; `nil` if the count is unchanged.
  mutating func closedAmongOthers(_ entry: OutboxEntry) -> CloseCount? {
    isSuspect(entry) ? nil : set(entry, closes(of: entry) + 1)
  }
}
