// The inventory: a separate SQLite database in the state folder, which a running kiosk does not open itself.
//
// Every change is one transaction, and is on disk when the call returns. Several processes may have the inventory open;
// each waits for the others for at most `Limits.storeBusyTimeout`.

import TappetCore
import TappetPlatform
import TappetSQLite

/// The inventory in a state folder.
///
/// Must be used by only one thread at a time.
package final class Inventory {
  /// Name of the database file in the state folder.
  package static let fileName = "inventory.db"

  let database: Database
  private let clock = SystemClock()

  private init(_ database: Database) { self.database = database }

  /// Opens the inventory in `folder`; creates the folder and the database if absent.
  ///
  /// With `isDurable`, changes survive a power failure. Otherwise, the last changes may be lost together, but the
  /// database is not damaged. Blocks on the disk.
  @export(interface)
  package static func open(folder path: String, isDurable: Bool = true) throws(DatabaseError) -> Inventory {
    let folder = try DatabaseFolder.open(path: path)
    // If two processes created a database at the same time, they would get busy errors that SQLite does not wait for.
    try folder.lock()
    defer { folder.unlock() }
    try folder.ensureDatabase(fileName)
    let path = folder.file(fileName)
    let database: Database
    do throws(DatabaseError) { database = try prepared(path, isDurable) } catch {
      guard error.fault == .full else { throw error }
      // Reading requires no disk space if the WAL index is in memory.
      database = try prepared(path, isDurable, isExclusive: true)
    }
    return Inventory(database)
  }

  /// Limits the wait for a lock of another process to a second, for a process that responds to a page.
  @export(interface)
  package func shortenBusyTimeout() throws(DatabaseError) { try database.execute("PRAGMA busy_timeout = 1000") }

  private static func prepared(
    _ path: String, _ isDurable: Bool, isExclusive: Bool = false
  ) throws(DatabaseError) -> Database {
    let database = try Database(path: path, isExclusive: isExclusive)
    try database.prepare(
      InventorySchema.tables, version: InventorySchema.version, cacheSizeMax: Limits.inventoryCacheSizeMax,
      isDurable: isDurable, hasVirtualTables: true)
    return database
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Result>(_ body: () throws(InventoryError) -> Result) throws(InventoryError) -> Result {
    try database.transaction(body, failed: { .store($0) })
  }

  /// Current time for a change, in milliseconds since 1970.
  var now: Int64 { clock.now().unixMilliseconds }
}
