// A copy of the secrets and of what else is sealed beside the database, as sealed as it is there: a damaged database must not cost a walk to every tag.
//
// It is a small database of its own, written anew and put into its place by a rename whenever the secrets change: there is the
// old one or the new one, never a half. Both count the changes; whichever has seen more of them is right.

import CPlatform
import TappetCore

extension Store {
  /// The copy's name in the state folder.
  public static let backupName = "secrets.db"

  /// Makes the one with fewer changes like the one with more; answers how many secrets came back from the copy, nil: none had to.
  ///
  /// The folder is locked. A copy that cannot be written or read is no reason to refuse taps: `backupTrouble` says why.
  func reconcile(with folder: StoreFolder) throws(StoreError) -> Int? {
    guard let kept = keptChanges(folder) else {
      writeBackup(folder)
      return nil
    }
    let changes = try secretChanges()
    if kept > changes { return try restore(from: folder) }
    if kept < changes { writeBackup(folder) }
    return nil
  }

  /// After the secrets have changed.
  func renewBackup() {
    do throws(StoreError) {
      let folder = try StoreFolder(path: folderPath)
      try folder.lock()
      defer { folder.unlock() }
      writeBackup(folder)
    } catch { backupTrouble = error }
  }

  /// Counts a change of the secrets, within its transaction.
  func noteSecretChange() throws(StoreError) {
    try database.statement("UPDATE meta SET value = value + 1 WHERE name = 'secret changes'").run()
  }

  private func secretChanges() throws(StoreError) -> Int64 {
    try database.integer("SELECT value FROM meta WHERE name = 'secret changes'") ?? 0
  }

  /// How many changes the copy has seen; nil: there is none that can be used.
  private func keptChanges(_ folder: StoreFolder) -> Int64? {
    guard let copy = try? openBackup(folder) else { return nil }
    return try? copy.integer("SELECT value FROM meta WHERE name = 'secret changes'")
  }

  private func openBackup(_ folder: StoreFolder) throws(StoreError) -> StoreDatabase? {
    guard try folder.tightenFile(Store.backupName) else { return nil }
    return try StoreDatabase(path: folder.file(Store.backupName))
  }

  // MARK: Writing

  /// The folder is locked.
  func writeBackup(_ folder: StoreFolder) {
    let draft = Store.backupName + ".new"
    do throws(StoreError) {
      // Only a start that was cut short leaves one behind: the folder is locked.
      for name in [draft, draft + "-journal"] { unlink(folder.file(name)) }
      try folder.ensureFile(draft)
      try makeCopy(at: folder.file(draft))
      do throws(SystemError) {
        try checked("rename") { rename(folder.file(draft), folder.file(Store.backupName)) }
        try folder.synchronise()
      } catch { throw .cannotOpen(path: folder.file(Store.backupName), error) }
      backupTrouble = nil
    } catch {
      unlink(folder.file(draft))
      backupTrouble = error
    }
  }

  /// Closed when this returns.
  private func makeCopy(at path: String) throws(StoreError) {
    let copy = try StoreDatabase(path: path)
    try copy.execute("PRAGMA synchronous = FULL")
    try copy.transaction { () throws(StoreError) in
      try copy.execute(StoreSchema.backup)
      try Store.copySealed(from: database, to: copy)
      let statement = try copy.statement("INSERT INTO meta VALUES ('secret changes', ?1)")
      statement.bind(try secretChanges(), at: 1)
      try statement.run()
    }
  }

  // MARK: Reading

  private func restore(from folder: StoreFolder) throws(StoreError) -> Int? {
    guard let copy = try openBackup(folder) else { return nil }
    try transaction { () throws(StoreError) in
      try database.statement("DELETE FROM secrets").run()
      try database.statement("DELETE FROM sealed").run()
      try Store.copySealed(from: copy, to: database)
      let statement = try database.statement("UPDATE meta SET value = ?1 WHERE name = 'secret changes'")
      statement.bind(try copy.integer("SELECT value FROM meta WHERE name = 'secret changes'") ?? 0, at: 1)
      try statement.run()
    }
    return try secretCount()
  }

  /// As they are: nobody needs their key for this.
  private static func copySealed(from source: StoreDatabase, to target: StoreDatabase) throws(StoreError) {
    let rows = try source.statement(
      "SELECT id, action, idx, sealed, created, label, last_used, times_used FROM secrets")
    defer { rows.reset() }
    while try rows.step() {
      let insertion = try target.statement(
        """
        INSERT INTO secrets (id, action, idx, sealed, created, label, last_used, times_used)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """)
      insertion.bind(rows.text(0), at: 1)
      insertion.bind(rows.text(1), at: 2)
      insertion.bind(rows.integer(2), at: 3)
      insertion.bind(blob: rows.blob(3), at: 4)
      insertion.bind(rows.integer(4), at: 5)
      insertion.bind(rows.isNull(5) ? nil : rows.text(5), at: 6)
      if !rows.isNull(6) { insertion.bind(rows.integer(6), at: 7) }
      insertion.bind(rows.integer(7), at: 8)
      try insertion.run()
    }
    let values = try source.statement("SELECT name, value FROM sealed")
    defer { values.reset() }
    while try values.step() {
      let insertion = try target.statement("INSERT INTO sealed (name, value) VALUES (?1, ?2)")
      insertion.bind(values.text(0), at: 1)
      insertion.bind(blob: values.blob(1), at: 2)
      try insertion.run()
    }
  }
}
