// The ledger of commands from rooms (RoomLedger.swift): after a crash, none of them is executed twice, and all of them
// are answered.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the position up to which the commands are recorded; `nil` if there is none.
  @export(interface)
  package func roomPosition() throws(DatabaseError) -> String? {
    let statement = try database.statement("SELECT value FROM room_position")
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Returns the recorded commands: the answered ones in the order of their answers, then the others by their times.
  @export(interface)
  package func roomCommands() throws(DatabaseError) -> [RecordedCommand] {
    let statement = try database.statement(
      """
      SELECT room, event, unix_seconds, answered FROM room_commands
      ORDER BY answered = 0, answered, unix_seconds, event
      """)
    defer { statement.reset() }
    var rows: [RecordedCommand] = []
    while try statement.step() {
      rows.append(
        RecordedCommand(
          room: statement.text(0), event: statement.text(1), unixSeconds: statement.integer(2),
          isAnswered: statement.integer(3) != 0))
    }
    return rows
  }

  /// Records commands and the position after them, within a transaction; deletes answered commands beyond
  /// `Limits.roomCommandsAnsweredMax`.
  func record(_ rows: [RecordedCommand], position: String) throws(DatabaseError) {
    let place = try database.statement("INSERT OR REPLACE INTO room_position VALUES (1, ?1)")
    place.bind(position, at: 1)
    try place.run()
    for row in rows {
      let statement = try database.statement(
        "INSERT OR IGNORE INTO room_commands (event, room, unix_seconds) VALUES (?1, ?2, ?3)")
      statement.bind(row.event, at: 1)
      statement.bind(row.room, at: 2)
      statement.bind(row.unixSeconds, at: 3)
      try statement.run()
    }
    if rows.isEmpty { return }
    let statement = try database.statement(
      "DELETE FROM room_commands WHERE answered BETWEEN 1 AND (SELECT max(answered) FROM room_commands) - ?1")
    statement.bind(Limits.roomCommandsAnsweredMax, at: 1)
    try statement.run()
  }

  /// Marks a command as answered, within a transaction.
  ///
  /// `answered` is the number of the answer: no row is deleted by a time, because the homeserver chooses it.
  func settleRoomCommand(_ event: String) throws(DatabaseError) {
    let statement = try database.statement(
      """
      UPDATE room_commands SET answered = (SELECT max(answered) FROM room_commands) + 1
      WHERE event = ?1 AND answered = 0
      """)
    statement.bind(event, at: 1)
    try statement.run()
  }
}
