// Changes that a kiosk publishes. Each change is recorded in the transaction that makes it, and kept until the kiosk
// has stored it on disk. Low items are found by their current quantity, so imports and undos are covered as well.

import TappetCore
import TappetSQLite

/// A change to be published.
package struct InventoryNews: Hashable, Sendable {
  /// Number of the change; numbers increase with each change.
  package var number: Int64
  /// Time of the change in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Name of the person who made the change.
  package var who: String
  /// The kind of change.
  package var verb: InventoryVerb
  /// Kind of the changed entry.
  package var kind: InventoryKind
  /// Id of the entry; for an import or an undo, an id that belongs to no entry.
  package var id: InventoryID
  /// Name of the entry at the time of the change.
  package var name: String
  /// Path of the entry's place at the time of the change.
  package var path: String
}

extension Inventory {
  /// Records a change within the transaction that makes it.
  func recordNews(_ verb: InventoryVerb, _ entry: InventoryEntry, _ now: Int64, by who: String) throws(InventoryError) {
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

  /// Returns the first unpublished change; `nil` at the very first call, because earlier changes are not published.
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

  /// Records that the changes up to `number` have been published; fails immediately while another process writes.
  package func passedOn(upTo number: Int64) throws(InventoryError) {
    try recorded { () throws(DatabaseError) in
      let statement = try database.statement("UPDATE announced SET number = max(number, ?1)")
      statement.bind(number, at: 1)
      try statement.run()
    }
  }

  /// Writes, but does not wait for an import to finish, because taps must be handled during the import.
  private func recorded(_ body: () throws(DatabaseError) -> Void) throws(InventoryError) {
    try stored { () throws(DatabaseError) in try database.withoutWaiting(body) }
  }

  /// Returns the first low item that has not been reported yet.
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

  /// Records that the low item has been reported; fails immediately while another process writes.
  package func passedOnLow(_ id: InventoryID) throws(InventoryError) {
    try recorded { () throws(DatabaseError) in
      let statement = try database.statement("INSERT OR IGNORE INTO announced_low (uuid) VALUES (?1)")
      statement.bind(blob: id.bytes, at: 1)
      try statement.run()
    }
  }

  /// Clears the reports of items that are no longer low, so that they are reported again when they next become low.
  ///
  /// Fails immediately while another process writes. If the call succeeds, all detected changes are committed: a change
  /// of the log's file is detected before the commit is visible.
  @export(interface)
  package func clearLowReportsOfRestockedItems() throws(InventoryError) {
    try recorded { () throws(DatabaseError) in
      try database.execute(
        """
        DELETE FROM announced_low WHERE NOT EXISTS (
          SELECT 1 FROM item WHERE item.uuid = announced_low.uuid AND minimum IS NOT NULL AND quantity < minimum)
        """)
    }
  }

  /// Returns the number of low items.
  package func lowItemCount() throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      try database.integer("SELECT count(*) FROM item WHERE minimum IS NOT NULL AND quantity < minimum") ?? 0
    }
  }
}
