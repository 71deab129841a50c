// The full terminal as rows of text, using ncurses. The only file that imports CCurses.

import CCurses
import CPlatform
import TappetCore

/// A key press on the terminal.
package enum TerminalKey: Equatable {
  case character(Unicode.Scalar)
  case up, down, pageUp, pageDown, enter, backspace, escape, tab
}

/// Full-screen mode on the terminal of the standard streams, active while this object exists.
package final class FullScreen {
  package private(set) var size: (columns: Int, rows: Int)

  /// Enters full-screen mode; fails with a message if the terminal is unsuitable.
  @export(interface)
  package init() throws(CommandFailure) {
    guard isatty(0) == 1, isatty(1) == 1 else { throw .failed("this command needs a terminal") }
    size = TerminalSize.current() ?? (80, 24)
    switch tc_open() {
    case TC_OPEN: break
    case TC_UNKNOWN_TERMINAL:
      let name = getenv("TERM").map { String(cString: $0) } ?? ""
      throw .failed("the terminal's type \(name.quoted) is unknown here; try TERM=xterm or TERM=vt100")
    default: throw .failed("full-screen display requires ncurses: install the package libncursesw6")
    }
  }

  /// Enables colours, unless the terminal does not support them or the user disabled them (no-color.org).
  package func useColours() {
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    if !isUnwanted { tc_use_colours() }
  }

  deinit { close() }

  /// Restores the terminal.
  package func close() { tc_close() }

  /// Returns the next key press; `nil` if there is none.
  package func key() -> TerminalKey? {
    while true {
      let code = tc_next_key()
      if code == TC_NONE.rawValue { return nil }
      if let key = Self.key(code) { return key }
    }
  }

  private static func key(_ code: Int32) -> TerminalKey? {
    switch tc_key(code) {
    case TC_UP: .up
    case TC_DOWN: .down
    case TC_PAGE_UP: .pageUp
    case TC_PAGE_DOWN: .pageDown
    default:
      switch code {
      case 10, 13: .enter
      case 9: .tab
      case 27: .escape
      case 8, 127: .backspace
      default: Unicode.Scalar(UInt32(code)).map { .character($0) }
      }
    }
  }

  /// Adapts to a changed terminal size; returns false if the terminal has been closed.
  @export(interface)
  package func adapt() -> Bool {
    guard let now = TerminalSize.current() else { return isatty(1) == 1 }
    if now != size {
      size = now
      tc_resize(Int32(now.rows), Int32(now.columns))
    }
    return true
  }

  /// Displays the given rows, with the cursor at the specified row and column.
  package func show(_ rows: [ScreenRow], cursor: (row: Int, column: Int)?) {
    for (index, row) in rows.prefix(size.rows).enumerated() {
      let text = String(String.UnicodeScalarView(row.text.unicodeScalars.prefix(size.columns)))
      tc_put(Int32(index), text, row.look)
    }
    tc_show(Int32(clamping: cursor?.row ?? -1), Int32(clamping: cursor?.column ?? 0))
  }
}

/// A row of the screen.
package struct ScreenRow: Equatable {
  package var text: String
  package var isReverse: Bool
  /// Colour of the text; `nil` means the terminal's default.
  package var colour: Colour?

  package init(text: String, isReverse: Bool = false, colour: Colour? = nil) {
    self.text = text
    self.isReverse = isReverse
    self.colour = colour
  }

  /// A colour with a meaning that the text also conveys.
  package enum Colour {
    case red, yellow
  }

  fileprivate var look: tc_look {
    if isReverse { return TC_REVERSE }
    return switch colour {
    case nil: TC_PLAIN
    case .red: TC_RED
    case .yellow: TC_YELLOW
    }
  }
}
