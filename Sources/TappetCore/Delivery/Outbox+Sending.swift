// Selects the next entries to send: unsuspected entries first, then the suspects one at a time, and occasionally, if no
// others are pending, an entry that was set aside.

extension Outbox {
  /// Takes the next entries to publish.
  ///
  /// An entry that must wait blocks only later entries of its own action; an entry that was set aside blocks none. Of
  /// each action in `trying`, at most one entry is in flight. Suspects yield to other entries, but for no longer than
  /// `Limits.suspectWaitMax`.
  mutating func takeSendable(at now: Moment, clockIsGood: Bool, trying: [String]) -> [OutboxEntry] {
    guard reading != .idle, hasRoom, unansweredDropCount == 0, suspicion.alone == nil else { return [] }
    guard !window.isEmpty || !aside.isEmpty || hasMoreAside else { return [] }
    let isTurnOfSuspects =
      suspicion.isTurnOfSuspects(at: now.instant) && nextSuspect(at: now, clockIsGood: clockIsGood) != nil
    let taken = isTurnOfSuspects ? [] : takeUnsuspected(at: now, clockIsGood: clockIsGood, trying)
    guard taken.isEmpty, inflight.isEmpty else { return taken }
    if aside.isEmpty, hasMoreAside, isRead { restart() }
    guard let due = aloneDue(at: now, clockIsGood: clockIsGood), due.at <= now.instant else { return [] }
    window.removeAll { $0.id == due.entry.id }
    aside.removeAll { $0.id == due.entry.id }
    inflight[due.entry.id] = due.entry
    suspicion.sendsAlone(due.entry.id, at: now.instant)
    return [due.entry]
  }

  private mutating func takeUnsuspected(at now: Moment, clockIsGood: Bool, _ trying: [String]) -> [OutboxEntry] {
    var taken: [OutboxEntry] = []
    var kept: [OutboxEntry] = []
    var waiting = trying.filter { action in inflight.values.contains { $0.action == action } }
    var seenCount = 0
    let later = now.later(by: Limits.linkAheadExpiryMin)
    for entry in window {
      guard hasRoom else { break }
      seenCount += 1
      let isSendable =
        isInTurn(entry, later: later) && !waiting.contains(entry.action) && !suspicion.isSuspect(entry)
        && mayBeSent(entry, at: now, clockIsGood: clockIsGood)
      if isSendable {
        inflight[entry.id] = entry
        taken.append(entry)
        if !trying.isEmpty, trying.contains(entry.action) { waiting.append(entry.action) }
      } else {
        // The entry may have expired early because the clock was stepped; the store must remove it.
        if entry.expiry.isOver(at: now) { recordExpiry(entry.expiry) }
        waiting.append(entry.action)
        kept.append(entry)
      }
    }
    window.replaceSubrange(..<seenCount, with: kept)
    return taken
  }

  /// Requests the removal of the delivered entries in one commit.
  ///
  /// They wait only while the link is full, so that a further PUBACK, or the end of the link, follows.
  mutating func removeDelivered(isSending: Bool) -> [Effect] {
    let mayWait = isSending && inflight.count >= Limits.inflightMax && removable.count < Limits.removalsMax
    if mayWait || removable.isEmpty { return [] }
    defer { removable = [] }
    return [.store(.remove(.broker, removable))]
  }

  /// Returns when the next entry may expire; `nil` if a pass is in progress, or no entry can expire.
  func expiryDeadline(at now: Moment, clockIsGood: Bool) -> Instant? {
    guard !isExpiring else { return nil }
    guard clockIsGood, let time = earliestUnixMilliseconds else { return earliestInstant }
    let (remaining, overflow) = time.subtractingReportingOverflow(now.unixMilliseconds)
    let other = now.instant + .milliseconds(overflow ? (time < 0 ? 0 : Int64.max) : max(0, remaining))
    return min(earliestInstant ?? other, other)
  }

