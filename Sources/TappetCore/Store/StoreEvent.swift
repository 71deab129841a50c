// The store's responses: exactly one for each request that expects a response.

/// A response from the store's thread.
package enum StoreEvent: Sendable {
  /// A response from one outbox; for an entry in both outboxes, the webhook response precedes the broker response.
  case outbox(Destination, OutboxAnswer)
  /// The entry was not stored, and will not be.
  case storeFailed(EntryID, StoreFault)
  /// The ticket use of a tap that has no outbox entry was committed; on failure, the event is `storeFailed`.
  case counted(EntryID)
  /// The commands from rooms were committed, and survive a power failure from now on.
  case roomCommandsRecorded
  /// The commands from rooms were not committed.
  case roomCommandsFailed(StoreFault)
  /// The next edit of a message in a room; `nil` if none is due.
  indirect case edit(RoomEdit?)
  /// The row of the finished edit was not removed, or the next edit could not be read.
  case editFailed(StoreFault)
  /// These entries were removed at a user's request.
  case dropped([OutboxEntry])
  /// The drop failed, and no entry was removed.
  case dropFailed(StoreFault)
  /// These entries, which had been given up, are in their outboxes again.
  case retried([OutboxEntry])
  /// The retry failed, and no entry was moved.
  case retryFailed(StoreFault)
  /// The database was damaged, and has been replaced with a new, empty one.
  case replaced
  /// A test write succeeded.
  case checked
  /// A test write failed.
  case checkFailed(StoreFault)
}

/// A response from the outbox for one destination.
package enum OutboxAnswer: Sendable {
  /// The entry was committed, and survives a power failure from now on.
  case stored(EntryID, sequence: Int64)
  /// The rows of these entries were removed.
  case removed([EntryID])
  /// A removal failed; it is retried with the next write, and then reported as `removed`.
  case removeFailed(StoreFault)
  /// The next entries in order; `reachedEnd` means that no further entries follow.
  case fetched([OutboxEntry], reachedEnd: Bool)
  /// The next entries could not be read.
  case fetchFailed(StoreFault)
  /// These entries have expired, but their rows still exist; `earliest` is the next expiry, not counting the excluded
  /// entries.
  case expired([OutboxEntry], earliest: Expiry?)
  /// The expired entries could not be read.
  case fetchExpiredFailed(StoreFault)
}
