// Recovery from a damaged database: the database is renamed as a whole, with the time in the new name, and a new
// database is created with the secrets from the replica. The damaged database's pending entries are not sent, because
// they may differ from the entries that were verified.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// The result of a recovery.
package struct StoreRecovery: Hashable, Sendable {
  /// New path of the damaged file; `nil` if the database was intact but had lost changes of the secrets.
  package var setAside: String?
  /// Number of active secrets.
  package var secretCount: Int
  /// Number of secrets restored from the replica; `nil` if no restore was needed, or there was no replica.
  package var restoredCount: Int?
}

extension Store {
  /// Opens the store in `folder`, but sets a damaged database aside first; `unixSeconds` becomes part of its name.
  ///
  /// Must be called only by the kiosk that uses the folder, not by tools: a running kiosk would continue to write to
  /// the file that was set aside. Blocks on the disk.
  @export(interface)
  package static func recovered(
    folder path: String, bootID: [UInt8], unixSeconds: Int64
  ) throws(DatabaseError) -> (store: Store, recovery: StoreRecovery?) {
    let damaged: String
    do throws(DatabaseError) {
      let store = try openWhole(path, bootID)
      guard let restored = store.restoredCount else { return (store, nil) }
      return (store, StoreRecovery(setAside: nil, secretCount: try store.secretCount(), restoredCount: restored))
    } catch {
      guard case .corrupt = error else { throw error }
      damaged = try setAside(path, unixSeconds: unixSeconds)
    }
    let fresh = try Store(folder: path, bootID: bootID)
    fresh.isReplacement = true
    return (
      fresh,
      StoreRecovery(
        setAside: damaged, secretCount: try fresh.secretCount(), restoredCount: fresh.restoredCount)
    )
  }

  /// Opens the store; throws if it is damaged.
  ///
  /// A separate function, because a damaged database must be closed before its file is renamed: otherwise SQLite would
  /// delete the new database's log.
  private static func openWhole(_ path: String, _ bootID: [UInt8]) throws(DatabaseError) -> Store {
    let store = try Store(folder: path, bootID: bootID, toleratesFullDisk: true)
    try store.requireWhole()
    _ = try store.secretCount()
    return store
  }

  /// Checks the integrity of a small database; damage in a larger database is detected when it is read.
  private func requireWhole() throws(DatabaseError) {
    if try !database.lacks(StoreSchema.tables), try database.isWhole() { return }
    throw .corrupt(DatabaseFailure(code: Database.corruptCode, systemCode: 0, path: database.path))
  }

  /// Renames the database and its log; returns the new path.
  private static func setAside(_ path: String, unixSeconds: Int64) throws(DatabaseError) -> String {
    let folder = try DatabaseFolder.open(path: path)
    try folder.lock()
    defer { folder.unlock() }
    let base = fileName + ".damaged-" + String(unixSeconds)
    var name = base
    var number = 2
    while access(folder.file(name), F_OK) == 0 {
      name = base + "-" + String(number)
      number += 1
    }
    do throws(SystemError) {
      // The log is renamed first: a database without its log is an older state, but a log without its database is
      // useless.
      for ending in ["-wal", "-shm", ""] {
        let from = folder.file(fileName + ending)
        guard access(from, F_OK) == 0 else { continue }
        try checked("rename") { rename(from, folder.file(name + ending)) }
      }
      try folder.synchronize()
    } catch { throw .cannotOpen(path: folder.file(fileName), error) }
    return folder.file(name)
  }
}
