// Broker state that the next start needs: the broker that worked last, and the brokers that do not support MQTT 5.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the time, in seconds since 1970, until which the broker at `url` is not tried with MQTT 5: 0 if the broker
  /// supports MQTT 5, or `nil` if unknown.
  package func fallback(at url: String) throws(DatabaseError) -> Int64? {
    let statement = try database.statement("SELECT value FROM meta WHERE name = 'no MQTT 5: ' || ?1")
    defer { statement.reset() }
    statement.bind(url, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Records the time until which a broker is not tried with MQTT 5, within a transaction.
  func recordFallback(at url: String, untilUnixSeconds until: Int64) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('no MQTT 5: ' || ?1, ?2)")
    statement.bind(url, at: 1)
    statement.bind(until, at: 2)
    try statement.run()
  }

  /// Deletes the times recorded for all brokers, within a transaction.
  func forgetFallbacks() throws(DatabaseError) {
    try database.statement("DELETE FROM meta WHERE substr(name, 1, 11) = 'no MQTT 5: '").run()
  }

  /// Whether the broker at `url` is the broker that worked last.
  package func isLastBroker(_ url: String) throws(DatabaseError) -> Bool {
    let statement = try database.statement("SELECT 1 FROM meta WHERE name = 'last broker: ' || ?1")
    defer { statement.reset() }
    statement.bind(url, at: 1)
    return try statement.step()
  }

  /// Records which broker works, within a transaction.
  func recordBroker(_ url: String) throws(DatabaseError) {
    try database.statement("DELETE FROM meta WHERE substr(name, 1, 13) = 'last broker: '").run()
    let statement = try database.statement("INSERT INTO meta VALUES ('last broker: ' || ?1, 1)")
    statement.bind(url, at: 1)
    try statement.run()
  }
}
