// The journal: each change stores the previous state of its rows, and the rows that it added. The last
// `Limits.inventoryUndoMax` changes are kept. An undo is also a change; its `reverts` is the number of the undone
// change.

import TappetCore
import TappetSQLite

/// A change in the journal.
package struct InventoryChange: Hashable, Sendable {
  /// Number of the change; numbers increase with each change.
  package var number: Int64
  /// Kind of the changed entry.
  package var kind: InventoryKind
  /// The kind of change.
  package var verb: InventoryVerb
  /// Name of the entry before the change.
  package var name: String
  /// Name of the person who made the change.
  package var who: String
  /// Time of the change in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Number of entries changed, added or removed.
  package var thingCount: Int64
  /// Whether the change has been undone.
  package var isTakenBack: Bool
  /// Number of the change that this change undid; `nil` if it is not an undo.
  var reverts: Int64?
}

extension Inventory {
  /// Adds a change to the journal within a transaction; returns its number.
  ///
  /// Reservations and changes of labels alone are not news: they are not published.
  func note(
    _ verb: InventoryVerb, _ entry: InventoryEntry, _ now: Int64, by who: String, isNews: Bool = true,
    _ correction: StockCorrection? = nil
  ) throws(InventoryError) -> Int64 {
    let size = who.utf8.count
    guard size <= Limits.inventoryNameSizeMax else {
      throw .tooLong(what: "author's name", size: size, max: Limits.inventoryNameSizeMax)
    }
    if isNews { try recordNews(verb, entry, now, by: who, correction) }
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
        """
        DELETE FROM change WHERE number <=
          (SELECT number FROM change WHERE verb <> ?2 ORDER BY number DESC LIMIT 1 OFFSET ?1)
        """)
      pruning.bind(Limits.inventoryUndoMax, at: 1)
      pruning.bind(InventoryVerb.undone.rawValue, at: 2)
      try pruning.run()
      return number
    }
  }

  /// Records which rows a change added.
  func recordAdded(_ kind: InventoryKind, _ rows: ClosedRange<Int64>, in change: Int64) throws(InventoryError) {
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

  /// Stores the current state of a row before it is changed.
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

  /// Stores the current state of a row and of everything contained in its entry.
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

  /// Returns the changes in the journal, excluding undos, newest first.
  @export(interface)
  package func changes() throws(InventoryError) -> [InventoryChange] { try allChanges().filter { $0.reverts == nil } }

  /// Returns the quantities before and after the change of an item; `nil` if the change left the quantity as it was, or
  /// is of several entries.
  @export(interface)
  package func correction(by change: InventoryChange) throws(InventoryError) -> StockCorrection? {
    guard change.kind == .item, change.thingCount == 1, [.edited, .counted].contains(change.verb) else { return nil }
    return try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT old.quantity, ifnull(
          (SELECT quantity FROM undo_item AS later WHERE later.id = old.id AND later.change > old.change
            ORDER BY later.change LIMIT 1),
          (SELECT quantity FROM item WHERE item.id = old.id))
        FROM undo_item AS old WHERE old.change = ?1
        """)
      defer { statement.reset() }
      statement.bind(change.number, at: 1)
      guard try statement.step(), !statement.isNull(1), statement.integer(0) != statement.integer(1) else { return nil }
      return StockCorrection(from: statement.integer(0), to: statement.integer(1))
    }
  }

  /// Returns the changes in the journal, including undos, newest first.
  func allChanges() throws(InventoryError) -> [InventoryChange] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT number, unix_ms, who, kind, verb, name,
          (SELECT count(*) FROM undo_place WHERE change = number)
            + (SELECT count(*) FROM undo_item WHERE change = number)
            + (SELECT ifnull(sum(last - first + 1), 0) FROM undo_added WHERE change = number),
          EXISTS (SELECT 1 FROM change AS later WHERE later.reverts = change.number), reverts
        FROM change ORDER BY number DESC
        """)
      defer { statement.reset() }
      var changes: [InventoryChange] = []
      while try statement.step() {
        guard let kind = InventoryKind(rawValue: statement.integer(3)),
          let verb = InventoryVerb(rawValue: statement.integer(4))
        else { continue }
        changes.append(
          InventoryChange(
            number: statement.integer(0), kind: kind, verb: verb, name: statement.text(5), who: statement.text(2),
            unixMilliseconds: statement.integer(1), thingCount: statement.integer(6),
            isTakenBack: statement.integer(7) != 0, reverts: statement.isNull(8) ? nil : statement.integer(8)))
      }
      return changes
    }
  }
}
