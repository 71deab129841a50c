// Taking back: each change keeps the rows as they were before it, and the rows that it added. The last
// `Limits.inventoryUndoMax` are kept. They are taken back in the opposite order, so a row's number is free again when
// its row comes back.

import TappetCore
import TappetSQLite

/// A change that was made.
package struct InventoryChange: Hashable, Sendable {
  /// The kind of what was changed.
  package var kind: InventoryKind
  /// The kind of change.
  package var verb: InventoryVerb
  /// Its name before the change.
  package var name: String
  /// The name of the person who changed it.
  package var who: String
  /// When it was changed.
  package var unixMilliseconds: Int64
}

extension Inventory {
  /// Begins a change within a transaction; returns its number.
  func note(
    _ verb: InventoryVerb, _ entry: InventoryEntry, _ now: Int64, by who: String
  ) throws(InventoryError) -> Int64 {
    try noteNews(verb, entry, now, by: who)
    return try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        "INSERT INTO change (unix_ms, who, kind, verb, name) VALUES (?1, ?2, ?3, ?4, ?5)")
      insertion.bind(now, at: 1)
      insertion.bind(who, at: 2)
      insertion.bind(entry.kind.rawValue, at: 3)
      insertion.bind(verb.rawValue, at: 4)
      insertion.bind(entry.name, at: 5)
      try insertion.run()
      let number = database.lastRow
      let pruning = try database.statement(
        "DELETE FROM change WHERE number <= (SELECT number FROM change ORDER BY number DESC LIMIT 1 OFFSET ?1)")
      pruning.bind(Limits.inventoryUndoMax, at: 1)
      try pruning.run()
      return number
    }
  }

  /// Keeps which rows a change added.
  func noteAdded(_ kind: InventoryKind, _ rows: ClosedRange<Int64>, in change: Int64) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        "INSERT INTO undo_added (change, is_item, first, last) VALUES (?1, ?2, ?3, ?4)")
      insertion.bind(change, at: 1)
      insertion.bind(kind == .item, at: 2)
      insertion.bind(rows.lowerBound, at: 3)
      insertion.bind(rows.upperBound, at: 4)
      try insertion.run()
    }
  }

  /// Keeps a row as it is, before a change of it.
  func keep(_ entry: InventoryEntry, in change: Int64) throws(InventoryError) {
    let copy = try statement(
      entry.kind,
      place: """
        INSERT OR IGNORE INTO undo_place SELECT ?1, id, uuid, parent, kind, name, code, created, folded FROM place
        WHERE id = ?2
        """,
      item: """
        INSERT OR IGNORE INTO undo_item
        SELECT ?1, id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded FROM item
        WHERE id = ?2
        """)
    copy.bind(change, at: 1)
    copy.bind(entry.row, at: 2)
    try stored { () throws(DatabaseError) in try copy.run() }
  }

  /// Keeps a row and all that is in it.
  func keepAll(of entry: InventoryEntry, in change: Int64) throws(InventoryError) {
    if entry.kind == .item { return try keep(entry, in: change) }
    try stored { () throws(DatabaseError) in
      let places = try database.statement(
        """
        WITH RECURSIVE inside (id) AS
          (VALUES (?2) UNION ALL SELECT place.id FROM place JOIN inside ON place.parent = inside.id)
        INSERT INTO undo_place SELECT ?1, id, uuid, parent, kind, name, code, created, folded FROM place
        WHERE id IN inside
        """)
      places.bind(change, at: 1)
      places.bind(entry.row, at: 2)
      try places.run()
      let items = try database.statement(
        """
        INSERT INTO undo_item
        SELECT ?1, id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded FROM item
        WHERE box IN (SELECT id FROM undo_place WHERE change = ?1 AND kind = 3)
        """)
      items.bind(change, at: 1)
      try items.run()
    }
  }

  /// Takes the last change back; returns it.
  @export(interface)
  @discardableResult
  package func undo(by who: String) throws(InventoryError) -> InventoryChange {
    try transaction { () throws(InventoryError) in
      guard let (number, change) = try lastChange() else { throw .nothingToUndo }
      let moved = try movedBack(.box, in: number) + movedBack(.item, in: number)
      try stored { () throws(DatabaseError) in
        // A thing and its place come back in whatever order the rows have.
        try database.execute("PRAGMA defer_foreign_keys = ON")
        for sql in Inventory.restoring {
          let step = try database.statement(sql)
          step.bind(number, at: 1)
          try step.run()
        }
      }
      let now = now
      for (old, origin) in moved {
        guard let entry = try entry(row: old.row, of: old.kind) else { continue }
        try noteMove(of: entry, from: origin, to: try location(of: entry).path, now, by: who)
      }
      let undone = InventoryEntry(
        change.kind, id: InventoryID(unixMilliseconds: now), name: change.name, in: nil, createdUnixMilliseconds: now)
      try noteNews(.undone, undone, now, by: who)
      try stored { () throws(DatabaseError) in
        let removal = try database.statement("DELETE FROM change WHERE number = ?1")
        removal.bind(number, at: 1)
        try removal.run()
      }
      return change
    }
  }

  /// The last change that can be taken back.
  package func lastUndoableChange() throws(InventoryError) -> InventoryChange? { try lastChange()?.1 }

  private func lastChange() throws(InventoryError) -> (Int64, InventoryChange)? {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        "SELECT number, unix_ms, who, kind, verb, name FROM change ORDER BY number DESC LIMIT 1")
      defer { statement.reset() }
      guard try statement.step(), let kind = InventoryKind(rawValue: statement.integer(3)),
        let verb = InventoryVerb(rawValue: statement.integer(4))
      else { return nil }
      return (
        statement.integer(0),
        InventoryChange(
          kind: kind, verb: verb, name: statement.text(5), who: statement.text(2),
          unixMilliseconds: statement.integer(1))
      )
    }
  }

  /// The things that are moved when a change is taken back, and the paths of where they are now.
  private func movedBack(
    _ kind: InventoryKind, in change: Int64
  ) throws(InventoryError) -> [(InventoryEntry, String)] {
    let statement = try statement(
      kind,
      place: """
        SELECT place.id, place.uuid, place.parent, place.kind, place.name, place.code, place.created
        FROM undo_place JOIN place ON place.id = undo_place.id
        WHERE change = ?1 AND place.parent <> undo_place.parent
        """,
      item: """
        SELECT item.id, item.uuid, item.box, item.name, item.notes, item.quantity, item.minimum, item.photo,
          item.photo_hash, item.created
        FROM undo_item JOIN item ON item.id = undo_item.id WHERE change = ?1 AND item.box <> undo_item.box
        """)
    statement.bind(change, at: 1)
    var moved: [(InventoryEntry, String)] = []
    try forEachRow(of: statement, kind) { (entry) throws(InventoryError) in
      moved.append((entry, try location(of: entry).path))
      return true
    }
    return moved
  }

  /// Rows come back, then those that were added are removed.
  ///
  /// No code is in the way of another, because all of them are released first.
  private static let restoring: [StaticString] = [
    "UPDATE place SET code = NULL WHERE code IS NOT NULL AND id IN (SELECT id FROM undo_place WHERE change = ?1)",
    """
    UPDATE place SET code = NULL WHERE code IS NOT NULL AND id IN (
      SELECT place.id FROM undo_added JOIN place ON place.id BETWEEN first AND last WHERE change = ?1 AND is_item = 0)
    """,
    """
    INSERT INTO place (id, uuid, parent, kind, name, code, created, folded)
    SELECT id, uuid, parent, kind, name, code, created, folded FROM undo_place WHERE change = ?1
    ON CONFLICT (id) DO UPDATE SET
      parent = excluded.parent, name = excluded.name, code = excluded.code, folded = excluded.folded
    """,
    """
    INSERT INTO item (id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded)
    SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded FROM undo_item
    WHERE change = ?1
    ON CONFLICT (id) DO UPDATE SET
      box = excluded.box, name = excluded.name, notes = excluded.notes, quantity = excluded.quantity,
      minimum = excluded.minimum, photo = excluded.photo, photo_hash = excluded.photo_hash, folded = excluded.folded
    """,
    """
    DELETE FROM item WHERE id IN (
      SELECT item.id FROM undo_added JOIN item ON item.id BETWEEN first AND last WHERE change = ?1 AND is_item = 1)
    """,
    """
    DELETE FROM place WHERE id IN (
      SELECT place.id FROM undo_added JOIN place ON place.id BETWEEN first AND last WHERE change = ?1 AND is_item = 0)
    """,
  ]
}
