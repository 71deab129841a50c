// The tables of inventory.db. A database of another version is refused (`Database.prepare`).
//
// Paths are computed and never stored, so a rename changes only one row. Every foreign key has an index; otherwise, a
// cascade would read whole tables. The columns `folded` contain words with letters that the tokenizer does not fold
// (`SearchText`).

import TappetCore

/// The tables of the inventory.
enum InventorySchema {
  /// The version of the tables, which the database stores as its `user_version`.
  static let version: Int64 = 1

  /// All tables, indexes and triggers of a new database.
  static let tables = entries + texts + journal + labels + loans + audits + announcements

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
  /// seven times as long. A sort takes three times the memory of the page cache, so the cache is smaller until then.
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
  ///
  /// The index of the places' names also contains the parent: ten thousand spots may each have a "Box 1".
  private static let entries = """
    CREATE TABLE place (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, parent INTEGER REFERENCES place ON DELETE CASCADE,
      kind INTEGER NOT NULL, name TEXT NOT NULL, code TEXT, created INTEGER NOT NULL, folded TEXT
    );
    CREATE INDEX place_contents ON place (parent, created);
    CREATE INDEX place_name ON place (name, parent);
    CREATE UNIQUE INDEX place_code ON place (code) WHERE code IS NOT NULL;
    CREATE INDEX place_code_prefix ON place (code COLLATE NOCASE) WHERE code IS NOT NULL;
    CREATE TABLE item (
      id INTEGER PRIMARY KEY, uuid BLOB NOT NULL UNIQUE, box INTEGER NOT NULL REFERENCES place ON DELETE CASCADE,
      name TEXT NOT NULL, notes TEXT NOT NULL, quantity INTEGER NOT NULL, minimum INTEGER, photo TEXT,
      photo_hash BLOB, created INTEGER NOT NULL, folded TEXT
    );
    \(itemIndexes)
    \(nameIndex)
    """

  /// Full-text indexes of names and notes, and trigram indexes of the names, for matches within words; the texts
  /// themselves are stored only in the tables.
  private static let texts = """
    CREATE VIRTUAL TABLE place_text USING fts5(
      name, folded, content='place', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
    CREATE VIRTUAL TABLE item_text USING fts5(
      name, notes, folded, content='item', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3');
    CREATE VIRTUAL TABLE place_part USING fts5(
      name, code, content='place', content_rowid='id', tokenize='trigram', detail='none');
    CREATE VIRTUAL TABLE item_part USING fts5(
      name, content='item', content_rowid='id', tokenize='trigram', detail='none');
    \(placeTriggers)
    \(itemTriggers)
    """

  /// The last changes with the previous state of their rows, and the history of moves.
  ///
  /// `reverts` is the number of the change that a change undid. An entry that had no loan or reservation has a row with
  /// an empty person; a barcode or tag that had no entry has a row without UUID.
  private static let journal = """
    CREATE TABLE change (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      verb INTEGER NOT NULL, name TEXT NOT NULL, reverts INTEGER
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
    CREATE TABLE undo_loan (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uuid BLOB NOT NULL, person TEXT NOT NULL,
      unix_ms INTEGER, due TEXT, quantity INTEGER, PRIMARY KEY (change, uuid, person)
    ) WITHOUT ROWID;
    CREATE TABLE undo_reservation (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uuid BLOB NOT NULL, person TEXT NOT NULL,
      first TEXT NOT NULL, last TEXT, quantity INTEGER, PRIMARY KEY (change, uuid, person, first)
    ) WITHOUT ROWID;
    CREATE TABLE undo_barcode (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, code TEXT NOT NULL, uuid BLOB,
      PRIMARY KEY (change, code)
    ) WITHOUT ROWID;
    CREATE TABLE undo_tag (
      change INTEGER NOT NULL REFERENCES change ON DELETE CASCADE, uid BLOB NOT NULL, uuid BLOB,
      PRIMARY KEY (change, uid)
    ) WITHOUT ROWID;
    CREATE TABLE move (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      uuid BLOB NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL, destination TEXT NOT NULL
    );
    CREATE INDEX move_subject ON move (uuid);
    """

  /// The tags and the barcodes.
  ///
  /// Like loans and audits, they refer to entries by UUID, without foreign keys, so that an entry that is removed and
  /// restored keeps them.
  private static let labels = """
    CREATE TABLE tag (uid BLOB PRIMARY KEY, uuid BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX tag_thing ON tag (uuid);
    CREATE TABLE barcode (code TEXT PRIMARY KEY, uuid BLOB NOT NULL) WITHOUT ROWID;
    CREATE INDEX barcode_thing ON barcode (uuid);
    """

  /// The loans and reservations, with days such as `2026-12-24`, and with pieces, of which an entry can have several;
  /// NULL is the whole entry.
  private static let loans = """
    CREATE TABLE loan (
      uuid BLOB NOT NULL, person TEXT NOT NULL, unix_ms INTEGER NOT NULL, due TEXT, quantity INTEGER,
      PRIMARY KEY (uuid, person)
    ) WITHOUT ROWID;
    CREATE TABLE reservation (
      uuid BLOB NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, person TEXT NOT NULL, quantity INTEGER,
      PRIMARY KEY (uuid, first, person)
    ) WITHOUT ROWID;
    """

  /// The entries that were seen in audits, those that were not seen in the last stocktake or audit of their place, and
  /// the pieces counted in stocktakes that have not ended.
  ///
  /// `role` is how a stocktake records an entry: 0 for a counted item, otherwise `CheckedRole`. A ticket belongs to a
  /// change that a kiosk may request more than once; if its number is that of a stocktake, `items` and `places` are the
  /// stocktake's result.
  private static let audits = """
    CREATE TABLE seen (uuid BLOB PRIMARY KEY, unix_ms INTEGER NOT NULL, who TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE missing (
      uuid BLOB PRIMARY KEY, stocktake INTEGER NOT NULL, unix_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tally (
      stocktake INTEGER NOT NULL, uuid BLOB NOT NULL, action TEXT NOT NULL, who TEXT NOT NULL,
      unix_ms INTEGER NOT NULL, count INTEGER NOT NULL, role INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (stocktake, uuid)
    ) WITHOUT ROWID;
    CREATE TABLE ticket (
      number INTEGER PRIMARY KEY AUTOINCREMENT, ticket INTEGER NOT NULL UNIQUE, items INTEGER, places INTEGER
    );
    """

  /// The changes that a kiosk publishes, with the quantities before and after a count, and what it has published: the
  /// last change, the low items, and the overdue loans, each with its start and due date.
  private static let announcements = """
    CREATE TABLE news (
      number INTEGER PRIMARY KEY AUTOINCREMENT, unix_ms INTEGER NOT NULL, who TEXT NOT NULL, kind INTEGER NOT NULL,
      verb INTEGER NOT NULL, uuid BLOB NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, counted_from INTEGER,
      counted_to INTEGER
    );
    CREATE TABLE announced (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
    CREATE TABLE announced_low (uuid BLOB PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE announced_overdue (
      uuid BLOB NOT NULL, person TEXT NOT NULL, unix_ms INTEGER NOT NULL, due TEXT NOT NULL, PRIMARY KEY (uuid, person)
    ) WITHOUT ROWID;
    """
}
