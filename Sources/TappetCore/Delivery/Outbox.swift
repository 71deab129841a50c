// The accepted entries on their way: which are with the broker, which are next, and how many wait in the store. The
// store holds all of them until they are acknowledged; memory holds a window of them, and none while the link is down.

/// The kiosk's knowledge of the outbox.
struct Outbox: Sendable {
  /// Number of entries in the store.
  private(set) var count: Int
  /// Number of bytes in their messages.
  private(set) var size: Int
  /// When the first entry accepted since the machine's start expires; never later than the truth.
  private(set) var earliestInstant: Instant?
  /// When the first older entry expires, in milliseconds since 1970.
  ///
  /// Never later than the truth by the clock as it was last reported.
  private(set) var earliestUnixMilliseconds: Int64?
  /// Entries given to the store that are not committed yet.
  private(set) var uncommitted: [EntryID: (entry: OutboxEntry, uid: TagUID?)] = [:]
  /// Number of bytes in their messages.
  private var uncommittedSize = 0
  /// Entries that are next, in order of acceptance.
  var window: [OutboxEntry] = []
  /// Entries that are tried when nothing else waits, because the broker closes the connection at them.
  var aside: [OutboxEntry] = []
  /// Whether the store has more of these.
  var hasMoreAside = false
  /// Actions whose later entries stay in the store, because those in the window wait behind a suspect.
  private(set) var passedOver: [String] = []
  var suspicion = Suspicion()
  /// The names of actions whose entries stay in the store until their receiver is back.
  private(set) var held: [String] = []
  /// Entries published on this connection that wait for their PUBACK.
  var inflight: [EntryID: OutboxEntry] = [:]
  /// Entries acknowledged, given up or expired whose removal is not confirmed yet: never to be sent or reported again.
  private var resolved: Set<EntryID> = []
  /// The expiry pass under way; there is one at a time.
  private(set) var expiring: ExpiryPass?
  /// Number of a person's requests to drop entries that are not answered yet.
  ///
  /// Nothing is sent until then, since the store might be removing it.
  private(set) var unansweredDropCount = 0
  /// Entries that are only in memory, waiting or in flight: their database was damaged and set aside.
  private(set) var memoryOnly: Set<EntryID> = []
  private(set) var reading: Reading = .idle
  /// Whether a fetch was requested and not answered.
  ///
  /// There is one at a time, because an answer does not name its question.
  private var isFetchUnanswered = false

  /// How far the store was read for this connection.
  enum Reading: Equatable, Sendable {
    /// The link is down, so nothing is held in memory.
    case idle
    /// Everything up to `through` is in memory or done; more follows.
    case behind(through: Int64)
    /// The answer to a fetch from `after` is pending.
    case fetching(after: Int64)
    /// Everything in the store is in memory or done.
    case complete(through: Int64)
  }

  /// A request for expired entries that the store has not answered.
  struct ExpiryPass: Sendable {
    /// Entries over at this moment are not sent any more, whatever the clock shows later: the store may be naming them.
    var moment: Moment
    var clockIsGood: Bool
    /// Entries that were with the broker then.
    ///
    /// The PUBACK decides whether they were delivered or expired, so they stay in the store until then: if we were
    /// killed meanwhile, they would otherwise have no outcome.
    var excluded: [OutboxEntry]
    /// The clock has been judged again since, so the answer does not tell what expires first.
    var isOutdated = false
  }

  init(_ summary: OutboxSummary) {
    count = summary.count
    size = summary.size
    if let earliest = summary.earliestExpiry { note(earliest) }
  }

  /// Entries and bytes, including uncommitted ones.
  var promised: (count: Int, size: Int) { (count + uncommitted.count, size + uncommittedSize) }

  var inflightCount: Int { inflight.count }

