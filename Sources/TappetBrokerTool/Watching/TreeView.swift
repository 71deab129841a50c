// 'mqtt sub --tree': on a terminal, a tree of topics that is redrawn continuously; otherwise one tree at the end.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetCore
import TappetPlatform

/// Draws a tree of topics, at most ten times a second.
final class TreeView {
  private let isLive = isatty(1) == 1
  private var tree = TopicTree()
  private let began = Instant.now()
  private var drawn: Instant?

  private var second: Int64 { (Instant.now() - began).wholeMilliseconds / 1000 }

  func take(_ message: LinkMessage) {
    tree.add(message.topic, value: message.summary(Limits.treeValueSizeMax), atSecond: second)
  }

  func drawIfDue() {
    let now = Instant.now()
    guard isLive, drawn.map({ now - $0 >= Limits.treeDrawingInterval }) ?? true else { return }
    drawn = now
    let size = TerminalSize.current() ?? (80, 24)
    // Redraws from the upper left corner, erasing the rest of each line and everything below the last line.
    var text = "\u{1B}[H"
    eachLine(rows: max(1, size.rows - 4), columns: size.columns) { text += $0 + "\u{1B}[K\n" }
    Output.write(text + "\u{1B}[J")
  }

  func drawLast() {
    if isLive { Output.write("\u{1B}[H\u{1B}[J") }
    eachLine(rows: isLive ? 1000 : Limits.treeNodesMax, columns: isLive ? 200 : 1000) { Output.write($0 + "\n") }
  }

  private func eachLine(rows: Int, columns: Int, _ show: (String) -> Void) {
    let second = second
    show("\(tree.count) topics, \(tree.messages) messages in \(second) s")
    show("  msg/s   messages  topic")
    for row in tree.rows(rows, atSecond: second) {
      show(String(String.UnicodeScalarView(Self.line(row).unicodeScalars.prefix(columns))))
    }
    if tree.uncounted > 0 { show("and \(tree.uncounted) messages on further topics") }
  }

  static func line(_ row: TopicTree.Row) -> String {
    var text = right(row.rate, 7) + right(row.messages, 11) + "  "
    text += String(repeating: "  ", count: row.depth) + (row.name.isEmpty ? "(empty)" : row.name.escaped)
    if let value = row.value { text += " = " + value }
    return row.hidden > 0 ? text + "  (\(row.hidden) topics)" : text
  }

  private static func right(_ number: some BinaryInteger, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(1, width - text.utf8.count)) + text
  }
}

extension LinkMessage {
  /// Returns the start of the payload as a single line that is safe to print.
  func summary(_ sizeMax: Int) -> String {
    guard payload.count > sizeMax else { return text }
    var part = self
    part.payload = Array(payload.prefix(sizeMax))
    // A character cut in two is omitted.
    while let last = part.payload.last, last & 0xC0 == 0x80 { part.payload.removeLast() }
    if let last = part.payload.last, last & 0xC0 == 0xC0 { part.payload.removeLast() }
    return part.text + "…"
  }
}
