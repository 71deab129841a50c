// Draws the board's header on a terminal: two columns as on the board, with each pin's wiring and any wiring errors.
//
//                       ┌───────────┐
//                  3V3  │  1 · ·  2 │  5V
//      I2C1 SDA  GPIO2  │  3 ○ ·  4 │  5V
//   button light ─ GPIO17  │ 11 ● ○ 12 │  GPIO18  PCM CLK

import TappetCommandLine
import TappetCore

/// A part and the pin that it is wired to.
struct HeaderUse: Hashable {
  /// Pin number in the profile; a pin that is not on the header is listed below the drawing.
  var pin: Int
  /// The part's name: `button light`.
  var label: String
  /// An error message about the pin; `nil` if there is none.
  var problem: String?
}

/// Draws a board's headers as text.
enum HeaderDrawing {
  /// Returns the lines of text, without line breaks; `colour` adds escape sequences for a terminal.
  static func lines(profile: BoardProfile, uses: [HeaderUse], colour: Bool) -> [String] {
    var lines: [String] = []
    let pen = ANSIStyle(isColoured: colour)
    for header in profile.headers {
      if !lines.isEmpty { lines.append("") }
      lines.append("\(profile.title), \(header.title)")
      lines += drawing(header, uses, pen)
    }
    lines.append("")
    lines.append(
      "\(pen.good("●")) wired   \(pen.bad("!")) wrong   ○ free   · power, ground, or not for lights and buttons")
    for use in uses {
      if let problem = use.problem { lines.append("\(pen.bad("!")) \(use.label): \(problem)") }
    }
    return lines
  }

  private static func drawing(_ header: BoardProfile.Header, _ uses: [HeaderUse], _ pen: ANSIStyle) -> [String] {
    let cells = header.pins.map { Cell($0, uses) }
    let left = stride(from: 0, to: cells.count, by: 2).map { cells[$0] }
    let right = stride(from: 1, to: cells.count, by: 2).map { cells[$0] }
    let leftWidth = left.reduce(0) { max($0, $1.width) }
    let numberWidth = cells.last.map { String($0.number).utf8.count } ?? 0
    let margin = spaces(leftWidth + 4)
    let box = String(repeating: "─", count: 2 * numberWidth + 7)
    var lines = [margin + "┌" + box + "┐"]
    for (odd, even) in zip(left, right) {
      let first = spaces(numberWidth - String(odd.number).utf8.count) + String(odd.number)
      let second = spaces(numberWidth - String(even.number).utf8.count) + String(even.number)
      lines.append(
        spaces(2 + leftWidth - odd.width) + odd.text(pen, isLeft: true) + "  │ \(first) \(odd.mark(pen)) "
          + "\(even.mark(pen)) \(second) │  " + even.text(pen, isLeft: false))
    }
    lines.append(margin + "└" + box + "┘")
    return lines
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  /// The drawing of one pin.
  private struct Cell {
    let number: Int
    private let name: String
    /// The part wired to the pin, otherwise the pin's alternative function.
    private let note: String
    private let state: State

    private enum State {
      case wired, wrong, free, taken
    }

    init(_ pin: BoardProfile.Pin, _ uses: [HeaderUse]) {
      let own = uses.filter { $0.pin == pin.number }
      number = pin.number
      name = pin.name
      let isFree = pin.line != .none && pin.reservedFor == nil
      if own.isEmpty {
        state = isFree ? .free : .taken
        note = pin.reservedFor ?? pin.alternative
      } else {
        state = own.contains { $0.problem != nil } ? .wrong : .wired
        note = HeaderDrawing.shortened(own.map { $0.label }.joined(separator: ", "))
      }
    }

    private var isUsed: Bool {
      switch state {
      case .wired, .wrong: true
      case .free, .taken: false
      }
    }

    private var link: String { note.isEmpty ? "" : isUsed ? " ── " : "  " }

    /// Width in terminal columns.
    var width: Int { name.unicodeScalars.count + link.unicodeScalars.count + note.unicodeScalars.count }

    func text(_ pen: ANSIStyle, isLeft: Bool) -> String {
      let own: String
      switch state {
      case .wired: own = pen.good(note)
      case .wrong: own = pen.bad(note)
      case .free, .taken: own = pen.faint(note)
      }
      let pin = state == .taken ? pen.faint(name) : name
      return isLeft ? own + link + pin : pin + link + own
    }

    func mark(_ pen: ANSIStyle) -> String {
      switch state {
      case .wired: pen.good("●")
      case .wrong: pen.bad("!")
      case .free: "○"
      case .taken: "·"
      }
    }
  }

  /// Returns a label truncated to the width of the drawing.
  private static func shortened(_ text: String) -> String {
    text.unicodeScalars.count <= 28 ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(27))) + "…"
  }

  /// Adds colours if enabled.
  private struct ANSIStyle {
    let isColoured: Bool

    func good(_ text: String) -> String { paint(text, "32") }
    func bad(_ text: String) -> String { paint(text, "31;1") }
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
      isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
  }
}
