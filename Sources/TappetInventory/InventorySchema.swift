// The tables of inventory.db, and the migrations that update an older database. Migrations are appended, never edited.
//
// Paths are computed and never stored, so a rename changes only one row. Every foreign key has an index; otherwise, a
// cascade would read whole tables. The columns `folded` contain words with letters that the tokenizer does not fold
// (`SearchText`).

import TappetCore

/// The list of migrations; the `user_version` of a database is the number of migrations applied to it.
enum InventorySchema {
  /// All migrations in order.
  static let migrations: [String] = [
    tables, texts, journal, names, desk, former, reversals, parts, due, barcode, reservation, labels, pieces, overdue,
    ticket, tally, seen, missing,
  ]

  /// SQL to run before a first import, so that indexes are not updated for every row.
  ///
  /// A row may also change an entry added by an earlier row, so all full-text triggers are dropped, not only those for
  /// added rows.
  static let beforeBulk = "DROP INDEX item_contents; DROP INDEX item_low; DROP INDEX item_name; \(noTriggers)"

  /// Index for finding a name among ten thousand items in one box.
  private static let nameIndex = "CREATE INDEX item_name ON item (box, name);"

  private static let noTriggers = """
    DROP TRIGGER place_added; DROP TRIGGER place_removed; DROP TRIGGER place_renamed;
    DROP TRIGGER item_added; DROP TRIGGER item_removed; DROP TRIGGER item_reworded;
    """

  /// SQL to run after a first import; it recreates the same indexes, each in one pass.
  ///
  /// The index of names comes last: SQLite would read the names from it, in an order in which the trigram index takes
  /// seven times as long. A sort takes three times the memory of the page cache, so the cache is smaller meanwhile.
  static let afterBulk = """
    PRAGMA cache_size = -\(Limits.inventorySortSizeMax / 1024);
    \(itemIndexes)
    \(placeTriggers)
    \(itemTriggers)
    INSERT INTO place_text (place_text) VALUES ('rebuild');
    INSERT INTO item_text (item_text) VALUES ('rebuild');
    INSERT INTO place_part (place_part) VALUES ('rebuild');
    INSERT INTO item_part (item_part) VALUES ('rebuild');
    \(nameIndex)
    PRAGMA cache_size = -\(Limits.inventoryCacheSizeMax / 1024);
    """

  /// Indexes of the items by box, and of low items.
  private static let itemIndexes = """
    CREATE INDEX item_contents ON item (box, created);
    CREATE INDEX item_low ON item (created) WHERE minimum IS NOT NULL AND quantity < minimum;
    """

  /// Triggers that update the full-text and trigram indexes of the places.
  private static let placeTriggers = """
    CREATE TRIGGER place_added AFTER INSERT ON place BEGIN
      INSERT INTO place_text (rowid, name, folded) VALUES (NEW.id, NEW.name, NEW.folded);
      INSERT INTO place_part (rowid, name, code) VALUES (NEW.id, NEW.name, NEW.code);
    END;
    CREATE TRIGGER place_removed AFTER DELETE ON place BEGIN
      INSERT INTO place_text (place_text, rowid, name, folded) VALUES ('delete', OLD.id, OLD.name, OLD.folded);
      INSERT INTO place_part (place_part, rowid, name, code) VALUES ('delete', OLD.id, OLD.name, OLD.code);
    END;
    CREATE TRIGGER place_renamed AFTER UPDATE OF name, code, folded ON place
    WHEN OLD.name IS NOT NEW.name OR OLD.code IS NOT NEW.code OR OLD.folded IS NOT NEW.folded BEGIN
      INSERT INTO place_text (place_text, rowid, name, folded) VALUES ('delete', OLD.id, OLD.name, OLD.folded);
      INSERT INTO place_text (rowid, name, folded) VALUES (NEW.id, NEW.name, NEW.folded);
      INSERT INTO place_part (place_part, rowid, name, code) VALUES ('delete', OLD.id, OLD.name, OLD.code);
      INSERT INTO place_part (rowid, name, code) VALUES (NEW.id, NEW.name, NEW.code);
    END;
    """

