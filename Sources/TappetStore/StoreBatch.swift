// The requests that wait for the disk, and their common commit: a sync costs an SD card up to 100 ms, however much it
// carries.

import TappetCore
import TappetPlatform

/// A request to the store.
package indirect enum StoreRequest: Sendable {
  /// Commit an accepted tap. Answered by `stored` or `storeFailed`.
  case append(OutboxEntry)
  /// Remove entries that are done with. Answered by `removed`, or by `removeFailed` first if it has to be tried again.
  /// With `mayWait` it is done with the next commit, whenever that is.
  case remove([EntryID], mayWait: Bool)
  /// Read on in the order of acceptance. Answered by `fetched` or `fetchFailed`.
  case fetch(after: Int64, limit: Int, clockIsGood: Bool)
  /// Name the entries whose time is over, except these. Answered by `expired` or `fetchExpiredFailed`.
  case fetchExpired(Moment, clockIsGood: Bool, excluding: [EntryID])
  /// Remove one entry, or the oldest ones if there is no id, except these, as a person asked. Answered by `dropped` or
  /// `dropFailed`.
  case drop(EntryID?, excluding: [EntryID])
  /// Write something without meaning. Answered by `checked` or `checkFailed`.
  case check
  /// Remember with the next commit that a tag of this secret was used. Not answered: losing one use harms nobody.
  case noteSecretUse(id: String, unixSeconds: Int64)
  /// Remember that a broker does not take MQTT 5. Not answered: at worst it is asked again.
  case noteFallback(url: String, untilUnixSeconds: Int64)
  /// Forget all of these brokers. Not answered either.
  case forgetFallbacks

  /// Whether it makes the disk work by itself.
  var isWorthACommit: Bool {
    switch self {
    case .noteSecretUse, .remove(_, mayWait: true): false
    case .append, .remove, .fetch, .fetchExpired, .drop, .check, .noteFallback, .forgetFallbacks: true
    }
  }
}

/// Requests that share a commit.
struct StoreBatch {
  private(set) var removals: [EntryID]
  private var expiries: [(moment: Moment, clockIsGood: Bool, excluded: [EntryID])] = []
  private var appends: [OutboxEntry] = []
  private var uses: [(id: String, unixSeconds: Int64)] = []
  /// Without an id, the oldest ones.
  private var drops: [(id: EntryID?, excluded: [EntryID])] = []
  private var checkCount = 0
  /// Without a URL, all are forgotten.
  private var fallbacks: [(url: String?, until: Int64)] = []
  private(set) var fetches: [(after: Int64, limit: Int, clockIsGood: Bool)] = []

  /// The requests, and the removals that an earlier commit could not carry.
  init(_ requests: [StoreRequest], unfinished: [EntryID]) {
    removals = unfinished
    for request in requests {
      switch request {
      case .append(let entry): appends.append(entry)
      case .remove(let ids, _): removals += ids
      case .fetch(let after, let limit, let clockIsGood): fetches.append((after, limit, clockIsGood))
      case .fetchExpired(let moment, let clockIsGood, let excluded): expiries.append((moment, clockIsGood, excluded))
      case .drop(let id, let excluded): drops.append((id, excluded))
      case .check: checkCount += 1
      case .noteSecretUse(let id, let unixSeconds): uses.append((id, unixSeconds))
      case .noteFallback(let url, let until): fallbacks.append((url, until))
      case .forgetFallbacks: fallbacks.append((nil, 0))
      }
    }
  }

  var writes: Bool {
    !removals.isEmpty || !expiries.isEmpty || !appends.isEmpty || !uses.isEmpty || !drops.isEmpty
      || !fallbacks.isEmpty || checkCount > 0
  }

  /// Commits everything in one transaction; returns the answers.
  func commit(to store: Store) throws(StoreError) -> [StoreEvent] {
    let events = try store.transaction { () throws(StoreError) in
      for id in removals { try store.delete(id) }
      var events: [StoreEvent] = removals.isEmpty ? [] : [.removed(removals)]
      for expiry in expiries {
        let limit = Limits.storeExpireMax
        let answer = try store.findExpired(
          at: expiry.moment, clockIsGood: expiry.clockIsGood, excluding: expiry.excluded, limit: limit)
        events.append(.expired(answer.expired, earliest: answer.earliest))
      }
      for use in uses { try store.noteUse(use.id, use.unixSeconds) }
      try writeFallbacks(to: store)
      for entry in appends { events.append(.stored(entry.id, sequence: try store.insert(entry))) }
      for drop in drops {
        events.append(.dropped(try store.removeChosen(drop.id, excluding: drop.excluded)))
      }
      if checkCount > 0 { try store.noteTrial() }
      for _ in 0..<checkCount { events.append(.checked) }
      return events
    }
    store.updateRowCache(after: events)
    return events
  }

  private func writeFallbacks(to store: Store) throws(StoreError) {
    for fallback in fallbacks {
      if let url = fallback.url {
        try store.noteFallback(at: url, untilUnixSeconds: fallback.until)
      } else {
        try store.forgetFallbacks()
      }
    }
  }

  /// The same requests in separate batches: one that fails does not take the others with it.
  ///
  /// Removals stay together.
  func separated() -> [StoreBatch] {
    var batches: [StoreBatch] = []
    if !removals.isEmpty { batches.append(StoreBatch([], unfinished: removals)) }
    for expiry in expiries {
      let request = StoreRequest.fetchExpired(
        expiry.moment, clockIsGood: expiry.clockIsGood, excluding: expiry.excluded)
      batches.append(StoreBatch([request], unfinished: []))
    }
    for use in uses {
      batches.append(StoreBatch([.noteSecretUse(id: use.id, unixSeconds: use.unixSeconds)], unfinished: []))
    }
    for fallback in fallbacks {
      let request = fallback.url.map { StoreRequest.noteFallback(url: $0, untilUnixSeconds: fallback.until) }
      batches.append(StoreBatch([request ?? .forgetFallbacks], unfinished: []))
    }
    for entry in appends { batches.append(StoreBatch([.append(entry)], unfinished: [])) }
    for drop in drops { batches.append(StoreBatch([.drop(drop.id, excluding: drop.excluded)], unfinished: [])) }
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
  /// Keeps `rowCache` true after a commit.
  func updateRowCache(after events: [StoreEvent]) {
    for event in events {
      switch event {
      case .stored(let id, let sequence): cacheRow(of: id, at: sequence)
      case .removed(let ids): for id in ids { rowCache[id] = nil }
      case .dropped(let entries): for entry in entries { rowCache[entry.id] = nil }
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
