// Stocktakes at the shelf. The pieces that were counted are kept in a tally until the stocktake ends; then they become
// the quantities of their items, whatever other changes were made in the meantime.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Counts pieces of an item, in place of those that are replaced, unless this was done before with the same ticket;
  /// returns the tally of the item.
  @export(interface)
  package func tally(
    _ old: InventoryEntry, _ pieces: Int64, replacing replaced: Int64 = 0, in stocktake: Stocktake, ticket: Int64,
    by who: String
  ) throws(InventoryError) -> Int64 {
    try transaction { () throws(InventoryError) in
      let item = try require(old)
      let count = try count(of: item, in: stocktake)
      if try isUsed(ticket) { return count }
      guard (0...Limits.inventoryQuantityMax).contains(pieces), (0...count).contains(replaced),
        count - replaced + pieces <= Limits.inventoryQuantityMax
      else { throw .wrongQuantity(pieces) }
      try record(item, count: count - replaced + pieces, in: stocktake, by: who)
      try use(ticket)
      try forgetMissing(item)
      return count - replaced + pieces
    }
  }

  /// Records a counted item, or an entry that was seen.
  ///
  /// The wall clock may be set back, so the time is later than all others: they are the order of recording.
  func record(
    _ entry: InventoryEntry, count: Int64 = 0, role: Int64 = 0, in stocktake: Stocktake, by who: String
  ) throws(InventoryError) {
    let now = now
    try stored { () throws(DatabaseError) in
      // A place that is later seen as a part of another one is still a place.
      let statement = try database.statement(
        """
        INSERT INTO tally (stocktake, uuid, action, who, unix_ms, count, role)
        VALUES (?1, ?2, ?3, ?4, max(?5, (SELECT ifnull(max(unix_ms), 0) + 1 FROM tally)), ?6, ?7)
        ON CONFLICT (stocktake, uuid) DO UPDATE SET
          who = excluded.who, unix_ms = iif(excluded.role < role, unix_ms, excluded.unix_ms), count = excluded.count,
          role = max(role, excluded.role)
        """)
      statement.bind(stocktake.number, at: 1)
      statement.bind(blob: entry.id.bytes, at: 2)
      statement.bind(stocktake.action, at: 3)
      statement.bind(who, at: 4)
      statement.bind(now, at: 5)
      statement.bind(count, at: 6)
      statement.bind(role, at: 7)
      try statement.run()
    }
  }

  /// A stocktake or an audit that has not ended, with the last person and the last place in it.
  package typealias Open = (stocktake: Stocktake, isAudit: Bool, who: String, place: CheckedPlace?)

  /// Returns the stocktakes that have not ended, the last one first.
  @export(interface)
  package func stocktakes() throws(InventoryError) -> [Open] {
    var stocktakes = try stored { () throws(DatabaseError) in
      // With max(), the other columns are of the row with the maximum. An odd role means an audit.
      let statement = try database.statement(
        """
        SELECT stocktake, action, who, max(unix_ms), sum(role & 1) FROM tally GROUP BY stocktake ORDER BY 4 DESC
        """)
      defer { statement.reset() }
      var stocktakes: [Open] = []
      while try statement.step() {
        let stocktake = Stocktake(number: statement.integer(0), action: statement.text(1))
        stocktakes.append((stocktake, statement.integer(4) > 0, statement.text(2), nil))
      }
      return stocktakes
    }
    for index in stocktakes.indices {
      let places = try places(in: stocktakes[index].stocktake.number)
      stocktakes[index].place = places.last { $0.role != .content }?.place
    }
    return stocktakes
  }

  /// Ends a stocktake: its counts become the quantities of their items, or they are discarded.
  ///
  /// Pieces that people have are not at the shelf, and are added. Returns the number of items counted or entries seen,
  /// and what is missing from its places, `nil` if there were none. The response may be lost: the end has the result
  /// that it had the first time.
  @export(interface)
  package func endStocktake(
    _ number: Int64, isKept: Bool
  ) throws(InventoryError) -> (items: Int64, missing: InventoryList?) {
    try transaction { () throws(InventoryError) in
      if let former = try result(of: number) { return former }
      let items = try size(of: number)
      if isKept { try write(try counts(in: number)) }
      let places = isKept ? try recordMissing(in: number) : 0
      try stored { () throws(DatabaseError) in
        let deletion = try database.statement("DELETE FROM tally WHERE stocktake = ?1")
        deletion.bind(number, at: 1)
        try deletion.run()
      }
      try use(number, items: items, places: places)
      return (items, places > 0 ? try missingList(since: number) : nil)
    }
  }

  private func write(_ counts: [(id: InventoryID, count: Int64, who: String)]) throws(InventoryError) {
    for (id, count, who) in counts {
      guard let item = try entry(id, of: .item) else { continue }
      let lent = try loans(of: item).reduce(0) { $0 + ($1.quantity ?? 0) }
      var values = InventoryEdit()
      values.quantity = min(count + lent, Limits.inventoryQuantityMax)
      // An item of which there are as many as known is not changed.
      if values.quantity != item.quantity { _ = try edited(item, values, as: .counted, by: who) }
    }
  }

  /// Returns the result of a stocktake that has ended; `nil` if it has not.
  private func result(of number: Int64) throws(InventoryError) -> (items: Int64, missing: InventoryList?)? {
    let (items, places): (Int64?, Int64) = try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT items, places FROM ticket WHERE ticket = ?1 AND items >= 0")
      defer { statement.reset() }
      statement.bind(number, at: 1)
      return try statement.step() ? (statement.integer(0), statement.integer(1)) : (nil, 0)
    }
    guard let items else { return nil }
    return (items, places > 0 ? try missingList(since: number) : nil)
  }

  /// Returns the number of items that were counted, or of entries that were seen in an audit.
  private func size(of number: Int64) throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT count(*) FROM tally WHERE stocktake = ?1 AND role <> 2")
      defer { statement.reset() }
      statement.bind(number, at: 1)
      return try statement.step() ? statement.integer(0) : 0
    }
  }

  private func count(of item: InventoryEntry, in stocktake: Stocktake) throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT count FROM tally WHERE stocktake = ?1 AND uuid = ?2")
      defer { statement.reset() }
      statement.bind(stocktake.number, at: 1)
      statement.bind(blob: item.id.bytes, at: 2)
      return try statement.step() ? statement.integer(0) : 0
    }
  }

  /// Returns the counts of a stocktake in the order of their last pieces.
  private func counts(
    in number: Int64
  ) throws(InventoryError) -> [(id: InventoryID, count: Int64, who: String)] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        "SELECT uuid, count, who FROM tally WHERE stocktake = ?1 AND role = 0 ORDER BY unix_ms")
      defer { statement.reset() }
      statement.bind(number, at: 1)
      var counts: [(id: InventoryID, count: Int64, who: String)] = []
      while try statement.step() {
        guard let id = InventoryID(statement.blob(0)) else { continue }
        counts.append((id, statement.integer(1), statement.text(2)))
      }
      return counts
    }
  }
}