  private func mayBeSent(_ entry: OutboxEntry, at now: Moment, clockIsGood: Bool) -> Bool {
    let isInPass = expiring.map { entry.expiry.isOver(at: $0.moment) } ?? false
    return !held.contains(entry.action) && entry.isSendable(clockIsGood: clockIsGood)
      && !entry.expiry.isOver(at: now) && !isInPass
  }

  /// Whether the link accepts one more entry.
  private var hasRoom: Bool { inflight.count < Limits.inflightMax + Limits.linkAheadMax }

  /// Whether the entry may be passed to the link now; while the link is full, only if no part of it depends on time.
  private func isInTurn(_ entry: OutboxEntry, later: Moment) -> Bool {
    inflight.count < Limits.inflightMax || !entry.message.usesTimestamp && !entry.expiry.isOver(at: later)
  }

  private var isRead: Bool { if case .complete = reading { true } else { false } }

  // MARK: Alone

  /// Returns when the next entry is due to be sent alone, unless an event occurs earlier; `nil` if there is no entry.
  func aloneDeadline(at now: Moment, clockIsGood: Bool) -> Instant? {
    guard reading != .idle, unansweredDropCount == 0, inflight.isEmpty else { return nil }
    return aloneDue(at: now, clockIsGood: clockIsGood)?.at
  }

  /// Returns the next entry to be sent alone, and the time from which it may be sent.
  private func aloneDue(at now: Moment, clockIsGood: Bool) -> (entry: OutboxEntry, at: Instant)? {
    guard let provedAt = suspicion.provedAt else { return nil }
    if let suspect = nextSuspect(at: now, clockIsGood: clockIsGood) { return (suspect, provedAt) }
    guard isRead, !aside.isEmpty else { return nil }
    let entry = suspicion.leastSuspect(of: aside.filter { mayBeSent($0, at: now, clockIsGood: clockIsGood) })
    return entry.map { ($0, max(provedAt, suspicion.asideDueAt ?? provedAt)) }
  }

  /// Returns the suspect to send next: the least suspect among those that are first of their action.
  private func nextSuspect(at now: Moment, clockIsGood: Bool) -> OutboxEntry? {
    guard window.contains(where: { suspicion.isSuspect($0) }) else { return nil }
    var seen: [String] = []
    var suspects: [OutboxEntry] = []
    for entry in window where !seen.contains(entry.action) {
      seen.append(entry.action)
      if suspicion.isSuspect(entry), mayBeSent(entry, at: now, clockIsGood: clockIsGood) { suspects.append(entry) }
    }
    return suspicion.leastSuspect(of: suspects)
  }

  /// Adds an entry to the window, or to the entries set aside.
  mutating func place(_ entry: OutboxEntry) {
    let isAside = suspicion.isAside(entry)
    suspicion.recordAside(entry.id, isAside: isAside)
    if !isAside {
      window.append(entry)
    } else if aside.count < Limits.outboxWindow || memoryOnly.contains(entry.id) {
      aside.append(entry)
    } else {
      hasMoreAside = true
    }
  }

  /// Handles a connection that the broker closed; any entry in flight may be the cause.
  mutating func closedByBroker(endpoint: Int, at now: Instant) -> Blame? {
    if let alone = suspicion.alone, let entry = inflight[alone.id] {
      // If the broker took longer to close the connection, the entry was not the cause.
      guard now - alone.since <= Limits.suspectAnswerMax else { return nil }
      let count = suspicion.closedAlone(entry, endpoint: endpoint, at: now)
      return Blame(message: entry, isCertain: true, counts: [count])
    }
    var counts: [CloseCount] = []
    for id in inflightIDs(nil) {
      if let entry = inflight[id], let count = suspicion.closedAmongOthers(entry) { counts.append(count) }
    }
    guard let first = counts.first, let entry = inflight[first.id] else { return nil }
    return Blame(message: entry, isCertain: false, counts: counts)
  }
}
