// A disk with a store on it, as StoreThread serves it: waiting requests share a commit, failed removals join the next
// one, and the answers are delivered later, or never when the process dies first.

import TappetCore

/// The store's rows, the requests that it has, and the answers that it has not delivered yet.
struct Disk {
  /// One committed entry.
  struct Row {
    var id: EntryID
    var sequence: Int64
    var expiry: Expiry
    /// The entry in the form in which the store returns it.
    var entry: OutboxEntry
    /// The era in which it was accepted; see `Disk.era`.
    var era: Int
    /// The kiosk has given it up; its removal is under way.
    var isForgotten = false
  }

  var fault: StoreFault?
  private(set) var rows: [Row] = []
  /// How often each ticket was used, as far as the disk knows.
  private(set) var ticketUses: [String: Int64] = [:]
  /// The arrivals whose removal is owed, and the number of each tag's accepted taps.
  private(set) var arrivals: [TagArrival] = []
  private(set) var tagCounts: [TagUID: Int64] = [:]
  /// The ledger of commands from rooms.
  private(set) var roomCommands: [RecordedCommand] = []
  /// The events of all commands that were ever recorded, whatever database replaced theirs.
  private(set) var roomEvents: Set<String> = []
  /// The answered commands whose mark is not on the disk yet.
  private(set) var settling: Set<String> = []
  private(set) var roomPosition: String?
  /// The webhooks that have worked, with their targets.
  private(set) var workedWebhooks: [String: Int64] = [:]
  /// The acts of tickets that it committed, by their ids.
  private var taken: Set<EntryID> = []
  /// Rows of a database that was set aside, in this life of the kiosk.
  private(set) var goneRows: [Row] = []
  /// Rows that each new database cost, until its answer is delivered.
  private var losses: [[Row]] = []
  /// The requests, in the order of asking.
  var asked: [StoreRequest] = []
  private(set) var answers: [StoreEvent] = []
  /// The outboxes whose fetch, or expiry pass, is not answered yet.
  var owedFetches: Set<Destination> = []
  var owedExpiries: Set<Destination> = []
  /// The disk did not take a count of closed connections.
  private(set) var hasLostCloses = false
  /// A drop was requested, and its answer is not delivered yet.
  var owesDrop: Bool {
    asked.contains { if case .drop = $0 { true } else { false } }
      || answers.contains {
        switch $0 {
        case .dropped, .dropFailed: true
        case _: false
        }
      }
  }
  /// Counts starts of the machine and new databases; the order of entries holds within an era.
  private var era = 0
  private var unfinished: [Destination: [EntryID]] = [:]
  private var nextSequence: Int64 = 1

  var isIdle: Bool { asked.isEmpty && answers.isEmpty }

  func index(of id: EntryID) -> Int? { rows.firstIndex { $0.id == id } }

  mutating func forget(at index: Int) { rows[index].isForgotten = true }

  // MARK: Commits

  /// Does the first `count` requests in one commit.
  mutating func commit(_ count: Int) {
    let batch = asked.prefix(count)
    guard !batch.isEmpty else { return }
    for destination in [Destination.broker, .webhook] { remove(batch, of: destination) }
    for case .fetchExpired(let destination, let moment, let clockIsGood, let excluding) in batch {
      let answer =
        canRemove
        ? fetchExpired(at: moment, clockIsGood: clockIsGood, excluding: excluding, of: destination)
        : .fetchExpiredFailed(fault ?? .ioError)
      answers.append(.outbox(destination, answer))
    }
    for case .recordCloses in batch where fault != nil { hasLostCloses = true }
    if fault == nil {
      for case .recordCloses(let counts) in batch {
        for count in counts { if let place = index(of: count.id) { rows[place].entry.closes = count.count } }
      }
    }
    for case .append(let entry) in batch { answers.append(append(entry)) }
    for case .countUse(let id, let ticket) in batch {
      if fault == nil { use(ticket, id) }
      answers.append(fault.map { .storeFailed(id, $0) } ?? .counted(id))
    }
    if fault == nil {
      for case .recordWebhook(let action, let target) in batch { workedWebhooks[action] = target }
    }
    for request in batch { keepLedger(request) }
    if fault == nil { markSettled() }
    for case .drop(let id, let excluding) in batch {
      answers.append(canRemove ? drop(id, excluding: excluding) : .dropFailed(fault ?? .ioError))
    }
    for case .check in batch { answers.append(fault.map { .checkFailed($0) } ?? .checked) }
    for case .fetch(let destination, let after, let limit, let clockIsGood, let excluded) in batch {
      let answer = fetch(after: after, limit: limit, clockIsGood: clockIsGood, of: destination, excluding: excluded)
      answers.append(.outbox(destination, answer))
    }
    asked.removeFirst(batch.count)
  }

