// The history of moves: who, when, from where, to where; a person who has an item is a place, too. Names, not rows: it
// outlives what it is about.

import TappetCore
import TappetSQLite

/// A move from one place to another, to a person or back.
package struct InventoryMove: Hashable, Sendable {
  /// When it was.
  package var unixMilliseconds: Int64
  /// The name of the person who moved it.
  package var who: String
  /// The kind of thing.
  package var kind: InventoryKind
  /// The identity of what was moved.
  package var id: InventoryID
  /// Its name then.
  package var name: String
  /// The path of the place before, or the person's name.
  package var origin: String
  /// The path of the place after, or the person's name.
  package var destination: String
}

extension Inventory {
  /// Remembers a move within a transaction, after it was made.
  func noteMove(
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

  /// The moves, of one thing or of all, newest first, until `body` returns false.
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
