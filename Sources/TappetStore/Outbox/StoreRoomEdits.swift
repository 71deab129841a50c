// The messages in rooms that are to be edited (RoomEdits.swift): a row for each accepted tap, until its message is
// edited, or can no longer be.

import TappetCore
import TappetSQLite

extension Store {
  /// Whether there are any rows.
  func hasRoomEdits() throws(DatabaseError) -> Bool {
    let statement = try database.statement("SELECT EXISTS (SELECT 1 FROM room_edits)")
    defer { statement.reset() }
    return try statement.step() && statement.integer(0) != 0
  }

  /// Returns the oldest edit that is due.
  @export(interface)
  package func nextRoomEdit() throws(DatabaseError) -> RoomEdit? {
    let statement = try database.statement(
      """
      SELECT entry, action, message, filling, event, outcome FROM room_edits
      WHERE event IS NOT NULL AND outcome IS NOT NULL ORDER BY number LIMIT 1
      """)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return RoomEdit(
      entry: EntryID(bigEndianBytes: statement.blob(0)), action: statement.text(1),
      message: PayloadTemplate(statement.text(2), storedFilling: statement.integer(3)), event: statement.text(4),
      outcome: RoomEditOutcome(rawValue: UInt8(clamping: statement.integer(5))) ?? .dropped)
  }

  // MARK: Within a transaction

  /// Inserts the row of a tap, and deletes rows beyond `Limits.roomEditsMax`.
  func insert(edited entry: OutboxEntry) throws(DatabaseError) {
    let statement = try database.statement(
      "INSERT OR IGNORE INTO room_edits (entry, action, message, filling) VALUES (?1, ?2, ?3, ?4)")
    statement.bind(blob: entry.id.bigEndianBytes, at: 1)
    statement.bind(entry.action, at: 2)
    statement.bind(blob: Array(entry.message.text.utf8), at: 3)
    statement.bind(entry.message.storedFilling, at: 4)
    try statement.run()
    let excess = try database.statement("DELETE FROM room_edits WHERE number <= ?1")
    excess.bind(database.lastRow - Limits.roomEditsMax, at: 1)
    try excess.run()
  }

  /// Records the event of a tap's message.
  func recordEvent(_ event: String, of entry: EntryID) throws(DatabaseError) {
    let statement = try database.statement("UPDATE room_edits SET event = ?1 WHERE entry = ?2 AND event IS NULL")
    statement.bind(event, at: 1)
    statement.bind(blob: entry.bigEndianBytes, at: 2)
    try statement.run()
  }

  /// Records the outcome of a tap; the first one counts.
  func recordOutcome(_ outcome: RoomEditOutcome, of entry: EntryID) throws(DatabaseError) {
    let statement = try database.statement("UPDATE room_edits SET outcome = ?1 WHERE entry = ?2 AND outcome IS NULL")
    statement.bind(Int64(outcome.rawValue), at: 1)
    statement.bind(blob: entry.bigEndianBytes, at: 2)
    try statement.run()
  }

  /// Deletes the row of a tap whose message will never be in the room.
  func forgetUnposted(_ entry: EntryID) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM room_edits WHERE entry = ?1 AND event IS NULL")
    statement.bind(blob: entry.bigEndianBytes, at: 1)
    try statement.run()
  }

  /// Deletes the row of a finished edit, if any, and returns the oldest edit that is due.
  func nextRoomEdit(removing done: EntryID?) throws(DatabaseError) -> RoomEdit? {
    if let done { try forgetEdited(done) }
    return try nextRoomEdit()
  }

  private func forgetEdited(_ entry: EntryID) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM room_edits WHERE entry = ?1")
    statement.bind(blob: entry.bigEndianBytes, at: 1)
    try statement.run()
  }
}
