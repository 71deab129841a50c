// Conversion of rows to entries and back. Values that places and items share are in columns of the same name.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Returns the entry in the current row of a statement that selects the columns of a place.
  func place(_ row: Statement) -> InventoryEntry? {
    guard let id = InventoryID(row.blob(1)), let kind = InventoryKind(rawValue: row.integer(3)) else { return nil }
    var entry = InventoryEntry(
      kind, id: id, name: row.text(4), in: row.isNull(2) ? nil : row.integer(2), createdUnixMilliseconds: row.integer(6)
    )
    entry.row = row.integer(0)
    entry.code = row.text(5)
    return entry
  }

  /// Returns the entry in the current row of a statement that selects the columns of an item.
  func item(_ row: Statement) -> InventoryEntry? {
    guard let id = InventoryID(row.blob(1)) else { return nil }
    var entry = InventoryEntry(
      .item, id: id, name: row.text(3), in: row.integer(2), createdUnixMilliseconds: row.integer(9))
    entry.row = row.integer(0)
    entry.notes = row.text(4)
    entry.quantity = row.integer(5)
    entry.minimum = row.isNull(6) ? nil : row.integer(6)
    entry.photo = row.isNull(7) ? nil : InventoryPhoto(path: row.text(7), hash: row.blob(8))
    return entry
  }

  /// Returns the first entry that a statement returns.
  func first(_ statement: Statement, of kind: InventoryKind) throws(InventoryError) -> InventoryEntry? {
    defer { statement.reset() }
    guard try stored({ () throws(DatabaseError) in try statement.step() }) else { return nil }
    return kind == .item ? item(statement) : place(statement)
  }

  /// Returns the prepared statement for places or items, depending on the kind.
  func statement(
    _ kind: InventoryKind, place: StaticString, item: StaticString
  ) throws(InventoryError) -> Statement {
    try stored { () throws(DatabaseError) in try database.statement(kind == .item ? item : place) }
  }

  /// Returns a row number for a new entry, above those of all rows that the journal can restore.
  func freeRow(_ kind: InventoryKind) throws(DatabaseError) -> InventoryRow {
    try database.integer(
      kind == .item
        ? """
        SELECT 1 + max(ifnull((SELECT max(id) FROM item), 0),
          ifnull((SELECT max((SELECT max(id) FROM undo_item WHERE change = number)) FROM change), 0),
          ifnull((SELECT max(last) FROM undo_added WHERE is_item = 1), 0))
        """
        : """
        SELECT 1 + max(ifnull((SELECT max(id) FROM place), 0),
          ifnull((SELECT max((SELECT max(id) FROM undo_place WHERE change = number)) FROM change), 0),
          ifnull((SELECT max(last) FROM undo_added WHERE is_item = 0), 0))
        """) ?? 1
  }

  /// Adds a row for the entry, with the entry's row number if it has one; returns the row number.
  func insert(_ entry: InventoryEntry) throws(DatabaseError) -> InventoryRow {
    let isItem = entry.kind == .item
    let statement = try database.statement(
      isItem
        ? """
        INSERT INTO item (uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded, id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """
        : """
        INSERT INTO place (uuid, parent, name, kind, code, created, folded, id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """)
    if entry.row > 0 { statement.bind(entry.row, at: isItem ? 11 : 8) }
    statement.bind(blob: entry.id.bytes, at: 1)
    if let container = entry.container { statement.bind(container, at: 2) }
    statement.bind(entry.name, at: 3)
    if isItem {
      bindDetails(of: entry, to: statement)
      statement.bind(entry.createdUnixMilliseconds, at: 9)
    } else {
      statement.bind(entry.kind.rawValue, at: 4)
      statement.bind(entry.kind == .box ? entry.code : nil, at: 5)
      statement.bind(entry.createdUnixMilliseconds, at: 6)
      statement.bind(SearchText.shadow(of: [entry.name]), at: 7)
    }
    try statement.run()
    return database.lastRow
  }

  /// Updates all values of a row that can change.
  func update(_ entry: InventoryEntry) throws(DatabaseError) {
    let isItem = entry.kind == .item
    let statement = try database.statement(
      isItem
        ? """
        UPDATE item SET box = ?2, name = ?3, notes = ?4, quantity = ?5, minimum = ?6, photo = ?7, photo_hash = ?8,
          folded = ?10 WHERE id = ?1
        """ : "UPDATE place SET parent = ?2, name = ?3, code = ?4, folded = ?5 WHERE id = ?1")
    statement.bind(entry.row, at: 1)
    if let container = entry.container { statement.bind(container, at: 2) }
    statement.bind(entry.name, at: 3)
    if isItem {
      bindDetails(of: entry, to: statement)
    } else {
      statement.bind(entry.kind == .box ? entry.code : nil, at: 4)
      statement.bind(SearchText.shadow(of: [entry.name]), at: 5)
    }
    try statement.run()
  }

  private func bindDetails(of entry: InventoryEntry, to statement: Statement) {
    statement.bind(entry.notes, at: 4)
    statement.bind(entry.quantity, at: 5)
    if let minimum = entry.minimum { statement.bind(minimum, at: 6) }
    if let photo = entry.photo {
      statement.bind(photo.path, at: 7)
      statement.bind(blob: photo.hash, at: 8)
    }
    statement.bind(SearchText.shadow(of: [entry.name, entry.notes]), at: 10)
  }
}
