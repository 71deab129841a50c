// The outbox and the secrets, which must survive a power cut, in one SQLite database that only its owner can read.
//
// A change is on the disk when the call returns (WAL, synchronous=FULL). Several processes may have the store open;
// each waits for the others for at most `Limits.storeBusyTimeout`. Memory does not grow with the outbox.

import CPlatform
import TappetCore
import TappetSQLite

/// The state folder's database.
///
/// One thread at a time.
package final class Store {
  /// The file's name in the state folder.
  package static let fileName = "tappet.db"

  /// Whether `preallocateWAL` has once lengthened the log.
  var isWALPreallocated = false
  let database: Database
  /// The number of this start of the machine in the table `boots`.
  ///
  /// `unregistered` until the disk takes it.
  private(set) var boot = Store.unregistered
  private let bootID: [UInt8]
  private static let unregistered: Int64 = -1
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
  /// The key of the audit's chain, once the sealing key is known.
  var auditKey: SecretKey?
  /// The key that proves the numbers of changes, from then on.
  var replicaKey: SecretKey?
  /// Database and replica differ in their numbers, and wait for the key to be checked.
  var isReplicaUnchecked = false
  /// The replica was written before the key was known.
  var isReplicaUnproven = false
  /// Why the secrets' replica could not be written; `nil` if it was.
  package internal(set) var replicaError: DatabaseError?
  /// The number of secrets that came back from their replica when this was opened; `nil` if none had to.
  package internal(set) var restoredCount: Int?

  /// How long the log of taps is kept; `nil` means that there is none.
  package var historyAge: Duration? {
    didSet { pausesToPruning = 0 }
  }
  /// Pauses until the log of taps is pruned; it never is before `historyAge` was set.
  var pausesToPruning = Int.max

  /// The full disk that this was opened on; `nil` if it took what had to be written.
  package private(set) var openFault: StoreFault?
  /// It has taken the place of a damaged one.
  var isReplacement = false

  /// Opens the store in `folder`, and makes both if they are absent.
  ///
  /// `toleratesFullDisk`: what is there can be read although nothing can be written, if need be by this process alone.
  /// `bootID`: the 16 bytes that the kernel drew at its start. If they are unknown it is empty, and then no entry of an
  /// earlier process counts as this start's. Blocks on the disk.
  @export(interface)
  package init(folder path: String, bootID: [UInt8], toleratesFullDisk: Bool = false) throws(DatabaseError) {
    let folder = try DatabaseFolder.open(path: path)
    // A database that two processes make at once would be busy in ways that SQLite does not wait for.
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

  /// Whether no other process can open the database, because the disk had no room for the log's index.
  package var isExclusive: Bool { database.isExclusive }

  /// Whether the disk has room for other processes again.
  var canBeShared: Bool { tp_free_space(database.path) >= Limits.storeSharingRoom }

  /// The first damage that was met in the database.
  var damage: DatabaseError? { database.damage }

  /// Commits everything that `body` does, or nothing.
  func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    try transaction(body, failed: { $0 })
  }

  /// Commits everything that `body` does, or nothing; `body` has errors of its own.
  func transaction<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result, failed: (DatabaseError) -> Failure
  ) throws(Failure) -> Result {
    let (offset, boot) = (notedOffset, boot)
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

  /// Writes something without meaning, to find out whether the disk accepts it.
  package func tryWrite() throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in try noteTrial() }
  }

  /// The write of `tryWrite`, within a transaction.
  func noteTrial() throws(DatabaseError) {
    try database.statement("UPDATE meta SET value = (value + 1) % 1000000 WHERE name = 'trials'").run()
  }

  // MARK: Opening

  private static func connect(to file: String, isExclusive: Bool) throws(DatabaseError) -> Database {
    let database = try Database(path: file, isExclusive: isExclusive)
    try database.prepare(StoreSchema.migrations, cacheSizeMax: Limits.storeCacheSizeMax)
    return database
  }

  /// Finds the number of this start of the machine, or draws one; forgets starts without entries.
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

  /// Draws the number of this start, within a transaction.
  private func insertBoot() throws(DatabaseError) {
    try database.statement(
      """
      DELETE FROM boots WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.boot = boots.number)
        AND NOT EXISTS (SELECT 1 FROM webhooks WHERE webhooks.boot = boots.number)
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
