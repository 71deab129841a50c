// The latest time that was believed: a wall clock that is set back does not make a person's last day valid again.

import TappetCore

extension Store {
  /// The time that was noted last, in seconds since 1970; `nil` when there is none.
  package func latestTime() throws(StoreError) -> Int64? {
    try database.integer("SELECT value FROM meta WHERE name = 'latest time'")
  }

  /// Notes it, within a transaction.
  func noteTime(_ unixSeconds: Int64) throws(StoreError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('latest time', ?1)")
    statement.bind(unixSeconds, at: 1)
    try statement.run()
  }
}