  /// Triggers that update the full-text and trigram indexes of the items.
  private static let itemTriggers = """
    CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
      INSERT INTO item_text (rowid, name, notes, folded) VALUES (NEW.id, NEW.name, NEW.notes, NEW.folded);
      INSERT INTO item_part (rowid, name) VALUES (NEW.id, NEW.name);
    END;
    CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
      INSERT INTO item_text (item_text, rowid, name, notes, folded)
      VALUES ('delete', OLD.id, OLD.name, OLD.notes, OLD.folded);
      INSERT INTO item_part (item_part, rowid, name) VALUES ('delete', OLD.id, OLD.name);
    END;
    CREATE TRIGGER item_reworded AFTER UPDATE OF name, notes, folded ON item
    WHEN OLD.name IS NOT NEW.name OR OLD.notes IS NOT NEW.notes OR OLD.folded IS NOT NEW.folded BEGIN
      INSERT INTO item_text (item_text, rowid, name, notes, folded)
      VALUES ('delete', OLD.id, OLD.name, OLD.notes, OLD.folded);
      INSERT INTO item_text (rowid, name, notes, folded) VALUES (NEW.id, NEW.name, NEW.notes, NEW.folded);
      INSERT INTO item_part (item_part, rowid, name) VALUES ('delete', OLD.id, OLD.name);
      INSERT INTO item_part (rowid, name) VALUES (NEW.id, NEW.name);
    END;
    """

  /// Tables of the places, of all four kinds, and of the items.
  private static let tables = """
    CREATE TABLE place (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, parent INTEGER REFERENCES place ON DELETE CASCADE,
      kind INTEGER NOT NULL, name TEXT NOT NULL, code TEXT, created INTEGER NOT NULL, folded TEXT
    );
    CREATE INDEX place_contents ON place (parent, created);
    CREATE INDEX place_name ON place (name);
    CREATE UNIQUE INDEX place_code ON place (code) WHERE code IS NOT NULL;
    CREATE INDEX place_code_prefix ON place (code COLLATE NOCASE) WHERE code IS NOT NULL;
    CREATE TABLE item (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, box INTEGER NOT NULL REFERENCES place ON DELETE CASCADE,
      name TEXT NOT NULL, notes TEXT NOT NULL, quantity INTEGER NOT NULL, minimum INTEGER, photo TEXT,
      photo_hash BLOB, created INTEGER NOT NULL, folded TEXT
    );
    \(itemIndexes)
    """

  /// Full-text indexes of names and notes; the texts themselves are stored only in the tables.
  private static let texts = """
    CREATE VIRTUAL TABLE place_text USING fts5(
      name, folded, content='place', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
    CREATE TRIGGER place_added AFTER INSERT ON place BEGIN
      INSERT INTO place_text (rowid, name, folded) VALUES (NEW.id, NEW.name, NEW.folded);
    END;
    CREATE TRIGGER place_removed AFTER DELETE ON place BEGIN
      INSERT INTO place_text (place_text, rowid, name, folded) VALUES ('delete', OLD.id, OLD.name, OLD.folded);
    END;
    CREATE TRIGGER place_renamed AFTER UPDATE OF name, folded ON place WHEN OLD.name IS NOT NEW.name BEGIN
      INSERT INTO place_text (place_text, rowid, name, folded) VALUES ('delete', OLD.id, OLD.name, OLD.folded);
      INSERT INTO place_text (rowid, name, folded) VALUES (NEW.id, NEW.name, NEW.folded);
    END;
    CREATE VIRTUAL TABLE item_text USING fts5(
      name, notes, folded, content='item', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
    CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
      INSERT INTO item_text (rowid, name, notes, folded) VALUES (NEW.id, NEW.name, NEW.notes, NEW.folded);
    END;
    CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
      INSERT INTO item_text (item_text, rowid, name, notes, folded)
      VALUES ('delete', OLD.id, OLD.name, OLD.notes, OLD.folded);
    END;
    CREATE TRIGGER item_reworded AFTER UPDATE OF name, notes, folded ON item
    WHEN OLD.name IS NOT NEW.name OR OLD.notes IS NOT NEW.notes BEGIN
      INSERT INTO item_text (item_text, rowid, name, notes, folded)
      VALUES ('delete', OLD.id, OLD.name, OLD.notes, OLD.folded);
      INSERT INTO item_text (rowid, name, notes, folded) VALUES (NEW.id, NEW.name, NEW.notes, NEW.folded);
    END;
    """

