// The outbox in the store: entries in the order of acceptance, until they are delivered or expire. The entries for the
// broker and for webhooks are rows of one table; a tap for both has two rows with the same id.
//
// An entry's expiry is stored in monotonic time, together with the boot to which this time refers. For each boot, the
// database contains the difference between wall clock and monotonic clock at the latest reading, so that the expiry is
// still correct after a reboot if the clock was set after the tap.

import CPlatform
import TappetCore
import TappetSQLite

extension Store {
  /// Commits the entries, all or none; returns their sequence numbers.
  @export(interface)
  package func append(_ entries: [OutboxEntry]) throws(DatabaseError) -> [Int64] {
    try transaction { () throws(DatabaseError) in
      var sequences: [Int64] = []
      for entry in entries { sequences.append(try insertAll(entry).last?.sequence ?? 0) }
      return sequences
    }
  }

  /// Returns at most `limit` entries after `sequence`, in order; `reachedEnd` is true if no more entries follow.
  ///
  /// Omits entries that must not be sent in the current state of the clock (`OutboxEntry.isSendable`).
  @export(interface)
  package func fetch(
    after sequence: Int64, limit: Int, clockIsGood: Bool, of destination: Destination = .broker,
    excluding actions: [String] = []
  ) throws(DatabaseError) -> (entries: [OutboxEntry], reachedEnd: Bool) {
    let limit = max(0, min(limit, Limits.storeAppendsMax))
    let statement = try database.statement(
      "SELECT * FROM outbox WHERE destination = ?1 AND sequence > ?2 ORDER BY sequence")
    defer { statement.reset() }
    statement.bind(destination.rawValue, at: 1)
    statement.bind(sequence, at: 2)
    let offsets = try wallOffsets()
    var entries: [OutboxEntry] = []
    while entries.count <= limit, try statement.step() {
      let isSendable = OutboxEntry.isSendable(
        usesTimestamp: PayloadTemplate.usesTimestamp(storedFilling: statement.integer(8)),
        isOfThisStart: statement.integer(10) == boot,
        clockIsGood: clockIsGood)
      guard isSendable else { continue }
      if !actions.isEmpty, actions.contains(statement.text(3)) { continue }
      entries.append(entry(statement, offsets: offsets))
    }
    return (Array(entries.prefix(limit)), entries.count <= limit)
  }

  /// Returns the number, size and earliest expiry of the pending entries, in constant time.
  @export(interface)
  package func summary(at moment: Moment, clockIsGood: Bool) throws(DatabaseError) -> OutboxSummary {
    var summary = OutboxSummary()
    let statement = try database.statement("SELECT destination, count, size FROM outbox_totals")
    defer { statement.reset() }
    while try statement.step() {
      guard let destination = Destination(rawValue: statement.integer(0)) else { continue }
      let (count, size) = (Int(clamping: statement.integer(1)), Int(clamping: statement.integer(2)))
      let expiry = try earliestExpiry(of: destination, at: moment, clockIsGood: clockIsGood, excluding: [])
      switch destination {
      case .broker: (summary.count, summary.size, summary.earliestExpiry) = (count, size, expiry)
      case .webhook: (summary.webhookCount, summary.webhookSize, summary.earliestWebhookExpiry) = (count, size, expiry)
      }
    }
    summary.hasRoomEdits = try hasRoomEdits()
    return summary
  }

  /// Returns at most `limit` expired entries, and the earliest expiry of the remaining entries, which is in the past if
  /// more entries have expired.
  ///
  /// Entries of earlier boots are evaluated only if the wall clock is good. Both results ignore excluded entries.
  package func fetchExpired(
    of destination: Destination = .broker, at moment: Moment, clockIsGood: Bool,
    excluding excluded: [EntryID] = [], limit: Int = Limits.storeExpireMax
  ) throws(DatabaseError) -> (expired: [OutboxEntry], earliest: Expiry?) {
    try transaction { () throws(DatabaseError) in
      try findExpired(
        of: destination, at: moment, clockIsGood: clockIsGood, excluding: excluded, limit: limit)
    }
  }

  /// Removes the entry with the given id or, if `id` is `nil`, the oldest entries, at most `Limits.storeDropMax`, and
  /// notes it in the tap log; returns the removed entries.
  @export(interface)
  package func drop(_ id: EntryID?, at unixMilliseconds: Int64) throws(DatabaseError) -> [OutboxEntry] {
    try transaction { () throws(DatabaseError) in
      let dropped = try removeChosen(id, excluding: [])
      // Entries that were given up, whose sequence number is 0, have that outcome already.
      for entry in dropped where entry.sequence > 0 { try note(TapRecord(entry, .dropped, at: unixMilliseconds)) }
      return dropped
    }
  }

