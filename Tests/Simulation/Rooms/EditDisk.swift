// The store of a story about edits: both outboxes, and the rows of the messages that may have to be edited.

import TappetCore

/// Its rows, the requests that it has, and the answers that it has not delivered yet.
struct EditDisk {
  struct Row {
    var entry: EntryID
    var action: String
    var message: PayloadTemplate
    var event: String?
    var outcome: RoomEditOutcome?
  }

  private(set) var broker: [OutboxEntry] = []
  private(set) var rooms: [OutboxEntry] = []
  private(set) var edits: [Row] = []
  /// The taps whose rows ever had both an event and an outcome.
  private(set) var complete: Set<EntryID> = []
  var asked: [StoreRequest] = []
  /// Removals and outcomes that a failed commit left for the next one.
  private var carried: [StoreRequest] = []
  private var answers: [StoreEvent] = []
  private var nextSequence: Int64 = 1

  mutating func takeAnswer() -> StoreEvent? { answers.isEmpty ? nil : answers.removeFirst() }

  /// The requests and answers of a kiosk that was killed.
  mutating func forget() { (asked, carried, answers) = ([], [], []) }

  var summary: OutboxSummary {
    var summary = OutboxSummary(
      count: broker.count, size: broker.reduce(0) { $0 + $1.message.size }, earliestExpiry: earliest(of: broker))
    summary.webhookCount = rooms.count
    summary.webhookSize = rooms.reduce(0) { $0 + $1.message.size }
    summary.earliestWebhookExpiry = earliest(of: rooms)
    summary.hasRoomEdits = !edits.isEmpty
    return summary
  }

  private func earliest(of entries: [OutboxEntry]) -> Expiry? {
    var first: Instant?
    for case .at(let instant) in entries.map({ $0.expiry }) { first = min(first ?? instant, instant) }
    return first.map { .at($0) }
  }

  /// Does the first `count` requests in one commit, which may fail.
  mutating func commit(_ count: Int, fails: Bool) {
    let batch = Array(asked.prefix(count))
    asked.removeFirst(batch.count)
    let removals = carried + batch.filter { EditDisk.isCarried($0) }
    carried = []
    if fails { carried = removals }
    // As the store does: outcomes precede removals.
    for case .recordOutcome(let id, let outcome) in removals where !fails { record(outcome, of: id) }
    for request in removals { remove(request, fails: fails) }
    for request in batch where !EditDisk.isCarried(request) { serve(request, fails: fails) }
    for row in edits where row.event != nil && row.outcome != nil { complete.insert(row.entry) }
  }

  private static func isCarried(_ request: StoreRequest) -> Bool {
    switch request {
    case .remove, .giveUp, .recordOutcome: true
    case _: false
    }
  }

  private mutating func record(_ outcome: RoomEditOutcome, of id: EntryID) {
    for place in edits.indices where edits[place].entry == id && edits[place].outcome == nil {
      edits[place].outcome = outcome
    }
  }

  private mutating func remove(_ request: StoreRequest, fails: Bool) {
    let destination: Destination
    let ids: [EntryID]
    var event: String?
    switch request {
    case .remove(let outbox, let entries, let posted):
      (destination, ids, event) = (outbox, entries.map { $0.id }, posted)
    case .giveUp(let entry, let reason, _): (destination, ids) = (reason.destination, [entry.id])
    case _: return
    }
    if fails { return answers.append(.outbox(destination, .removeFailed(.ioError))) }
    for id in ids where destination == .webhook {
      for place in edits.indices where edits[place].entry == id && edits[place].event == nil {
        edits[place].event = event
      }
      edits.removeAll { $0.entry == id && $0.event == nil }
      rooms.removeAll { $0.id == id }
    }
    if destination == .broker { broker.removeAll { ids.contains($0.id) } }
    answers.append(.outbox(destination, .removed(ids)))
  }

  private mutating func serve(_ request: StoreRequest, fails: Bool) {
    switch request {
    case .append(let entry):
      if fails { return answers.append(.storeFailed(entry.id, .ioError)) }
      append(entry)
    case .fetch(let destination, let after, let limit, _, let excluding):
      if fails { return answers.append(.outbox(destination, .fetchFailed(.ioError))) }
      let found = (destination == .broker ? broker : rooms).filter {
        $0.sequence > after && !excluding.contains($0.action)
      }
      answers.append(
        .outbox(destination, .fetched(Array(found.prefix(limit)), reachedEnd: found.count <= limit)))
    case .fetchExpired(let destination, let moment, _, let excluding):
      if fails { return answers.append(.outbox(destination, .fetchExpiredFailed(.ioError))) }
      let all = (destination == .broker ? broker : rooms).filter { !excluding.contains($0.id) }
      let isOver = { (entry: OutboxEntry) in
        if case .at(let instant) = entry.expiry { instant <= moment.instant } else { false }
      }
      answers.append(
        .outbox(destination, .expired(all.filter(isOver), earliest: earliest(of: all.filter { !isOver($0) }))))
    case .drop(let id, let excluding):
      if fails { return answers.append(.dropFailed(.ioError)) }
      drop(id, excluding)
    case .fetchEdit(let done):
      if fails { return answers.append(.editFailed(.ioError)) }
      edits.removeAll { $0.entry == done }
      answers.append(.edit(nextEdit))
    case .check: answers.append(fails ? .checkFailed(.ioError) : .checked)
    case _: break
    }
  }

  private mutating func append(_ entry: OutboxEntry) {
    func stored(_ entry: OutboxEntry, _ sequence: Int64) -> OutboxEntry {
      var entry = entry
      (entry.sequence, entry.acceptedAt) = (sequence, nil)
      return entry
    }
    if let half = entry.forWebhook {
      rooms.append(stored(half, nextSequence))
      answers.append(.outbox(.webhook, .stored(entry.id, sequence: nextSequence)))
      nextSequence += 1
      if entry.notes.isReported {
        edits.append(Row(entry: entry.id, action: entry.action, message: half.message))
      }
    }
    guard entry.destination == .broker else { return }
    broker.append(stored(entry, nextSequence))
    answers.append(.outbox(.broker, .stored(entry.id, sequence: nextSequence)))
    nextSequence += 1
  }

  private mutating func drop(_ id: EntryID?, _ excluding: [EntryID]) {
    let isGone = { (entry: OutboxEntry) in (id == nil || entry.id == id) && !excluding.contains(entry.id) }
    let gone = broker.filter(isGone) + rooms.filter(isGone)
    for entry in gone where entry.destination == .broker { record(.dropped, of: entry.id) }
    for entry in gone where entry.destination == .webhook {
      edits.removeAll { $0.entry == entry.id && $0.event == nil }
    }
    broker.removeAll(where: isGone)
    rooms.removeAll(where: isGone)
    answers.append(.dropped(gone))
  }

  var isEmpty: Bool { broker.isEmpty && rooms.isEmpty && edits.isEmpty && asked.isEmpty && answers.isEmpty }

  private var nextEdit: RoomEdit? {
    for row in edits {
      if let event = row.event, let outcome = row.outcome {
        return RoomEdit(entry: row.entry, action: row.action, message: row.message, event: event, outcome: outcome)
      }
    }
    return nil
  }
}