  /// Number of entries whose removal is not confirmed yet.
  var resolvedCount: Int { resolved.count }
  /// Whether the removal of the next delivered entry may wait for a later one, which will come or end with the link.
  var removalMayWait: Bool { inflight.count >= Limits.inflightMax && waitingRemovals + 1 < Limits.removalsMax }
  /// Number of removals that share the next commit.
  private(set) var waitingRemovals = 0
  var uncommittedCount: Int { uncommitted.count }
  var isExpiring: Bool { expiring != nil }
  /// Whether a request is pending that gets exactly one answer.
  var isAwaitingStore: Bool {
    !uncommitted.isEmpty || isFetchUnanswered || isExpiring || unansweredDropCount > 0
  }

  /// Whether entries wait in the store that were left out when it was read, because they need the clock; `nil` until
  /// it was read to its end.
  var isHoldingBack: Bool? {
    guard case .complete = reading, held.isEmpty, passedOver.isEmpty, !hasMoreAside else { return nil }
    return count > inflight.count + window.count + aside.count - memoryOnly.count
  }

  /// Returns which entries are in flight, of all or of this one, in order.
  func inflightIDs(_ id: EntryID?) -> [EntryID] {
    if let id { return inflight[id] == nil ? [] : [id] }
    return Array(inflight.values).inOrder { $0.sequence < $1.sequence }.map { $0.id }
  }

  // MARK: The store

  mutating func willStore(_ entry: OutboxEntry, _ uid: TagUID?) {
    uncommitted[entry.id] = (entry, uid)
    uncommittedSize += entry.message.size
  }

  /// Handles the commit of an entry; `nil` when it was not expected.
  mutating func stored(_ id: EntryID, sequence: Int64, clockIsGood: Bool) -> (OutboxEntry, TagUID?)? {
    guard let promise = answered(id) else { return nil }
    var entry = promise.entry
    entry.sequence = sequence
    count += 1
    size += entry.message.size
    note(entry.expiry)
    if case .complete(let through) = reading, sequence > through {
      if window.count < Limits.outboxWindow {
        let isRead = !held.contains(entry.action) && !passedOver.contains(entry.action)
        if isRead, entry.isSendable(clockIsGood: clockIsGood) { window.append(entry) }
        reading = .complete(through: sequence)
      } else {
        reading = .behind(through: through)
      }
    }
    return (entry, promise.uid)
  }

  mutating func notStored(_ id: EntryID) -> (entry: OutboxEntry, uid: TagUID?)? { answered(id) }

  private mutating func answered(_ id: EntryID) -> (entry: OutboxEntry, uid: TagUID?)? {
    guard let promise = uncommitted.removeValue(forKey: id) else { return nil }
    uncommittedSize -= promise.entry.message.size
    return promise
  }

  /// Handles the next entries from the store; an unexpected answer is dropped.
  mutating func fetched(_ entries: [OutboxEntry], reachedEnd: Bool) {
    isFetchUnanswered = false
    guard case .fetching(let after) = reading else { return }
    let through = entries.last?.sequence ?? after
    if window.count >= Limits.suspectsMax { passedOver = waitingActions }
    let left = held + passedOver
    let entries = left.isEmpty ? entries : entries.filter { !left.contains($0.action) }
    for entry in entries where inflight[entry.id] == nil && !resolved.contains(entry.id) { place(entry) }
    reading = reachedEnd ? .complete(through: through) : .behind(through: through)
  }

  mutating func fetchFailed() {
    isFetchUnanswered = false
    guard case .fetching(let after) = reading else { return }
    reading = .behind(through: after)
  }

  /// Handles entries whose rows are gone.
  mutating func removed(_ ids: [EntryID]) { for id in ids { resolved.remove(id) } }

  /// Begins an expiry pass; returns the entries that it must exclude.
  mutating func willExpire(at now: Moment, clockIsGood: Bool) -> [EntryID] {
    let excluded = Array(inflight.values)
    expiring = ExpiryPass(moment: now, clockIsGood: clockIsGood, excluded: excluded)
    return inflightIDs(nil)
  }

  mutating func fetchExpiredFailed() { expiring = nil }