  // MARK: Within a transaction

  /// Performs `drop` within a transaction; keeps the excluded entries.
  func removeChosen(_ id: EntryID?, excluding excluded: [EntryID]) throws(DatabaseError) -> [OutboxEntry] {
    let statement = try database.statement(
      "SELECT * FROM outbox WHERE ?1 IS NULL OR id = ?1 ORDER BY destination, sequence LIMIT ?2")
    if let id { statement.bind(blob: id.bigEndianBytes, at: 1) }
    // An excluded id may be in both outboxes.
    statement.bind(Int64(Limits.storeDropMax + 2 * excluded.count), at: 2)
    let found = try rows(of: statement, offsets: try wallOffsets())
    let chosen = Array(found.filter { !excluded.contains($0.id) }.prefix(Limits.storeDropMax))
    for entry in chosen where entry.destination == .broker { try recordOutcome(.dropped, of: entry.id) }
    try remove(chosen)
    return chosen + (try removeGivenUp(id, limit: Limits.storeDropMax - chosen.count))
  }

  /// Inserts the rows of a tap's entry; returns their sequence numbers, the broker's last.
  func insertAll(_ entry: OutboxEntry) throws(DatabaseError) -> [(destination: Destination, sequence: Int64)] {
    var rows: [(destination: Destination, sequence: Int64)] = []
    if let half = entry.forWebhook {
      rows.append((.webhook, try insert(half)))
      if entry.notes.isReported { try insert(edited: half) }
    }
    try note(entry.notes, of: entry.uid)
    if entry.destination == .broker { rows.append((.broker, try insert(entry))) }
    return rows
  }

  /// Inserts the row of an entry; returns the sequence number.
  func insert(_ entry: OutboxEntry) throws(DatabaseError) -> Int64 {
    if let instant = entry.acceptedAt {
      try recordClock(Moment(instant: instant, unixMilliseconds: entry.acceptedUnixMilliseconds))
    }
    let sequence = try nextSequence(of: entry.destination)
    let statement = try database.statement(
      """
      INSERT INTO outbox (
        destination, id, action, topic, message, retained, trigger, uses_timestamp, accepted_unix_ms, boot, expires_ns,
        sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """)
    statement.bind(entry.destination.rawValue, at: 1)
    statement.bind(blob: entry.id.bigEndianBytes, at: 2)
    statement.bind(entry.action, at: 3)
    statement.bind(entry.topic, at: 4)
    statement.bind(blob: Array(entry.message.text.utf8), at: 5)
    statement.bind(entry.isRetained, at: 6)
    statement.bind(Int64(entry.trigger.rawValue), at: 7)
    statement.bind(entry.message.storedFilling, at: 8)
    statement.bind(entry.acceptedUnixMilliseconds, at: 9)
    bind(entry.expiry, to: statement, at: 10)
    statement.bind(sequence, at: 12)
    try statement.run()
    return sequence
  }

  /// Returns the number of the next row; a query of its own, because RETURNING would make a temporary table of 87 KB.
  private func nextSequence(of destination: Destination) throws(DatabaseError) -> Int64 {
    let statement = try database.statement("SELECT last + 1 FROM outbox_totals WHERE destination = ?1")
    defer { statement.reset() }
    statement.bind(destination.rawValue, at: 1)
    return try statement.step() ? statement.integer(0) : 1
  }

  /// Binds the boot to which the expiry refers, and the time of the expiry.
  func bind(_ expiry: Expiry, to statement: Statement, at index: Int32) {
    switch expiry {
    case .at(let instant):
      statement.bind(boot, at: index)
      statement.bind(instant.nanoseconds, at: index + 1)
    case .atUnixMilliseconds(let time):
      statement.bind(Store.unixEra, at: index)
      statement.bind(Store.nanoseconds(time), at: index + 1)
    }
  }

  /// Removes the rows of the entries; ignores entries that no longer exist.
  ///
  /// `event` is the event of a message in a room, if the message is to be edited.
  func remove(_ entries: [OutboxEntry], event: String? = nil) throws(DatabaseError) {
    for entry in entries where entry.destination == .webhook {
      if let event { try recordEvent(event, of: entry.id) }
      try forgetUnposted(entry.id)
    }
    var rest = entries[...]
    while let first = rest.popFirst() {
      var (last, ids) = (first.sequence, first.id.bigEndianBytes)
      while let next = rest.first, next.sequence == last &+ 1, next.destination == first.destination {
        last = next.sequence
        ids += next.id.bigEndianBytes
        rest.removeFirst()
      }
      try deleteRows(of: first.destination, from: first.sequence, through: last, ids)
    }
  }