  private mutating func keepLedger(_ request: StoreRequest) {
    switch request {
    case .recordRoomCommands(let rows, let position):
      if let fault { return answers.append(.roomCommandsFailed(fault)) }
      roomCommands += rows
      for row in rows { roomEvents.insert(row.event) }
      roomPosition = position
      answers.append(.roomCommandsRecorded)
    case .settleRoomCommand(let event): settling.insert(event)
    case _: break
    }
  }

  private mutating func markSettled() {
    for place in roomCommands.indices where settling.contains(roomCommands[place].event) {
      roomCommands[place].isAnswered = true
    }
    settling = []
  }

  mutating func commitAll() { commit(asked.count) }

  mutating func takeAnswer() -> StoreEvent? { answers.isEmpty ? nil : answers.removeFirst() }

  /// A full disk still removes rows.
  private var canRemove: Bool { fault == nil || fault == .full }

  private mutating func remove(_ batch: ArraySlice<StoreRequest>, of destination: Destination) {
    var ids = unfinished[destination] ?? []
    for request in batch {
      switch request {
      case .remove(destination, let done, _): ids += done.map { $0.id }
      case .giveUp(let entry, let reason, _) where reason.destination == destination: ids.append(entry.id)
      case _: break
      }
    }
    guard !ids.isEmpty else { return }
    guard canRemove else {
      unfinished[destination] = ids
      return answers.append(.outbox(destination, .removeFailed(fault ?? .ioError)))
    }
    unfinished[destination] = nil
    rows.removeAll { ids.contains($0.id) }
    answers.append(.outbox(destination, .removed(ids)))
  }

  private mutating func append(_ entry: OutboxEntry) -> StoreEvent {
    if let fault { return .storeFailed(entry.id, fault) }
    if let ticket = entry.ticket { use(ticket, entry.id) }
    taken.insert(entry.id)
    if let arrival = entry.notes.arrival { arrivals.append(arrival) }
    if let ended = entry.notes.ended { arrivals.removeAll { $0.entry == ended } }
    if let uid = entry.uid, let count = entry.notes.count { tagCounts[uid] = count }
    var fetched = entry
    fetched.acceptedAt = nil
    fetched.sequence = nextSequence
    nextSequence += 1
    rows.append(
      Row(id: entry.id, sequence: fetched.sequence, expiry: entry.expiry, entry: fetched, era: era))
    return .outbox(entry.destination, .stored(entry.id, sequence: fetched.sequence))
  }

  private mutating func use(_ ticket: String, _ id: EntryID) {
    ticketUses[ticket, default: 0] += 1
    taken.insert(id)
  }

  /// Whether it has committed this act.
  func hasTaken(_ id: EntryID) -> Bool { taken.contains(id) }

  private func fetch(
    after: Int64, limit: Int, clockIsGood: Bool, of destination: Destination, excluding excluded: [String]
  ) -> OutboxAnswer {
    if let fault, fault != .full, fault != .readOnly { return .fetchFailed(fault) }
    let found = rows.filter {
      $0.sequence > after && $0.maySend(clockIsGood: clockIsGood) && $0.entry.destination == destination
        && !excluded.contains($0.entry.action)
    }
    return .fetched(found.prefix(limit).map { $0.entry }, reachedEnd: found.count <= limit)
  }

  private func fetchExpired(
    at moment: Moment, clockIsGood: Bool, excluding: [EntryID], of destination: Destination
  ) -> OutboxAnswer {
    var over: [OutboxEntry] = []
    for row in rows where over.count < Limits.storeExpireMax && row.entry.destination == destination {
      if !excluding.contains(row.id), row.isOver(at: moment, clockIsGood: clockIsGood) { over.append(row.entry) }
    }
    let others = excluding + over.map { $0.id }
    return .expired(
      over, earliest: earliest(at: moment, clockIsGood: clockIsGood, excluding: others, of: destination))
  }

