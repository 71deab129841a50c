// The accepted entries on their way: which are with the broker, which are next, and how many wait in the store.
// The store holds all of them until they are acknowledged; memory holds a window of them, and none while the link is down.

/// What the kiosk knows of the outbox.
struct Outbox: Sendable {
  /// Entries in the store.
  private(set) var count: Int
  /// Bytes of their messages.
  private(set) var size: Int
  /// When the first of those that were accepted since the machine's start expires; never later than the truth.
  private(set) var earliestInstant: Instant?
  /// The same of those from before, milliseconds since 1970; never later than the truth by the clock as it was last told.
  private(set) var earliestUnixMilliseconds: Int64?
  /// Given to the store, its commit awaited.
  private var uncommitted: [EntryID: (entry: OutboxEntry, uid: TagUID?)] = [:]
  /// Bytes of their messages.
  private var uncommittedSize = 0
  /// Next in line, in order of acceptance.
  private var window: [OutboxEntry] = []
  /// Published on this connection, PUBACK awaited.
  private var inflight: [EntryID: OutboxEntry] = [:]
  /// Acknowledged, given up or expired, their removal not yet confirmed: never to be sent or told again.
  private var settled: Set<EntryID> = []
  /// The expiry pass that is under way; one at a time.
  private var expiring: ExpiryPass?
  /// How often a person's wish to drop something was handed on and not answered: until then nothing is sent, for it might
  /// be what the store is removing.
  private var unansweredDropCount = 0
  /// In memory alone, waiting or in flight: the database that held them was damaged and set aside.
  private var homeless: Set<EntryID> = []
  private var reading: Reading = .idle
  /// A fetch was ordered and not answered.
  ///
  /// One at a time: an answer does not say to which question it belongs.
  private var isFetchUnanswered = false

  /// How far the store was read for this connection.
  private enum Reading: Equatable, Sendable {
    /// The link is down: nothing is held in memory.
    case idle
    /// All up to `through` is in memory or done; more waits behind.
    case behind(through: Int64)
    /// An answer to a fetch from `after` is awaited.
    case fetching(after: Int64)
    /// All that is in the store is in memory or done.
    case complete(through: Int64)
  }

  /// What the store was asked for, and has not answered.
  private struct ExpiryPass: Sendable {
    /// What was over then is not sent any more, whatever the clock says since: the store may be naming it.
    var moment: Moment
    var clockIsGood: Bool
    /// What was with the broker then: the PUBACK decides whether it was delivered or expired, so it stays in the store until
    /// then, or it would have no outcome if we were killed meanwhile.
    var spared: [OutboxEntry]
    /// The clock was judged anew since: its answer does not tell what expires first.
    var isOutdated = false
  }

  init(_ summary: OutboxSummary) {
    count = summary.count
    size = summary.size
    if let earliest = summary.earliestExpiry { note(earliest) }
  }

  /// Entries and bytes including those whose commit is awaited.
  var promised: (count: Int, size: Int) { (count + uncommitted.count, size + uncommittedSize) }

  var inflightCount: Int { inflight.count }
  var uncommittedCount: Int { uncommitted.count }
  var isExpiring: Bool { expiring != nil }
  /// Whether something was asked that is answered exactly once.
  var isAwaitingStore: Bool {
    !uncommitted.isEmpty || isFetchUnanswered || isExpiring || unansweredDropCount > 0
  }

  /// What is with the broker, of all, or of this one; in order.
  func inflightIDs(_ id: EntryID?) -> [EntryID] {
    if let id { return inflight[id] == nil ? [] : [id] }
    return Array(inflight.values).inOrder { $0.sequence < $1.sequence }.map { $0.id }
  }

  // MARK: The store

  mutating func willStore(_ entry: OutboxEntry, _ uid: TagUID?) {
    uncommitted[entry.id] = (entry, uid)
    uncommittedSize += entry.message.size
  }

