// Stocktakes at the shelf. The pieces that were counted are kept in a tally until the stocktake ends; then they become
// the quantities of their items, whatever other changes were made in the meantime.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Counts pieces of an item, unless this was done before with the same ticket; returns the tally of the item.
  @export(interface)
  package func tally(
    _ old: InventoryEntry, _ pieces: Int64, in stocktake: Stocktake, ticket: Int64, by who: String
  ) throws(InventoryError) -> Int64 {
    try transaction { () throws(InventoryError) in
      let item = try require(old)
      let count = try count(of: item, in: stocktake)
      if try isUsed(ticket) { return count }
      guard (0...Limits.inventoryQuantityMax).contains(pieces), count + pieces <= Limits.inventoryQuantityMax else {
        throw .wrongQuantity(pieces)
      }
      let now = now
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          """
          INSERT OR REPLACE INTO tally (stocktake, uuid, action, who, unix_ms, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          """)
        statement.bind(stocktake.number, at: 1)
        statement.bind(blob: item.id.bytes, at: 2)
        statement.bind(stocktake.action, at: 3)
        statement.bind(who, at: 4)
        statement.bind(now, at: 5)
        statement.bind(count + pieces, at: 6)
        try statement.run()
      }
      try use(ticket)
      return count + pieces
    }
  }

  /// Returns the stocktakes that have not ended, each with the last person in it; the last one first.
  @export(interface)
  package func stocktakes() throws(InventoryError) -> [(stocktake: Stocktake, who: String)] {
    try stored { () throws(DatabaseError) in
      // With max(), the other columns are of the row with the maximum.
      let statement = try database.statement(
        "SELECT stocktake, action, who, max(unix_ms) FROM tally GROUP BY stocktake ORDER BY 4 DESC, 1")
      defer { statement.reset() }
      var stocktakes: [(stocktake: Stocktake, who: String)] = []
      while try statement.step() {
        let stocktake = Stocktake(number: statement.integer(0), action: statement.text(1))
        stocktakes.append((stocktake, statement.text(2)))
      }
      return stocktakes
    }
  }

  /// Ends a stocktake: its counts become the quantities of their items, or they are discarded.
  ///
  /// Pieces that people have are not at the shelf, and are added. Returns the number of items counted; 0 if the
  /// stocktake has ended before.
  @export(interface)
  package func endStocktake(_ number: Int64, isKept: Bool) throws(InventoryError) -> Int64 {
    try transaction { () throws(InventoryError) in
      let counts = try counts(in: number)
      if isKept {
        for (id, count, who) in counts {
          guard let item = try entry(id, of: .item) else { continue }
          let lent = try loans(of: item).reduce(0) { $0 + ($1.quantity ?? 0) }
          var values = InventoryEdit()
          values.quantity = min(count + lent, Limits.inventoryQuantityMax)
          // An item of which there are as many as known is not changed.
          if values.quantity != item.quantity { _ = try edited(item, values, as: .counted, by: who) }
        }
      }
      try stored { () throws(DatabaseError) in
        let deletion = try database.statement("DELETE FROM tally WHERE stocktake = ?1")
        deletion.bind(number, at: 1)
        try deletion.run()
      }
      return Int64(counts.count)
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
        "SELECT uuid, count, who FROM tally WHERE stocktake = ?1 ORDER BY unix_ms, uuid")
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
