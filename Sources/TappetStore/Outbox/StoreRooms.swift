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

  /// Returns the recorded commands in the order in which they were sent.
  @export(interface)
  package func roomCommands() throws(DatabaseError) -> [RecordedCommand] {
    let statement = try database.statement(
      "SELECT room, event, unix_seconds, answered FROM room_commands ORDER BY unix_seconds, event")
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

  /// Records commands and the position after them, within a transaction; deletes answered commands that are too old to
  /// be executed again.
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
    guard let newest = rows.map({ $0.unixSeconds }).max() else { return }
    let statement = try database.statement("DELETE FROM room_commands WHERE answered = 1 AND unix_seconds < ?1")
    statement.bind(newest - Limits.roomCommandAge.wholeMilliseconds / 1000, at: 1)
    try statement.run()
  }

  /// Marks a command as answered, within a transaction.
  func settleRoomCommand(_ event: String) throws(DatabaseError) {
    let statement = try database.statement("UPDATE room_commands SET answered = 1 WHERE event = ?1")
    statement.bind(event, at: 1)
    try statement.run()
  }
}
