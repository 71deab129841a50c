// Timed openings that have not been closed yet, so that a kiosk that was killed closes them after its restart.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the pending openings, in the monotonic time of the boot in which they were recorded.
  @export(interface)
  package func timedOpenings() throws(DatabaseError) -> [TimedOpening] {
    let statement = try database.statement(
      "SELECT substr(name, 9), value FROM meta WHERE substr(name, 1, 8) = 'opened: ' ORDER BY name")
    defer { statement.reset() }
    var openings: [TimedOpening] = []
    while try statement.step() {
      openings.append(
        TimedOpening(topic: statement.text(0), closesAt: Instant(nanoseconds: statement.integer(1))))
    }
    return openings
  }

  /// Records the time at which a topic's opening closes, or deletes the record if `closesAt` is `nil`; within a
  /// transaction.
  func recordTimedOpening(_ topic: String, _ closesAt: Instant?) throws(DatabaseError) {
    guard let closesAt else {
      let statement = try database.statement("DELETE FROM meta WHERE name = 'opened: ' || ?1")
      statement.bind(topic, at: 1)
      return try statement.run()
    }
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('opened: ' || ?1, ?2)")
    statement.bind(topic, at: 1)
    statement.bind(closesAt.nanoseconds, at: 2)
    try statement.run()
  }
}
