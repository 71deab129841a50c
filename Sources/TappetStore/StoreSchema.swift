// The database's tables. A database of another version is refused (`Database.prepare`), because no version was released
// before this one.

/// The tables of the database.
enum StoreSchema {
  /// The version of the tables, which the database stores as its `user_version`.
  static let version: Int64 = 4

  /// All tables, indexes and triggers of a new database.
  static let tables = secrets + audit + outbox + deadLetters + taps + rooms

  /// The sealed secrets, the other sealed values, one of which identifies the sealing key, and the counters.
  ///
  /// The change count of the secrets shows whether their replica (`Store.replicaName`) is older. `tag_hints` contains
  /// the most recent secret of each tag (`Store.tagHints`), `ticket_uses` the use count of each ticket
  /// (`PersonLimits.ticket`).
  private static let secrets = """
    CREATE TABLE secrets (
      id TEXT PRIMARY KEY, action TEXT NOT NULL, idx INTEGER NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL,
      label TEXT, last_used INTEGER, times_used INTEGER NOT NULL DEFAULT 0, uid BLOB
    ) WITHOUT ROWID;
    CREATE TABLE sealed (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES ('trials', 0), ('secret changes', 0);
    CREATE TABLE tag_hints (uid BLOB PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE ticket_uses (ticket TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// The audit log and its chain.
  private static let audit = """
    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_seconds INTEGER NOT NULL, user INTEGER NOT NULL,
      process INTEGER NOT NULL, program TEXT NOT NULL, operation TEXT NOT NULL, subject TEXT NOT NULL,
      detail TEXT, mac BLOB
    );
    CREATE TABLE audit_chain (
      id INTEGER PRIMARY KEY CHECK (id = 1), anchor INTEGER NOT NULL, anchor_mac BLOB NOT NULL, last INTEGER NOT NULL,
      last_mac BLOB NOT NULL, mac BLOB NOT NULL
    );
    """

  /// The boots, and the outbox with its totals, because counting a long outbox at each start is slow.
  ///
  /// The rows are in the order in which they are fetched, so those of one destination are found without an index, and
  /// without skipping those of an unreachable one. `last` ensures that a sequence number is never reused, even after
  /// the outbox was empty. The index finds the next expiry without reading the outbox. There is no index by id: ids are
  /// random, so in a long outbox each removal would write a separate index page; instead, a removal specifies the
  /// sequence number. Triggers maintain the totals, so that no statement can omit the update; both rows are on a page,
  /// so a commit writes only one page more. `closes` is the number of times that the broker closed the connection when
  /// the entry was sent (`Suspicion`). `announced` contains the topics for which the broker retains a message from this
  /// kiosk, and the components of a discovery message.
  private static let outbox = """
    CREATE TABLE boots (
      number INTEGER PRIMARY KEY AUTOINCREMENT, boot_id BLOB NOT NULL UNIQUE, wall_offset_ms INTEGER, noted_ns INTEGER
    );
    CREATE TABLE outbox (
      destination INTEGER NOT NULL, sequence INTEGER NOT NULL, id BLOB NOT NULL, action TEXT NOT NULL,
      topic TEXT NOT NULL, message BLOB NOT NULL, retained INTEGER NOT NULL, trigger INTEGER NOT NULL,
      uses_timestamp INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, boot INTEGER NOT NULL,
      expires_ns INTEGER NOT NULL, closes INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (destination, sequence)
    ) WITHOUT ROWID;
    CREATE INDEX outbox_expiry ON outbox (destination, boot, expires_ns);
    CREATE TABLE outbox_totals (
      destination INTEGER PRIMARY KEY, count INTEGER NOT NULL, size INTEGER NOT NULL, last INTEGER NOT NULL
    );
    INSERT INTO outbox_totals VALUES (0, 0, 0, 0), (1, 0, 0, 0);
    CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
      UPDATE outbox_totals SET count = count + 1, size = size + length(NEW.message), last = NEW.sequence
      WHERE destination = NEW.destination;
    END;
    CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
      UPDATE outbox_totals SET count = count - 1, size = size - length(OLD.message)
      WHERE destination = OLD.destination;
    END;
    CREATE TABLE announced (topic TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
    """

  /// The dead letters of both destinations, with what is needed to send them again.
  private static let deadLetters = """
    CREATE TABLE given_up (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, destination INTEGER NOT NULL, action TEXT NOT NULL,
      topic TEXT NOT NULL, message BLOB NOT NULL, retained INTEGER NOT NULL, filling INTEGER NOT NULL,
      trigger INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, given_up_unix_ms INTEGER NOT NULL,
      reason INTEGER NOT NULL, UNIQUE (id, destination)
    );
    """

  /// The tap log (`Store.note(_: TapRecord)`), the arrivals whose removal is pending, and the number of accepted taps
  /// of each tag (`Store.note(_: EntryNotes)`).
  ///
  /// The number of a tap contains its time, so that a tap writes one page of this table and no index. The tap log
  /// identifies a person by id, because names are sealed; `by` is anyone but the tag's owner (`Originator.text`).
  private static let taps = """
    CREATE TABLE history (
      number INTEGER PRIMARY KEY, serial INTEGER NOT NULL, unix_ms INTEGER NOT NULL, result INTEGER NOT NULL,
      trigger INTEGER, action TEXT, uid BLOB, tag TEXT, code TEXT, entry BLOB, count INTEGER NOT NULL, person TEXT,
      destination INTEGER, by TEXT
    );
    CREATE TABLE arrivals (
      entry BLOB PRIMARY KEY, action TEXT NOT NULL, uid BLOB NOT NULL, tag TEXT NOT NULL, person TEXT NOT NULL,
      text BLOB NOT NULL, count INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tag_counts (uid BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// The ledger of commands from rooms (`RoomLedger`), and messages in rooms that are to be edited (`RoomEdits`).
  ///
  /// The index contains only the rows that are due, so that finding the next one does not read those that are pending.
  private static let rooms = """
    CREATE TABLE room_commands (
      event TEXT PRIMARY KEY, room TEXT NOT NULL, unix_seconds INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE room_position (id INTEGER PRIMARY KEY CHECK (id = 1), value TEXT NOT NULL);
    CREATE TABLE room_edits (
      number INTEGER PRIMARY KEY AUTOINCREMENT, entry BLOB NOT NULL UNIQUE, action TEXT NOT NULL, message BLOB NOT NULL,
      filling INTEGER NOT NULL, event TEXT, outcome INTEGER
    );
    CREATE INDEX room_edits_due ON room_edits (number) WHERE event IS NOT NULL AND outcome IS NOT NULL;
    """

  /// Tables of the secrets' replica.
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
