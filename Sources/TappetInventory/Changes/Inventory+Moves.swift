// The history of moves: who moved which entry when, from where and to where; a borrower counts as a place. The history
// contains names instead of row numbers, so it outlives the entries.

import TappetCore
import TappetSQLite

/// A move from one place to another, or to or from a person.
package struct InventoryMove: Hashable, Sendable {
  /// Time of the move in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Name of the person who moved the entry.
  package var who: String
  /// Kind of the moved entry.
  package var kind: InventoryKind
  /// Id of the moved entry.
  package var id: InventoryID
  /// Name of the entry at the time of the move.
  package var name: String
  /// Path of the previous place, or name of the borrower.
  package var origin: String
  /// Path of the new place, or name of the borrower.
  package var destination: String
}

extension Inventory {
  /// Records a completed move within its transaction.
  func recordMove(
    of entry: InventoryEntry, from origin: String, to destination: String, _ now: Int64, by who: String
  ) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        """
        INSERT INTO move (unix_ms, who, kind, uuid, name, origin, destination) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """)
      insertion.bind(now, at: 1)
      insertion.bind(who, at: 2)
      insertion.bind(entry.kind.rawValue, at: 3)
      insertion.bind(blob: entry.id.bytes, at: 4)
      insertion.bind(entry.name, at: 5)
      insertion.bind(origin, at: 6)
      insertion.bind(destination, at: 7)
      try insertion.run()
      let pruning = try database.statement("DELETE FROM move WHERE number <= ?1")
      pruning.bind(database.lastRow - Limits.inventoryMovesMax, at: 1)
      try pruning.run()
    }
  }

  /// Calls `body` with the moves of one entry, or of all entries, newest first, until it returns false.
  @export(interface)
  package func forEachMove(
    of id: InventoryID?, _ body: (InventoryMove) -> Bool
  ) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        id == nil
          ? "SELECT unix_ms, who, kind, uuid, name, origin, destination FROM move ORDER BY number DESC"
          : """
          SELECT unix_ms, who, kind, uuid, name, origin, destination FROM move WHERE uuid = ?1 ORDER BY number DESC
          """)
      defer { statement.reset() }
      if let id { statement.bind(blob: id.bytes, at: 1) }
      while try statement.step() {
        guard let kind = InventoryKind(rawValue: statement.integer(2)), let id = InventoryID(statement.blob(3))
        else { continue }
        let move = InventoryMove(
          unixMilliseconds: statement.integer(0), who: statement.text(1), kind: kind, id: id, name: statement.text(4),
          origin: statement.text(5), destination: statement.text(6))
        guard body(move) else { return }
      }
    }
  }
}
