// Pending requests and their shared commit: a sync of an SD card takes up to 100 ms, regardless of the amount of data.

import TappetCore
import TappetPlatform
import TappetSQLite

extension StoreRequest {
  /// Whether the request justifies a commit on its own.
  var isWorthACommit: Bool {
    switch self {
    case .recordSecretUse, .remove(_, mayWait: true), .recordOutcome, .recordTap, .keepHistory: false
    case .append, .countUse, .remove, .fetch, .fetchExpired, .drop, .removeWebhooks, .removePosted, .giveUp,
      .retry, .recordWebhook,
      .fetchEdit, .check, .recordFallback, .forgetFallbacks, .recordCloses, .recordBroker, .recordAnnounced,
      .recordTimedOpening, .recordRoomCommands, .settleRoomCommand, .recordWrongCodes, .recordTime:
      true
    }
  }
}

/// Requests that share a commit.
struct StoreBatch {
  /// Removals and marks that are part of a commit, or left over from a failed commit.
  struct CarriedRemovals {
    var removals: [EntryID] = []
    var webhooks: [WebhookRemoval] = []
    /// The entries that become dead letters; their removals are among the others.
    var givenUp: [(entry: OutboxEntry, reason: DeliveryRefusal, unixMilliseconds: Int64)] = []
    /// The outcomes of broker entries, which precede their removals.
    var outcomes: [(entry: EntryID, outcome: RoomEditOutcome)] = []
    /// The events of answered commands from rooms.
    var settled: [String] = []

    var isEmpty: Bool { removals.isEmpty && webhooks.isEmpty && outcomes.isEmpty && settled.isEmpty }
  }

  /// Changes of the ledger of commands from rooms, and of the edits of messages in rooms.
  private struct RoomWork {
    var commands: (rows: [RecordedCommand], position: String)?
    /// The requests for the next edit, each with the row to remove.
    var edits: [EntryID?] = []

    var isEmpty: Bool { commands == nil && edits.isEmpty }
  }

  /// Facts to record about the destinations of entries.
  private struct DestinationFacts {
    /// Fallbacks to record; an element without a URL deletes all recorded fallbacks.
    var fallbacks: [(url: String?, until: Int64)] = []
    var closes: [CloseCount] = []
    var workingBroker: String?
    var workedWebhooks: [(action: String, target: Int64)] = []

    var isEmpty: Bool { fallbacks.isEmpty && closes.isEmpty && workingBroker == nil && workedWebhooks.isEmpty }
  }

  /// A request for entries.
  struct Fetch {
    var destination: Destination
    var after: Int64
    var limit: Int
    var clockIsGood: Bool
    var excluding: [String]
  }

  /// Removals requested in this batch, and removals left over from an earlier commit.
  private(set) var unfinished: CarriedRemovals
  private var expiries: [(destination: Destination, moment: Moment, clockIsGood: Bool, excluded: [EntryID])] = []
  private var appends: [OutboxEntry] = []
  private var tickets: [(id: EntryID, ticket: String)] = []
  private var uses: [(id: String, uid: TagUID?, unixSeconds: Int64)] = []
  /// Entries to drop; an element without an id drops the oldest entries.
  private var drops: [(id: EntryID?, excluded: [EntryID])] = []
  private var retries: [RetryOrder] = []
  private var checkCount = 0
  private var facts = DestinationFacts()
  private var announced: [(topic: String, content: String?)] = []
  private var openings: [(topic: String, opening: TimedOpening?)] = []
  private var rooms = RoomWork()
  /// The newest values, each of which replaces an older one.
  private var latest: (wrongCodes: Int?, time: Int64?) = (nil, nil)
  private var taps: [TapRecord] = []
  private(set) var fetches: [Fetch] = []

