// The store's answers. Every request gets exactly one.

/// Why the disk did not do its work.
package enum StoreFault: Hashable, Sendable {
  /// No space is left, or a quota is reached.
  case full
  /// The file system is mounted read-only, or the file may not be written.
  case readOnly
  /// The disk reported an error.
  case ioError
  /// The database file is damaged.
  case corrupt
  /// Another process held the database for longer than we wait.
  case busy
  /// Any other failure; SQLite's extended result code.
  case other(Int32)
}

/// One answer from the store's thread.
package enum StoreEvent: Sendable {
  /// An answer of one outbox. Where an entry goes to both, the webhooks' comes before the broker's.
  case outbox(Destination, OutboxAnswer)
  /// The entry is not on the disk, and will not be.
  case storeFailed(EntryID, StoreFault)
  /// The use of a tap without an entry is counted on the disk; `storeFailed` if it is not.
  case counted(EntryID)
  /// These entries were removed at a person's request.
  case dropped([OutboxEntry])
  /// Nothing was dropped.
  case dropFailed(StoreFault)
  /// The database was damaged; a new, empty one has taken its place.
  case replaced
  /// A trial write reached the disk.
  case checked
  /// A trial write failed.
  case checkFailed(StoreFault)
}

/// The answer of the outbox for one destination.
package enum OutboxAnswer: Sendable {
  /// The entry is on the disk, and survives a power cut from now on.
  case stored(EntryID, sequence: Int64)
  /// The rows of these entries are gone.
  case removed([EntryID])
  /// A removal failed; it is tried again with the next write, and `removed` answers it then.
  case removeFailed(StoreFault)
  /// The next entries in order; with `reachedEnd` there are no more after them.
  case fetched([OutboxEntry], reachedEnd: Bool)
  /// Nothing could be read.
  case fetchFailed(StoreFault)
  /// These entries are over, and the next one, without the excluded ones, is over at `earliest`. Their rows still
  /// exist.
  case expired([OutboxEntry], earliest: Expiry?)
  /// The expired entries could not be read.
  case fetchExpiredFailed(StoreFault)
}
