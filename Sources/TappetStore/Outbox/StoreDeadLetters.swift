// The dead letters: entries that were given up, because their destination will never accept them. A user can send them
// again, or remove them from the list.

import TappetCore
import TappetSQLite

extension Store {
  /// Stores how often the broker closed the connection when the entry was sent.
  func note(_ closes: CloseCount) throws(DatabaseError) {
    let statement = try database.statement(
      "UPDATE outbox SET closes = ?1 WHERE destination = ?2 AND sequence = ?3 AND id = ?4")
    statement.bind(Int64(closes.count), at: 1)
    statement.bind(Destination.broker.rawValue, at: 2)
    statement.bind(closes.sequence, at: 3)
    statement.bind(blob: closes.id.bigEndianBytes, at: 4)
    try statement.run()
  }

  /// An entry that was given up.
  package struct DeadLetter: Hashable, Sendable {
    /// The row's number, which identifies the letter; both entries of a tap may have been given up under one id.
    var number: Int64
    package var id: EntryID
    package var action: String
    /// Empty for a webhook.
    package var topic: String
    /// Template of the message, or of the request body.
    package var message: PayloadTemplate
    var isRetained: Bool
    package var trigger: Trigger
    package var acceptedUnixMilliseconds: Int64
    package var givenUpUnixMilliseconds: Int64
    package var reason: DeliveryRefusal

    /// Returns the entry, which has no row in its outbox.
    fileprivate func entry(_ expiry: Expiry) -> OutboxEntry {
      OutboxEntry(
        id: id, action: action, topic: topic, message: message, isRetained: isRetained, trigger: trigger,
        acceptedUnixMilliseconds: acceptedUnixMilliseconds, expiry: expiry, destination: reason.destination)
    }
  }

  /// Returns the dead letters, oldest first.
  @export(interface)
  package func givenUp() throws(DatabaseError) -> [DeadLetter] {
    let statement = try database.statement(
      """
      SELECT number, id, destination, action, topic, message, retained, filling, trigger, accepted_unix_ms,
        given_up_unix_ms, reason
      FROM given_up ORDER BY number
      """)
    defer { statement.reset() }
    var found: [DeadLetter] = []
    while try statement.step() { found.append(deadLetter(statement)) }
    return found
  }

  private func deadLetter(_ row: Statement) -> DeadLetter {
    DeadLetter(
      number: row.integer(0), id: EntryID(bigEndianBytes: row.blob(1)), action: row.text(3), topic: row.text(4),
      message: PayloadTemplate(row.text(5), storedFilling: row.integer(7)), isRetained: row.integer(6) != 0,
      trigger: Trigger(rawValue: UInt8(clamping: row.integer(8))) ?? .tag, acceptedUnixMilliseconds: row.integer(9),
      givenUpUnixMilliseconds: row.integer(10),
      reason: DeliveryRefusal(
        number: Int32(clamping: row.integer(11)), of: Destination(rawValue: row.integer(2)) ?? .broker))
  }

  /// Moves dead letters back to their outboxes, behind all other entries; returns the entries.
  package func retry(_ order: RetryOrder) throws(DatabaseError) -> [OutboxEntry] {
    try transaction { () throws(DatabaseError) in try retryWithinTransaction(order) }
  }

  // MARK: Within a transaction

  /// Performs `retry` within a transaction.
  func retryWithinTransaction(_ order: RetryOrder) throws(DatabaseError) -> [OutboxEntry] {
    // The expiry is in monotonic time; its equivalent after a reboot depends on the latest reading of the clock.
    try recordClock(order.moment)
    var entries: [OutboxEntry] = []
    for letter in try givenUp().filter({ order.id == nil || $0.id == order.id }).prefix(max(0, order.countMax)) {
      var entry = letter.entry(order.expiry(of: letter.action))
      entry.sequence = try insert(entry)
      try remove(letter)
      entries.append(entry)
    }
    return entries
  }

  /// Adds an entry to the dead letters, unless it is one already.
  func list(_ entry: OutboxEntry, _ reason: DeliveryRefusal, unixMilliseconds: Int64) throws(DatabaseError) {
    let statement = try database.statement(
      """
      INSERT OR IGNORE INTO given_up
        (id, destination, action, topic, message, retained, filling, trigger, accepted_unix_ms, given_up_unix_ms,
          reason)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    statement.bind(blob: entry.id.bigEndianBytes, at: 1)
    statement.bind(reason.destination.rawValue, at: 2)
    statement.bind(entry.action, at: 3)
    statement.bind(entry.topic, at: 4)
    statement.bind(blob: Array(entry.message.text.utf8), at: 5)
    statement.bind(entry.isRetained, at: 6)
    statement.bind(entry.message.storedFilling, at: 7)
    statement.bind(Int64(entry.trigger.rawValue), at: 8)
    statement.bind(entry.acceptedUnixMilliseconds, at: 9)
    statement.bind(unixMilliseconds, at: 10)
    statement.bind(Int64(reason.number), at: 11)
    try statement.run()
    let bound = try database.statement(
      "DELETE FROM given_up WHERE number NOT IN (SELECT number FROM given_up ORDER BY number DESC LIMIT ?1)")
    bound.bind(Int64(Limits.givenUpMax), at: 1)
    try bound.run()
  }

  /// Removes the dead letters with the given id, or the oldest dead letters.
  ///
  /// The removed dead letters are returned as expired entries, which the kiosk does not have in memory.
  func removeGivenUp(_ id: EntryID?, limit: Int) throws(DatabaseError) -> [OutboxEntry] {
    guard limit > 0 else { return [] }
    let chosen = try givenUp().filter { id == nil || $0.id == id }.prefix(limit)
    for letter in chosen { try remove(letter) }
    return chosen.map { $0.entry(.atUnixMilliseconds(0)) }
  }

  private func remove(_ letter: DeadLetter) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM given_up WHERE number = ?1")
    statement.bind(letter.number, at: 1)
    try statement.run()
  }
}