  /// Creates a batch of requests and of removals left over from an earlier commit.
  init(_ requests: [StoreRequest], unfinished: CarriedRemovals = CarriedRemovals()) {
    self.unfinished = unfinished
    for request in requests {
      switch request {
      case .append(let entry): appends.append(entry)
      case .countUse(let id, let ticket): tickets.append((id, ticket))
      case .remove(let ids, _): self.unfinished.removals += ids
      case .removeWebhooks(let entries): self.unfinished.webhooks += entries.map { WebhookRemoval(entry: $0) }
      case .removePosted(let entry, let event):
        self.unfinished.webhooks.append(WebhookRemoval(entry: entry, event: event))
      case .recordOutcome(let id, let outcome): self.unfinished.outcomes.append((id, outcome))
      case .fetchEdit(let done): rooms.edits.append(done)
      case .giveUp(let entry, let reason, let time):
        self.unfinished.givenUp.append((entry, reason, time))
        switch reason.destination {
        case .broker: self.unfinished.removals.append(entry.id)
        case .webhook: self.unfinished.webhooks.append(WebhookRemoval(entry: entry))
        }
      case .retry(let order): retries.append(order)
      case .recordWebhook(let action, let target): facts.workedWebhooks.append((action, target))
      case .fetch(let destination, let after, let limit, let clockIsGood, let excluded):
        fetches.append(
          Fetch(destination: destination, after: after, limit: limit, clockIsGood: clockIsGood, excluding: excluded))
      case .fetchExpired(let destination, let moment, let clockIsGood, let excluded):
        expiries.append((destination, moment, clockIsGood, excluded))
      case .drop(let id, let excluded): drops.append((id, excluded))
      case .check: checkCount += 1
      case .recordSecretUse(let id, let uid, let unixSeconds): uses.append((id, uid, unixSeconds))
      case .recordFallback(let url, let until): facts.fallbacks.append((url, until))
      case .forgetFallbacks: facts.fallbacks.append((nil, 0))
      case .recordCloses(let counts): facts.closes += counts
      case .recordBroker(let url): facts.workingBroker = url
      case .recordAnnounced(let topic, let content): announced.append((topic, content))
      case .recordTimedOpening(let topic, let opening): openings.append((topic, opening))
      // At most one is in progress.
      case .recordRoomCommands(let rows, let position): rooms.commands = (rows, position)
      case .settleRoomCommand(let event): self.unfinished.settled.append(event)
      case .recordWrongCodes(let count): latest.wrongCodes = count
      case .recordTime(let unixSeconds): latest.time = unixSeconds
      case .recordTap(let record, _): taps.append(record)
      // The thread has already handled this request.
      case .keepHistory: break
      }
    }
  }

  var writes: Bool {
    !unfinished.isEmpty || !expiries.isEmpty || !appends.isEmpty || !tickets.isEmpty || !uses.isEmpty || !drops.isEmpty
      || !facts.isEmpty || !announced.isEmpty || !openings.isEmpty
      || !rooms.isEmpty || latest.wrongCodes != nil || latest.time != nil || !taps.isEmpty
      || !retries.isEmpty || checkCount > 0
  }

  /// Commits all changes in one transaction; returns the replies.
  func commit(to store: Store) throws(DatabaseError) -> [StoreEvent] {
    let events = try store.transaction { () throws(DatabaseError) in
      for (id, outcome) in unfinished.outcomes { try store.recordOutcome(outcome, of: id) }
      for event in unfinished.settled { try store.settleRoomCommand(event) }
      for (entry, reason, time) in unfinished.givenUp { try store.list(entry, reason, unixMilliseconds: time) }
      for id in unfinished.removals { try store.delete(id) }
      try store.remove(unfinished.webhooks)
      var events: [StoreEvent] = []
      if !unfinished.removals.isEmpty { events.append(.outbox(.broker, .removed(unfinished.removals))) }
      if !unfinished.webhooks.isEmpty {
        events.append(.outbox(.webhook, .removed(unfinished.webhooks.map { $0.entry.id })))
      }
      for expiry in expiries {
        let limit = Limits.storeExpireMax
        let answer = try store.findExpired(
          of: expiry.destination, at: expiry.moment, clockIsGood: expiry.clockIsGood, excluding: expiry.excluded,
          limit: limit)
        events.append(.outbox(expiry.destination, .expired(answer.expired, earliest: answer.earliest)))
      }
      for use in uses { try store.recordUse(use.id, by: use.uid, use.unixSeconds) }
      try writeFacts(to: store)
      for (topic, content) in announced { try store.recordAnnounced(topic, content) }
      for (topic, opening) in openings { try store.recordTimedOpening(topic, opening) }
      if let (rows, position) = rooms.commands {
        try store.record(rows, position: position)
        events.append(.roomCommandsRecorded)
      }
      if let wrongCodes = latest.wrongCodes { try store.recordWrongCodes(wrongCodes) }
      if let time = latest.time { try store.recordTime(time) }
      for record in taps { try store.note(record) }
      for entry in appends {
        let (broker, webhook) = try store.insertAll(entry)
        try store.note(TapRecord(entry))
        if let ticket = entry.ticket { try store.countUse(of: ticket) }
        if let webhook { events.append(.outbox(.webhook, .stored(entry.id, sequence: webhook))) }
        if let broker { events.append(.outbox(.broker, .stored(entry.id, sequence: broker))) }
      }
      for use in tickets {
        try store.countUse(of: use.ticket)
        events.append(.counted(use.id))
      }
      for done in rooms.edits { events.append(.edit(try store.nextRoomEdit(removing: done))) }
      for drop in drops {
        events.append(.dropped(try store.removeChosen(drop.id, excluding: drop.excluded)))
      }
      for order in retries { events.append(.retried(try store.retryWithinTransaction(order))) }
      if checkCount > 0 { try store.recordTrial() }
      for _ in 0..<checkCount { events.append(.checked) }
      return events
    }
    store.updateRowCache(after: events)
    return events
  }

