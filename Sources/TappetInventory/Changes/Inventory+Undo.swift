// Undo and redo. A change can be undone only if no later change affects the same entries, so that no work is lost, and
// the row number of a restored row is free.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Undoes the change with the given number, or the last change by any person; returns the undone change.
  @export(interface)
  @discardableResult
  package func undo(number: Int64? = nil, by who: String) throws(InventoryError) -> InventoryChange {
    try transaction { () throws(InventoryError) in
      let change = try changes().first { !$0.isTakenBack && (number == nil || $0.number == number) }
      guard let change else { throw .nothingToUndo }
      try requireUntouched(change)
      let now = now
      let subject = InventoryEntry(
        change.kind, id: InventoryID(unixMilliseconds: now), name: change.name, in: nil, createdUnixMilliseconds: now)
      if change.thingCount <= Limits.inventoryRedoMax {
        let reversal = try note(.undone, subject, now, by: who)
        try run(Inventory.reversing + Inventory.reversingLabels, change.number, reversal)
        try revert(change.number, now, by: who)
      } else {
        try recordNews(.undone, subject, now, by: who)
        try revert(change.number, now, by: who)
        try forget(change.number)
      }
      return change
    }
  }

  /// Redoes the change that the given person undid last; returns the redone change.
  @export(interface)
  @discardableResult
  package func redo(by who: String) throws(InventoryError) -> InventoryChange {
    try transaction { () throws(InventoryError) in
      let all = try allChanges()
      guard let reversal = all.first(where: { $0.reverts != nil && $0.who == who }) else { throw .nothingToRedo }
      try requireUntouched(reversal)
      let now = now
      let subject = InventoryEntry(
        reversal.kind, id: InventoryID(unixMilliseconds: now), name: reversal.name, in: nil,
        createdUnixMilliseconds: now)
      try recordNews(.undone, subject, now, by: who)
      try revert(reversal.number, now, by: who)
      try forget(reversal.number)
      return all.first { $0.number == reversal.reverts } ?? reversal
    }
  }

  /// Throws if a later change affects the same entries, or if an added place now contains something else.
  private func requireUntouched(_ change: InventoryChange) throws(InventoryError) {
    let last = try stored { () throws(DatabaseError) in try database.integer("SELECT max(number) FROM change") }
    // The change is the most recent one, which is the usual case.
    if last == change.number { return }
    let later = try allChanges().filter { $0.number > change.number && !$0.isTakenBack }
    // Large changes are not compared row by row.
    let large = later.first { $0.reverts == nil && $0.thingCount > Limits.inventoryRedoMax }
    if let large { throw .changedSince(large) }
    if change.thingCount > Limits.inventoryRedoMax, let other = later.first { throw .changedSince(other) }
    let number: Int64? = try stored { () throws(DatabaseError) in
      let statement = try database.statement(Inventory.laterAlike)
      defer { statement.reset() }
      statement.bind(change.number, at: 1)
      return try statement.step() ? statement.integer(0) : nil
    }
    if let other = later.first(where: { $0.number == number }) { throw .changedSince(other) }
  }

  func revert(_ number: Int64, _ now: Int64, by who: String) throws(InventoryError) {
    let moved = try movedBack(.box, in: number) + movedBack(.item, in: number)
    // The rows of an entry and its place are restored in any order.
    try stored { () throws(DatabaseError) in try database.execute("PRAGMA defer_foreign_keys = ON") }
    try run(Inventory.restoring + Inventory.restoringLabels, number, nil)
    for (old, origin) in moved {
      guard let entry = try entry(row: old.row, of: old.kind) else { continue }
      let destination = try whereabouts(of: entry)
      if destination != origin { try recordMove(of: entry, from: origin, to: destination, now, by: who) }
    }
  }

  func forget(_ number: Int64) throws(InventoryError) {
    try run(["DELETE FROM change WHERE number = ?1"], number, nil)
  }

  private func run(_ steps: [StaticString], _ number: Int64, _ other: Int64?) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      for sql in steps {
        let step = try database.statement(sql)
        step.bind(number, at: 1)
        if let other { step.bind(other, at: 2) }
        try step.run()
      }
    }
  }

  /// Returns the entries that an undo moves, or whose loans it changes, with their current whereabouts.
  private func movedBack(
    _ kind: InventoryKind, in change: Int64
  ) throws(InventoryError) -> [(InventoryEntry, String)] {
    let statement = try statement(
      kind,
      place: """
        SELECT place.id, place.uuid, place.parent, place.kind, place.name, place.code, place.created
        FROM undo_place JOIN place ON place.id = undo_place.id
        WHERE change = ?1 AND (place.parent <> undo_place.parent OR EXISTS (
          SELECT 1 FROM undo_loan WHERE undo_loan.change = ?1 AND undo_loan.uuid = place.uuid))
        """,
      item: """
        SELECT item.id, item.uuid, item.box, item.name, item.notes, item.quantity, item.minimum, item.photo,
          item.photo_hash, item.created
        FROM undo_item JOIN item ON item.id = undo_item.id
        WHERE change = ?1 AND (item.box <> undo_item.box OR EXISTS (
          SELECT 1 FROM undo_loan WHERE undo_loan.change = ?1 AND undo_loan.uuid = item.uuid))
        """)
    statement.bind(change, at: 1)
    var moved: [(InventoryEntry, String)] = []
    try forEachRow(of: statement, kind) { (entry) throws(InventoryError) in
      moved.append((entry, try whereabouts(of: entry)))
      return true
    }
    return moved
  }

  /// Statements that restore the old rows, and then remove the added rows.
  ///
  /// Codes do not conflict, because all of them are cleared first.
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

  /// Statements that store the current state of a change's rows before the change is undone.
  private static let reversing: [StaticString] = [
    "UPDATE change SET reverts = ?1 WHERE number = ?2",
    """
    INSERT INTO undo_place SELECT ?2, id, uuid, parent, kind, name, code, created, folded FROM place
    WHERE id IN (SELECT id FROM undo_place WHERE change = ?1)
    """,
    """
    INSERT OR IGNORE INTO undo_place
    SELECT ?2, id, uuid, parent, place.kind, name, code, created, folded
    FROM undo_added JOIN place ON id BETWEEN first AND last WHERE change = ?1 AND is_item = 0
    """,
    """
    INSERT INTO undo_item
    SELECT ?2, id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded FROM item
    WHERE id IN (SELECT id FROM undo_item WHERE change = ?1)
    """,
    """
    INSERT OR IGNORE INTO undo_item
    SELECT ?2, id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created, folded
    FROM undo_added JOIN item ON id BETWEEN first AND last WHERE change = ?1 AND is_item = 1
    """,
    """
    INSERT INTO undo_added SELECT ?2, 0, id, id FROM undo_place AS old
    WHERE change = ?1 AND NOT EXISTS (SELECT 1 FROM place WHERE place.id = old.id)
    """,
    """
    INSERT INTO undo_added SELECT ?2, 1, id, id FROM undo_item AS old
    WHERE change = ?1 AND NOT EXISTS (SELECT 1 FROM item WHERE item.id = old.id)
    """,
  ]

  /// Query for later changes, not undone, that affect the same rows, their places, their contents, or their codes.
  ///
  /// A change and its undo cancel each other out if both are later.
  private static let laterAlike: StaticString = """
    WITH later (number) AS (
      SELECT number FROM change AS one WHERE number > ?1 AND ifnull(reverts, 0) <= ?1
        AND NOT EXISTS (SELECT 1 FROM change WHERE change.reverts = one.number)),
    place_span (change, first, last) AS (
      SELECT change, id, id FROM undo_place UNION ALL SELECT change, first, last FROM undo_added WHERE is_item = 0),
    item_span (change, first, last) AS (
      SELECT change, id, id FROM undo_item UNION ALL SELECT change, first, last FROM undo_added WHERE is_item = 1),
    code_needed (code) AS (
      SELECT code FROM undo_place WHERE change = ?1 AND code IS NOT NULL
      UNION SELECT code FROM undo_barcode WHERE change = ?1 OR uuid IN (
        SELECT uuid FROM undo_place WHERE change = ?1 UNION SELECT uuid FROM undo_item WHERE change = ?1)
      UNION SELECT barcode.code FROM undo_place JOIN barcode ON barcode.uuid = undo_place.uuid WHERE change = ?1
      UNION SELECT barcode.code FROM undo_item JOIN barcode ON barcode.uuid = undo_item.uuid WHERE change = ?1),
    place_needed (first, last) AS (
      SELECT first, last FROM place_span WHERE change = ?1
      UNION ALL SELECT parent, parent FROM undo_place WHERE change = ?1 AND parent IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM place WHERE place.id = undo_place.id)
      UNION ALL SELECT box, box FROM undo_item WHERE change = ?1
        AND NOT EXISTS (SELECT 1 FROM item WHERE item.id = undo_item.id)
      UNION ALL SELECT place.id, place.id FROM code_needed JOIN place ON place.code = code_needed.code
      UNION ALL SELECT place.id, place.id FROM undo_added JOIN place ON parent BETWEEN first AND last
        WHERE change = ?1 AND is_item = 0),
    item_needed (first, last) AS (
      SELECT first, last FROM item_span WHERE change = ?1
      UNION ALL SELECT item.id, item.id FROM undo_added JOIN item ON box BETWEEN first AND last
        WHERE change = ?1 AND is_item = 0)
    SELECT change FROM place_span AS one WHERE change IN later
      AND EXISTS (SELECT 1 FROM place_needed WHERE one.first <= place_needed.last AND place_needed.first <= one.last)
    UNION ALL SELECT change FROM item_span AS one WHERE change IN later
      AND EXISTS (SELECT 1 FROM item_needed WHERE one.first <= item_needed.last AND item_needed.first <= one.last)
    UNION ALL SELECT change FROM undo_barcode WHERE change IN later AND code IN code_needed
    UNION ALL SELECT change FROM undo_tag AS one WHERE change IN later
      AND EXISTS (SELECT 1 FROM undo_tag WHERE undo_tag.change = ?1 AND undo_tag.uid = one.uid)
    ORDER BY change DESC LIMIT 1
    """
}
