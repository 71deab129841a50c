// What waits for the disk, and its one commit: a sync costs an SD card up to 100 ms, however much it carries.

import TappetCore

/// What the store is asked to do.
public indirect enum StoreRequest: Sendable {
  /// Commit an accepted tap. Answered by `stored` or `storeFailed`.
  case append(OutboxEntry)
  /// Remove entries that are done with. Answered by `removed`; by `removeFailed` before, when it has to be tried again.
  case remove([EntryID])
  /// Read on in the order of acceptance. Answered by `fetched` or `fetchFailed`.
  case fetch(after: Int64, limit: Int, clockIsGood: Bool)
  /// Name what may not be sent any more, but for these. Answered by `expired` or `fetchExpiredFailed`.
  case fetchExpired(Moment, clockIsGood: Bool, sparing: [EntryID])
  /// Remove an entry, or some of all of them, but for these, as a person wished. Answered by `dropped` or `dropFailed`.
  case drop(EntryID?, sparing: [EntryID])
  /// Write something without meaning. Answered by `checked` or `checkFailed`.
  case check
  /// Remember that a tag of this secret was used, with the next commit. Not answered: a use that could not be noted harms
  /// nobody.
  case noteSecretUse(id: String, unixSeconds: Int64)

  /// Whether it makes the disk work by itself.
  var isWorthACommit: Bool {
    switch self {
    case .noteSecretUse: false
    case .append, .remove, .fetch, .fetchExpired, .drop, .check: true
    }
  }
}

/// Requests that share a commit.
struct StoreBatch {
  private(set) var removals: [EntryID]
  private var expiries: [(moment: Moment, clockIsGood: Bool, spared: [EntryID])] = []
  private var appends: [OutboxEntry] = []
  private var uses: [(id: String, unixSeconds: Int64)] = []
  /// No id: the oldest ones.
  private var drops: [(id: EntryID?, spared: [EntryID])] = []
  private var checkCount = 0
  private(set) var fetches: [(after: Int64, limit: Int, clockIsGood: Bool)] = []

  /// The requests, and the removals that an earlier commit could not carry.
  init(_ requests: [StoreRequest], unfinished: [EntryID]) {
    removals = unfinished
    for request in requests {
      switch request {
      case .append(let entry): appends.append(entry)
      case .remove(let ids): removals += ids
      case .fetch(let after, let limit, let clockIsGood): fetches.append((after, limit, clockIsGood))
      case .fetchExpired(let moment, let clockIsGood, let spared): expiries.append((moment, clockIsGood, spared))
      case .drop(let id, let spared): drops.append((id, spared))
      case .check: checkCount += 1
      case .noteSecretUse(let id, let unixSeconds): uses.append((id, unixSeconds))
      }
    }
  }

  var writes: Bool {
    !removals.isEmpty || !expiries.isEmpty || !appends.isEmpty || !uses.isEmpty || !drops.isEmpty || checkCount > 0
  }

  /// All in one transaction; the answers to those who asked.
  func commit(to store: Store) throws(StoreError) -> [StoreEvent] {
    let events = try store.transaction { () throws(StoreError) in
      for id in removals { try store.delete(id) }
      var events: [StoreEvent] = removals.isEmpty ? [] : [.removed(removals)]
      for expiry in expiries {
        let limit = Limits.storeExpireMax
        let answer = try store.findExpired(
          at: expiry.moment, clockIsGood: expiry.clockIsGood, sparing: expiry.spared, limit: limit)
        events.append(.expired(answer.expired, earliest: answer.earliest))
      }
      for use in uses { try store.noteUse(use.id, use.unixSeconds) }
      for entry in appends { events.append(.stored(entry.id, sequence: try store.insert(entry))) }
      for drop in drops {
        events.append(.dropped(try store.removeChosen(drop.id, sparing: drop.spared)))
      }
      if checkCount > 0 { try store.noteTrial() }
      for _ in 0..<checkCount { events.append(.checked) }
      return events
    }
    store.learn(from: events)
    return events
  }

  /// The same requests, a batch each: one that fails does not take the others with it.
  ///
  /// Removals stay together.
  func separated() -> [StoreBatch] {
    var batches: [StoreBatch] = []
    if !removals.isEmpty { batches.append(StoreBatch([], unfinished: removals)) }
    for expiry in expiries {
      let request = StoreRequest.fetchExpired(expiry.moment, clockIsGood: expiry.clockIsGood, sparing: expiry.spared)
      batches.append(StoreBatch([request], unfinished: []))
    }
    for use in uses {
      batches.append(StoreBatch([.noteSecretUse(id: use.id, unixSeconds: use.unixSeconds)], unfinished: []))
    }
    for entry in appends { batches.append(StoreBatch([.append(entry)], unfinished: [])) }
    for drop in drops { batches.append(StoreBatch([.drop(drop.id, sparing: drop.spared)], unfinished: [])) }
    for _ in 0..<checkCount { batches.append(StoreBatch([.check], unfinished: [])) }
    return batches
  }

  /// The answers when nothing of it could be written.
  func failed(_ fault: StoreFault) -> [StoreEvent] {
    var events: [StoreEvent] = removals.isEmpty ? [] : [.removeFailed(fault)]
    for _ in expiries { events.append(.fetchExpiredFailed(fault)) }
    for entry in appends { events.append(.storeFailed(entry.id, fault)) }
    for _ in drops { events.append(.dropFailed(fault)) }
    for _ in 0..<checkCount { events.append(.checkFailed(fault)) }
    return events
  }
}

extension Store {
  /// Keeps `places` true after a commit.
  func learn(from events: [StoreEvent]) {
    for event in events {
      switch event {
      case .stored(let id, let sequence): remember(id, at: sequence)
      case .removed(let ids): for id in ids { places[id] = nil }
      case .dropped(let entries): for entry in entries { places[entry.id] = nil }
      case .storeFailed, .removeFailed, .fetched, .fetchFailed, .expired, .fetchExpiredFailed, .dropFailed, .replaced,
        .checked, .checkFailed:
        break
      }
    }
  }
}

extension StoreFault {
  /// Whether the next request meets the same fault: the disk is in trouble, not the request.
  var concernsAll: Bool {
    switch self {
    case .readOnly, .ioError, .corrupt, .busy: true
    case .full, .other: false
    }
  }
}
