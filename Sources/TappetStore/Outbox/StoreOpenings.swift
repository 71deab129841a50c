// Timed openings that are not closed yet, so that a kiosk that was killed stops and closes them when it runs again.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the pending openings, in the monotonic time of the boot in which they were recorded.
  @export(interface)
  package func timedOpenings() throws(DatabaseError) -> [TimedOpening] {
    let statement = try database.statement(
      """
      SELECT substr(opened.name, 9), opened.value, ifnull(stops.value, -1) FROM meta AS opened
      LEFT JOIN meta AS stops ON stops.name = 'stops: ' || substr(opened.name, 9)
      WHERE substr(opened.name, 1, 8) = 'opened: ' ORDER BY opened.name
      """)
    defer { statement.reset() }
    var openings: [TimedOpening] = []
    while try statement.step() {
      let stopsAt = statement.integer(2)
      openings.append(
        TimedOpening(
          topic: statement.text(0), stopsAt: stopsAt < 0 ? nil : Instant(nanoseconds: stopsAt),
          closesAt: Instant(nanoseconds: statement.integer(1))))
    }
    return openings
  }

  /// Records the remaining steps of a topic's opening, or deletes the record if it has closed; within a transaction.
  func recordTimedOpening(_ topic: String, _ opening: TimedOpening?) throws(DatabaseError) {
    for (name, instant) in [("opened: ", opening?.closesAt), ("stops: ", opening?.stopsAt)] {
      let statement = try database.statement(
        instant == nil ? "DELETE FROM meta WHERE name = ?1" : "INSERT OR REPLACE INTO meta VALUES (?1, ?2)")
      statement.bind(name + topic, at: 1)
      if let instant { statement.bind(instant.nanoseconds, at: 2) }
      try statement.run()
    }
  }
}
