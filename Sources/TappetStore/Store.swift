// The outbox and the secrets, which must survive a power cut, in one SQLite database that only its owner can read.
//
// A change is on the disk when the call returns (WAL, synchronous=FULL). Several processes may have the store open;
// each waits for the others for at most `Limits.storeBusyTimeout`. Memory does not grow with the outbox.

import CPlatform
import TappetCore

/// The state folder's database.
///
/// One thread at a time.
package final class Store {
  /// The file's name in the state folder.
  package static let fileName = "tappet.db"

  /// Whether `preallocateWAL` has once lengthened the log.
  var isWALPreallocated = false
  let database: StoreDatabase
  /// The number of this start of the machine in the table `boots`.
  let boot: Int64
  /// The rows of entries that the kiosk holds or may hold, so that a removal finds them without an index.
  ///
  /// Only a hint: an entry that is not in it is searched for.
  var rowCache: [EntryID: Int64] = [:]
  /// The wall clock minus the monotonic one, as the database has it for this start; milliseconds.
  var notedOffset: Int64?
  let folderPath: String
  /// The secrets have changed since their replica was written.
  var isReplicaStale = false
  /// The replica is written by `renewStaleReplica` alone, and not with each change.
  var defersReplica = false
  /// Why the secrets' replica could not be written; `nil` if it was.
  package internal(set) var replicaError: StoreError?
  /// The number of secrets that came back from their replica when this was opened; `nil` if none had to.
  package private(set) var restoredCount: Int?

  /// Opens the store in `folder`, and makes both if they are absent.
  ///
  /// `bootID`: the 16 bytes that the kernel drew at its start. If they are unknown it is empty, and then no entry of an
  /// earlier process counts as this start's. Blocks on the disk.
  package init(folder path: String, bootID: [UInt8]) throws(StoreError) {
    let folder = try StoreFolder.open(path: path)
    // A database that two processes make at once would be busy in ways that SQLite does not wait for.
    try folder.lock()
    defer { folder.unlock() }
    try folder.ensureFile(Store.fileName)
    try folder.tightenFile(Store.fileName + "-wal")
    try folder.tightenFile(Store.fileName + "-shm")
    let database = try StoreDatabase(path: folder.file(Store.fileName))
    try Store.requireKnownSchema(database)
    try Store.prepare(database)
    try Store.migrate(database, through: StoreSchema.version)
    self.database = database
    folderPath = path
    boot = try Store.register(bootID, in: database)
    notedOffset = try Store.wallOffset(of: boot, in: database)
    restoredCount = try reconcileReplica(in: folder)
  }

  /// The first damage that was met in the database.
  var damage: StoreError? { database.damage }

  /// Commits everything that `body` does, or nothing.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try transaction(body, failed: { $0 })
  }

  /// Commits everything that `body` does, or nothing; `body` has errors of its own.
  func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failed: (StoreError) -> Failure
  ) throws(Failure) -> Result {
    let offset = notedOffset
    do throws(Failure) {
      return try database.transaction(body, failed: failed)
    } catch {
      notedOffset = offset
      throw error
    }
  }

  /// Writes something without meaning, to find out whether the disk accepts it.
  package func tryWrite() throws(StoreError) {
    try transaction { () throws(StoreError) in try noteTrial() }
  }

  /// The write of `tryWrite`, within a transaction.
  func noteTrial() throws(StoreError) {
    try database.statement("UPDATE meta SET value = (value + 1) % 1000000 WHERE name = 'trials'").run()
  }

  // MARK: Opening

  private static func requireKnownSchema(_ database: StoreDatabase) throws(StoreError) {
    let found = try database.integer("PRAGMA user_version") ?? 0
    guard found <= StoreSchema.version else {
      throw .newerSchema(found: found, known: StoreSchema.version, path: database.path)
    }
  }

  /// Sets the connection up.
  ///
  /// Deleted pages are overwritten only where they are written anyway: the secrets in them are sealed.
  private static func prepare(_ database: StoreDatabase) throws(StoreError) {
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA secure_delete = FAST;
      PRAGMA mmap_size = 0;
      PRAGMA cache_size = -\(Limits.storeCacheSizeMax / 1024);
      PRAGMA journal_size_limit = \(Limits.storeLogSizeMax);
      """)
  }

  /// Brings the schema up to `version`, if it is older; tests stop at earlier versions.
  static func migrate(_ database: StoreDatabase, through version: Int64) throws(StoreError) {
    if try database.integer("PRAGMA user_version") ?? 0 >= version { return }
    try database.transaction { () throws(StoreError) in
      // Another process may have been quicker, or newer.
      try requireKnownSchema(database)
      let found = try database.integer("PRAGMA user_version") ?? 0
      for migration in StoreSchema.migrations.prefix(Int(version)).dropFirst(Int(clamping: max(0, found))) {
        try database.execute(migration)
      }
      if found < version { try database.execute("PRAGMA user_version = \(version)") }
    }
  }

  /// Returns the number of this start of the machine; forgets starts without entries.
  private static func register(_ bootID: [UInt8], in database: StoreDatabase) throws(StoreError) -> Int64 {
    let known = try database.statement("SELECT number FROM boots WHERE boot_id = ?")
    known.bind(blob: bootID, at: 1)
    if !bootID.isEmpty, try known.step() {
      defer { known.reset() }
      return known.integer(0)
    }
    known.reset()
    return try database.transaction { () throws(StoreError) in
      try database.statement(
        "DELETE FROM boots WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.boot = boots.number)"
      ).run()
      let insertion = try database.statement(
        "INSERT INTO boots (boot_id) VALUES (CASE WHEN length(?1) = 0 THEN randomblob(16) ELSE ?1 END)")
      insertion.bind(blob: bootID, at: 1)
      try insertion.run()
      return database.lastRow
    }
  }

  private static func wallOffset(of boot: Int64, in database: StoreDatabase) throws(StoreError) -> Int64? {
    let statement = try database.statement("SELECT wall_offset_ms FROM boots WHERE number = ?")
    defer { statement.reset() }
    statement.bind(boot, at: 1)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }
}