  /// Deletes consecutive rows that have these ids.
  ///
  /// The ids are compared, because a database that replaces a damaged one starts its numbers again. A range costs
  /// SQLite a temporary table of 87 KB; a single row does not.
  private func deleteRows(
    of destination: Destination, from first: Int64, through last: Int64, _ ids: [UInt8]
  ) throws(DatabaseError) {
    let statement = try database.statement(
      first == last
        ? "DELETE FROM outbox WHERE destination = ?1 AND sequence = ?2 AND id = ?3"
        : """
        DELETE FROM outbox
        WHERE destination = ?1 AND sequence BETWEEN ?2 AND ?4 AND id = substr(?3, 16 * (sequence - ?2) + 1, 16)
        """)
    statement.bind(destination.rawValue, at: 1)
    statement.bind(first, at: 2)
    statement.bind(blob: ids, at: 3)
    if first != last { statement.bind(last, at: 4) }
    try statement.run()
  }

  /// Performs `fetchExpired` within a transaction, and records the clock reading.
  func findExpired(
    of destination: Destination, at moment: Moment, clockIsGood: Bool, excluding excluded: [EntryID], limit: Int
  ) throws(DatabaseError) -> (expired: [OutboxEntry], earliest: Expiry?) {
    try recordClock(moment)
    let offsets = try wallOffsets()
    var expired: [OutboxEntry] = []
    for start in offsets where expired.count < limit {
      guard let threshold = threshold(of: start, at: moment, clockIsGood: clockIsGood) else { continue }
      let statement = try database.statement(
        """
        SELECT * FROM outbox WHERE destination = ?1 AND boot = ?2 AND expires_ns <= ?3
        ORDER BY expires_ns, sequence LIMIT ?4
        """)
      statement.bind(destination.rawValue, at: 1)
      statement.bind(start.boot, at: 2)
      statement.bind(threshold, at: 3)
      statement.bind(Int64(limit - expired.count + excluded.count), at: 4)
      for entry in try rows(of: statement, offsets: offsets) {
        if expired.count < limit, !excluded.contains(entry.id) { expired.append(entry) }
      }
    }
    let others = excluded + expired.map { $0.id }
    let earliest = try earliestExpiry(
      of: destination, at: moment, clockIsGood: clockIsGood, excluding: others)
    return (expired, earliest)
  }

  /// Stores the difference between the two clocks if it has changed significantly.
  func recordClock(_ moment: Moment) throws(DatabaseError) {
    let (offset, overflow) = moment.unixMilliseconds.subtractingReportingOverflow(
      moment.instant.nanoseconds / 1_000_000)
    if overflow { return }
    let drift = notedOffset.map { offset.subtractingReportingOverflow($0) }
    if let drift, !drift.overflow, drift.partialValue.magnitude <= Limits.storeClockDriftMax.wholeMilliseconds.magnitude
    {
      return
    }
    let statement = try database.statement("UPDATE boots SET wall_offset_ms = ?1, noted_ns = ?2 WHERE number = ?3")
    statement.bind(offset, at: 1)
    statement.bind(moment.instant.nanoseconds, at: 2)
    statement.bind(boot, at: 3)
    try statement.run()
    notedOffset = offset
  }

  // MARK: Clocks

  /// A boot of the machine and its wall clock offset.
  struct Start {
    var boot: Int64
    /// Wall clock minus monotonic clock, in milliseconds; `nil` if unknown.
    var offset: Int64?
    /// Monotonic time in nanoseconds at which the offset was recorded.
    var notedAt: Int64

    /// Returns the wall-clock time in milliseconds since 1970 at `nanoseconds` of this boot; saturates.
    func unixMilliseconds(_ nanoseconds: Int64) -> Int64 {
      // If the offset is unknown, it is safe to assume that the entry has expired.
      guard let offset else { return 0 }
      let (sum, overflow) = offset.addingReportingOverflow(nanoseconds / 1_000_000)
      return overflow ? (offset < 0 ? 0 : .max) : max(0, sum)
    }
  }

  /// Pseudo boot number of entries whose expiry was specified in wall-clock time.
  private static let unixEra: Int64 = 0

