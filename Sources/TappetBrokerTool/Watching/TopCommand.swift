// tappet mqtt top: the busiest topics. On a terminal, a table that is redrawn each second; otherwise one table at the
// end.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// Counts messages by topic, and shows the busiest topics.
enum TopCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    let view = TopView(byBytes: arguments.value("by") == "bytes", isLive: isatty(1) == 1 && !arguments.asJSON)
    let filters = arguments.operands.isEmpty ? ["#"] : arguments.operands
    let subscriber = Subscriber(client, filters: filters, SubscriptionLimits(arguments)) { view.take($0) }
    subscriber.turnMax = .seconds(1)
    subscriber.endOfTurn = { () throws(CommandFailure) in view.drawIfDue() }
    try subscriber.run()
    if let report = arguments.report { report.set(view.json) } else { view.drawLast() }
  }
}

/// A table of topics that is redrawn continuously, or printed once.
final class TopView {
  private let byBytes: Bool
  private let isLive: Bool
  private var rates = TopicRates()
  private let began = Instant.now()
  private var drawn: Int64 = -1

  init(byBytes: Bool, isLive: Bool) {
    self.byBytes = byBytes
    self.isLive = isLive
  }

  private var second: Int64 { (Instant.now() - began).wholeMilliseconds / 1000 }

  func take(_ message: LinkMessage) { rates.add(message.topic, bytes: message.size, atSecond: second) }

  func drawIfDue() {
    guard isLive, case let now = second, now > drawn else { return }
    drawn = now
    let size = TerminalSize.current() ?? (80, 24)
    // Redraws from the upper left corner, erasing the rest of each line and everything below the last line.
    let lines = table(rows: max(1, size.rows - 4), columns: size.columns)
    Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
  }

  func drawLast() {
    if isLive { Output.write("\u{1B}[H\u{1B}[J") }
    for line in table(rows: 40, columns: 200) { Output.write(line + "\n") }
  }

  private func table(rows: Int, columns: Int) -> [String] {
    var lines = ["\(rates.count) topics in \(second) s, by \(byBytes ? "bytes" : "messages") in the last minute"]
    lines.append("  msg/s   B/s  msg/min     B/min  msg/h        B/h  topic")
    for row in rates.top(rows, byBytes: byBytes, atSecond: second) {
      let figures = [
        (row.second.messages, 7), (row.second.bytes, 6), (row.minute.messages, 9), (row.minute.bytes, 10),
        (row.hour.messages, 7), (row.hour.bytes, 11),
      ]
      let text = figures.map { Self.right($0.0, $0.1) }.joined() + "  "
      let room = max(1, columns - text.utf8.count)
      lines.append(text + String(String.UnicodeScalarView(row.topic.escaped.unicodeScalars.prefix(room))))
    }
    if rates.uncounted > 0 { lines.append("and \(rates.uncounted) messages on further topics") }
    return lines
  }

  private static func right(_ number: UInt64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(1, width - text.utf8.count)) + text
  }

  var json: JSON {
    let rows = rates.top(100, byBytes: byBytes, atSecond: second).map { row in
      JSON.object([
        "topic": .string(row.topic), "minute_messages": .number(Int64(row.minute.messages)),
        "minute_bytes": .number(Int64(row.minute.bytes)), "hour_messages": .number(Int64(row.hour.messages)),
        "hour_bytes": .number(Int64(row.hour.bytes)),
      ])
    }
    return .object(["topics": .array(rows), "topic_count": .number(Int64(rates.count)), "seconds": .number(second)])
  }
}