  private mutating func drop(_ id: EntryID?, excluding: [EntryID]) -> StoreEvent {
    let gone = rows.filter { (id == nil || $0.id == id) && !excluding.contains($0.id) }.prefix(Limits.storeDropMax)
    rows.removeAll { row in gone.contains { $0.id == row.id } }
    return .dropped(gone.map { $0.entry })
  }

  /// The database is damaged: a new one takes its place.
  mutating func replace() {
    goneRows += rows
    losses.append(rows)
    rows.removeAll()
    unfinished = [:]
    era += 1
    ticketUses = [:]
    (arrivals, tagCounts) = ([], [:])
    (roomCommands, roomPosition, workedWebhooks) = ([], nil, [:])
    answers.append(.replaced)
  }

  /// Takes the rows that were lost with the database whose end is being delivered.
  mutating func takeLoss() -> [Row] { losses.isEmpty ? [] : losses.removeFirst() }

  // MARK: Summaries

  func summary(at moment: Moment, clockIsGood: Bool) -> OutboxSummary {
    var summary = OutboxSummary(
      count: rows.count { $0.entry.destination == .broker }, size: size(of: .broker),
      earliestExpiry: earliest(at: moment, clockIsGood: clockIsGood, excluding: [], of: .broker))
    summary.arrivals = arrivals
    summary.tagCounts = tagCounts
    summary.workedWebhooks = workedWebhooks
    summary.roomPosition = roomPosition
    summary.roomCommands = roomCommands
    summary.webhookCount = rows.count { $0.entry.destination == .webhook }
    summary.webhookSize = size(of: .webhook)
    summary.earliestWebhookExpiry = earliest(at: moment, clockIsGood: clockIsGood, excluding: [], of: .webhook)
    return summary
  }

  private func size(of destination: Destination) -> Int {
    rows.reduce(0) { $1.entry.destination == destination ? $0 + $1.entry.message.text.utf8.count : $0 }
  }

  /// The expiry that comes first; in doubt, the one that the monotonic clock can judge.
  private func earliest(
    at moment: Moment, clockIsGood: Bool, excluding: [EntryID], of destination: Destination
  ) -> Expiry? {
    var own: Instant?
    var others: Int64?
    for row in rows where !excluding.contains(row.id) && row.entry.destination == destination {
      switch row.expiry {
      case .at(let instant): own = min(own ?? instant, instant)
      case .atUnixMilliseconds(let time): others = min(others ?? time, time)
      }
    }
    guard let others else { return own.map { .at($0) } }
    guard let own else { return .atUnixMilliseconds(others) }
    let isLater = others - moment.unixMilliseconds > (own - moment.instant).wholeMilliseconds
    return !clockIsGood || isLater ? .at(own) : .atUnixMilliseconds(others)
  }

  // MARK: Starts

  /// Another process opens the disk.
  ///
  /// When the machine was off, since `moment`, only the wall clock tells which of the old entries are over.
  mutating func restart(fromOtherBootAt moment: Moment?) {
    hasLostCloses = false
    asked.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
    unfinished.removeAll()
    settling = []
    (owedFetches, owedExpiries) = ([], [])
    if moment != nil { era += 1 }
    goneRows.removeAll(keepingCapacity: true)
    losses.removeAll()
    for index in rows.indices {
      rows[index].isForgotten = false
      guard let moment, case .at(let instant) = rows[index].expiry else { continue }
      rows[index].expiry = .atUnixMilliseconds(
        moment.unixMilliseconds + (instant - moment.instant).wholeMilliseconds)
      rows[index].entry.expiry = rows[index].expiry
    }
  }
}

extension Disk.Row {
  func isOver(at moment: Moment, clockIsGood: Bool) -> Bool {
    switch expiry {
    case .at(let instant): instant <= moment.instant
    case .atUnixMilliseconds(let time): clockIsGood && time <= moment.unixMilliseconds
    }
  }

  /// Whether the clock, in its present state, allows sending it at all.
  func maySend(clockIsGood: Bool) -> Bool {
    if clockIsGood { return true }
    if case .atUnixMilliseconds = expiry { return false }
    return !entry.message.usesTimestamp
  }
}
