// How often the tickets of people were used (`PersonLimits.uses`). A use is committed with the entry of its tap, or
// before an output is driven. The table is not sealed, and neither in the replica nor in a backup, which has what is
// left.

import TappetCore
import TappetSQLite

extension Store {
  /// The number of uses of each ticket.
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

  /// Sets the number of uses of a new ticket, within a transaction.
  func setUses(_ count: Int64, of ticket: String) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO ticket_uses (ticket, count) VALUES (?1, ?2)")
    statement.bind(ticket, at: 1)
    statement.bind(count, at: 2)
    try statement.run()
  }

  /// Forgets the uses of a ticket that nobody has any more, within a transaction.
  func removeUses(of ticket: String) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM ticket_uses WHERE ticket = ?1")
    statement.bind(ticket, at: 1)
    try statement.run()
  }
}
