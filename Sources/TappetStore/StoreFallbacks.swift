// Brokers that do not take MQTT 5, so that a restart does not ask them again.

import TappetCore

extension Store {
  /// Returns until when, in seconds since 1970, the broker at `url` is not to be asked for MQTT 5.
  package func fallback(at url: String) throws(StoreError) -> Int64? {
    let statement = try database.statement("SELECT value FROM meta WHERE name = 'no MQTT 5: ' || ?1")
    defer { statement.reset() }
    statement.bind(url, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Remembers a broker, within a transaction.
  func noteFallback(at url: String, untilUnixSeconds until: Int64) throws(StoreError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('no MQTT 5: ' || ?1, ?2)")
    statement.bind(url, at: 1)
    statement.bind(until, at: 2)
    try statement.run()
  }

  /// Forgets all of them, within a transaction.
  func forgetFallbacks() throws(StoreError) {
    try database.statement("DELETE FROM meta WHERE substr(name, 1, 11) = 'no MQTT 5: '").run()
  }
}
