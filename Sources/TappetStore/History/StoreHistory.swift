// The tap log: the outcome of each tap, kept for the time that `history:` specifies.
//
// A row number consists of the time in milliseconds and 20 further bits; if the clock was set back, the next number is
// used. Rows are therefore in the order of writing, rows since a given time are found by number, and no index has to be
// written. A tap's first row is written in the commit of its entry, its last row in the commit that removes the entry;
// a row without an entry is written without a sync, so a power cut may lose the latest of these rows.

import TappetCore
import TappetSQLite

/// Filter for rows of the tap log; `nil` matches everything.
package struct HistoryFilter: Hashable, Sendable {
  /// Earliest time, in milliseconds since 1970.
  package var since: Int64?
  /// Time after the latest, in milliseconds since 1970.
  package var until: Int64?
  package var action: String?
  package var result: TapResult?
  /// A UID in lower-case hexadecimal digits, or a label.
  package var tag: String?
  /// Id of the person.
  package var person: String?
  /// A part of what `by` contains; or, of the tag's owner, the id of the person in `byPerson`.
  package var by: String?
  package var byPerson: String?

  package init() {}
}

/// Number of times that a tag or a button triggered something.
package struct HistoryCount: Hashable, Sendable {
  package var action: String?
  package var trigger: Trigger?
  package var uid: TagUID?
  package var tag: String?
  /// Id of the person.
  package var person: String?
  /// The originator, if not whoever held the tag.
  package var by: String?
  package var count: Int64
  /// Time of the last occurrence, in milliseconds since 1970.
  package var lastUnixMilliseconds: Int64
}

/// Number of taps in each hour of a span of time.
package struct HistoryHours: Hashable, Sendable {
  /// Counts for one hour, by the time of the outcome.
  package struct Hour: Hashable, Sendable {
    package var accepted: Int64 = 0
    /// Number of those that were refused.
    package var refused: Int64 = 0
  }

  package private(set) var hours: [Hour]
  /// Number of messages that were delivered.
  package private(set) var delivered: Int64 = 0
  /// The row before which to continue; `nil` if all rows of the span were counted.
  package fileprivate(set) var next: Int64?

  private static let hour: Int64 = 3_600_000

  fileprivate init(_ times: Range<Int64>) {
    hours = Array(repeating: Hour(), count: Int(clamping: (times.upperBound - times.lowerBound - 1) / Self.hour + 1))
  }

  fileprivate mutating func add(_ result: TapResult?, _ count: Int64, at milliseconds: Int64) {
    switch result {
    case .accepted: hours[Int(milliseconds / Self.hour)].accepted += count
    case .refused: hours[Int(milliseconds / Self.hour)].refused += count
    case .delivered: delivered += count
    case .ignored, .expired, .dropped, .undeliverable, .opened, .closed, .forced, .heldOpen, .notEntered, .switchedOn,
      .switchedOff, nil:
      break
    }
  }
}

extension Store {
  /// Returns at most `limit` rows after the row `number`, in the order of writing.
  @export(interface)
  package func history(
    after number: Int64, _ filter: HistoryFilter, limit: Int
  ) throws(DatabaseError) -> [(number: Int64, record: TapRecord)] {
    let statement = try database.statement(
      """
      SELECT number, unix_ms, result, trigger, action, uid, tag, code, entry, count, person, destination, by
      FROM history
      WHERE number > ?1 AND unix_ms >= ?2 AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR result = ?4)
        AND (?5 IS NULL OR tag = ?5 OR lower(hex(uid)) = ?5) AND (?7 IS NULL OR person = ?7) AND unix_ms <= ?8
        AND (?9 IS NULL OR instr(by, ?9) > 0 OR by IS NULL AND person = ?10)
      ORDER BY number LIMIT ?6
      """)
    defer { statement.reset() }
    bind(filter, after: number, to: statement)
    statement.bind(Int64(limit), at: 6)
    var rows: [(number: Int64, record: TapRecord)] = []
    while try statement.step() { rows.append((statement.integer(0), record(statement))) }
    return rows
  }

