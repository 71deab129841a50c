// The settings of a connection, and the steps that bring an older database up to date.

import TappetCore

extension Database {
  /// Sets the connection up and brings the database up to date; one that a later version wrote is left alone.
  ///
  /// `migrations`: all steps in order; the database's `user_version` is the number of those that it has had.
  /// `isDurable`: a commit is on the disk when it returns, else after the next checkpoint. `hasVirtualTables`: triggers
  /// write to FTS5's tables, which SQLite allows only where it trusts the file.
  @export(interface)
  package func prepare(
    _ migrations: [String], cacheSizeMax: Int, isDurable: Bool = true, hasVirtualTables: Bool = false
  ) throws(DatabaseError) {
    try requireSchema(atMost: migrations)
    // Deleted pages are overwritten only where they are written anyway: the secrets in them are sealed.
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

  /// Keeps what a transaction replaces, or what it writes (the log).
  ///
  /// The first takes no room where nothing was. No other process may have the database open: then nothing changes.
  @export(interface)
  package func useRollbackJournal(_ isOn: Bool) {
    let mode = isOn ? "DELETE" : "WAL"
    try? withoutWaiting { () throws(DatabaseError) in try execute("PRAGMA journal_mode = \(mode)") }
  }

  /// Applies the steps that the database lacks, all or none.
  @export(interface)
  package func migrate(_ migrations: [String]) throws(DatabaseError) {
    let version = Int64(migrations.count)
    if try integer("PRAGMA user_version") ?? 0 >= version { return }
    try transaction { () throws(DatabaseError) in
      // Another process may have been quicker, or newer.
      try requireSchema(atMost: migrations)
      let found = try integer("PRAGMA user_version") ?? 0
      for migration in migrations.dropFirst(Int(clamping: max(0, found))) { try execute(migration) }
      if found < version { try execute("PRAGMA user_version = \(version)") }
    }
  }

  private func requireSchema(atMost migrations: [String]) throws(DatabaseError) {
    let (found, known) = (try integer("PRAGMA user_version") ?? 0, Int64(migrations.count))
    guard found <= known else { throw .newerSchema(found: found, known: known, path: path) }
  }
}
