// The terminal: its size, and its keys one by one.

import CPlatform

package enum TerminalSize {
  /// The columns and rows; `nil` for what is not a terminal, and for serial consoles that do not know.
  package static func current() -> (columns: Int, rows: Int)? {
    var window = winsize()
    guard tp_ioctl_pointer(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return (Int(window.ws_col), Int(window.ws_row))
  }
}

/// A terminal's settings, changed while this exists.
package final class TerminalMode {
  private var before = termios()

  /// Switches these local modes off (termios(3)); `nil` when standard input is not a terminal.
  package init?(without modes: Int32) {
    guard isatty(0) == 1, tcgetattr(0, &before) == 0 else { return nil }
    var changed = before
    changed.c_lflag &= ~tcflag_t(modes)
    guard tcsetattr(0, TCSAFLUSH, &changed) == 0 else { return nil }
  }

  // Keys that nobody has read are discarded: they were meant for us.
  deinit { tcsetattr(0, TCSAFLUSH, &before) }

  /// Keys one by one, without showing them.
  package static func keys() -> TerminalMode? { TerminalMode(without: ICANON | ECHO) }

  /// Lines, without showing them.
  static func quiet() -> TerminalMode? { TerminalMode(without: ECHO) }
}