  private func writeFacts(to store: Store) throws(DatabaseError) {
    for fallback in facts.fallbacks {
      if let url = fallback.url {
        try store.recordFallback(at: url, untilUnixSeconds: fallback.until)
      } else {
        try store.forgetFallbacks()
      }
    }
    for count in facts.closes { try store.note(count) }
    for (action, target) in facts.workedWebhooks { try store.recordWebhook(action, target: target) }
    if let url = facts.workingBroker { try store.recordBroker(url) }
  }

  /// Returns the same requests in separate batches, so that a failed request does not affect the others.
  ///
  /// All removals stay in one batch.
  func separated() -> [StoreBatch] {
    var batches: [StoreBatch] = []
    if !unfinished.isEmpty { batches.append(StoreBatch([], unfinished: unfinished)) }
    for expiry in expiries {
      var batch = StoreBatch([])
      batch.expiries = [expiry]
      batches.append(batch)
    }
    for use in uses {
      batches.append(StoreBatch([.recordSecretUse(id: use.id, uid: use.uid, unixSeconds: use.unixSeconds)]))
    }
    if !facts.isEmpty {
      var batch = StoreBatch([])
      batch.facts = facts
      batches.append(batch)
    }
    for (topic, content) in announced { batches.append(StoreBatch([.recordAnnounced(topic: topic, content: content)])) }
    for (topic, opening) in openings { batches.append(StoreBatch([.recordTimedOpening(topic: topic, opening)])) }
    if let (rows, position) = rooms.commands {
      batches.append(StoreBatch([.recordRoomCommands(rows, position: position)]))
    }
    for done in rooms.edits { batches.append(StoreBatch([.fetchEdit(done: done)])) }
    if let wrongCodes = latest.wrongCodes { batches.append(StoreBatch([.recordWrongCodes(wrongCodes)])) }
    if let time = latest.time { batches.append(StoreBatch([.recordTime(unixSeconds: time)])) }
    for entry in appends { batches.append(StoreBatch([.append(entry)])) }
    for use in tickets { batches.append(StoreBatch([.countUse(use.id, ticket: use.ticket)])) }
    if !taps.isEmpty { batches.append(StoreBatch(taps.map { .recordTap($0, mayWait: true) })) }
    for drop in drops { batches.append(StoreBatch([.drop(drop.id, excluding: drop.excluded)])) }
    for order in retries { batches.append(StoreBatch([.retry(order)])) }
    for _ in 0..<checkCount { batches.append(StoreBatch([.check])) }
    return batches
  }

  /// Returns the replies for a batch that could not be written.
  func failed(_ fault: StoreFault) -> [StoreEvent] {
    var events: [StoreEvent] = []
    if !unfinished.removals.isEmpty { events.append(.outbox(.broker, .removeFailed(fault))) }
    if !unfinished.webhooks.isEmpty { events.append(.outbox(.webhook, .removeFailed(fault))) }
    for expiry in expiries { events.append(.outbox(expiry.destination, .fetchExpiredFailed(fault))) }
    for entry in appends { events.append(.storeFailed(entry.id, fault)) }
    for use in tickets { events.append(.storeFailed(use.id, fault)) }
    if rooms.commands != nil { events.append(.roomCommandsFailed(fault)) }
    for _ in rooms.edits { events.append(.editFailed(fault)) }
    for _ in drops { events.append(.dropFailed(fault)) }
    for _ in retries { events.append(.retryFailed(fault)) }
    for _ in 0..<checkCount { events.append(.checkFailed(fault)) }
    return events
  }
}

extension Store {
  /// Updates `rowCache` after a commit.
  func updateRowCache(after events: [StoreEvent]) {
    for event in events {
      switch event {
      case .outbox(.broker, .stored(let id, let sequence)): cacheRow(of: id, at: sequence)
      case .outbox(.broker, .removed(let ids)): for id in ids { rowCache[id] = nil }
      case .dropped(let entries): for entry in entries where entry.destination == .broker { rowCache[entry.id] = nil }
      case .outbox, .storeFailed, .counted, .roomCommandsRecorded, .roomCommandsFailed, .edit, .editFailed, .dropFailed,
        .retried, .retryFailed, .replaced, .checked, .checkFailed:
        break
      }
    }
  }
}

extension StoreFault {
  /// Whether the disk causes the fault, rather than the request, so that the next request would fail in the same way.
  var concernsAll: Bool {
    switch self {
    case .readOnly, .ioError, .corrupt, .busy: true
    case .full, .other: false
    }
  }
}