  /// Handles expired entries; returns those whose outcome that is, and the rows to remove then.
  mutating func expired(_ entries: [OutboxEntry], earliest: Expiry?) -> (outcomes: [OutboxEntry], rows: [EntryID]) {
    guard let pass = expiring else { return ([], []) }
    expiring = nil
    let orphanedSecrets = (window + aside).filter {
      guard memoryOnly.contains($0.id), $0.expiry.isOver(at: pass.moment) else { return false }
      if case .atUnixMilliseconds = $0.expiry { return pass.clockIsGood }
      return true
    }
    let stored = left(entries)
    let rows = stored.map { $0.id }
    for id in rows { resolved.insert(id) }
    let outcomes = stored + left(orphanedSecrets)
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    if let earliest { note(earliest) }
    noteMemoryOnly()
    if pass.isOutdated, count > 0 { note(.at(pass.moment.instant)) }
    // They came back from the broker unacknowledged, while the store left them out.
    for entry in pass.excluded where inflight[entry.id] == nil && !resolved.contains(entry.id) { note(entry.expiry) }
    return (outcomes, rows)
  }

  /// Begins to drop this entry, or all; returns those that the store must exclude, because the broker has them too.
  mutating func willDrop(_ id: EntryID?) -> [EntryID] {
    unansweredDropCount += 1
    return inflightIDs(id)
  }

  mutating func dropFailed() { unansweredDropCount = max(0, unansweredDropCount - 1) }

  /// Handles entries that the store removed at a person's request; returns those whose outcome that is.
  ///
  /// An expiry pass under way continues. The store is not asked what expires first among the rest: it can only be
  /// later.
  mutating func dropped(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    unansweredDropCount = max(0, unansweredDropCount - 1)
    return left(entries)
  }

  private mutating func left(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    var gone: Set<EntryID> = []
    var outcomes: [OutboxEntry] = []
    for entry in entries {
      // An entry that was resolved meanwhile has left already.
      if resolved.contains(entry.id) { continue }
      leave(entry)
      gone.insert(entry.id)
      inflight[entry.id] = nil
      suspicion.forget(entry)
      outcomes.append(entry)
    }
    window.removeAll { gone.contains($0.id) }
    aside.removeAll { gone.contains($0.id) }
    return outcomes
  }

  /// Handles a new, empty store; entries in memory were promised, and are sent from there.
  mutating func replaced() {
    count = 0
    size = 0
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    resolved.removeAll()
    for entry in window + aside { memoryOnly.insert(entry.id) }
    hasMoreAside = false
    for id in inflight.keys { memoryOnly.insert(id) }
    suspicion.keepAside(aside + Array(inflight.values))
    noteMemoryOnly()
    // The new store counts its sequences from the start.
    if reading != .idle { reading = .behind(through: 0) }
  }

  /// Notes the expiry of entries that are only in memory, which no store reports.
  private mutating func noteMemoryOnly() {
    for entry in window + aside where memoryOnly.contains(entry.id) { note(entry.expiry) }
  }

  // MARK: The link

  /// Handles a new connection: everything that waits is to be sent on it.
  mutating func linkUp() { restart() }

  /// Handles a clock that became good or bad: entries held back may be sent now, or entries in memory must wait.
  ///
  /// The latter must not block the rest. Another clock decides which entry expires first, so the store is asked again.
  mutating func clockChanged(at now: Instant) {
    if reading != .idle { restart() }
    clockStepped(at: now)
  }

  /// Handles a wall clock that was set, which may change which entry expires first.
  mutating func clockStepped(at now: Instant) {
    if count > 0 { note(.at(now)) }
    expiring?.isOutdated = true
  }

  /// Handles the end of the connection: entries in flight wait in the store again, unless they are over.
  mutating func linkDown() {
    for entry in inflight.values { note(entry.expiry) }
    let inMemoryAlone = (Array(inflight.values) + window + aside).filter { memoryOnly.contains($0.id) }
    inflight.removeAll()
    (window, aside, hasMoreAside, passedOver) = ([], [], false, [])
    for entry in inMemoryAlone.inOrder({ $0.sequence < $1.sequence }) { place(entry) }
    suspicion.connectionEnded()
    reading = .idle
  }

