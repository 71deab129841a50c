// Changes that a kiosk may request more than once, because their response may be lost: each has a ticket, which is
// stored in the transaction of the change. The tickets of the last `Limits.inventoryTicketsMax` changes are kept.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Adds pieces to an item or removes pieces from it, in place of those that are replaced, unless this was done before
  /// with the same ticket.
  ///
  /// If nothing else has changed the item since, the change that is replaced leaves the journal: an undo takes back all
  /// pieces. If it was undone since, nothing is left to replace.
  @export(interface)
  package func adjust(
    _ old: InventoryEntry, by pieces: Int64, replacing replaced: Int64 = 0, ticket: Int64, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try transaction { () throws(InventoryError) in
      if try isUsed(ticket) { return try entry(old.id, of: old.kind) ?? old }
      let isReplaced = replaced == 0 ? false : try isUndone(old, by: who) ? true : takeBack(replaced, of: old, by: who)
      let rest = isReplaced ? pieces : pieces.subtractingReportingOverflow(replaced).partialValue
      let changed = rest == 0 ? try require(old) : try adjusted(old, by: rest, by: who)
      try use(ticket)
      return changed
    }
  }

  /// Whether a person's last change of an item was undone.
  private func isUndone(_ item: InventoryEntry, by who: String) throws(InventoryError) -> Bool {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT EXISTS (SELECT 1 FROM change AS later WHERE later.reverts = change.number)
        FROM undo_item JOIN change ON number = change WHERE id = ?1 AND verb = ?2 AND who = ?3
        ORDER BY number DESC LIMIT 1
        """)
      defer { statement.reset() }
      statement.bind(item.row, at: 1)
      statement.bind(InventoryVerb.edited.rawValue, at: 2)
      statement.bind(who, at: 3)
      return try statement.step() && statement.integer(0) != 0
    }
  }

  /// Takes back a person's last change of an item if it was by this number of pieces; returns whether it was.
  private func takeBack(_ pieces: Int64, of item: InventoryEntry, by who: String) throws(InventoryError) -> Bool {
    let number: Int64? = try stored { () throws(DatabaseError) in
      // With max(), the other columns are of the row with the maximum.
      let statement = try database.statement(
        """
        SELECT max(number), change.verb = ?2 AND who = ?3 AND old.quantity + ?4 = item.quantity
          AND (old.box, old.name, old.notes, old.minimum) IS (item.box, item.name, item.notes, item.minimum)
        FROM undo_item AS old JOIN change ON number = change JOIN item ON item.id = old.id WHERE old.id = ?1
        """)
      defer { statement.reset() }
      statement.bind(item.row, at: 1)
      statement.bind(InventoryVerb.edited.rawValue, at: 2)
      statement.bind(who, at: 3)
      statement.bind(pieces, at: 4)
      return try statement.step() && statement.integer(1) != 0 ? statement.integer(0) : nil
    }
    guard let number else { return false }
    try revert(number, now, by: who)
    try forget(number)
    return true
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
