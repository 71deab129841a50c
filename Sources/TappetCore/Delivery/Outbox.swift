// The outbox of accepted entries: which are in flight, which are next, and how many are pending in the store. The store
// keeps every entry until it is acknowledged; memory contains a window of entries, or none while the link is down.

/// The kiosk's view of the outbox.
struct Outbox: Sendable {
  /// Number of entries in the store.
  private(set) var count: Int
  /// Total size of the stored messages in bytes.
  private(set) var size: Int
  /// Earliest expiry among the entries accepted since boot; possibly earlier than the actual expiry, but never later.
  private(set) var earliestInstant: Instant?
  /// Earliest expiry among the entries from before the boot, in milliseconds since 1970.
  ///
  /// Never later than the actual expiry, judged by the clock as last reported.
  private(set) var earliestUnixMilliseconds: Int64?
  /// Entries passed to the store but not committed yet.
  private(set) var uncommitted: [EntryID: (entry: OutboxEntry, uid: TagUID?)] = [:]
  /// Total size of the uncommitted messages in bytes.
  private var uncommittedSize = 0
  /// Entries to send next, in order of acceptance.
  var window: [OutboxEntry] = []
  /// Entries tried only when no others are pending, because the broker closes the connection when it receives them.
  var aside: [OutboxEntry] = []
  /// Whether the store contains more entries that were set aside.
  var hasMoreAside = false
  /// Actions whose later entries stay in the store, because their entries in the window wait behind a suspect.
  private(set) var passedOver: [String] = []
  var suspicion = Suspicion()
  /// The names of actions whose entries stay in the store until their receiver is online again.
  private(set) var held: [String] = []
  /// Entries published on this connection and awaiting PUBACK.
  var inflight: [EntryID: OutboxEntry] = [:]
  /// Entries acknowledged, given up or expired, whose removal is not confirmed yet; never sent or reported again.
  private var resolved: Set<EntryID> = []
  /// Delivered entries whose removal has not been requested yet; they are also in `resolved`.
  var removable: [OutboxEntry] = []
  /// The expiry pass in progress; at most one at a time.
  private(set) var expiring: ExpiryPass?
  /// Number of pending user requests to drop entries.
  ///
  /// Nothing is sent in the meantime, because the store might be removing the same entries.
  private(set) var unansweredDropCount = 0
  /// Entries that exist only in memory, pending or in flight, because their database was damaged and set aside.
  private(set) var memoryOnly: Set<EntryID> = []
  private(set) var reading: Reading = .idle
  /// Whether a fetch is pending.
  ///
  /// At most one fetch is pending at a time, because a response does not identify its request.
  private var isFetchUnanswered = false

  /// Progress of reading the store for this connection.
  enum Reading: Equatable, Sendable {
    /// The link is down, so no entries are in memory.
    case idle
    /// All entries up to `through` are in memory or resolved; more entries follow.
    case behind(through: Int64)
    /// A fetch of the entries after `after` is pending.
    case fetching(after: Int64)
    /// All entries in the store are in memory or resolved.
    case complete(through: Int64)
  }

  /// A pending request for expired entries.
  struct ExpiryPass: Sendable {
    /// The cutoff: entries expired by then are no longer sent, whatever the clock shows later, because the store may be
    /// reporting them.
    var moment: Moment
    var clockIsGood: Bool
    /// Entries in flight at the cutoff.
    ///
    /// The PUBACK decides whether they were delivered or expired, so they stay in the store until then; otherwise, they
    /// would have no outcome if the kiosk were killed first.
    var excluded: [OutboxEntry]
    /// Whether the clock has changed since the request, which invalidates the earliest expiry in the response.
    var isOutdated = false
  }

  init(_ summary: OutboxSummary) {
    count = summary.count
    size = summary.size
    if let earliest = summary.earliestExpiry { recordExpiry(earliest) }
  }

  /// Number and total size of the entries, including uncommitted entries.
  var promised: (count: Int, size: Int) { (count + uncommitted.count, size + uncommittedSize) }

  var inflightCount: Int { inflight.count }

  /// Number of entries whose removal is not confirmed yet.
  var resolvedCount: Int { resolved.count }
  var uncommittedCount: Int { uncommitted.count }
  var isExpiring: Bool { expiring != nil }
  /// Whether a store request that receives exactly one response is pending.
  var isAwaitingStore: Bool {
    !uncommitted.isEmpty || isFetchUnanswered || isExpiring || unansweredDropCount > 0
  }

