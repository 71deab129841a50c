// Changes that a kiosk may request more than once, because their response may be lost: each has a ticket, which is
// stored in the transaction of the change. The tickets of the last `Limits.inventoryTicketsMax` changes are kept.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Adds pieces to an item or removes pieces from it, unless this was done before with the same ticket.
  @export(interface)
  package func adjust(
    _ old: InventoryEntry, by pieces: Int64, ticket: Int64, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try transaction { () throws(InventoryError) in
      if try isUsed(ticket) { return try entry(old.id, of: old.kind) ?? old }
      let changed = try adjusted(old, by: pieces, by: who)
      try use(ticket)
      return changed
    }
  }

  func isUsed(_ ticket: Int64) throws(InventoryError) -> Bool {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT 1 FROM ticket WHERE ticket = ?1")
      defer { statement.reset() }
      statement.bind(ticket, at: 1)
      return try statement.step()
    }
  }

  /// Records that a change was made; for the end of a stocktake, also its result.
  func use(_ ticket: Int64, items: Int64? = nil, places: Int64 = 0) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        "INSERT OR REPLACE INTO ticket (ticket, items, places) VALUES (?1, ?2, ?3)")
      insertion.bind(ticket, at: 1)
      if let items { insertion.bind(items, at: 2) }
      insertion.bind(places, at: 3)
      try insertion.run()
      let pruning = try database.statement("DELETE FROM ticket WHERE number <= ?1")
      pruning.bind(database.lastRow - Limits.inventoryTicketsMax, at: 1)
      try pruning.run()
    }
  }
}
