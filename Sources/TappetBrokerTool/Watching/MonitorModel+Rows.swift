// The screen of 'mqtt monitor' as rows of text; all data from the broker is escaped.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform

extension MonitorModel {
  // At most 80 columns each.
  private static let keys = " q quit  t tree  b busiest  m messages  s statistics  p publish  space pause"
  private static let keysOfMessages = " q quit  t tree  s statistics  p publish  space pause  f follow  enter whole"
  private static let prompt = "publish> "

  /// Number of rows above and below the middle of the screen.
  static let frame = 5

  /// Returns all rows of a screen of the given size.
  mutating func rows(columns: Int, rows: Int, now: Instant, second: Int64) -> [ScreenRow] {
    advance(to: second)
    let room = max(1, rows - Self.frame)
    var screen = [title(columns, now), ScreenRow(text: counts), ScreenRow(text: heading)]
    let middle = self.middle(columns, room, now, second)
    screen += middle.prefix(room)
    screen += [ScreenRow](repeating: ScreenRow(text: ""), count: max(0, room - middle.count))
    screen.append(ScreenRow(text: line.map { Self.prompt + $0.escaped } ?? notice))
    let keysOfView = view == .messages ? Self.keysOfMessages : Self.keys
    let keys = line == nil ? keysOfView : " enter publish  esc cancel"
    screen.append(ScreenRow(text: Self.padded(keys, columns), isReverse: true))
    return screen
  }

  /// Returns the position of the cursor; `nil` if no text is being typed.
  func cursor(rows: Int) -> (row: Int, column: Int)? {
    line.map { (row: rows - 2, column: Self.prompt.utf8.count + $0.escaped.unicodeScalars.count) }
  }

  private func title(_ columns: Int, _ now: Instant) -> ScreenRow {
    let seconds = statistics.uptime(at: now).wholeMilliseconds / 1000
    let state = statistics.connectedSince == nil ? "not connected" : "MQTT \(version), up \(seconds) s"
    let filters = filters.map { $0.escaped }.joined(separator: " ")
    return ScreenRow(
      text: Self.padded(" \(url)  \(state)  \(filters)" + (isPaused ? "  PAUSED" : ""), columns), isReverse: true)
  }

  private var counts: String {
    var text = " \(rate) msg/s  received \(statistics.received), \(plural(statistics.receivedBytes, "byte"))"
    text += "  published \(statistics.published)"
    text += "  " + plural(tree.count, "topic")
    return text + (statistics.reconnects > 0 ? "  " + plural(statistics.reconnects, "reconnect") : "")
  }

  private var heading: String {
    switch view {
    case .tree, .busiest: "  msg/s   messages  topic"
    case .messages: showsWhole ? "" : "   time      QoS  topic  message"
    case .statistics: ""
    }
  }

  private mutating func middle(_ columns: Int, _ room: Int, _ now: Instant, _ second: Int64) -> [ScreenRow] {
    switch view {
    case .tree, .busiest:
      let rows =
        view == .tree
        ? tree.rows(place + room, atSecond: second) : tree.busiest(place + room, atSecond: second)
      limitPlace(to: max(0, rows.count - room))
      return rows.dropFirst(place).map { ScreenRow(text: Self.line($0)) }
    case .messages: return showsWhole ? whole(columns) : list(room)
    case .statistics: return statistics.lines(at: now).map { ScreenRow(text: " " + $0.escaped) }
    }
  }

  private static func line(_ row: TopicTree.Row) -> String {
    var text = right(row.rate, 7) + right(row.messages, 11) + "  "
    text += String(repeating: "  ", count: row.depth) + (row.name.isEmpty ? "(empty)" : row.name.escaped)
    if let value = row.value { text += " = " + value }
    return row.hidden > 0 ? text + "  (\(row.hidden) topics)" : text
  }

  private static func right(_ number: some BinaryInteger, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(1, width - text.utf8.count)) + text
  }

  /// Returns the messages around the selected message, newest first.
  private func list(_ room: Int) -> [ScreenRow] {
    let entries = recent.entries
    let first = max(0, min(place - room / 2, entries.count - room))
    return (first..<min(entries.count, first + room)).map { index in
      let entry = entries[entries.count - 1 - index]
      let (message, time) = (entry.message, WallTime.timeOfDay(unixMilliseconds: entry.unixMilliseconds))
      let text = " \(time)  q\(message.qos)\(message.isRetained ? "r" : " ")  \(message.topic.escaped)  "
      return ScreenRow(text: text + message.summary(Limits.monitorSummarySizeMax), isReverse: index == place)
    }
  }

  private func whole(_ columns: Int) -> [ScreenRow] {
    guard let entry = selected else { return [] }
    let message = entry.message
    let text = message.text
    var rows = [
      ScreenRow(text: " " + message.topic.escaped),
      ScreenRow(
        text: " \(WallTime.timeOfDay(unixMilliseconds: entry.unixMilliseconds)), QoS \(message.qos)"
          + "\(message.isRetained ? ", retained" : ""), \(message.size) bytes"),
    ]
    var rest = Array(text.unicodeScalars.prefix(Limits.recentPayloadSizeMax))[...]
    while !rest.isEmpty {
      rows.append(ScreenRow(text: " " + String(String.UnicodeScalarView(rest.prefix(max(1, columns - 2))))))
      rest = rest.dropFirst(max(1, columns - 2))
    }
    return rows
  }

  private static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - text.unicodeScalars.count))
  }
}
