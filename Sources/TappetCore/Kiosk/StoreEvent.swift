// What the store answers. Everything that it is asked is answered exactly once.

/// What the disk did not do.
public enum StoreFault: Hashable, Sendable {
  /// No space is left, or a quota is reached.
  case full
  /// The file system is mounted read-only, or the file may not be written.
  case readOnly
  /// The disk reported an error.
  case ioError
  /// The database file is damaged.
  case corrupt
  /// Another process held the database for longer than is waited.
  case busy
  /// Anything else; SQLite's extended result code.
  case other(Int32)
}

/// One answer from the store's thread.
public indirect enum StoreEvent: Sendable {
  /// The entry is on the disk: it survives a power cut from now on.
  case stored(EntryID, sequence: Int64)
  /// The entry is not on the disk, and will not be.
  case storeFailed(EntryID, StoreFault)
  /// The rows of these entries are gone.
  case removed([EntryID])
  /// A removal failed; it is tried again with the next write, and answered by `removed` when it is done.
  case removeFailed(StoreFault)
  /// The next entries in order; `reachedEnd`: there are no more behind them.
  case fetched([OutboxEntry], reachedEnd: Bool)
  /// Nothing could be read.
  case fetchFailed(StoreFault)
  /// The time of these is over; when the next one's is, those that were spared left out. Their rows are still there.
  case expired([OutboxEntry], earliest: Expiry?)
  /// These were removed because a person wished it.
  case dropped([OutboxEntry])
  /// Nothing was dropped.
  case dropFailed(StoreFault)
  /// Which ones are over could not be read.
  case fetchExpiredFailed(StoreFault)
  /// The database was damaged; a new one, which is empty, has taken its place.
  case replaced
  /// A trial write reached the disk.
  case checked
  /// A trial write did not.
  case checkFailed(StoreFault)
}