  /// Handles a removal; one that does not wait takes the others with it.
  mutating func noteRemoval(mayWait: Bool) { waitingRemovals = mayWait ? waitingRemovals + 1 : 0 }

  /// Resolves an entry that the broker has, or will never take, so that it is no longer ours.
  ///
  /// `nil` when it is not in flight.
  mutating func resolve(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    resolved.insert(id)
    suspicion.forget(entry, isAnswered: true)
    leave(entry)
    return entry
  }

  /// Takes the place at which to continue reading, when the window runs low.
  mutating func takeFetch() -> (after: Int64, limit: Int)? {
    if !passedOver.isEmpty, window.count(where: { passedOver.contains($0.action) }) <= Limits.outboxWindow { restart() }
    guard case .behind(let through) = reading, isRunningLow, !isFetchUnanswered else { return nil }
    reading = .fetching(after: through)
    isFetchUnanswered = true
    return (through, Limits.outboxWindow)
  }

  /// Whether few entries are next; suspects and those behind them do not count, for others may have to go first.
  private var isRunningLow: Bool {
    let few = Limits.outboxWindow / 2
    guard window.count > few else { return true }
    let waiting = waitingActions
    return window.count { !waiting.contains($0.action) } <= few
  }

  /// The actions with a suspect, behind which the others of the action wait.
  private var waitingActions: [String] {
    var waiting = passedOver
    for entry in window where suspicion.isSuspect(entry) && !waiting.contains(entry.action) {
      waiting.append(entry.action)
    }
    return waiting
  }

  /// Holds back the entries of these actions only; what was held back before is read again.
  mutating func hold(_ actions: [String]) {
    guard actions != held else { return }
    held = actions
    readAgain()
  }

  /// Reads the store again from its beginning.
  mutating func readAgain() { if reading != .idle { restart() } }

  mutating func restart() {
    window.removeAll { !memoryOnly.contains($0.id) }
    aside.removeAll { !memoryOnly.contains($0.id) }
    (hasMoreAside, passedOver) = (false, [])
    reading = .behind(through: 0)
  }

  private mutating func leave(_ entry: OutboxEntry) {
    if memoryOnly.remove(entry.id) != nil { return }
    count = max(0, count - 1)
    size = max(0, size - entry.message.size)
  }

  mutating func note(_ expiry: Expiry) {
    switch expiry {
    case .at(let instant): earliestInstant = min(earliestInstant ?? instant, instant)
    case .atUnixMilliseconds(let time): earliestUnixMilliseconds = min(earliestUnixMilliseconds ?? time, time)
    }
  }
}

extension PayloadTemplate {
  /// Number of bytes in the template, by which the outbox is bounded.
  package var size: Int { text.utf8.count }
}

extension OutboxEntry {
  /// Whether the state of the clock allows it to be sent.
  ///
  /// A token needs the right time, and only the wall clock can tell whether an entry from before the machine's start is
  /// too old.
  func isSendable(clockIsGood: Bool) -> Bool {
    let isOfThisStart = if case .at = expiry { true } else { false }
    return OutboxEntry.isSendable(
      usesTimestamp: message.usesTimestamp, isOfThisStart: isOfThisStart, clockIsGood: clockIsGood)
  }

  /// The same for an entry that is still in the store.
  ///
  /// `isOfThisStart`: its expiry is on the monotonic clock of this start of the machine.
  package static func isSendable(usesTimestamp: Bool, isOfThisStart: Bool, clockIsGood: Bool) -> Bool {
    clockIsGood || !usesTimestamp && isOfThisStart
  }
}

extension Expiry {
  func isOver(at now: Moment) -> Bool {
    switch self {
    case .at(let instant): instant <= now.instant
    case .atUnixMilliseconds(let time): time <= now.unixMilliseconds
    }
  }
}
