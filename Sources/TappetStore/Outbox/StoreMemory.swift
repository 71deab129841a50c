// State that survives a restart: the latest trusted time, so that setting the clock back does not make a person's last
// day valid again, and the number of wrong codes at the panel, so that a power cut does not end the waiting time.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the latest recorded time, in seconds since 1970; `nil` if none was recorded.
  package func latestTime() throws(DatabaseError) -> Int64? {
    try database.integer("SELECT value FROM meta WHERE name = 'latest time'")
  }

  /// Records the latest time, within a transaction.
  func recordTime(_ unixSeconds: Int64) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('latest time', ?1)")
    statement.bind(unixSeconds, at: 1)
    try statement.run()
  }

  /// Returns the number of wrong codes since the panel was last unlocked.
  package func wrongCodes() throws(DatabaseError) -> Int {
    Int(clamping: try database.integer("SELECT value FROM meta WHERE name = 'wrong codes'") ?? 0)
  }

  /// Records the number of wrong codes, within a transaction.
  func recordWrongCodes(_ count: Int) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('wrong codes', ?1)")
    statement.bind(Int64(count), at: 1)
    try statement.run()
  }
}
