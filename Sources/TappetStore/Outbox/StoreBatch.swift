// Pending requests and their shared commit: a sync of an SD card takes up to 100 ms, regardless of the amount of data.

import TappetCore
import TappetSQLite

extension StoreRequest {
  /// The place of a request in a batch.
  enum Turn {
    /// A removal, or what must be recorded before a removal: part of a later commit if this one fails.
    case removal
    case change
    /// A request that is served after the commit, and changes nothing.
    case fetch
    /// The store's thread handles the request.
    case thread
  }

  var turn: Turn {
    switch self {
    case .remove, .giveUp, .recordOutcome, .settleRoomCommand: .removal
    case .fetch: .fetch
    case .keepHistory: .thread
    case .append, .countUse, .fetchExpired, .drop, .retry, .recordWebhook, .fetchEdit, .check, .recordFallback,
      .forgetFallbacks, .recordCloses, .recordBroker, .recordAnnounced, .recordTimedOpening, .recordRoomCommands,
      .recordWrongCodes, .recordTime, .recordSecretUse, .recordTap:
      .change
    }
  }

  /// Whether the request justifies a commit on its own.
  var isWorthACommit: Bool {
    switch self {
    case .recordSecretUse, .recordOutcome, .recordTap, .keepHistory: false
    case .append, .countUse, .remove, .fetch, .fetchExpired, .drop, .giveUp, .retry, .recordWebhook, .fetchEdit, .check,
      .recordFallback, .forgetFallbacks, .recordCloses, .recordBroker,
      .recordAnnounced, .recordTimedOpening, .recordRoomCommands, .settleRoomCommand, .recordWrongCodes, .recordTime:
      true
    }
  }

  /// Performs the request, within a transaction unless it changes nothing, and appends the replies.
  func perform(in store: Store, _ events: inout [StoreEvent]) throws(DatabaseError) {
    switch self {
    case .recordOutcome(let id, let outcome): try store.recordOutcome(outcome, of: id)
    case .settleRoomCommand(let event): try store.settleRoomCommand(event)
    case .giveUp(let entry, let reason, let time):
      try store.list(entry, reason, unixMilliseconds: time)
      try store.remove([entry])
      events.append(.outbox(reason.destination, .removed([entry.id])))
    case .remove(let destination, let entries, let event):
      try store.remove(entries, event: event)
      events.append(.outbox(destination, .removed(entries.map { $0.id })))
    case .fetchExpired(let destination, let moment, let clockIsGood, let excluded):
      let answer = try store.findExpired(
        of: destination, at: moment, clockIsGood: clockIsGood, excluding: excluded, limit: Limits.storeExpireMax)
      events.append(.outbox(destination, .expired(answer.expired, earliest: answer.earliest)))
    case .recordSecretUse(let id, let uid, let unixSeconds): try store.recordUse(id, by: uid, unixSeconds)
    case .recordFallback(let url, let until): try store.recordFallback(at: url, untilUnixSeconds: until)
    case .forgetFallbacks: try store.forgetFallbacks()
    case .recordCloses(let counts): for count in counts { try store.note(count) }
    case .recordWebhook(let action, let target): try store.recordWebhook(action, target: target)
    case .recordBroker(let url): try store.recordBroker(url)
    case .recordAnnounced(let topic, let content): try store.recordAnnounced(topic, content)
    case .recordTimedOpening(let topic, let opening): try store.recordTimedOpening(topic, opening)
    case .recordRoomCommands(let rows, let position):
      try store.record(rows, position: position)
      events.append(.roomCommandsRecorded)
    case .recordWrongCodes(let count): try store.recordWrongCodes(count)
    case .recordTime(let unixSeconds): try store.recordTime(unixSeconds)
    case .recordTap(let record, _): try store.note(record)
    case .append(let entry):
      for (destination, sequence) in try store.insertAll(entry) {
        events.append(.outbox(destination, .stored(entry.id, sequence: sequence)))
      }
      try store.note(TapRecord(entry))
      if let ticket = entry.ticket { try store.countUse(of: ticket) }
    case .countUse(let id, let ticket):
      try store.countUse(of: ticket)
      events.append(.counted(id))
    case .fetchEdit(let done): events.append(.edit(try store.nextRoomEdit(removing: done)))
    case .drop(let id, let excluded): events.append(.dropped(try store.removeChosen(id, excluding: excluded)))
    case .retry(let order): events.append(.retried(try store.retryWithinTransaction(order)))
    case .check:
      try store.recordTrial()
      events.append(.checked)
    case .fetch(let destination, let after, let limit, let clockIsGood, let excluded):
      let answer = try store.fetch(
        after: after, limit: limit, clockIsGood: clockIsGood, of: destination, excluding: excluded)
      events.append(.outbox(destination, .fetched(answer.entries, reachedEnd: answer.reachedEnd)))
    case .keepHistory: break
    }
  }

  /// Returns the reply to a request that could not be performed; `nil` if it receives none.
  func failed(_ fault: StoreFault) -> StoreEvent? {
    switch self {
    case .giveUp(_, let reason, _): .outbox(reason.destination, .removeFailed(fault))
    case .remove(let destination, _, _): .outbox(destination, .removeFailed(fault))
    case .fetchExpired(let destination, _, _, _): .outbox(destination, .fetchExpiredFailed(fault))
    case .fetch(let destination, _, _, _, _): .outbox(destination, .fetchFailed(fault))
    case .append(let entry): .storeFailed(entry.id, fault)
    case .countUse(let id, _): .storeFailed(id, fault)
    case .recordRoomCommands: .roomCommandsFailed(fault)
    case .fetchEdit: .editFailed(fault)
    case .drop: .dropFailed(fault)
    case .retry: .retryFailed(fault)
    case .check: .checkFailed(fault)
    case .recordOutcome, .settleRoomCommand, .recordSecretUse, .recordFallback, .forgetFallbacks, .recordCloses,
      .recordWebhook, .recordBroker, .recordAnnounced, .recordTimedOpening, .recordWrongCodes, .recordTime, .recordTap,
      .keepHistory:
      nil
    }
  }
}

/// Requests that share a commit.
struct StoreBatch {
  /// The removals, which come first, so that they make room for the changes.
  private(set) var removals: [StoreRequest] = []
  private var changes: [StoreRequest] = []
  private(set) var fetches: [StoreRequest] = []

  init(_ requests: [StoreRequest]) {
    for request in requests {
      switch request.turn {
      case .removal: removals.append(request)
      case .change: changes.append(request)
      case .fetch: fetches.append(request)
      case .thread: break
      }
    }
  }

  var writes: Bool { !removals.isEmpty || !changes.isEmpty }

  /// Commits all changes in one transaction; returns the replies.
  func commit(to store: Store) throws(DatabaseError) -> [StoreEvent] {
    try store.transaction { () throws(DatabaseError) in
      var events: [StoreEvent] = []
      for request in removals + changes { try request.perform(in: store, &events) }
      return events
    }
  }

  /// Returns each change in a separate batch, so that a failed change does not affect the others; all removals stay in
  /// one batch.
  func separated() -> [StoreBatch] {
    (removals.isEmpty ? [] : [StoreBatch(removals)]) + changes.map { StoreBatch([$0]) }
  }

  /// Returns the replies for a batch that could not be written.
  func failed(_ fault: StoreFault) -> [StoreEvent] { (removals + changes).compactMap { $0.failed(fault) } }
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
