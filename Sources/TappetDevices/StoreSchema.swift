// What the database looks like, and how an older one becomes today's. Steps are appended, never edited: a board in the
// field may stand at any of them.

/// The list of migrations; a database's `user_version` says how many of them it has had.
enum StoreSchema {
  /// In order, each in a transaction with the others that are missing.
  static let migrations: [String] = [first, second, third, fourth]

  /// The version of a database that had them all.
  static var version: Int64 { Int64(migrations.count) }

  /// Secrets, sealed.
  ///
  /// AUTOINCREMENT: a sequence is never given twice, even after the outbox was empty.
  private static let first = """
    CREATE TABLE secrets (
      id TEXT PRIMARY KEY, action TEXT NOT NULL, idx INTEGER NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL,
      label TEXT, last_used INTEGER, times_used INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE outbox (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, action TEXT NOT NULL, topic TEXT NOT NULL,
      message BLOB NOT NULL, retained INTEGER NOT NULL, trigger INTEGER NOT NULL, uses_timestamp INTEGER NOT NULL,
      accepted_unix_ms INTEGER NOT NULL, boot INTEGER NOT NULL, expires_ns INTEGER NOT NULL
    );
    CREATE TABLE boots (
      number INTEGER PRIMARY KEY AUTOINCREMENT, boot_id BLOB NOT NULL UNIQUE, wall_offset_ms INTEGER, noted_ns INTEGER
    );
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('trials', 0);
    """

  /// What expires next is found without reading the outbox.
  ///
  /// There is no index by id: ids are random, and in a long outbox each removal would write a page of its own
  /// (`Store.places`).
  private static let second = "CREATE INDEX outbox_expiry ON outbox (boot, expires_ns);"

  /// How often the secrets have changed, so that their copy (`Store.backupName`) can be told from a later one.
  private static let third = "INSERT INTO meta VALUES ('secret changes', (SELECT count(*) FROM secrets));"

  /// Other things than secrets that are sealed, one of which says what all are sealed under; and who changed what.
  private static let fourth = """
    CREATE TABLE sealed (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_seconds INTEGER NOT NULL, user INTEGER NOT NULL,
      process INTEGER NOT NULL, program TEXT NOT NULL, deed TEXT NOT NULL, subject TEXT NOT NULL
    );
    """

  /// The copy of the secrets; made anew each time, so it has no migrations.
  static let backup = """
    CREATE TABLE secrets (
      id TEXT PRIMARY KEY, action TEXT NOT NULL, idx INTEGER NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL,
      label TEXT, last_used INTEGER, times_used INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE sealed (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """
}