  /// The last changes with the previous state of their rows, and the history of moves.
  private static let journal = """
    CREATE TABLE change (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      verb INTEGER NOT NULL, name TEXT NOT NULL
    );
    CREATE TABLE undo_place (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, id INTEGER NOT NULL, uuid BLOB NOT NULL,
      parent INTEGER, kind INTEGER NOT NULL, name TEXT NOT NULL, code TEXT, created INTEGER NOT NULL, folded TEXT,
      PRIMARY KEY (change, id)
    ) WITHOUT ROWID;
    CREATE TABLE undo_item (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, id INTEGER NOT NULL, uuid BLOB NOT NULL,
      box INTEGER NOT NULL, name TEXT NOT NULL, notes TEXT NOT NULL, quantity INTEGER NOT NULL, minimum INTEGER,
      photo TEXT, photo_hash BLOB, created INTEGER NOT NULL, folded TEXT, PRIMARY KEY (change, id)
    ) WITHOUT ROWID;
    CREATE TABLE undo_added (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, is_item INTEGER NOT NULL, first INTEGER NOT NULL,
      last INTEGER NOT NULL, PRIMARY KEY (change, is_item, first)
    ) WITHOUT ROWID;
    CREATE TABLE move (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      uuid BLOB NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL, destination TEXT NOT NULL
    );
    CREATE INDEX move_subject ON move (uuid);
    """

  /// Index for finding a name within its place: ten thousand spots may each have a "Box 1".
  private static let names = """
    DROP INDEX place_name;
    CREATE INDEX place_name ON place (name, parent);
    """

  /// The tags, the loans, and the changes that a kiosk publishes.
  ///
  /// They refer to entries by UUID, without foreign keys, so that an entry that is removed and restored keeps its tags.
  private static let desk = """
    CREATE TABLE tag (uid BLOB PRIMARY KEY, uuid BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX tag_thing ON tag (uuid);
    CREATE TABLE loan (uuid BLOB PRIMARY KEY, person TEXT NOT NULL, unix_ms INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE news (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      verb INTEGER NOT NULL, uuid BLOB NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL
    );
    CREATE TABLE announced (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
    CREATE TABLE announced_low (uuid BLOB PRIMARY KEY) WITHOUT ROWID;
    """

  /// Table of entries whose names may violate the naming rule, which was added later; `Inventory.open` corrects them.
  private static let former = """
    CREATE TABLE former (is_item INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (is_item, id)) WITHOUT ROWID;
    INSERT INTO former SELECT 0, id FROM place WHERE name || coalesce(code, '') GLOB '*[^ -~]*';
    INSERT INTO former SELECT 1, id FROM item WHERE name || notes GLOB '*[^ -~]*';
    """

  /// Column for the due date of a loan, such as `2026-12-24`.
  private static let due = "ALTER TABLE loan ADD COLUMN due TEXT;"

  /// Table of barcodes, which refer to entries in the same way as the tags.
  private static let barcode = """
    CREATE TABLE barcode (code TEXT PRIMARY KEY, uuid BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX barcode_thing ON barcode (uuid);
    """

  /// Table of reservations, with days such as `2026-12-24`.
  private static let reservation = """
    CREATE TABLE reservation (
      uuid BLOB NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (uuid, first)
    ) WITHOUT ROWID;
    """

  /// Columns for the pieces of a loan or reservation, of which an entry can have several; NULL is the whole entry.
  private static let pieces = """
    ALTER TABLE loan RENAME TO loan_whole;
    CREATE TABLE loan (
      uuid BLOB NOT NULL, person TEXT NOT NULL, unix_ms INTEGER NOT NULL, due TEXT, quantity INTEGER,
      PRIMARY KEY (uuid, person)
    ) WITHOUT ROWID;
    INSERT INTO loan SELECT uuid, person, unix_ms, due, NULL FROM loan_whole;
    DROP TABLE loan_whole;
    ALTER TABLE reservation RENAME TO reservation_whole;
    CREATE TABLE reservation (
      uuid BLOB NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, person TEXT NOT NULL, quantity INTEGER,
      PRIMARY KEY (uuid, first, person)
    ) WITHOUT ROWID;
    INSERT INTO reservation SELECT uuid, first, last, person, NULL FROM reservation_whole;
    DROP TABLE reservation_whole;
    ALTER TABLE undo_loan ADD COLUMN quantity INTEGER;
    ALTER TABLE undo_reservation ADD COLUMN quantity INTEGER;
    """