  /// Whether the store contains entries that were skipped because they need the clock; `nil` until the store has been
  /// read completely.
  var isHoldingBack: Bool? {
    guard case .complete = reading, held.isEmpty, passedOver.isEmpty, !hasMoreAside else { return nil }
    return count > inflight.count + window.count + aside.count - memoryOnly.count
  }

  /// Returns the ids of the entries in flight, in order; if `id` is specified, only that id.
  func inflightIDs(_ id: EntryID?) -> [EntryID] {
    if let id { return inflight[id] == nil ? [] : [id] }
    return Array(inflight.values).inOrder { $0.sequence < $1.sequence }.map { $0.id }
  }

  // MARK: The store

  mutating func willStore(_ entry: OutboxEntry, _ uid: TagUID?) {
    uncommitted[entry.id] = (entry, uid)
    uncommittedSize += entry.message.size
  }

  /// Handles the commit of an entry; returns `nil` if the commit was not expected.
  mutating func stored(_ id: EntryID, sequence: Int64, clockIsGood: Bool) -> (OutboxEntry, TagUID?)? {
    guard let promise = answered(id) else { return nil }
    var entry = promise.entry
    entry.sequence = sequence
    count += 1
    size += entry.message.size
    recordExpiry(entry.expiry)
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

  /// Handles the next entries from the store; ignores an unexpected response.
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

  /// Handles the removal of entries from the store.
  mutating func removed(_ ids: [EntryID]) { for id in ids { resolved.remove(id) } }

  /// Starts an expiry pass; returns the entries that it must exclude.
  mutating func willExpire(at now: Moment, clockIsGood: Bool) -> [EntryID] {
    let excluded = Array(inflight.values)
    expiring = ExpiryPass(moment: now, clockIsGood: clockIsGood, excluded: excluded)
    return inflightIDs(nil)
  }

  mutating func fetchExpiredFailed() { expiring = nil }

  /// Handles expired entries; returns the entries to report as expired, and the rows to remove.
  mutating func expired(_ entries: [OutboxEntry], earliest: Expiry?) -> (outcomes: [OutboxEntry], rows: [OutboxEntry]) {
    guard let pass = expiring else { return ([], []) }
    expiring = nil
    let overInMemory = (window + aside).filter {
      guard memoryOnly.contains($0.id), $0.expiry.isOver(at: pass.moment) else { return false }
      if case .atUnixMilliseconds = $0.expiry { return pass.clockIsGood }
      return true
    }
    let rows = left(entries)
    for entry in rows { resolved.insert(entry.id) }
    let outcomes = rows + left(overInMemory)
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    if let earliest { recordExpiry(earliest) }
    recordMemoryOnly()
    if pass.isOutdated, count > 0 { recordExpiry(.at(pass.moment.instant)) }
    // The connection of these entries ended without a PUBACK, while the store excluded them from the pass.
    for entry in pass.excluded where inflight[entry.id] == nil && !resolved.contains(entry.id) {
      recordExpiry(entry.expiry)
    }
    return (outcomes, rows)
  }

  /// Starts dropping the given entry, or all entries; returns the entries in flight, which the store must exclude.
  mutating func willDrop(_ id: EntryID?) -> [EntryID] {
    unansweredDropCount += 1
    return inflightIDs(id)
  }

  mutating func dropFailed() { unansweredDropCount = max(0, unansweredDropCount - 1) }

  /// Handles entries that the store removed at a user's request; returns the entries to report as dropped.
  ///
  /// An expiry pass in progress continues. The earliest remaining expiry is not queried, because it can only be later.
  mutating func dropped(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    unansweredDropCount = max(0, unansweredDropCount - 1)
    return left(entries)
  }

  /// Handles entries that are in the store again, behind all others; they are read as soon as the window has room.
  mutating func retried(_ entries: [OutboxEntry]) {
    guard !entries.isEmpty else { return }
    count += entries.count
    for entry in entries {
      size += entry.message.size
      recordExpiry(entry.expiry)
    }
    if case .complete(let through) = reading { reading = .behind(through: through) }
  }

  private mutating func left(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    var gone: Set<EntryID> = []
    var outcomes: [OutboxEntry] = []
    for entry in entries {
      // An entry resolved in the meantime was already removed.
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

  /// Handles a new, empty store; the entries in memory were accepted, and are sent from memory.
  mutating func replaced() {
    count = 0
    size = 0
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    resolved.removeAll()
    removable = []
    for entry in window + aside { memoryOnly.insert(entry.id) }
    hasMoreAside = false
    for id in inflight.keys { memoryOnly.insert(id) }
    suspicion.keepAside(aside + Array(inflight.values))
    recordMemoryOnly()
    // The new store restarts its sequence numbers.
    if reading != .idle { reading = .behind(through: 0) }
  }

  /// Records the expiry of memory-only entries, which the store does not report.
  private mutating func recordMemoryOnly() {
    for entry in window + aside where memoryOnly.contains(entry.id) { recordExpiry(entry.expiry) }
  }

  // MARK: The link

  /// Handles a new connection, on which all pending entries are to be sent.
  mutating func linkUp() { restart() }

  /// Handles a clock that became good or bad: suspended entries may be sent now, or entries in memory must wait.
  ///
  /// Waiting entries must not block other entries. The order of expiry may change too, so the store is queried again.
  mutating func clockChanged(at now: Instant) {
    if reading != .idle { restart() }
    clockStepped(at: now)
  }

  /// Handles a step of the wall clock, which may change which entry expires first.
  mutating func clockStepped(at now: Instant) {
    if count > 0 { recordExpiry(.at(now)) }
    expiring?.isOutdated = true
  }

  /// Handles the end of the connection: entries in flight are pending in the store again, unless they have expired.
  mutating func linkDown() {
    for entry in inflight.values { recordExpiry(entry.expiry) }
    let inMemoryAlone = (Array(inflight.values) + window + aside).filter { memoryOnly.contains($0.id) }
    inflight.removeAll()
    (window, aside, hasMoreAside, passedOver) = ([], [], false, [])
    for entry in inMemoryAlone.inOrder({ $0.sequence < $1.sequence }) { place(entry) }
    suspicion.connectionEnded()
    reading = .idle
  }

  /// Resolves an entry that the broker has acknowledged, or will never accept.
  ///
  /// Returns `nil` if the entry is not in flight.
  mutating func resolve(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    resolved.insert(id)
    suspicion.forget(entry, isAnswered: true)
    leave(entry)
    return entry
  }

  /// Returns an entry that the broker refused for now to the entries pending; `nil` if the entry is not in flight.
  mutating func takeBack(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    suspicion.forget(entry, isAnswered: true)
    recordExpiry(entry.expiry)
    if memoryOnly.contains(id) { place(entry) }
    readAgain()
    return entry
  }

  /// Returns where to continue reading if the window runs low, and marks the fetch as pending.
  mutating func takeFetch() -> (after: Int64, limit: Int)? {
    if !passedOver.isEmpty, window.count(where: { passedOver.contains($0.action) }) <= Limits.outboxWindow { restart() }
    guard case .behind(let through) = reading, isRunningLow, !isFetchUnanswered else { return nil }
    reading = .fetching(after: through)
    isFetchUnanswered = true
    return (through, Limits.outboxWindow)
  }

  /// Whether the window runs low; suspects and the entries that wait for them do not count, because others may have to
  /// be sent first.
  private var isRunningLow: Bool {
    let few = Limits.outboxWindow / 2
    guard window.count > few else { return true }
    let waiting = waitingActions
    return window.count { !waiting.contains($0.action) } <= few
  }

  /// Actions with a suspect entry, behind which the action's other entries wait.
  private var waitingActions: [String] {
    var waiting = passedOver
    for entry in window where suspicion.isSuspect(entry) && !waiting.contains(entry.action) {
      waiting.append(entry.action)
    }
    return waiting
  }

  /// Suspends only the entries of the given actions; previously suspended entries are read again.
  mutating func hold(_ actions: [String]) {
    guard actions != held else { return }
    held = actions
    readAgain()
  }

  /// Restarts reading the store from the beginning.
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

  mutating func recordExpiry(_ expiry: Expiry) {
    switch expiry {
    case .at(let instant): earliestInstant = min(earliestInstant ?? instant, instant)
    case .atUnixMilliseconds(let time): earliestUnixMilliseconds = min(earliestUnixMilliseconds ?? time, time)
    }
  }
}

extension OutboxEntry {
  /// Whether the state of the clock allows the entry to be sent.
  ///
  /// A token needs the correct time, and only the wall clock can tell whether an entry from before the boot has
  /// expired.
  func isSendable(clockIsGood: Bool) -> Bool {
    let isOfThisStart = if case .at = expiry { true } else { false }
    return OutboxEntry.isSendable(
      usesTimestamp: message.usesTimestamp, isOfThisStart: isOfThisStart, clockIsGood: clockIsGood)
  }

  /// Whether the state of the clock allows an entry in the store to be sent.
  ///
  /// `isOfThisStart` means that the entry's expiry is on the monotonic clock of the current boot.
  package static func isSendable(usesTimestamp: Bool, isOfThisStart: Bool, clockIsGood: Bool) -> Bool {
    clockIsGood || !usesTimestamp && isOfThisStart
  }
}
