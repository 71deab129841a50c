// The kiosks of a broker as a table for a person, and in JSON.

import TappetConfig
import TappetCore
import TappetMessages

/// A table of kiosks.
struct FleetTable {
  private let rows: [FleetRow]
  private let now: Int64

  init(_ rows: [FleetRow], at unixMilliseconds: Int64) {
    self.rows = rows
    now = unixMilliseconds
  }

  /// The table's first line, and one for each kiosk, at most `max`.
  func lines(max: Int = .max) -> [String] {
    let shown = rows.prefix(max)
    let width = Swift.min(32, shown.map { $0.board.clientID.visible.unicodeScalars.count }.max() ?? 0)
    let names = Swift.max(5, width)
    var lines = [line("kiosk", names, "light", "version", "seen", "waiting", "trouble")]
    for row in shown {
      let state = row.board.state
      lines.append(
        line(
          row.board.clientID.visible, names, state?.light.visible ?? (row.board.isOnline == true ? "online" : "-"),
          state?.version.visible ?? "-", row.board.silence(at: now)?.brief ?? "-",
          state.map { String($0.waiting) } ?? "-", row.trouble?.sentence.visible ?? "none"))
    }
    if rows.count > max { lines.append("and \(rows.count - max) more") }
    return lines
  }

  private func line(
    _ name: String, _ width: Int, _ light: String, _ version: String, _ seen: String, _ waiting: String,
    _ trouble: String
  ) -> String {
    [(name, width), (light, 20), (version, 8), (seen, 7), (waiting, 8)].map { text, width in
      text + String(repeating: " ", count: Swift.max(0, width - text.unicodeScalars.count)) + "  "
    }.joined() + trouble
  }

  /// The sums in a sentence.
  var summary: String {
    let troubled = rows.count { $0.trouble != nil }
    let offline = rows.count { $0.board.isOnline != true }
    return "\(rows.count) \(rows.count == 1 ? "kiosk" : "kiosks"), \(troubled) with trouble, \(offline) not connected"
  }

  var json: JSON {
    .object(["kiosks": .array(rows.map { json($0) })])
  }

  private func json(_ row: FleetRow) -> JSON {
    let (board, state) = (row.board, row.board.state)
    let fault: JSON = row.trouble.map { .object(["code": .string($0.code), "text": .string($0.sentence)]) } ?? .null
    return .object([
      "client_id": .string(board.clientID), "online": board.isOnline.map { .bool($0) } ?? .null, "trouble": fault,
      "light": .optional(state?.light), "version": .optional(state?.version),
      "time": state.map { .time(unixMilliseconds: $0.unixMilliseconds) } ?? .null,
      "waiting": state.map { .number($0.waiting) } ?? .null,
      "certificate_ends_at": state?.certificateEnd.map { .time(unixMilliseconds: $0) } ?? .null,
    ])
  }
}
