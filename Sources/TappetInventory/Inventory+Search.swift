// Full-text search: all words of a query, each as the beginning of one, in names, labels, codes and notes. The newest
// come first: to rank ten thousand hits takes longer than a person waits.

import TappetCore
import TappetSQLite

extension Inventory {
  /// The things that have all words of `text`, places before items, until `body` returns false or there are `limit`.
  @export(interface)
  package func search(
    _ text: String, limit: Int64, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let text = text.composed
    var left = limit
    var isGoingOn = true
    func pass(_ entry: InventoryEntry) throws(InventoryError) -> Bool {
      left -= 1
      isGoingOn = try body(entry)
      return isGoingOn && left > 0
    }
    guard left > 0 else { return }
    var seen: Set<InventoryRow> = []
    try forEachBox(codePrefix: text, left) { (box) throws(InventoryError) in
      seen.insert(box.row)
      return try pass(box)
    }
    guard isGoingOn, left > 0, let query = SearchText.query(text) else { return }
    try forEachRow(of: try matches(query, .box, left + Int64(seen.count)), .box) { (place) throws(InventoryError) in
      seen.contains(place.row) ? true : try pass(place)
    }
    guard isGoingOn, left > 0 else { return }
    try forEachRow(of: try matches(query, .item, left), .item, pass)
  }

  private func matches(_ query: String, _ kind: InventoryKind, _ limit: Int64) throws(InventoryError) -> Statement {
    let statement = try statement(
      kind,
      place: """
        SELECT place.id, uuid, parent, kind, place.name, code, created
        FROM place_text JOIN place ON place.id = place_text.rowid
        WHERE place_text MATCH ?1 ORDER BY place_text.rowid DESC LIMIT ?2
        """,
      item: """
        SELECT item.id, uuid, box, item.name, item.notes, quantity, minimum, photo, photo_hash, created
        FROM item_text JOIN item ON item.id = item_text.rowid
        WHERE item_text MATCH ?1 ORDER BY item_text.rowid DESC LIMIT ?2
        """)
    statement.bind(query, at: 1)
    statement.bind(limit, at: 2)
    return statement
  }

  /// The boxes whose code begins with this text, in ASCII without regard to case.
  private func forEachBox(
    codePrefix text: String, _ limit: Int64, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    if text.isEmpty { return }
    let statement = try stored { () throws(DatabaseError) in
      try database.statement(
        """
        SELECT id, uuid, parent, kind, name, code, created FROM place
        WHERE code IS NOT NULL AND code COLLATE NOCASE >= ?1 AND code COLLATE NOCASE < ?2
        ORDER BY code COLLATE NOCASE LIMIT ?3
        """)
    }
    statement.bind(text, at: 1)
    // No character follows this one.
    statement.bind(text + "\u{10FFFF}", at: 2)
    statement.bind(limit, at: 3)
    try forEachRow(of: statement, .box, body)
  }
}
