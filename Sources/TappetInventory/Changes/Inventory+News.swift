// Changes that a kiosk publishes. Each change is recorded in the transaction that makes it, and kept until the kiosk
// has stored it on disk.

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
  /// The quantities before and after a stocktake; `nil` for other changes.
  package var correction: StockCorrection?
  /// Number of changes that were dropped; only for a gap, which refers to no entry.
  package var droppedCount: Int64 = 0
}

extension Inventory {
  /// Records a change within the transaction that makes it.
  func recordNews(
    _ verb: InventoryVerb, _ entry: InventoryEntry, _ now: Int64, by who: String, _ correction: StockCorrection? = nil
  ) throws(InventoryError) {
    if [.moved, .lent, .returned, .counted].contains(verb) { try forgetMissing(entry) }
    let path = try location(of: entry).path
    try stored { () throws(DatabaseError) in
      let insertion = try database.statement(
        """
        INSERT INTO news (unix_ms, who, kind, verb, uuid, name, path, counted_from, counted_to)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """)
      insertion.bind(now, at: 1)
      insertion.bind(who, at: 2)
      insertion.bind(entry.kind.rawValue, at: 3)
      insertion.bind(verb.rawValue, at: 4)
      insertion.bind(blob: entry.id.bytes, at: 5)
      insertion.bind(entry.name, at: 6)
      insertion.bind(path, at: 7)
      if let correction {
        insertion.bind(correction.from, at: 8)
        insertion.bind(correction.to, at: 9)
      }
      try insertion.run()
      let pruning = try database.statement("DELETE FROM news WHERE number <= ?1")
      pruning.bind(database.lastRow - Limits.inventoryNewsMax, at: 1)
      try pruning.run()
    }
  }

  /// Returns the first unpublished change, or the gap before it if older changes were dropped; `nil` at the very first
  /// call, because earlier changes are not published.
  @export(interface)
  package func nextNews() throws(InventoryError) -> InventoryNews? {
    try stored { () throws(DatabaseError) in
      guard let last = try database.integer("SELECT number FROM announced") else {
        try database.execute("INSERT INTO announced (id, number) SELECT 1, ifnull(max(number), 0) FROM news")
        return nil
      }
      let statement = try database.statement(
        """
        SELECT number, unix_ms, who, kind, verb, uuid, name, path, counted_from, counted_to FROM news WHERE number > ?1
        ORDER BY number LIMIT 1
        """)
      defer { statement.reset() }
      statement.bind(last, at: 1)
      guard try statement.step(), let kind = InventoryKind(rawValue: statement.integer(3)),
        let verb = InventoryVerb(rawValue: statement.integer(4)), let id = InventoryID(statement.blob(5))
      else { return nil }
      let dropped = statement.integer(0) - last - 1
      if dropped > 0 { return gap(dropped, upTo: last + dropped, unixMilliseconds: statement.integer(1)) }
      var news = InventoryNews(
        number: statement.integer(0), unixMilliseconds: statement.integer(1), who: statement.text(2), verb: verb,
        kind: kind, id: id, name: statement.text(6), path: statement.text(7))
      if !statement.isNull(8) {
        news.correction = StockCorrection(from: statement.integer(8), to: statement.integer(9))
      }
      return news
    }
  }

  /// Returns the news that changes were dropped; numbers are consecutive, so a missing number is a dropped change.
  private func gap(_ count: Int64, upTo number: Int64, unixMilliseconds: Int64) -> InventoryNews? {
    // The nil UUID belongs to no entry.
    guard let id = InventoryID([UInt8](repeating: 0, count: 16)) else { return nil }
    return InventoryNews(
      number: number, unixMilliseconds: unixMilliseconds, who: "", verb: .gap, kind: .item, id: id, name: "", path: "",
      droppedCount: count)
  }

  /// Records that the changes up to `number` have been published; fails immediately while another process writes.
  @export(interface)
  package func passedOn(upTo number: Int64) throws(InventoryError) {
    try recorded { () throws(InventoryError) in
      try stored { () throws(DatabaseError) in
        let statement = try database.statement("UPDATE announced SET number = max(number, ?1)")
        statement.bind(number, at: 1)
        try statement.run()
      }
    }
  }

  /// Writes in a transaction, but does not wait for an import to finish, because taps must be handled in the meantime.
  func recorded(_ body: () throws(InventoryError) -> Void) throws(InventoryError) {
    var failure: InventoryError?
    try stored { () throws(DatabaseError) in
      try database.withoutWaiting { () throws(DatabaseError) in
        do throws(InventoryError) { try transaction(body) } catch { failure = error }
      }
    }
    if let failure { throw failure }
  }
}
