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
    let inventory = Inventory(database)
    do throws(InventoryError) { try inventory.mendFormerNames() } catch {
      guard case .store(let error) = error else { return inventory }
      throw error
    }
    return inventory
  }

  private static func prepared(
    _ path: String, _ isDurable: Bool, isExclusive: Bool = false
  ) throws(DatabaseError) -> Database {
    let database = try Database(path: path, isExclusive: isExclusive)
    try database.prepare(
      InventorySchema.migrations, cacheSizeMax: Limits.inventoryCacheSizeMax, isDurable: isDurable,
      hasVirtualTables: true)
    return database
  }

  /// Corrects names stored by an earlier version to comply with the naming rule: all of them, or none.
  private func mendFormerNames() throws(InventoryError) {
    for (isItem, kind) in [(Int64(0), InventoryKind.box), (1, .item)] {
      var rows: [InventoryRow] = []
      try stored { () throws(DatabaseError) in
        let statement = try database.statement("SELECT id FROM former WHERE is_item = ?1")
        defer { statement.reset() }
        statement.bind(isItem, at: 1)
        while try statement.step() { rows.append(statement.integer(0)) }
      }
      if rows.isEmpty { continue }
      try transaction { () throws(InventoryError) in
        for row in rows {
          guard var entry = try entry(row: row, of: kind) else { continue }
          entry.name = entry.name.storedName
          entry.notes = entry.notes.composed
          let code = entry.code.isEmpty ? "" : entry.code.storedName
          if try box(code: code) == nil { entry.code = code }
          try stored { () throws(DatabaseError) in try update(entry) }
        }
        try stored { () throws(DatabaseError) in
          let statement = try database.statement("DELETE FROM former WHERE is_item = ?1")
          statement.bind(isItem, at: 1)
          try statement.run()
        }
      }
    }
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Result>(_ body: () throws(InventoryError) -> Result) throws(InventoryError) -> Result {
    try database.transaction(body, failed: { .store($0) })
  }

  /// Current time for a change, in milliseconds since 1970.
  var now: Int64 { clock.now().unixMilliseconds }
}
