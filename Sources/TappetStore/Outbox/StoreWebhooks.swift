// The webhook outbox in the store, which is like the broker's outbox but uses separate tables, and the dead letters.

import TappetCore
import TappetSQLite

extension Store {
  /// An entry that its webhook will never accept.
  package struct DeadLetter: Hashable, Sendable {
    package var id: EntryID
    package var action: String
    /// Template of the request body.
    package var body: String
    package var trigger: Trigger
    package var acceptedUnixMilliseconds: Int64
    package var givenUpUnixMilliseconds: Int64
    package var reason: WebhookRefusal
  }

  /// Returns the dead letters, oldest first.
  @export(interface)
  package func givenUp() throws(DatabaseError) -> [DeadLetter] {
    let statement = try database.statement(
      """
      SELECT id, action, message, trigger, accepted_unix_ms, given_up_unix_ms, reason
      FROM webhooks_given_up ORDER BY number
      """)
    defer { statement.reset() }
    var found: [DeadLetter] = []
    while try statement.step() { found.append(givenUp(statement)) }
    return found
  }

  private func givenUp(_ row: Statement) -> DeadLetter {
    DeadLetter(
      id: EntryID(bigEndianBytes: row.blob(0)), action: row.text(1), body: row.text(2),
      trigger: Trigger(rawValue: UInt8(clamping: row.integer(3))) ?? .tag, acceptedUnixMilliseconds: row.integer(4),
      givenUpUnixMilliseconds: row.integer(5), reason: WebhookRefusal(number: Int32(clamping: row.integer(6))))
  }

  // MARK: Within a transaction

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

  /// Deletes the rows of finished entries, and adds those given up to the dead letters.
  func remove(_ removals: [WebhookRemoval]) throws(DatabaseError) {
    for removal in removals {
      if let reason = removal.reason { try list(removal.entry, reason, removal.unixMilliseconds) }
      if let event = removal.event { try recordEvent(event, of: removal.entry.id) }
      try forgetUnposted(removal.entry.id)
      let statement = try database.statement("DELETE FROM webhooks WHERE sequence = ?1 AND id = ?2")
      statement.bind(removal.entry.sequence, at: 1)
      statement.bind(blob: removal.entry.id.bigEndianBytes, at: 2)
      try statement.run()
    }
  }

  private func list(_ entry: OutboxEntry, _ reason: WebhookRefusal, _ time: Int64) throws(DatabaseError) {
    let statement = try database.statement(
      """
      INSERT OR IGNORE INTO webhooks_given_up
        (id, action, message, trigger, accepted_unix_ms, given_up_unix_ms, reason)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    statement.bind(blob: entry.id.bigEndianBytes, at: 1)
    statement.bind(entry.action, at: 2)
    statement.bind(blob: Array(entry.message.text.utf8), at: 3)
    statement.bind(Int64(entry.trigger.rawValue), at: 4)
    statement.bind(entry.acceptedUnixMilliseconds, at: 5)
    statement.bind(time, at: 6)
    statement.bind(Int64(reason.number), at: 7)
    try statement.run()
    let bound = try database.statement(
      """
      DELETE FROM webhooks_given_up
      WHERE number NOT IN (SELECT number FROM webhooks_given_up ORDER BY number DESC LIMIT ?1)
      """)
    bound.bind(Int64(Limits.webhooksGivenUpMax), at: 1)
    try bound.run()
  }

  /// Removes the dead letter with the given id, or the oldest dead letters.
  ///
  /// The removed dead letters are returned as expired entries, which the kiosk does not have in memory.
  func removeGivenUp(_ id: EntryID?, limit: Int) throws(DatabaseError) -> [OutboxEntry] {
    guard limit > 0 else { return [] }
    let all = try givenUp().filter { id == nil || $0.id == id }
    let chosen = all.prefix(limit)
    for entry in chosen {
      let statement = try database.statement("DELETE FROM webhooks_given_up WHERE id = ?1")
      statement.bind(blob: entry.id.bigEndianBytes, at: 1)
      try statement.run()
    }
    return chosen.map {
      OutboxEntry(
        id: $0.id, action: $0.action, topic: "", message: PayloadTemplate($0.body), isRetained: false,
        trigger: $0.trigger, acceptedUnixMilliseconds: $0.acceptedUnixMilliseconds, expiry: .atUnixMilliseconds(0),
        destination: .webhook)
    }
  }
}

/// Removal of a finished entry for a webhook.
struct WebhookRemoval: Sendable {
  var entry: OutboxEntry
  /// Reason why the entry was given up; `nil` if it was not given up.
  var reason: WebhookRefusal?
  var unixMilliseconds: Int64 = 0
  /// The event of the message in a room, if it is to be edited.
  var event: String?
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
