// The kiosks of a broker as a text table, and as JSON.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages

/// A table of kiosks, for a terminal with a limited width or for a file.
struct FleetTable {
  private static let titles = ["kiosk", "light", "version", "seen", "queue", "cert", "reader", "clock", "trouble"]

  private let rows: [FleetRow]
  private let now: Int64
  /// `nil` means unlimited.
  private let columns: Int?

  init(_ rows: [FleetRow], at unixMilliseconds: Int64, columns: Int? = nil) {
    self.rows = rows
    now = unixMilliseconds
    self.columns = columns
  }

  /// Returns the table header, and one line for each kiosk.
  func lines() -> [String] {
    let table = [Self.titles] + rows.map { cells($0) }
    let isNarrow = columns.map { $0 < 100 } ?? false
    let most = isNarrow ? [16, 13] : [32, 20]
    // The last column uses the rest of the line.
    let widths = (0..<Self.titles.count - 1).map { column in
      min(column < most.count ? most[column] : 8, table.reduce(0) { max($0, $1[column].unicodeScalars.count) })
    }
    return table.map { cells in
      let front = zip(cells, widths).map { Self.padded($0, $1) + (isNarrow ? " " : "  ") }.joined()
      let line = front + (cells.last ?? "")
      return columns.map { Self.shortened(line, $0) } ?? line
    }
  }

  private func cells(_ row: FleetRow) -> [String] {
    let (board, state) = (row.board, row.board.state)
    return [
      board.clientID.escaped, state?.light.escaped ?? (board.isOnline == true ? "online" : "-"),
      state?.version.escaped ?? "-", board.silence(at: now)?.brief ?? "-",
      state.map { $0.waiting > 99_999 ? "many" : String($0.waiting) } ?? "-",
      board.certificateDays(at: now).map { "\($0) d" } ?? "-", state?.reader.map { Self.word($0) } ?? "-",
      state.map { Self.clock($0) } ?? "-", row.trouble?.sentence.escaped ?? "none",
    ]
  }

  private static func word(_ reader: FleetBoard.Part) -> String {
    reader.isGood ? reader.code == "none" ? "none" : "ok" : "bad"
  }

  /// Returns the clock's state; a wrong clock is not a fault if nothing needs it.
  private static func clock(_ state: FleetBoard.State) -> String {
    guard let isGood = state.isClockGood else { return "-" }
    return isGood ? "ok" : state.isClockNeeded ? "bad" : "unset"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    let text = shortened(text, width)
    return text + String(repeating: " ", count: max(0, width - text.unicodeScalars.count))
  }

  private static func shortened(_ text: String, _ width: Int) -> String {
    guard text.unicodeScalars.count > width else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(0, width - 1)))) + "…"
  }

  var json: JSON {
    .object(["kiosks": .array(rows.map { json($0) })])
  }

  private func json(_ row: FleetRow) -> JSON {
    let (board, state) = (row.board, row.board.state)
    let fault: JSON = row.trouble.map { .object(["code": .string($0.code), "text": .string($0.sentence)]) } ?? .null
    let online: JSON = board.isOnline.map { .bool($0) } ?? .null
    let time: JSON = state.map { .time(unixMilliseconds: $0.unixMilliseconds) } ?? .null
    let waiting: JSON = state.map { .number($0.waiting) } ?? .null
    let end: JSON = state?.certificateEnd.map { .time(unixMilliseconds: $0) } ?? .null
    let days: JSON = board.certificateDays(at: now).map { .number($0) } ?? .null
    let reader: JSON =
      state?.reader.map { .object(["good": .bool($0.isGood), "code": .string($0.code)]) } ?? .null
    let clock: JSON = state.map { clockJSON($0) } ?? .null
    return .object([
      "client_id": .string(board.clientID), "online": online, "trouble": fault, "light": .optional(state?.light),
      "version": .optional(state?.version), "time": time, "waiting": waiting, "certificate_ends_at": end,
      "certificate_days_left": days, "reader": reader, "clock": clock,
    ])
  }

  private func clockJSON(_ state: FleetBoard.State) -> JSON {
    .object(["good": state.isClockGood.map { .bool($0) } ?? .null, "needed": .bool(state.isClockNeeded)])
  }
}
