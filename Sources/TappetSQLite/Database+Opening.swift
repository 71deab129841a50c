// The settings of a connection, and the version of the tables.

import TappetBase

extension Database {
  /// Configures the connection, creates the tables in a new database, and corrects a damaged version number.
  ///
  /// `version` is the version of `tables`, and the database's `user_version`; a database written by a different version
  /// of Tappet is left unchanged. With `isDurable`, a commit is on disk when it returns; otherwise, after the next
  /// checkpoint. With `hasVirtualTables`, triggers may write to FTS5 tables, which SQLite allows only if the schema is
  /// trusted.
  @export(interface)
  package func prepare(
    _ tables: String, version: Int64, cacheSizeMax: Int, isDurable: Bool = true, hasVirtualTables: Bool = false
  ) throws(DatabaseError) {
    _ = try hasTables(tables, version: version)
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
    if try integer("PRAGMA user_version") == version { return }
    // The first migration after a release belongs in this transaction.
    try transaction { () throws(DatabaseError) in
      // Another process may have created the tables in the meantime.
      if try !hasTables(tables, version: version) { try execute(tables) }
      try execute("PRAGMA user_version = \(version)")
    }
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

  /// Whether the database contains the tables, as opposed to a new database; throws if a different version wrote it.
  ///
  /// The number of the version is four bytes that no checksum covers, and one wrong number would keep the kiosk from
  /// starting for good. A different version also has a different schema: if the schema is this version's, only the
  /// number is damaged, and `prepare` corrects it.
  @export(interface)
  package func hasTables(_ tables: String, version: Int64) throws(DatabaseError) -> Bool {
    let found = try integer("PRAGMA user_version") ?? 0
    if found == version { return true }
    let schema = try schema()
    if found == 0, schema.isEmpty { return false }
    if try schema == Database.schema(of: tables) { return true }
    // A number that no version will reach, or one in a file that is damaged elsewhere, is not believed either.
    guard (1...version + Limits.storeVersionsMax).contains(found), try isWhole() else {
      throw .corrupt(DatabaseFailure(code: Database.corruptCode, systemCode: 0, path: path))
    }
    throw .otherSchema(found: found, known: version, path: path)
  }

  /// Whether a definition of `tables` is missing.
  @export(interface)
  package func lacks(_ tables: String) throws(DatabaseError) -> Bool {
    let found = try schema()
    return try !Database.schema(of: tables).allSatisfy { found.contains($0) }
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

  /// Returns the definitions of all tables, indexes and triggers that `tables` creates.
  private static func schema(of tables: String) throws(DatabaseError) -> [String] {
    let fresh = try Database(path: ":memory:")
    try fresh.execute(tables)
    return try fresh.schema()
  }
}