  /// Returns at most `limit` rows about taps in the span of time before the row `number`, newest first, and the row
  /// before which to continue; `nil` if there are no more.
  ///
  /// Reads at most `Limits.historyWalkMax` rows, so the result may be empty although there are more.
  @export(interface)
  package func history(
    in times: Range<Int64>, before number: Int64 = .max, limit: Int
  ) throws(DatabaseError) -> (records: [TapRecord], next: Int64?) {
    var records: [TapRecord] = []
    let next = try walk(times, before: number) { row in
      let record = record(row)
      if !record.isOfInput { records.append(record) }
      return records.count < limit
    }
    return (records, next)
  }

  /// Counts the taps in each hour of the span, in parts like `history`.
  @export(interface)
  package func hours(_ times: Range<Int64>, before number: Int64 = .max) throws(DatabaseError) -> HistoryHours {
    var counts = HistoryHours(times)
    counts.next = try walk(times, before: number) { row in
      let result = TapResult(rawValue: UInt8(clamping: row.integer(2)))
      counts.add(result, row.integer(9), at: row.integer(1) - times.lowerBound)
      return true
    }
    return counts
  }

  /// Visits the rows in the span, newest first, until `visit` returns false or many rows were read.
  private func walk(
    _ times: Range<Int64>, before number: Int64, _ visit: (Statement) -> Bool
  ) throws(DatabaseError) -> Int64? {
    let statement = try database.statement(
      """
      SELECT number, unix_ms, result, trigger, action, uid, tag, code, entry, count, person, destination, by
      FROM history WHERE number >= ?1 AND number < ?2 ORDER BY number DESC
      """)
    defer { statement.reset() }
    statement.bind(Store.historyNumber(times.lowerBound), at: 1)
    statement.bind(number, at: 2)
    var (isWanted, rowCount) = (true, 0)
    while try statement.step() {
      // A clock that was set back puts rows among those of a later time.
      if times.contains(statement.integer(1)) { isWanted = visit(statement) }
      rowCount += 1
      if !isWanted || rowCount >= Limits.historyWalkMax { return statement.integer(0) }
    }
    return nil
  }

  /// Returns the tags and buttons that were accepted most often, at most `limit`; ignores the result in the filter.
  @export(interface)
  package func topHistory(_ filter: HistoryFilter, limit: Int) throws(DatabaseError) -> [HistoryCount] {
    var filter = filter
    filter.result = .accepted
    let statement = try database.statement(
      """
      SELECT action, trigger, uid, max(tag), sum(count), max(unix_ms), person, by FROM history
      WHERE number > ?1 AND unix_ms >= ?2 AND (?3 IS NULL OR action = ?3) AND (?4 IS NULL OR result = ?4)
        AND (?5 IS NULL OR tag = ?5 OR lower(hex(uid)) = ?5) AND (?7 IS NULL OR person = ?7) AND unix_ms <= ?8
        AND (?9 IS NULL OR instr(by, ?9) > 0 OR by IS NULL AND person = ?10)
      GROUP BY action, trigger, uid, person, by ORDER BY sum(count) DESC, max(unix_ms) DESC LIMIT ?6
      """)
    defer { statement.reset() }
    bind(filter, after: 0, to: statement)
    statement.bind(Int64(limit), at: 6)
    var counts: [HistoryCount] = []
    while try statement.step() {
      counts.append(
        HistoryCount(
          action: text(statement, 0), trigger: Trigger(rawValue: UInt8(clamping: statement.integer(1))),
          uid: TagUID(statement.blob(2)), tag: text(statement, 3), person: text(statement, 6),
          by: text(statement, 7), count: statement.integer(4),
          lastUnixMilliseconds: statement.integer(5)))
    }
    return counts
  }

  private func bind(_ filter: HistoryFilter, after number: Int64, to statement: Statement) {
    let since = filter.since ?? 0
    statement.bind(max(number, Store.historyNumber(since) - 1), at: 1)
    statement.bind(filter.since ?? .min, at: 2)
    statement.bind(filter.action, at: 3)
    if let result = filter.result { statement.bind(Int64(result.rawValue), at: 4) }
    statement.bind(filter.tag, at: 5)
    statement.bind(filter.person, at: 7)
    statement.bind(filter.by, at: 9)
    statement.bind(filter.byPerson, at: 10)
    statement.bind(filter.until.map { $0 - 1 } ?? .max, at: 8)
  }