  private static func nanoseconds(_ milliseconds: Int64) -> Int64 {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  private func wallOffsets() throws(DatabaseError) -> [Start] {
    let statement = try database.statement("SELECT number, wall_offset_ms, noted_ns FROM boots ORDER BY number")
    defer { statement.reset() }
    var starts = [Start(boot: Store.unixEra, offset: 0, notedAt: 0)]
    while try statement.step() {
      let offset = statement.isNull(1) ? nil : statement.integer(1)
      starts.append(Start(boot: statement.integer(0), offset: offset, notedAt: statement.integer(2)))
    }
    return starts
  }

  /// Returns the time up to which the entries of `start` have expired; `nil` if this cannot be determined now.
  private func threshold(of start: Start, at moment: Moment, clockIsGood: Bool) -> Int64? {
    if start.boot == boot { return moment.instant.nanoseconds }
    guard clockIsGood else { return nil }
    if start.boot == Store.unixEra { return Store.nanoseconds(moment.unixMilliseconds) }
    // If the clock of that boot was ahead of the current time, it was wrong, and its expiries are too late: drop the
    // entries instead.
    let ahead = start.unixMilliseconds(start.notedAt).subtractingReportingOverflow(moment.unixMilliseconds)
    guard let offset = start.offset, !ahead.overflow,
      ahead.partialValue <= Limits.storeClockAheadMax.wholeMilliseconds
    else { return .max }
    let (milliseconds, overflow) = moment.unixMilliseconds.subtractingReportingOverflow(offset)
    return overflow ? .max : Store.nanoseconds(milliseconds)
  }

  /// Returns the earliest expiry; in case of doubt, an expiry that can be evaluated with the current clocks.
  private func earliestExpiry(
    of destination: Destination, at moment: Moment, clockIsGood: Bool, excluding excluded: [EntryID]
  ) throws(DatabaseError) -> Expiry? {
    var own: Instant?
    var others: Int64?
    for start in try wallOffsets() {
      guard let first = try firstExpiry(of: start, destination, excluding: excluded) else { continue }
      if start.boot == boot {
        own = Instant(nanoseconds: first)
      } else {
        let isOver = clockIsGood && threshold(of: start, at: moment, clockIsGood: true) == .max
        others = min(others ?? .max, isOver ? 0 : start.unixMilliseconds(first))
      }
    }
    guard let others else { return own.map { .at($0) } }
    guard let own else { return .atUnixMilliseconds(others) }
    let remaining = others.subtractingReportingOverflow(moment.unixMilliseconds)
    let isLater = remaining.overflow ? others > 0 : remaining.partialValue > (own - moment.instant).wholeMilliseconds
    return !clockIsGood || isLater ? .at(own) : .atUnixMilliseconds(others)
  }

  /// Returns the earliest expiry of the given boot, in the boot's monotonic time.
  private func firstExpiry(
    of start: Start, _ destination: Destination, excluding excluded: [EntryID]
  ) throws(DatabaseError) -> Int64? {
    let statement = try database.statement(
      "SELECT expires_ns, id FROM outbox WHERE destination = ?1 AND boot = ?2 ORDER BY expires_ns LIMIT ?3")
    defer { statement.reset() }
    statement.bind(destination.rawValue, at: 1)
    statement.bind(start.boot, at: 2)
    statement.bind(Int64(excluded.count) + 1, at: 3)
    while try statement.step() {
      if !excluded.contains(EntryID(bigEndianBytes: statement.blob(1))) { return statement.integer(0) }
    }
    return nil
  }

  // MARK: Rows

  private func rows(of statement: Statement, offsets: [Start]) throws(DatabaseError) -> [OutboxEntry] {
    defer { statement.reset() }
    var entries: [OutboxEntry] = []
    while try statement.step() { entries.append(entry(statement, offsets: offsets)) }
    return entries
  }

  /// Decodes a row with all columns of the table, in their order.
  private func entry(_ row: Statement, offsets: [Start]) -> OutboxEntry {
    let number = row.integer(10)
    let start = offsets.first { $0.boot == number } ?? Start(boot: number, offset: nil, notedAt: 0)
    let time = row.integer(11)
    var entry = OutboxEntry(
      sequence: row.integer(1), id: EntryID(bigEndianBytes: row.blob(2)), action: row.text(3), topic: row.text(4),
      message: PayloadTemplate(row.text(5), storedFilling: row.integer(8)), isRetained: row.integer(6) != 0,
      trigger: Trigger(rawValue: UInt8(clamping: row.integer(7))) ?? .tag, acceptedUnixMilliseconds: row.integer(9),
      expiry: number == boot
        ? .at(Instant(nanoseconds: time)) : .atUnixMilliseconds(start.unixMilliseconds(time)),
      destination: Destination(rawValue: row.integer(0)) ?? .broker)
    entry.closes = Int(clamping: row.integer(12))
    return entry
  }
}

extension EntryID {
  /// The id as stored in the database.
  var bigEndianBytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// Decodes `bigEndianBytes`; bytes of any other size, written by a different program, yield an id that matches no
  /// entry.
  init(bigEndianBytes bytes: [UInt8]) {
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for byte in bytes.prefix(8) { halves.high = halves.high << 8 | UInt64(byte) }
    for byte in bytes.dropFirst(8).prefix(8) { halves.low = halves.low << 8 | UInt64(byte) }
    self.init(high: halves.high, low: halves.low)
  }
}
