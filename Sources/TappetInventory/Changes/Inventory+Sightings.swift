// Sightings: when an entry was last seen in an audit or a stocktake at the shelf, and by whom. A sighting changes
// nothing about the entry, so it is not in the journal and is not published.

import TappetCore
import TappetSQLite

/// The last sighting of an entry.
package struct InventorySighting: Hashable, Sendable {
  /// Time in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Name of the person who has seen the entry.
  package var who: String
}

extension Inventory {
  /// Records that an entry was seen in a stocktake.
  @export(interface)
  package func see(
    _ old: InventoryEntry, _ role: CheckedRole, in stocktake: Stocktake, by who: String
  ) throws(InventoryError) {
    try transaction { () throws(InventoryError) in
      let (entry, now) = (try require(old), now)
      try record(entry, role: Int64(role.rawValue), in: stocktake, by: who)
      try forgetMissing(entry)
      try stored { () throws(DatabaseError) in
        let statement = try database.statement("INSERT OR REPLACE INTO seen (uuid, unix_ms, who) VALUES (?1, ?2, ?3)")
        statement.bind(blob: entry.id.bytes, at: 1)
        statement.bind(now, at: 2)
        statement.bind(who, at: 3)
        try statement.run()
      }
    }
  }

  /// Returns the last sighting of an entry; `nil` if it was never seen.
  @export(interface)
  package func sighting(of entry: InventoryEntry) throws(InventoryError) -> InventorySighting? {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT unix_ms, who FROM seen WHERE uuid = ?1")
      defer { statement.reset() }
      statement.bind(blob: entry.id.bytes, at: 1)
      guard try statement.step() else { return nil }
      return InventorySighting(unixMilliseconds: statement.integer(0), who: statement.text(1))
    }
  }

  /// Returns whether an entry was not seen on the given day, by the local time, or later.
  package func isUnseen(_ entry: InventoryEntry, since day: CalendarDay) throws(InventoryError) -> Bool {
    guard let sighting = try sighting(of: entry) else { return true }
    return CalendarDay(unixSeconds: sighting.unixMilliseconds / 1000) < day
  }
}
