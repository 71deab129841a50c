// A broker may answer a message by closing the connection: a topic that it does not like, a size, an access rule. That
// message must not stop the others, and a broker that merely restarts must cost none its place. So whatever was in
// flight when the broker closed two connections is suspect, and sent alone: after everything else, on a connection
// that has shown that it works. A message with which the broker closes three such connections at once, and takes the
// next one without having been away in between, is set aside: it is tried again alone, less and less often, until it
// expires.

/// How often the broker has closed the connection at an entry.
package struct CloseCount: Hashable, Sendable {
  package var id: EntryID
  package var count: Int
}

/// The message, or one of several, that may have made the broker close the connection.
struct Blame {
  /// The entry that was in flight alone, or one of several.
  var message: OutboxEntry
  /// It was alone.
  var isCertain: Bool
  /// The counts that have changed.
  var counts: [CloseCount]

  /// The number of those that are suspect now.
  var suspectCount: Int { counts.count { $0.count >= Limits.closesOfSuspect } }
}

/// Which entries the broker may not like.
struct Suspicion: Sendable {
  /// The entry in flight alone.
  private(set) var alone: (id: EntryID, since: Instant)?
  /// When entries that were set aside may be tried again; `nil` means now.
  private(set) var asideDueAt: Instant?
  /// Entries that were set aside, as far as they were met in this life of the process; `Limits.suspectsMax` at most.
  private(set) var asideIDs: Set<EntryID> = []
  private var asidePause: Duration = .zero
  /// Counts that have changed in this life of the process; the others are the entries' own.
  private var counts: [EntryID: Int] = [:]
  /// The entry with which the last connection ended, while the broker has not been seen again.
  private var doubt: Doubt?
  private var upSince: Instant?
  /// Whether the broker has answered a message on this connection.
  private var hasAnswered = false
  /// Since when unsuspected entries have had their turn.
  private var turnSince: Instant?

  private struct Doubt: Sendable {
    var entry: OutboxEntry
    var endpoint: Int
    /// The count without this end.
    var before: Int
  }

  // MARK: Counts

  func closes(of entry: OutboxEntry) -> Int { counts[entry.id] ?? entry.closes }

  func isSuspect(_ entry: OutboxEntry) -> Bool { closes(of: entry) >= Limits.closesOfSuspect }

  func isAside(_ entry: OutboxEntry) -> Bool { closes(of: entry) >= Limits.closesUntilAside }

  /// Whether a message is known at which the broker closes the connection.
  var isActive: Bool { counts.values.contains { $0 >= Limits.closesOfSuspect } }

  /// The one with which the fewest connections ended, and of those the oldest.
  func leastSuspect(of entries: [OutboxEntry]) -> OutboxEntry? {
    entries.min { (closes(of: $0), $0.sequence) < (closes(of: $1), $1.sequence) }
  }

  private mutating func set(_ id: EntryID, _ count: Int) -> CloseCount {
    // The store has the others.
    if counts.count >= Limits.suspectsMax { counts.removeAll() }
    counts[id] = count
    note(id, isAside: count >= Limits.closesUntilAside)
    return CloseCount(id: id, count: count)
  }

  /// Counts an entry that was set aside, or no longer is.
  mutating func note(_ id: EntryID, isAside: Bool) {
    if !isAside {
      asideIDs.remove(id)
    } else if asideIDs.count < Limits.suspectsMax {
      asideIDs.insert(id)
    }
  }

  /// Handles a store that lost all entries but these.
  mutating func keepAside(_ entries: [OutboxEntry]) {
    asideIDs = []
    for entry in entries { note(entry.id, isAside: isAside(entry)) }
  }

  /// Handles an entry that has left the outbox; `isAnswered`: the broker has it, or refused it without closing.
  mutating func forget(_ entry: OutboxEntry, isAnswered: Bool = false) {
    if isAnswered, isAside(entry) { tryAgain() }
    counts[entry.id] = nil
    asideIDs.remove(entry.id)
    if doubt?.entry.id == entry.id { doubt = nil }
    guard alone?.id == entry.id else { return }
    alone = nil
    turnSince = nil
  }

  /// Lets everything that was set aside be tried now.
  mutating func tryAgain() { (asideDueAt, asidePause) = (nil, .zero) }

  // MARK: The connection

  /// Handles a new connection; returns the entry that is set aside from now on: the broker was there all the time.
  mutating func connected(at now: Instant) -> OutboxEntry? {
    (upSince, hasAnswered, turnSince) = (now, false, now)
    defer { doubt = nil }
    guard let doubt, doubt.before < Limits.closesUntilAside, isAside(doubt.entry) else { return nil }
    return doubt.entry
  }

  /// Handles an attempt that failed: the broker was away, and so the last connection did not end for a message.
  mutating func wasAway(_ failure: LinkFailure, endpoint: Int) -> CloseCount? {
    guard let doubt, doubt.endpoint == endpoint, failure.mayBeOfRestart else { return nil }
    self.doubt = nil
    return doubt.before < Limits.closesUntilAside ? set(doubt.entry.id, doubt.before) : nil
  }

  mutating func connectionEnded() { (alone, upSince) = (nil, nil) }

  /// Handles a message that the broker acknowledged or refused.
  mutating func answered() { hasAnswered = true }

  /// When the connection has shown that it works: it answered, or it stayed.
  var provedAt: Instant? { upSince.map { hasAnswered ? $0 : $0 + Limits.suspectQuietMin } }

  /// Whether unsuspected entries have had their turn for long enough.
  mutating func isTurnOfSuspects(at now: Instant) -> Bool {
    let since = turnSince ?? now
    turnSince = since
    return now - since >= Limits.suspectWaitMax
  }

  mutating func sendsAlone(_ id: EntryID, at now: Instant) { alone = (id, now) }

  /// Handles the end of a connection on which only this entry was in flight.
  mutating func closedAlone(_ entry: OutboxEntry, endpoint: Int, at now: Instant) -> CloseCount {
    let before = closes(of: entry)
    doubt = Doubt(entry: entry, endpoint: endpoint, before: before)
    if before + 1 >= Limits.closesUntilAside {
      let isTrial = before >= Limits.closesUntilAside
      asidePause = min(max(isTrial ? asidePause * 2 : asidePause, Limits.asidePauseMin), Limits.asidePauseMax)
      asideDueAt = now + asidePause
    }
    return set(entry.id, min(before + 1, Limits.closesMax))
  }

  /// Handles the end of a connection on which others were in flight, too; `nil` if that changes nothing.
  mutating func closedAmongOthers(_ entry: OutboxEntry) -> CloseCount? {
    isSuspect(entry) ? nil : set(entry.id, closes(of: entry) + 1)
  }
}
