// The changes that a kiosk passes on: each one is noted in its own transaction, and kept until the kiosk has it on its
// disk. Low items are found by their state, so that an import and an undo count, too.

import TappetCore
import TappetSQLite

/// A change to be passed on.
package struct InventoryNews: Hashable, Sendable {
  /// Its number, rising.
  package var number: Int64
  /// When it was made.
  package var unixMilliseconds: Int64
  /// The name of the person who made it.
  package var who: String
  /// The kind of change.
  package var verb: InventoryVerb
  /// The kind of thing.
  package var kind: InventoryKind
  /// Identity of the thing; of an import and of what was taken back, nothing's.
  package var id: InventoryID
  /// Its name then.
  package var name: String
  /// The path of its place then.
  package var path: String
}

extension Inventory {
  /// Notes a change within its transaction.
  func noteNews(_ verb: InventoryVerb, _ entry: InventoryEntry, _ now: Int64, by who: String) throws(InventoryError) {
    let path = try location(of: entry).path
    try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        "INSERT INTO news (unix_ms, who, kind, verb, uuid, name, path) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      insertion.bind(now, at: 1)
      insertion.bind(who, at: 2)
      insertion.bind(entry.kind.rawValue, at: 3)
      insertion.bind(verb.rawValue, at: 4)
      insertion.bind(blob: entry.id.bytes, at: 5)
      insertion.bind(entry.name, at: 6)
      insertion.bind(path, at: 7)
      try insertion.run()
      let pruning = try database.statement("DELETE FROM news WHERE number <= ?1")
      pruning.bind(database.lastRow - Limits.inventoryNewsMax, at: 1)
      try pruning.run()
    }
  }

  /// The first change that was not passed on; at the first call ever, none: nobody waits for what was before.
  @export(interface)
  package func nextNews() throws(InventoryError) -> InventoryNews? {
    try stored { () throws(DatabaseError) in
      guard let last = try database.integer("SELECT number FROM announced") else {
        try database.execute("INSERT INTO announced (id, number) SELECT 1, ifnull(max(number), 0) FROM news")
        return nil
      }
      let statement = try database.statement(
        "SELECT number, unix_ms, who, kind, verb, uuid, name, path FROM news WHERE number > ?1 ORDER BY number LIMIT 1")
      defer { statement.reset() }
      statement.bind(last, at: 1)
      guard try statement.step(), let kind = InventoryKind(rawValue: statement.integer(3)),
        let verb = InventoryVerb(rawValue: statement.integer(4)), let id = InventoryID(statement.blob(5))
      else { return nil }
      return InventoryNews(
        number: statement.integer(0), unixMilliseconds: statement.integer(1), who: statement.text(2), verb: verb,
        kind: kind, id: id, name: statement.text(6), path: statement.text(7))
    }
  }

  /// Remembers that the changes up to this number were passed on.
  package func passedOn(upTo number: Int64) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("UPDATE announced SET number = max(number, ?1)")
      statement.bind(number, at: 1)
      try statement.run()
    }
  }

  /// The first item of which there is less than there should be, and of which nobody knows that.
  @export(interface)
  package func nextLowItem() throws(InventoryError) -> InventoryEntry? {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item
        WHERE minimum IS NOT NULL AND quantity < minimum
          AND NOT EXISTS (SELECT 1 FROM announced_low WHERE announced_low.uuid = item.uuid) ORDER BY created LIMIT 1
        """)
    return try first(statement, of: .item)
  }

  /// Remembers that it is known that there is less of the item than there should be.
  package func passedOnLow(_ id: InventoryID) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("INSERT OR IGNORE INTO announced_low (uuid) VALUES (?1)")
      statement.bind(blob: id.bytes, at: 1)
      try statement.run()
    }
  }

  /// Forgets the items of which there is enough again, so that they are news when they are low again.
  @export(interface)
  package func forgetStockedItems() throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      try database.execute(
        """
        DELETE FROM announced_low WHERE NOT EXISTS (
          SELECT 1 FROM item WHERE item.uuid = announced_low.uuid AND minimum IS NOT NULL AND quantity < minimum)
        """)
    }
  }

  /// Number of items of which there is less than there should be.
  package func lowItemCount() throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      try database.integer("SELECT count(*) FROM item WHERE minimum IS NOT NULL AND quantity < minimum") ?? 0
    }
  }
}
