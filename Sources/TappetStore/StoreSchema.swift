// The database's tables, and the migrations that update an older database. Migrations are appended, never edited:
// boards in the field may have any of the versions.

/// The list of migrations; the `user_version` of a database is the number of migrations applied to it.
enum StoreSchema {
  /// All migrations in order; missing migrations are applied in one transaction.
  static let migrations: [String] = [
    first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth, thirteenth,
    fourteenth, fifteenth, sixteenth, seventeenth,
  ]

  /// The version of a database after all migrations.
  static var version: Int64 { Int64(migrations.count) }

  /// Query that counts the existing tables of this schema.
  static let tableCount: StaticString = """
    SELECT count(*) FROM sqlite_schema
    WHERE type = 'table'
      AND name IN (
        'secrets', 'outbox', 'boots', 'meta', 'sealed', 'audit', 'outbox_totals', 'audit_chain', 'webhooks',
        'webhook_totals', 'given_up', 'announced', 'tag_hints', 'history', 'ticket_uses',
        'arrivals', 'tag_counts', 'room_commands', 'room_position', 'room_edits')
    """

  /// Number of tables in this schema.
  static let tables: Int64 = 20

  /// Tables of the sealed secrets and of the outbox.
  ///
  /// AUTOINCREMENT ensures that a sequence number is never reused, even after the outbox was empty.
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

  /// Index for finding the next expiry without reading the outbox.
  ///
  /// There is no index by id: ids are random, so in a long outbox each removal would write a separate index page (see
  /// `Store.rowCache`).
  private static let second = "CREATE INDEX outbox_expiry ON outbox (boot, expires_ns);"

  /// Change count of the secrets, which shows whether their replica (`Store.replicaName`) is older.
  private static let third = "INSERT INTO meta VALUES ('secret changes', (SELECT count(*) FROM secrets));"

  /// Tables of the other sealed values, one of which identifies the sealing key, and of the audit log.
  private static let fourth = """
    CREATE TABLE sealed (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_seconds INTEGER NOT NULL, user INTEGER NOT NULL,
      process INTEGER NOT NULL, program TEXT NOT NULL, deed TEXT NOT NULL, subject TEXT NOT NULL
    );
    """

  /// Number of entries and total size of their messages, because counting a long outbox at each start would be slow.
  ///
  /// Triggers maintain the totals, so that no statement can omit the update; with a single row, a commit writes only
  /// one page more.
  private static let fifth = """
    CREATE TABLE outbox_totals (count INTEGER NOT NULL, size INTEGER NOT NULL);
    INSERT INTO outbox_totals SELECT count(*), coalesce(sum(length(message)), 0) FROM outbox;
    CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
      UPDATE outbox_totals SET count = count + 1, size = size + length(NEW.message);
    END;
    CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
      UPDATE outbox_totals SET count = count - 1, size = size - length(OLD.message);
    END;
    """

  /// The tag for which a secret was created; whether all secrets use the current seal (`Store.sealAll`); a detail for
  /// each audit entry; and the audit chain.
  private static let sixth = """
    ALTER TABLE secrets ADD COLUMN uid BLOB;
    INSERT INTO meta VALUES ('seal', (SELECT count(*) FROM secrets) + (SELECT count(*) FROM audit) = 0);
    ALTER TABLE audit ADD COLUMN detail TEXT;
    ALTER TABLE audit ADD COLUMN mac BLOB;
    CREATE TABLE audit_chain (
      id INTEGER PRIMARY KEY CHECK (id = 1), anchor INTEGER NOT NULL, anchor_mac BLOB NOT NULL, last INTEGER NOT NULL,
      last_mac BLOB NOT NULL, mac BLOB NOT NULL
    );
    """

  /// The webhook outbox and its dead letters, which the last migration moves.
  ///
  /// The tables are separate, so that an entry for the broker incurs no extra cost, and the broker's entries are found
  /// without skipping those of an unreachable webhook server.
  private static let seventh = """
    CREATE TABLE webhooks (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, action TEXT NOT NULL, message BLOB NOT NULL,
      trigger INTEGER NOT NULL, uses_timestamp INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL,
      boot INTEGER NOT NULL, expires_ns INTEGER NOT NULL
    );
    CREATE INDEX webhooks_expiry ON webhooks (boot, expires_ns);
    CREATE TABLE webhook_totals (count INTEGER NOT NULL, size INTEGER NOT NULL);
    INSERT INTO webhook_totals VALUES (0, 0);
    CREATE TRIGGER webhook_added AFTER INSERT ON webhooks BEGIN
      UPDATE webhook_totals SET count = count + 1, size = size + length(NEW.message);
    END;
    CREATE TRIGGER webhook_removed AFTER DELETE ON webhooks BEGIN
      UPDATE webhook_totals SET count = count - 1, size = size - length(OLD.message);
    END;
    CREATE TABLE webhooks_given_up (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, action TEXT NOT NULL, message BLOB NOT NULL,
      trigger INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, given_up_unix_ms INTEGER NOT NULL,
      reason INTEGER NOT NULL
    );
    """

