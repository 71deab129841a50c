// The outbox and the secrets, which must survive a power cut, in one SQLite database that only its owner can access.
//
// A change is on disk when the call returns (WAL, synchronous=FULL). Several processes may have the store open; each
// waits for the others for at most `Limits.storeBusyTimeout`. Memory use does not grow with the outbox.

import CPlatform
import TappetCore
import TappetSQLite

/// The database in a state folder.
///
/// Must be used by only one thread at a time.
package final class Store {
  /// Name of the database file in the state folder.
  package static let fileName = "tappet.db"

  /// Whether `preallocateWAL` has already extended the log.
  var isWALPreallocated = false
  let database: Database
  /// Number of the current boot in the table `boots`.
  ///
  /// `unregistered` until the number has been written to disk.
  private(set) var boot = Store.unregistered
  private let bootID: [UInt8]
  private static let unregistered: Int64 = -1
  /// Wall clock minus monotonic clock in milliseconds, as stored for the current boot.
  var notedOffset: Int64?
  let folderPath: String
  /// Whether the secrets have changed since their replica was written.
  var isReplicaStale = false
  /// Whether the replica is written only by `renewStaleReplica`, not with each change.
  var defersReplica = false
  /// Key of the audit chain; `nil` until the sealing key is known.
  var auditKey: SecretKey?
  /// Key that authenticates the change counts; `nil` until the sealing key is known.
  var replicaKey: SecretKey?
  /// Whether the change counts of database and replica differ, and cannot be verified until the key is known.
  var isReplicaUnchecked = false
  /// Whether the replica was written before the key was known.
  var isReplicaUnproven = false
  /// Reason why the last access to the secrets' replica failed; `nil` if it succeeded.
  package internal(set) var replicaError: DatabaseError?
  /// Number of secrets that were restored from their replica on opening; `nil` if no restore was needed.
  package internal(set) var restoredCount: Int?

  /// Retention time of the tap log; `nil` if the tap log is disabled.
  package var historyAge: Duration? {
    didSet { pausesToPruning = 0 }
  }
  /// The newest row of the tap log, once a transaction has written or looked it up.
  var newestTap: (number: Int64, serial: Int64)?
  /// Number of idle periods until the tap log is pruned; the log is never pruned before `historyAge` is set.
  var pausesToPruning = Int.max

  /// The disk-full fault that occurred on opening; `nil` if everything necessary was written.
  package private(set) var openFault: StoreFault?
  /// Whether this store replaces a damaged store.
  var isReplacement = false

  /// Opens the store in `folder`; creates the folder and the database if absent.
  ///
  /// With `toleratesFullDisk`, existing content can be read even if nothing can be written, if necessary by this
  /// process alone. `bootID` contains the 16 random bytes of the kernel's boot ID; it is empty if unknown, and then no
  /// entry of an earlier process is assigned to the current boot. Blocks on the disk.
  @export(interface)
  package init(folder path: String, bootID: [UInt8], toleratesFullDisk: Bool = false) throws(DatabaseError) {
    let folder = try DatabaseFolder.open(path: path)
    // If two processes created a database at the same time, they would get busy errors that SQLite does not wait for.
    try folder.lock()
    defer { folder.unlock() }
    try folder.ensureDatabase(Store.fileName)
    let file = folder.file(Store.fileName)
    self.bootID = bootID
    folderPath = path
    do throws(DatabaseError) { database = try Store.connect(to: file, isExclusive: false) } catch {
      guard toleratesFullDisk, case .full = error else { throw error }
      database = try Store.connect(to: file, isExclusive: true)
      openFault = .full
    }
    do throws(DatabaseError) { try registerBoot() } catch {
      guard toleratesFullDisk, case .full = error else { throw error }
      openFault = .full
    }
    restoredCount = try reconcileReplica(in: folder)
  }

  /// Whether no other process can open the database, because the disk had no room for the WAL index.
  package var isExclusive: Bool { database.isExclusive }

  /// Whether enough space is free to share the database again.
  var canBeShared: Bool { tp_free_space(database.path) >= Limits.storeSharingRoom }

  /// The first corruption error found in the database.
  var damage: DatabaseError? { database.damage }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    try transaction(body, failed: { $0 })
  }

  /// Runs `body`, which throws its own type of error, in a transaction; rolls back if `body` throws.
  func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failed: (DatabaseError) -> Failure
  ) throws(Failure) -> Result {
    let (offset, boot) = (notedOffset, boot)
    newestTap = nil
    do throws(Failure) {
      return try database.transaction(
        { () throws(Failure) in
          if self.boot == Store.unregistered {
            do throws(DatabaseError) { try insertBoot() } catch { throw failed(error) }
          }
          return try body()
        }, failed: failed)
    } catch {
      (notedOffset, self.boot) = (offset, boot)
      throw error
    }
  }

  /// Performs a dummy write to determine whether the disk accepts writes.
  package func tryWrite() throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in try recordTrial() }
  }

  /// Performs the write of `tryWrite`, within a transaction.
  func recordTrial() throws(DatabaseError) {
    try database.statement("UPDATE meta SET value = (value + 1) % 1000000 WHERE name = 'trials'").run()
  }

  // MARK: Opening

  private static func connect(to file: String, isExclusive: Bool) throws(DatabaseError) -> Database {
    let database = try Database(path: file, isExclusive: isExclusive)
    try database.prepare(StoreSchema.tables, version: StoreSchema.version, cacheSizeMax: Limits.storeCacheSizeMax)
    return database
  }

  /// Looks up the number of the current boot, or assigns one and deletes boots without entries.
  private func registerBoot() throws(DatabaseError) {
    let known = try database.statement("SELECT number FROM boots WHERE boot_id = ?")
    known.bind(blob: bootID, at: 1)
    if !bootID.isEmpty, try known.step() {
      boot = known.integer(0)
      known.reset()
      notedOffset = try Store.wallOffset(of: boot, in: database)
      return
    }
    known.reset()
    try transaction { () throws(DatabaseError) in }
  }

  /// Assigns a number to the current boot, within a transaction.
  private func insertBoot() throws(DatabaseError) {
    try database.statement(
      """
      DELETE FROM boots WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE destination IN (0, 1) AND boot = boots.number)
      """
    ).run()
    let insertion = try database.statement(
      "INSERT INTO boots (boot_id) VALUES (CASE WHEN length(?1) = 0 THEN randomblob(16) ELSE ?1 END)")
    insertion.bind(blob: bootID, at: 1)
    try insertion.run()
    boot = database.lastRow
  }

  private static func wallOffset(of boot: Int64, in database: Database) throws(DatabaseError) -> Int64? {
    let statement = try database.statement("SELECT wall_offset_ms FROM boots WHERE number = ?")
    defer { statement.reset() }
    statement.bind(boot, at: 1)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }
}