  private func record(_ row: Statement) -> TapRecord {
    TapRecord(
      unixMilliseconds: row.integer(1), result: TapResult(rawValue: UInt8(clamping: row.integer(2))) ?? .ignored,
      trigger: Trigger(rawValue: UInt8(clamping: row.integer(3))), action: text(row, 4), uid: TagUID(row.blob(5)),
      tag: text(row, 6), person: text(row, 10), by: text(row, 12), code: text(row, 7),
      entry: row.isNull(8) ? nil : EntryID(bigEndianBytes: row.blob(8)),
      destination: row.isNull(11) ? nil : Destination(rawValue: row.integer(11)), count: Int(clamping: row.integer(9)))
  }

  private func text(_ row: Statement, _ column: Int32) -> String? {
    row.isNull(column) ? nil : row.text(column)
  }

  // MARK: Writing

  /// Adds a row, within a transaction, if the tap log is enabled.
  func note(_ record: TapRecord) throws(DatabaseError) {
    guard historyAge != nil else { return }
    if record.isOfInput, record.code == TapRecord.foundCode, try isKnown(record) { return }
    var record = record
    // A row of an entry accepted by this process has one of them.
    if record.uid == nil, record.by == nil, record.entry != nil, record.result != .accepted { try identify(&record) }
    if newestTap == nil { newestTap = try lastTap() }
    let newest = newestTap ?? (0, 0)
    let row = (
      number: max(Store.historyNumber(record.unixMilliseconds), newest.number &+ 1), serial: newest.serial &+ 1
    )
    let statement = try database.statement(
      """
      INSERT INTO history
        (number, unix_ms, result, trigger, action, uid, tag, code, entry, count, person, serial, destination, by)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """)
    statement.bind(row.number, at: 1)
    statement.bind(record.unixMilliseconds, at: 2)
    statement.bind(Int64(record.result.rawValue), at: 3)
    if let trigger = record.trigger { statement.bind(Int64(trigger.rawValue), at: 4) }
    statement.bind(record.action, at: 5)
    if let uid = record.uid { statement.bind(blob: uid.bytes, at: 6) }
    statement.bind(record.tag, at: 7)
    statement.bind(record.code, at: 8)
    if let entry = record.entry { statement.bind(blob: entry.bigEndianBytes, at: 9) }
    statement.bind(Int64(record.count), at: 10)
    statement.bind(record.person, at: 11)
    statement.bind(row.serial, at: 12)
    if let destination = record.destination { statement.bind(destination.rawValue, at: 13) }
    statement.bind(record.by, at: 14)
    try statement.run()
    newestTap = row
  }

  /// Returns whether the latest rows already have the level that an input was found at; a door without rows is closed.
  private func isKnown(_ record: TapRecord) throws(DatabaseError) -> Bool {
    let statement = try database.statement(
      """
      SELECT result FROM (SELECT number, result, action FROM history ORDER BY number DESC LIMIT ?1)
      WHERE action = ?2 AND result IN (8, 9, 10) ORDER BY number DESC LIMIT 1
      """)
    defer { statement.reset() }
    statement.bind(Int64(Limits.historySearchMax), at: 1)
    statement.bind(record.action, at: 2)
    let wasOpen = try statement.step() && statement.integer(0) != Int64(TapResult.closed.rawValue)
    return wasOpen == (record.result == .opened)
  }

  /// Looks up who caused an entry accepted by an earlier process, among the rows written at its acceptance time.
  private func identify(_ record: inout TapRecord) throws(DatabaseError) {
    guard let entry = record.entry else { return }
    let statement = try database.statement(
      """
      SELECT uid, tag, person, by FROM (SELECT * FROM history WHERE number >= ?1 ORDER BY number LIMIT ?2)
      WHERE entry = ?3 LIMIT 1
      """)
    defer { statement.reset() }
    statement.bind(Store.historyNumber(record.acceptedUnixMilliseconds ?? record.unixMilliseconds), at: 1)
    statement.bind(Int64(Limits.historySearchMax), at: 2)
    statement.bind(blob: entry.bigEndianBytes, at: 3)
    guard try statement.step() else { return }
    record.uid = TagUID(statement.blob(0))
    record.tag = text(statement, 1)
    record.person = text(statement, 2)
    record.by = text(statement, 3)
  }

