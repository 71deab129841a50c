// The settings of a connection, and the migrations that update an older database.

import TappetCore

extension Database {
  /// Configures the connection and migrates the database; a database written by a later version is left unchanged.
  ///
  /// `migrations` contains all migrations in order; the database's `user_version` is the number of applied migrations.
  /// With `isDurable`, a commit is on disk when it returns; otherwise, after the next checkpoint. With
  /// `hasVirtualTables`, triggers may write to FTS5 tables, which SQLite allows only if the schema is trusted.
  @export(interface)
  package func prepare(
    _ migrations: [String], cacheSizeMax: Int, isDurable: Bool = true, hasVirtualTables: Bool = false
  ) throws(DatabaseError) {
    try requireSchema(atMost: migrations)
    // Deleted content is overwritten only on pages that are written anyway: the secrets in it are sealed.
    try execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL");
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = \(hasVirtualTables ? "ON" : "OFF");
      PRAGMA secure_delete = FAST;
      PRAGMA mmap_size = 0;
      PRAGMA cache_size = -\(cacheSizeMax / 1024);
      PRAGMA journal_size_limit = \(Limits.storeLogSizeMax);
      """)
    try migrate(migrations)
  }

  /// Switches between a rollback journal and the write-ahead log.
  ///
  /// A rollback journal uses no disk space for new content. The mode is unchanged if another process has the database
  /// open.
  @export(interface)
  package func useRollbackJournal(_ isOn: Bool) {
    let mode = isOn ? "DELETE" : "WAL"
    try? withoutWaiting { () throws(DatabaseError) in try execute("PRAGMA journal_mode = \(mode)") }
  }

  /// Applies the missing migrations, all or none.
  @export(interface)
  package func migrate(_ migrations: [String]) throws(DatabaseError) {
    let version = Int64(migrations.count)
    if try integer("PRAGMA user_version") ?? 0 == version { return }
    try transaction { () throws(DatabaseError) in
      // Another process may have migrated the database already, or to a newer version.
      try requireSchema(atMost: migrations)
      let found = try integer("PRAGMA user_version") ?? 0
      for migration in migrations.dropFirst(Int(clamping: max(0, found))) { try execute(migration) }
      if found != version { try execute("PRAGMA user_version = \(version)") }
    }
  }

  /// Throws if a later version has written the database.
  ///
  /// The number of the version is four bytes that no checksum covers, and one wrong number would keep the kiosk from
  /// starting for good. A later version has changed the schema, too: if the schema is this version's, only the number
  /// is damaged, and `migrate` corrects it.
  private func requireSchema(atMost migrations: [String]) throws(DatabaseError) {
    let (found, known) = (try integer("PRAGMA user_version") ?? 0, Int64(migrations.count))
    guard found > known, try schema() != Database.schema(after: migrations) else { return }
    // A number that no version will reach, or one in a file that is damaged elsewhere, is not believed either.
    guard found - known <= Limits.storeVersionsMax, try isWhole() else {
      throw .corrupt(DatabaseFailure(code: Database.corruptCode, systemCode: 0, path: path))
    }
    throw .newerSchema(found: found, known: known, path: path)
  }

  /// Whether SQLite finds no damage; a large database is not read.
  @export(interface)
  package func isWhole() throws(DatabaseError) -> Bool {
    let size = (try integer("PRAGMA page_count") ?? 0) * (try integer("PRAGMA page_size") ?? 0)
    guard size <= Limits.storeCheckSizeMax else { return true }
    let statement = try statement("PRAGMA quick_check(1)")
    defer { statement.reset() }
    return try !statement.step() || statement.text(0) == "ok"
  }

  /// Returns the definitions of all tables, indexes and triggers; SQLite's own tables appear when they are used.
  private func schema() throws(DatabaseError) -> [String] {
    let statement = try statement(
      "SELECT type || ' ' || coalesce(sql, name) FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY 1")
    defer { statement.reset() }
    var found: [String] = []
    while try statement.step() { found.append(statement.text(0)) }
    return found
  }

  /// Returns the definitions after all migrations.
  private static func schema(after migrations: [String]) throws(DatabaseError) -> [String] {
    let fresh = try Database(path: ":memory:")
    for migration in migrations { try fresh.execute(migration) }
    return try fresh.schema()
  }
}