  /// The previous loans and reservations of changed entries, and the previous entries of changed barcodes and tags.
  ///
  /// An entry that had no loan or reservation has a row with an empty person; a barcode or tag that had no entry has a
  /// row without UUID.
  private static let labels = """
    CREATE TABLE undo_loan (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uuid BLOB NOT NULL, person TEXT NOT NULL,
      unix_ms INTEGER, due TEXT, PRIMARY KEY (change, uuid, person)
    ) WITHOUT ROWID;
    CREATE TABLE undo_reservation (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uuid BLOB NOT NULL, person TEXT NOT NULL,
      first TEXT NOT NULL, last TEXT, PRIMARY KEY (change, uuid, person, first)
    ) WITHOUT ROWID;
    CREATE TABLE undo_barcode (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, code TEXT NOT NULL, uuid BLOB,
      PRIMARY KEY (change, code)
    ) WITHOUT ROWID;
    CREATE TABLE undo_tag (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uid BLOB NOT NULL, uuid BLOB,
      PRIMARY KEY (change, uid)
    ) WITHOUT ROWID;
    """

  /// Table of the loans that were reported as overdue, each with its start and due date.
  private static let overdue = """
    CREATE TABLE announced_overdue (
      uuid BLOB NOT NULL, person TEXT NOT NULL, unix_ms INTEGER NOT NULL, due TEXT NOT NULL, PRIMARY KEY (uuid, person)
    ) WITHOUT ROWID;
    """

  /// Table of the tickets of changes that a kiosk may request more than once.
  private static let ticket = """
    CREATE TABLE ticket (number INTEGER PRIMARY KEY AUTOINCREMENT, ticket INTEGER NOT NULL UNIQUE);
    """

  /// Table of the pieces counted in stocktakes that have not ended, and columns for the quantities before and after.
  private static let tally = """
    CREATE TABLE tally (
      stocktake INTEGER NOT NULL, uuid BLOB NOT NULL, action TEXT NOT NULL, who TEXT NOT NULL,
      unix_ms INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (stocktake, uuid)
    ) WITHOUT ROWID;
    ALTER TABLE news ADD COLUMN counted_from INTEGER;
    ALTER TABLE news ADD COLUMN counted_to INTEGER;
    """

  /// Table of the entries that were seen in audits, which refers to them in the same way as the tags.
  private static let seen = """
    CREATE TABLE seen (uuid BLOB PRIMARY KEY, unix_ms INTEGER NOT NULL, who TEXT NOT NULL) WITHOUT ROWID;
    """

  /// Column for how a stocktake records an entry, 0 for a counted item, otherwise `CheckedRole`; columns for the result
  /// of a stocktake's end, whose ticket is the stocktake's number; and the table of the entries that were not seen in
  /// the last stocktake or audit of their place.
  private static let missing = """
    ALTER TABLE tally ADD COLUMN role INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE ticket ADD COLUMN items INTEGER;
    ALTER TABLE ticket ADD COLUMN places INTEGER;
    CREATE TABLE missing (
      uuid BLOB PRIMARY KEY, stocktake INTEGER NOT NULL, unix_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  /// Column for the number of the change that this change undid.
  private static let reversals = "ALTER TABLE change ADD COLUMN reverts INTEGER;"

  /// Trigram indexes of the names, for matches within words.
  ///
  /// The columns `folded` are rewritten, because text in scripts without spaces is now stored letter by letter.
  private static let parts = """
    \(noTriggers)
    \(nameIndex)
    CREATE VIRTUAL TABLE place_part USING fts5(
      name, code, content='place', content_rowid='id', tokenize='trigram', detail='none');
    CREATE VIRTUAL TABLE item_part USING fts5(
      name, content='item', content_rowid='id', tokenize='trigram', detail='none');
    \(placeTriggers)
    \(itemTriggers)
    INSERT INTO place_part (place_part) VALUES ('rebuild');
    INSERT INTO item_part (item_part) VALUES ('rebuild');
    INSERT OR IGNORE INTO former SELECT 0, id FROM place WHERE name || coalesce(code, '') GLOB '*[^ -~]*';
    INSERT OR IGNORE INTO former SELECT 1, id FROM item WHERE name || notes GLOB '*[^ -~]*';
    """
}