  /// Removes the rows about a person's taps, within a transaction: rows that name the person, and rows of a tag last
  /// seen with one of their secrets, such as rows of taps that were too frequent to be verified.
  func deleteHistory(of person: String, secrets: [String]) throws(DatabaseError) {
    let rows = try database.statement("DELETE FROM history WHERE person = ?1")
    rows.bind(person, at: 1)
    try rows.run()
    for secret in secrets {
      let rest = try database.statement(
        """
        DELETE FROM history WHERE person IS NULL AND uid IN (SELECT uid FROM tag_hints WHERE secret = ?1)
        """)
      rest.bind(secret, at: 1)
      try rest.run()
    }
  }

  /// Runs `body` in a transaction that does not wait for the disk, so a power cut may undo it.
  func withoutSync(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try database.execute("PRAGMA synchronous = NORMAL")
    // Fails only if memory is exhausted, in which case the commit fails as well.
    defer { try? database.execute("PRAGMA synchronous = FULL") }
    try transaction(body)
  }

  /// Removes old and excess rows from time to time, one batch per call.
  ///
  /// Must be called by the kiosk's store thread while it is idle. If the write fails, or another process has locked the
  /// database, the next call retries.
  func pruneHistoryInPause(at unixMilliseconds: Int64) {
    guard pausesToPruning <= 0 else { return pausesToPruning -= 1 }
    pausesToPruning = Limits.historyPruningInterval
    try? database.withoutWaiting { () throws(DatabaseError) in try pruneHistory(at: unixMilliseconds) }
  }

  /// Removes at most `Limits.historyPruneMax` old or excess rows, or all rows if the tap log is disabled.
  func pruneHistory(at unixMilliseconds: Int64) throws(DatabaseError) {
    guard let oldest = try edge("SELECT number, serial FROM history ORDER BY number LIMIT 1"),
      let newest = try lastTap()
    else { return }
    guard let historyAge else {
      return try withoutSync { () throws(DatabaseError) in try database.statement("DELETE FROM history").run() }
    }
    let cutoff = Store.historyNumber(unixMilliseconds - historyAge.wholeMilliseconds)
    let isFull = newest.serial - oldest.serial >= Limits.historyRowsMax
    guard isFull || oldest.number < cutoff else { return }
    try withoutSync { () throws(DatabaseError) in try deleteHistory(before: isFull ? .max : cutoff) }
    if oldest.number < cutoff { pausesToPruning = 0 }
  }

  private func deleteHistory(before number: Int64) throws(DatabaseError) {
    let statement = try database.statement(
      """
      DELETE FROM history WHERE number IN (SELECT number FROM history WHERE number < ?1 ORDER BY number LIMIT ?2)
      """)
    statement.bind(number, at: 1)
    statement.bind(Int64(Limits.historyPruneMax), at: 2)
    try statement.run()
  }

  private func lastTap() throws(DatabaseError) -> (number: Int64, serial: Int64)? {
    try edge("SELECT number, serial FROM history ORDER BY number DESC LIMIT 1")
  }

  private func edge(_ sql: StaticString) throws(DatabaseError) -> (number: Int64, serial: Int64)? {
    let statement = try database.statement(sql)
    defer { statement.reset() }
    return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
  }

  /// Returns the first row number for the given millisecond.
  private static func historyNumber(_ unixMilliseconds: Int64) -> Int64 {
    // Sufficient for 250 years; a clock error beyond that is harmless.
    min(max(0, unixMilliseconds), 1 << 43 - 1) << 20
  }
}

extension StoreRequest {
  /// Whether the request only records taps, so that a power cut may undo it.
  var recordsTaps: Bool {
    switch self {
    case .recordTap, .recordSecretUse, .keepHistory: true
    case .append, .countUse, .remove, .fetch, .fetchExpired, .drop, .giveUp, .retry, .recordWebhook, .fetchEdit,
      .recordOutcome, .check, .recordFallback, .forgetFallbacks, .recordCloses,
      .recordBroker, .recordAnnounced, .recordTimedOpening, .recordRoomCommands, .settleRoomCommand, .recordWrongCodes,
      .recordTime:
      false
    }
  }

  /// Whether the request only records taps, and must not wait for the next commit.
  var recordsTapsAtOnce: Bool {
    switch self {
    case .recordTap(_, mayWait: true), .recordSecretUse: false
    case _: recordsTaps
    }
  }
}
