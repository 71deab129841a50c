// The terminal's size, and single-key input.

import CPlatform

package enum TerminalSize {
  /// Returns the columns and rows; `nil` if stdout is not a terminal, or is a serial console of unknown size.
  package static func current() -> (columns: Int, rows: Int)? {
    var window = winsize()
    guard tp_ioctl_pointer(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return (Int(window.ws_col), Int(window.ws_row))
  }
}

/// Modified terminal settings, in effect while this object exists.
package final class TerminalMode {
  private var before = termios()
  private let modes: Int32

  /// Disables the given local modes (termios(3)); `nil` if standard input is not a terminal.
  package init?(without modes: Int32) {
    self.modes = modes
    guard isatty(0) == 1, tcgetattr(0, &before) == 0, renew() else { return nil }
  }

  /// Disables the modes again, after the process was stopped: its shell has enabled them.
  @discardableResult
  func renew() -> Bool {
    var changed = termios()
    guard tcgetattr(0, &changed) == 0 else { return false }
    changed.c_lflag &= ~tcflag_t(modes)
    return tcsetattr(0, TCSAFLUSH, &changed) == 0
  }

  // Unread keys are discarded, because they were meant for this mode.
  deinit { tcsetattr(0, TCSAFLUSH, &before) }

  /// Enables single-key input without echo.
  package static func keys() -> TerminalMode? { TerminalMode(without: ICANON | ECHO) }

  /// Enables line input without echo.
  static func quiet() -> TerminalMode? { TerminalMode(without: ECHO) }
}
