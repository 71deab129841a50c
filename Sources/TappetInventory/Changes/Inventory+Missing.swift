// Missing entries: those that were not seen when their place was counted or audited. They are missing until they are
// seen, counted, moved, lent or returned. Nothing else about them changes, so they are not in the journal.

import TappetCore
import TappetSQLite

extension Inventory {
  // MARK: Stocktakes

  /// Returns the places in a stocktake in the order in which they were tapped, each with its row.
  func places(
    in stocktake: Int64
  ) throws(InventoryError) -> [(row: InventoryRow, place: CheckedPlace, role: CheckedRole)] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT place.id, place.uuid, place.kind, role FROM tally CROSS JOIN place ON place.uuid = tally.uuid
        WHERE stocktake = ?1 ORDER BY unix_ms
        """)
      defer { statement.reset() }
      statement.bind(stocktake, at: 1)
      var places: [(row: InventoryRow, place: CheckedPlace, role: CheckedRole)] = []
      while try statement.step() {
        guard let id = InventoryID(statement.blob(1)), let kind = InventoryKind(rawValue: statement.integer(2)),
          let role = CheckedRole(rawValue: UInt8(clamping: statement.integer(3)))
        else { continue }
        places.append((statement.integer(0), CheckedPlace(id: id, kind: kind), role))
      }
      return places
    }
  }

  /// Records what is missing from the places of a stocktake, within the transaction that ends it; returns the number of
  /// places in which something could be missing.
  func recordMissing(in stocktake: Int64) throws(InventoryError) -> Int64 {
    let now = now
    var count: Int64 = 0
    for (row, place, role) in try places(in: stocktake) {
      // A box in an audit, or a place within another one, may have been tapped only because it is there. Its contents
      // were looked for if one of them was seen.
      let isSeenOnly = role == .content || role == .auditedPlace && place.kind == .box
      if isSeenOnly, try !hasSeen(in: row, place.kind, stocktake) { continue }
      try recordMissing(from: row, isOfItems: place.kind == .box || role == .countedPlace, stocktake, now)
      count += 1
    }
    return count
  }

  /// Returns whether any of the direct contents of a place was seen in a stocktake.
  private func hasSeen(
    in row: InventoryRow, _ kind: InventoryKind, _ stocktake: Int64
  ) throws(InventoryError) -> Bool {
    let statement = try statement(
      kind == .box ? .item : .box,
      place: """
        SELECT 1 FROM place CROSS JOIN tally ON tally.uuid = place.uuid WHERE parent = ?1 AND stocktake = ?2
        """,
      item: "SELECT 1 FROM item CROSS JOIN tally ON tally.uuid = item.uuid WHERE box = ?1 AND stocktake = ?2")
    defer { statement.reset() }
    statement.bind(row, at: 1)
    statement.bind(stocktake, at: 2)
    return try stored { () throws(DatabaseError) in try statement.step() }
  }

  /// Records the contents of a place that were not seen; of a spot that is counted, the items in all its boxes.
  ///
  /// An entry that people have is not missing, nor is an item with the quantity 0.
  private func recordMissing(
    from row: InventoryRow, isOfItems: Bool, _ stocktake: Int64, _ now: Int64
  ) throws(InventoryError) {
    let statement = try statement(
      isOfItems ? .item : .box,
      place: """
        INSERT OR REPLACE INTO missing (uuid, stocktake, unix_ms)
        SELECT uuid, ?2, ?3 FROM place WHERE parent = ?1
          AND NOT EXISTS (SELECT 1 FROM tally WHERE stocktake = ?2 AND tally.uuid = place.uuid)
          AND NOT EXISTS (SELECT 1 FROM loan WHERE loan.uuid = place.uuid)
        """,
      item: """
        INSERT OR REPLACE INTO missing (uuid, stocktake, unix_ms)
        SELECT item.uuid, ?2, ?3 FROM place AS holder CROSS JOIN item ON item.box = holder.id
        WHERE (holder.id = ?1 OR holder.parent = ?1)
          AND NOT EXISTS (SELECT 1 FROM loan WHERE loan.uuid = holder.uuid)
          AND NOT EXISTS (SELECT 1 FROM tally WHERE stocktake = ?2 AND tally.uuid = item.uuid)
          AND item.quantity > (
            SELECT ifnull(sum(ifnull(loan.quantity, item.quantity)), 0) FROM loan WHERE loan.uuid = item.uuid)
        """)
    statement.bind(row, at: 1)
    statement.bind(stocktake, at: 2)
    statement.bind(now, at: 3)
    try stored { () throws(DatabaseError) in try statement.run() }
  }

  /// Records that an entry is not missing.
  func forgetMissing(_ entry: InventoryEntry) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let deletion = try database.statement("DELETE FROM missing WHERE uuid = ?1")
      deletion.bind(blob: entry.id.bytes, at: 1)
      try deletion.run()
    }
  }

  // MARK: Queries

  /// Returns the first entries that are missing since the given stocktake, and the number of all.
  func missingList(since stocktake: Int64) throws(InventoryError) -> InventoryList {
    var list = InventoryList(.missing, count: try missingCount(since: stocktake))
    try forEachMissing(since: stocktake) { (entry) throws(InventoryError) in
      list.items.append(InventoryList.Item(id: entry.id, name: entry.name, path: "", quantity: entry.quantity))
      return list.items.count < Limits.inventoryMissingMax
    }
    return list
  }

  /// Returns the number of missing entries, or of those that are missing since the given stocktake.
  @export(interface)
  package func missingCount(since stocktake: Int64? = nil) throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT count(*) FROM missing WHERE (?1 IS NULL OR stocktake = ?1)
          AND (EXISTS (SELECT 1 FROM item WHERE item.uuid = missing.uuid)
            OR EXISTS (SELECT 1 FROM place WHERE place.uuid = missing.uuid))
        """)
      defer { statement.reset() }
      if let stocktake { statement.bind(stocktake, at: 1) }
      return try statement.step() ? statement.integer(0) : 0
    }
  }

  /// Calls `body` with the missing entries, or those that are missing since the given stocktake, until it returns
  /// false: the last missing ones first.
  @export(interface)
  package func forEachMissing(
    since stocktake: Int64? = nil, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try stored { () throws(DatabaseError) in
      try database.statement(
        "SELECT uuid FROM missing WHERE ?1 IS NULL OR stocktake = ?1 ORDER BY unix_ms DESC, uuid")
    }
    defer { statement.reset() }
    if let stocktake { statement.bind(stocktake, at: 1) }
    while try stored({ () throws(DatabaseError) in try statement.step() }) {
      guard let id = InventoryID(statement.blob(0)), let entry = try entry(id) else { continue }
      guard try body(entry) else { return }
    }
  }
}