  /// The commit is done.
  ///
  /// Nil when nobody asked for it.
  mutating func stored(_ id: EntryID, sequence: Int64, clockIsGood: Bool) -> (OutboxEntry, TagUID?)? {
    guard let promise = answered(id) else { return nil }
    var entry = promise.entry
    entry.sequence = sequence
    count += 1
    size += entry.message.size
    note(entry.expiry)
    if case .complete(let through) = reading, sequence > through {
      if window.count < Limits.outboxWindow {
        if entry.isSendable(clockIsGood: clockIsGood) { window.append(entry) }
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

  /// The store told what is next.
  ///
  /// An answer that nobody waits for is dropped.
  mutating func fetched(_ entries: [OutboxEntry], reachedEnd: Bool) {
    isFetchUnanswered = false
    guard case .fetching(let after) = reading else { return }
    let through = entries.last?.sequence ?? after
    for entry in entries where inflight[entry.id] == nil && !settled.contains(entry.id) { window.append(entry) }
    reading = reachedEnd ? .complete(through: through) : .behind(through: through)
  }

  mutating func fetchFailed() {
    isFetchUnanswered = false
    guard case .fetching(let after) = reading else { return }
    reading = .behind(through: after)
  }

  /// Their rows are gone.
  mutating func removed(_ ids: [EntryID]) { for id in ids { settled.remove(id) } }

  /// An expiry pass begins; answers those that it must spare.
  mutating func willExpire(at now: Moment, clockIsGood: Bool) -> [EntryID] {
    let spared = Array(inflight.values)
    expiring = ExpiryPass(moment: now, clockIsGood: clockIsGood, spared: spared)
    return inflightIDs(nil)
  }

  mutating func fetchExpiredFailed() { expiring = nil }

  /// The time of these is over; answers those whose outcome that is, and the rows to be removed then.
  mutating func expired(_ entries: [OutboxEntry], earliest: Expiry?) -> (outcomes: [OutboxEntry], rows: [EntryID]) {
    guard let pass = expiring else { return ([], []) }
    expiring = nil
    let strays = window.filter {
      guard homeless.contains($0.id), $0.expiry.isOver(at: pass.moment) else { return false }
      if case .atUnixMilliseconds = $0.expiry { return pass.clockIsGood }
      return true
    }
    let stored = left(entries)
    let rows = stored.map { $0.id }
    for id in rows { settled.insert(id) }
    let outcomes = stored + left(strays)
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    if let earliest { note(earliest) }
    noteHomeless()
    if pass.isOutdated, count > 0 { note(.at(pass.moment.instant)) }
    // Back from the broker without its word, while the store left them out.
    for entry in pass.spared where inflight[entry.id] == nil && !settled.contains(entry.id) { note(entry.expiry) }
    return (outcomes, rows)
  }

  /// A person wants this entry out, or all; answers what the store must spare: it is not ours alone any more.
  mutating func willDrop(_ id: EntryID?) -> [EntryID] {
    unansweredDropCount += 1
    return inflightIDs(id)
  }

  mutating func dropFailed() { unansweredDropCount = max(0, unansweredDropCount - 1) }

  /// The store removed these because a person wished it; answers those whose outcome that is.
  ///
  /// A pass that is under way goes on; and what expires first among the rest is not asked: without them it can only be later.
  mutating func dropped(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    unansweredDropCount = max(0, unansweredDropCount - 1)
    return left(entries)
  }

  private mutating func left(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    var gone: Set<EntryID> = []
    var outcomes: [OutboxEntry] = []
    for entry in entries {
      // What was settled meanwhile has left already.
      if settled.contains(entry.id) { continue }
      leave(entry)
      gone.insert(entry.id)
      inflight[entry.id] = nil
      outcomes.append(entry)
    }
    window.removeAll { gone.contains($0.id) }
    return outcomes
  }

  /// The store is another one, and empty; what is in memory was promised, and goes out from there.
  mutating func replaced() {
    count = 0
    size = 0
    earliestInstant = nil
    earliestUnixMilliseconds = nil
    settled.removeAll()
    for entry in window { homeless.insert(entry.id) }
    for id in inflight.keys { homeless.insert(id) }
    noteHomeless()
    // Its sequences begin anew.
    if reading != .idle { reading = .behind(through: 0) }
  }

  /// No store tells when their time is over.
  private mutating func noteHomeless() {
    for entry in window where homeless.contains(entry.id) { note(entry.expiry) }
  }

  // MARK: The link

  /// A connection begins: everything that waits is to be sent on it.
  mutating func linkUp() { restart() }

  /// What was kept back may go now, or what is in memory must wait and is not to stand in the way of the rest.
  ///
  /// Which entry
  /// expires first is another question by another clock: the store is asked anew.
  mutating func clockChanged(at now: Instant) {
    if reading != .idle { restart() }
    clockStepped(at: now)
  }

  /// The wall clock was set: which entry expires first is another question.
  mutating func clockStepped(at now: Instant) {
    if count > 0 { note(.at(now)) }
    expiring?.isOutdated = true
  }

  /// The connection is over: what was with the broker waits in the store again, unless its time is over.
  mutating func linkDown() {
    for entry in inflight.values { note(entry.expiry) }
    let inMemoryAlone = (Array(inflight.values) + window).filter { homeless.contains($0.id) }
    inflight.removeAll()
    window = inMemoryAlone.inOrder { $0.sequence < $1.sequence }
    reading = .idle
  }

  /// The broker has it, or will never take it: it is not ours any more.
  ///
  /// Nil when it is not in flight.
  mutating func settle(_ id: EntryID) -> OutboxEntry? {
    guard let entry = inflight.removeValue(forKey: id) else { return nil }
    settled.insert(id)
    leave(entry)
    return entry
  }

  /// The next entries to publish.
  ///
  /// An entry that must wait holds back its own action's later ones, no others.
  mutating func takeSendable(at now: Moment, clockIsGood: Bool) -> [OutboxEntry] {
    guard reading != .idle, inflight.count < Limits.inflightMax, !window.isEmpty, unansweredDropCount == 0 else {
      return []
    }
    var taken: [OutboxEntry] = []
    var kept: [OutboxEntry] = []
    var waiting: [String] = []
    for entry in window {
      let isGoing = expiring.map { entry.expiry.isOver(at: $0.moment) } ?? false
      let isSendable =
        inflight.count < Limits.inflightMax && !waiting.contains(entry.action)
        && entry.isSendable(clockIsGood: clockIsGood) && !entry.expiry.isOver(at: now) && !isGoing
      if isSendable {
        inflight[entry.id] = entry
        taken.append(entry)
      } else {
        // It is for the store to let it go; a step of the clock may have brought its end unforeseen.
        if entry.expiry.isOver(at: now) { note(entry.expiry) }
        waiting.append(entry.action)
        kept.append(entry)
      }
    }
    window = kept
    return taken
  }

  /// Where to go on reading, when the window runs low.
  mutating func takeFetch() -> (after: Int64, limit: Int)? {
    guard case .behind(let through) = reading, window.count <= Limits.outboxWindow / 2, !isFetchUnanswered else {
      return nil
    }
    reading = .fetching(after: through)
    isFetchUnanswered = true
    return (through, Limits.outboxWindow)
  }

  private mutating func restart() {
    window.removeAll { !homeless.contains($0.id) }
    reading = .behind(through: 0)
  }

  private mutating func leave(_ entry: OutboxEntry) {
    if homeless.remove(entry.id) != nil { return }
    count = max(0, count - 1)
    size = max(0, size - entry.message.size)
  }

  private mutating func note(_ expiry: Expiry) {
    switch expiry {
    case .at(let instant): earliestInstant = min(earliestInstant ?? instant, instant)
    case .atUnixMilliseconds(let time): earliestUnixMilliseconds = min(earliestUnixMilliseconds ?? time, time)
    }
  }
}

extension PayloadTemplate {
  /// Bytes of the template, by which the outbox is bounded.
  var size: Int { text.utf8.count }
}

extension OutboxEntry {
  /// Whether the state of the clock allows it to be sent: a token needs the right time, and only the wall clock can tell
  /// whether an entry from before the machine's start is too old.
  func isSendable(clockIsGood: Bool) -> Bool {
    if clockIsGood { return true }
    if message.usesTimestamp { return false }
    switch expiry {
    case .at: return true
    case .atUnixMilliseconds: return false
    }
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
