// A QR code on the terminal, for a minute: on the alternate screen, so that no scrollback keeps it, and cleared before that is
// left, whatever ends it.

import CPlatform
import TappetCore
import TappetDevices

enum CodeScreen {
  /// Shows it until a key, a signal or the time ends it.
  static func show(_ code: QRCode, name: String) throws(SecretRefusal) {
    let lines = code.lines
    try requireRoom(columns: code.width, rows: lines.count + 1)
    guard let stop = StopSignals() else {
      throw SecretRefusal(sentence: "the terminal cannot be watched; give --out FILE", status: .failure)
    }
    let keyboard = Keyboard()
    var screen = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H\u{1B}[?25l"
    // Black on white by their numbers, for a light terminal as for a dark one; the names of colours are themes.
    for line in lines { screen += "\u{1B}[38;5;16;48;5;231m" + line + "\u{1B}[0m\r\n" }
    // A long name is cut at the edge: wrapped it would scroll the code away.
    let seconds = Limits.shareDisplayTime.wholeMilliseconds / 1000
    screen += "\u{1B}[?7l(\(seconds) s; any key ends it)  \(name)\u{1B}[?7h"
    Output.write(screen)
    _ = stop.waitReadable(keyboard == nil ? -1 : 0, for: Limits.shareDisplayTime)
    Output.write("\u{1B}[2J\u{1B}[3J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l")
  }

  private static func requireRoom(columns: Int, rows: Int) throws(SecretRefusal) {
    var size = winsize()
    // Some serial consoles do not know their size.
    guard ioctlSize(&size), size.ws_col > 0, size.ws_row > 0 else { return }
    guard Int(size.ws_col) < columns || Int(size.ws_row) < rows else { return }
    throw SecretRefusal(
      sentence:
        "the code needs \(columns) columns and \(rows) lines, this terminal has \(size.ws_col) and \(size.ws_row); enlarge it, or give --out FILE",
      status: .failure)
  }

  private static func ioctlSize(_ size: inout winsize) -> Bool {
    withUnsafeMutablePointer(to: &size) { tp_ioctl_pointer(1, UInt(TIOCGWINSZ), $0) } == 0
  }
}

/// Keys one by one, while it is there.
private final class Keyboard {
  private var before = termios()

  /// Nil when standard input is no terminal.
  init?() {
    guard isatty(0) == 1, tcgetattr(0, &before) == 0 else { return nil }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(0, TCSAFLUSH, &raw)
  }

  // The key that ended it is thrown away.
  deinit { tcsetattr(0, TCSAFLUSH, &before) }
}
