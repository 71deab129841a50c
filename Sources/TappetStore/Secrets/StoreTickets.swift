// Use counts of people's tickets (`PersonLimits.uses`). A use is committed with the entry of its tap, or before an
// output is driven. The table is not sealed, and is not part of the replica or of a backup, which contains the
// remaining uses instead.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the use count of each ticket.
  func ticketUses() throws(DatabaseError) -> [String: Int64] {
    let statement = try database.statement("SELECT ticket, count FROM ticket_uses")
    defer { statement.reset() }
    var uses: [String: Int64] = [:]
    while try statement.step() { uses[statement.text(0)] = statement.integer(1) }
    return uses
  }

  /// Counts a use, within a transaction.
  func countUse(of ticket: String) throws(DatabaseError) {
    let statement = try database.statement(
      """
      INSERT INTO ticket_uses (ticket, count) VALUES (?1, 1) ON CONFLICT (ticket) DO UPDATE SET count = count + 1
      """)
    statement.bind(ticket, at: 1)
    try statement.run()
  }

  /// Sets the use count of a new ticket, within a transaction.
  func setUses(_ count: Int64, of ticket: String) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO ticket_uses (ticket, count) VALUES (?1, ?2)")
    statement.bind(ticket, at: 1)
    statement.bind(count, at: 2)
    try statement.run()
  }

  /// Deletes the use count of a ticket that is no longer in use, within a transaction.
  func removeUses(of ticket: String) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM ticket_uses WHERE ticket = ?1")
    statement.bind(ticket, at: 1)
    try statement.run()
  }
}
