// The outbox in the store: entries in the order of acceptance, until they are delivered or expire.
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
    let sequences = try transaction { () throws(DatabaseError) in
      var sequences: [Int64] = []
      for entry in entries {
        let (broker, webhook) = try insertAll(entry)
        sequences.append(broker ?? webhook ?? 0)
      }
      return sequences
    }
    for (entry, sequence) in zip(entries, sequences) where entry.destination == .broker {
      cacheRow(of: entry.id, at: sequence)
    }
    return sequences
  }

  /// Removes the entries, all or none; ignores entries that no longer exist.
  package func remove(_ ids: [EntryID]) throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in
      for id in ids { try delete(id) }
    }
    for id in ids { rowCache[id] = nil }
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
    let statement = try database.statement(destination.fetch)
    defer { statement.reset() }
    statement.bind(sequence, at: 1)
    let offsets = try wallOffsets()
    var entries: [OutboxEntry] = []
    while entries.count <= limit, try statement.step() {
      let isSendable = OutboxEntry.isSendable(
        usesTimestamp: PayloadTemplate.usesTimestamp(storedFilling: statement.integer(10)),
        isOfThisStart: statement.integer(8) == boot,
        clockIsGood: clockIsGood)
      guard isSendable else { continue }
      if !actions.isEmpty, actions.contains(statement.text(2)) { continue }
      entries.append(entry(statement, offsets: offsets, destination))
    }
    guard destination == .broker else { return (Array(entries.prefix(limit)), entries.count <= limit) }
    for (id, row) in rowCache where row > sequence { rowCache[id] = nil }
    for entry in entries.prefix(limit) { cacheRow(of: entry.id, at: entry.sequence) }
    return (Array(entries.prefix(limit)), entries.count <= limit)
  }

  /// Returns the number, size and earliest expiry of the pending entries, in constant time.
  @export(interface)
  package func summary(at moment: Moment, clockIsGood: Bool) throws(DatabaseError) -> OutboxSummary {
    let statement = try database.statement("SELECT count, size FROM outbox_totals")
    defer { statement.reset() }
    guard try statement.step() else { return OutboxSummary() }
    var summary = OutboxSummary(
      count: Int(clamping: statement.integer(0)), size: Int(clamping: statement.integer(1)),
      earliestExpiry: try earliestExpiry(at: moment, clockIsGood: clockIsGood, excluding: []))
    let webhooks = try database.statement("SELECT count, size FROM webhook_totals")
    defer { webhooks.reset() }
    guard try webhooks.step() else { return summary }
    summary.webhookCount = Int(clamping: webhooks.integer(0))
    summary.webhookSize = Int(clamping: webhooks.integer(1))
    summary.hasRoomEdits = try hasRoomEdits()
    summary.earliestWebhookExpiry = try earliestExpiry(
      of: .webhook, at: moment, clockIsGood: clockIsGood, excluding: [])
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

  /// Removes the entry with the given id or, if `id` is `nil`, the oldest entries, at most `Limits.storeDropMax`;
  /// returns the removed entries.
  package func drop(_ id: EntryID?) throws(DatabaseError) -> [OutboxEntry] {
    let dropped = try transaction { () throws(DatabaseError) in try removeChosen(id, excluding: []) }
    for entry in dropped { rowCache[entry.id] = nil }
    return dropped
  }

  // MARK: Within a transaction

  /// Performs `drop` within a transaction; keeps the excluded entries.
  func removeChosen(_ id: EntryID?, excluding excluded: [EntryID]) throws(DatabaseError) -> [OutboxEntry] {
    var chosen: [OutboxEntry] = []
    for destination in [Destination.broker, .webhook] {
      let statement = try database.statement(destination.choose)
      if let id { statement.bind(blob: id.bigEndianBytes, at: 1) }
      statement.bind(Int64(Limits.storeDropMax + excluded.count), at: 2)
      let found = try rows(of: statement, offsets: try wallOffsets(), destination)
      chosen += found.filter { !excluded.contains($0.id) }.prefix(Limits.storeDropMax - chosen.count)
    }
    for entry in chosen {
      let statement = try database.statement(entry.destination.delete)
      statement.bind(entry.sequence, at: 1)
      try statement.run()
      switch entry.destination {
      case .broker: try recordOutcome(.dropped, of: entry.id)
      case .webhook: try forgetUnposted(entry.id)
      }
    }
    return chosen + (try removeGivenUp(id, limit: Limits.storeDropMax - chosen.count))
  }

  /// Inserts the rows of a tap's entry; returns their sequence numbers.
  func insertAll(_ entry: OutboxEntry) throws(DatabaseError) -> (broker: Int64?, webhook: Int64?) {
    let webhook: Int64?
    if let half = entry.forWebhook {
      webhook = try insert(forWebhook: half)
      if entry.notes.isReported { try insert(edited: half) }
    } else {
      webhook = nil
    }
    try note(entry.notes, of: entry.uid)
    return (entry.destination == .broker ? try insert(entry) : nil, webhook)
  }

  /// Inserts the row of an entry for the broker; returns the sequence number.
  func insert(_ entry: OutboxEntry) throws(DatabaseError) -> Int64 {
    if let instant = entry.acceptedAt {
      try recordClock(Moment(instant: instant, unixMilliseconds: entry.acceptedUnixMilliseconds))
    }
    let statement = try database.statement(
      """
      INSERT INTO outbox
        (id, action, topic, message, retained, trigger, uses_timestamp, accepted_unix_ms, boot, expires_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    statement.bind(blob: entry.id.bigEndianBytes, at: 1)
    statement.bind(entry.action, at: 2)
    statement.bind(entry.topic, at: 3)
    statement.bind(blob: Array(entry.message.text.utf8), at: 4)
    statement.bind(entry.isRetained, at: 5)
    statement.bind(Int64(entry.trigger.rawValue), at: 6)
    statement.bind(entry.message.storedFilling, at: 7)
    statement.bind(entry.acceptedUnixMilliseconds, at: 8)
    bind(entry.expiry, to: statement, at: 9)
    try statement.run()
    return database.lastRow
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

  /// Stores how often the broker closed the connection when the entry was sent.
  func note(_ closes: CloseCount) throws(DatabaseError) {
    let row = rowCache[closes.id]
    let statement = try database.statement(
      row == nil
        ? "UPDATE outbox SET closes = ?1 WHERE id = ?2"
        : "UPDATE outbox SET closes = ?1 WHERE id = ?2 AND sequence = ?3")
    statement.bind(Int64(closes.count), at: 1)
    statement.bind(blob: closes.id.bigEndianBytes, at: 2)
    if let row { statement.bind(row, at: 3) }
    try statement.run()
  }

  /// Deletes the entry's row, found in the cache or by a search.
  func delete(_ id: EntryID) throws(DatabaseError) {
    if let row = rowCache[id] {
      let statement = try database.statement("DELETE FROM outbox WHERE sequence = ?1 AND id = ?2")
      statement.bind(row, at: 1)
      statement.bind(blob: id.bigEndianBytes, at: 2)
      try statement.run()
      if database.changeCount > 0 { return }
    }
    let statement = try database.statement("DELETE FROM outbox WHERE id = ?1")
    statement.bind(blob: id.bigEndianBytes, at: 1)
    try statement.run()
  }

  /// Performs `fetchExpired` within a transaction, and records the clock reading.
  func findExpired(
    of destination: Destination = .broker, at moment: Moment, clockIsGood: Bool, excluding excluded: [EntryID],
    limit: Int
  ) throws(DatabaseError) -> (expired: [OutboxEntry], earliest: Expiry?) {
    try recordClock(moment)
    let offsets = try wallOffsets()
    var expired: [OutboxEntry] = []
    for start in offsets where expired.count < limit {
      guard let threshold = threshold(of: start, at: moment, clockIsGood: clockIsGood) else { continue }
      let statement = try database.statement(destination.expired)
      statement.bind(start.boot, at: 1)
      statement.bind(threshold, at: 2)
      statement.bind(Int64(limit - expired.count + excluded.count), at: 3)
      for entry in try rows(of: statement, offsets: offsets, destination) {
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

  /// Caches the entry's row.
  ///
  /// While the link is down, stored entries are not kept in memory, so limiting the cache is harmless.
  func cacheRow(of id: EntryID, at sequence: Int64) {
    if rowCache.count < Limits.storePlacesMax { rowCache[id] = sequence }
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
    of destination: Destination = .broker, at moment: Moment, clockIsGood: Bool, excluding excluded: [EntryID]
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
    let statement = try database.statement(destination.firstExpiry)
    defer { statement.reset() }
    statement.bind(start.boot, at: 1)
    statement.bind(Int64(excluded.count) + 1, at: 2)
    while try statement.step() {
      if !excluded.contains(EntryID(bigEndianBytes: statement.blob(1))) { return statement.integer(0) }
    }
    return nil
  }

  // MARK: Rows

  private func rows(
    of statement: Statement, offsets: [Start], _ destination: Destination
  ) throws(DatabaseError) -> [OutboxEntry] {
    defer { statement.reset() }
    var entries: [OutboxEntry] = []
    while try statement.step() { entries.append(entry(statement, offsets: offsets, destination)) }
    return entries
  }

  private func entry(_ row: Statement, offsets: [Start], _ destination: Destination) -> OutboxEntry {
    let number = row.integer(8)
    let start = offsets.first { $0.boot == number } ?? Start(boot: number, offset: nil, notedAt: 0)
    let time = row.integer(9)
    var entry = OutboxEntry(
      sequence: row.integer(0), id: EntryID(bigEndianBytes: row.blob(1)), action: row.text(2), topic: row.text(3),
      message: PayloadTemplate(row.text(4), storedFilling: row.integer(10)), isRetained: row.integer(5) != 0,
      trigger: Trigger(rawValue: UInt8(clamping: row.integer(6))) ?? .tag, acceptedUnixMilliseconds: row.integer(7),
      expiry: number == boot
        ? .at(Instant(nanoseconds: time)) : .atUnixMilliseconds(start.unixMilliseconds(time)),
      destination: destination)
    if destination == .broker { entry.closes = Int(clamping: row.integer(11)) }
    return entry
  }
}

extension EntryID {
  /// The id as stored in the database.
  var bigEndianBytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * UInt64($0))) } }
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