  /// Topics for which the broker retains a message from this kiosk, and the components of a discovery message.
  private static let eighth = "CREATE TABLE announced (topic TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;"

  /// The most recent secret of each tag (`Store.tagHints`).
  private static let ninth = "CREATE TABLE tag_hints (uid BLOB PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID;"

  /// The tap log (`Store.note(_: TapRecord)`).
  ///
  /// The number contains the time, so that a tap writes one page of this table and no index.
  private static let tenth = """
    CREATE TABLE history (
      number INTEGER PRIMARY KEY, serial INTEGER NOT NULL, unix_ms INTEGER NOT NULL, result INTEGER NOT NULL,
      trigger INTEGER, action TEXT, uid BLOB, tag TEXT, code TEXT, entry BLOB, count INTEGER NOT NULL
    );
    """

  /// Column for the person in the tap log, identified by id, because names are sealed.
  private static let eleventh = "ALTER TABLE history ADD COLUMN person TEXT;"

  /// Use count of each ticket (`PersonLimits.ticket`).
  private static let twelfth =
    "CREATE TABLE ticket_uses (ticket TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;"

  /// Arrivals whose removal is pending, and the number of accepted taps of each tag (`Store.note(_: EntryNotes)`).
  private static let thirteenth = """
    CREATE TABLE arrivals (
      entry BLOB PRIMARY KEY, action TEXT NOT NULL, uid BLOB NOT NULL, tag TEXT NOT NULL, person TEXT NOT NULL,
      text BLOB NOT NULL, count INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tag_counts (uid BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// Number of times that the broker closed the connection when an entry was sent (`Suspicion`).
  private static let fourteenth = "ALTER TABLE outbox ADD COLUMN closes INTEGER NOT NULL DEFAULT 0;"

  /// The ledger of commands from rooms (`RoomLedger`).
  private static let fifteenth = """
    CREATE TABLE room_commands (
      event TEXT PRIMARY KEY, room TEXT NOT NULL, unix_seconds INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE room_position (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL);
    """

  /// Messages in rooms that are to be edited (`RoomEdits`).
  ///
  /// The index contains only the rows that are due, so that finding the next one does not read those that are pending.
  private static let sixteenth = """
    CREATE TABLE room_edits (
      number INTEGER PRIMARY KEY AUTOINCREMENT, entry BLOB NOT NULL UNIQUE, action TEXT NOT NULL, message BLOB NOT NULL,
      filling INTEGER NOT NULL, event TEXT, outcome INTEGER
    );
    CREATE INDEX room_edits_due ON room_edits (number) WHERE event IS NOT NULL AND outcome IS NOT NULL;
    """

  /// The dead letters of both destinations, with what is needed to send them again.
  private static let seventeenth = """
    CREATE TABLE given_up (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, destination INTEGER NOT NULL, action TEXT NOT NULL,
      topic TEXT NOT NULL, message BLOB NOT NULL, retained INTEGER NOT NULL, filling INTEGER NOT NULL,
      trigger INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, given_up_unix_ms INTEGER NOT NULL,
      reason INTEGER NOT NULL, UNIQUE (id, destination)
    );
    INSERT INTO given_up
      SELECT number, id, 1, action, '', message, 0, 1, trigger, accepted_unix_ms, given_up_unix_ms, reason
      FROM webhooks_given_up;
    DROP TABLE webhooks_given_up;
    """

  /// Query for whether a replica contains the UIDs of the tags, which older replicas do not.
  static let replicaHasUIDs: StaticString = "SELECT count(*) FROM pragma_table_info('secrets') WHERE name = 'uid'"

  /// Query for whether a replica contains the proof of the change count, which older replicas do not.
  static let replicaHasProof: StaticString = "SELECT count(*) FROM sqlite_schema WHERE name = 'proof'"

  /// Tables of the secrets' replica, which needs no migrations because it is always written as a whole.
  static let replica = """
    CREATE TABLE secrets (
      id TEXT PRIMARY KEY, action TEXT NOT NULL, idx INTEGER NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL,
      label TEXT, last_used INTEGER, times_used INTEGER NOT NULL DEFAULT 0, uid BLOB
    ) WITHOUT ROWID;
    CREATE TABLE sealed (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE proof (value BLOB NOT NULL);
    """
}
