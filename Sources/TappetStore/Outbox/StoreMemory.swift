// Facts that outlive a restart: the latest time that was believed, so that a clock that is set back does not make a
// person's last day valid again, and the wrong codes at the panel, so that a power cut does not end their wait.

import TappetCore
import TappetSQLite

extension Store {
  /// The time that was noted last, in seconds since 1970; `nil` when there is none.
  package func latestTime() throws(DatabaseError) -> Int64? {
    try database.integer("SELECT value FROM meta WHERE name = 'latest time'")
  }

  /// Notes it, within a transaction.
  func noteTime(_ unixSeconds: Int64) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('latest time', ?1)")
    statement.bind(unixSeconds, at: 1)
    try statement.run()
  }

  /// The number of wrong codes since the panel was unlocked last.
  package func wrongCodes() throws(DatabaseError) -> Int {
    Int(clamping: try database.integer("SELECT value FROM meta WHERE name = 'wrong codes'") ?? 0)
  }

  /// Notes it, within a transaction.
  func noteWrongCodes(_ count: Int) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('wrong codes', ?1)")
    statement.bind(Int64(count), at: 1)
    try statement.run()
  }
}
