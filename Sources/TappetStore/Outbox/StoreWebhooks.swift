// The webhook outbox in the store, which is like the broker's outbox but uses separate tables, and which webhooks have
// worked.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the target with which each action's webhook has worked.
  @export(interface)
  package func workedWebhooks() throws(DatabaseError) -> [String: Int64] {
    let statement = try database.statement(
      "SELECT substr(name, 16), value FROM meta WHERE substr(name, 1, 15) = 'webhook works: '")
    defer { statement.reset() }
    var found: [String: Int64] = [:]
    while try statement.step() { found[statement.text(0)] = statement.integer(1) }
    return found
  }

  // MARK: Within a transaction

  /// Records the target with which an action's webhook has worked.
  func recordWebhook(_ action: String, target: Int64) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('webhook works: ' || ?1, ?2)")
    statement.bind(action, at: 1)
    statement.bind(target, at: 2)
    try statement.run()
  }

  /// Inserts the row of an entry for a webhook; returns the sequence number.
  func insert(forWebhook entry: OutboxEntry) throws(DatabaseError) -> Int64 {
    if let instant = entry.acceptedAt {
      try recordClock(Moment(instant: instant, unixMilliseconds: entry.acceptedUnixMilliseconds))
    }
    let statement = try database.statement(
      """
      INSERT INTO webhooks (id, action, message, trigger, uses_timestamp, accepted_unix_ms, boot, expires_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    statement.bind(blob: entry.id.bigEndianBytes, at: 1)
    statement.bind(entry.action, at: 2)
    statement.bind(blob: Array(entry.message.text.utf8), at: 3)
    statement.bind(Int64(entry.trigger.rawValue), at: 4)
    statement.bind(entry.message.storedFilling, at: 5)
    statement.bind(entry.acceptedUnixMilliseconds, at: 6)
    bind(entry.expiry, to: statement, at: 7)
    try statement.run()
    return database.lastRow
  }

  /// Deletes the row of a finished entry.
  func remove(_ entry: OutboxEntry) throws(DatabaseError) {
    try forgetUnposted(entry.id)
    let statement = try database.statement("DELETE FROM webhooks WHERE sequence = ?1 AND id = ?2")
    statement.bind(entry.sequence, at: 1)
    statement.bind(blob: entry.id.bigEndianBytes, at: 2)
    try statement.run()
  }
}

/// SQL statements for the two outboxes.
extension Destination {
  var fetch: StaticString {
    switch self {
    case .broker:
      """
      SELECT sequence, id, action, topic, message, retained, trigger, accepted_unix_ms, boot, expires_ns,
        uses_timestamp, closes
      FROM outbox WHERE sequence > ?1 ORDER BY sequence
      """
    case .webhook:
      """
      SELECT sequence, id, action, '', message, 0, trigger, accepted_unix_ms, boot, expires_ns, uses_timestamp
      FROM webhooks WHERE sequence > ?1 ORDER BY sequence
      """
    }
  }

  var choose: StaticString {
    switch self {
    case .broker:
      """
      SELECT sequence, id, action, topic, message, retained, trigger, accepted_unix_ms, boot, expires_ns,
        uses_timestamp, closes
      FROM outbox WHERE ?1 IS NULL OR id = ?1 ORDER BY sequence LIMIT ?2
      """
    case .webhook:
      """
      SELECT sequence, id, action, '', message, 0, trigger, accepted_unix_ms, boot, expires_ns, uses_timestamp
      FROM webhooks WHERE ?1 IS NULL OR id = ?1 ORDER BY sequence LIMIT ?2
      """
    }
  }

  var delete: StaticString {
    switch self {
    case .broker: "DELETE FROM outbox WHERE sequence = ?1"
    case .webhook: "DELETE FROM webhooks WHERE sequence = ?1"
    }
  }

  var expired: StaticString {
    switch self {
    case .broker:
      """
      SELECT sequence, id, action, topic, message, retained, trigger, accepted_unix_ms, boot, expires_ns,
        uses_timestamp, closes
      FROM outbox WHERE boot = ?1 AND expires_ns <= ?2 ORDER BY expires_ns, sequence LIMIT ?3
      """
    case .webhook:
      """
      SELECT sequence, id, action, '', message, 0, trigger, accepted_unix_ms, boot, expires_ns, uses_timestamp
      FROM webhooks WHERE boot = ?1 AND expires_ns <= ?2 ORDER BY expires_ns, sequence LIMIT ?3
      """
    }
  }

  var firstExpiry: StaticString {
    switch self {
    case .broker: "SELECT expires_ns, id FROM outbox WHERE boot = ?1 ORDER BY expires_ns LIMIT ?2"
    case .webhook: "SELECT expires_ns, id FROM webhooks WHERE boot = ?1 ORDER BY expires_ns LIMIT ?2"
    }
  }
}
