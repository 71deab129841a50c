// Shows a QR code on the terminal for a minute. It uses the alternate screen, so that the code does not enter the
// scrollback, and clears that screen before leaving it, no matter how the display ends.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetQR

enum CodeScreen {
  /// Shows the code until a key is pressed, a signal arrives or the time limit expires.
  static func show(_ code: QRCode, name: String) throws(CommandFailure) {
    let lines = code.inkLines
    try requireRoom(columns: code.width, rows: lines.count + 1)
    let signals = HeldSignals(HeldSignals.typed)
    let keys = TerminalMode.keys()
    defer { withExtendedLifetime(keys) {} }
    var screen = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H\u{1B}[?25l"
    for line in lines { screen += line + "\r\n" }
    // A long name is cut off at the edge, because wrapping would scroll the code.
    let seconds = Limits.shareDisplayTime.wholeMilliseconds / 1000
    screen += "\u{1B}[?7l(\(seconds) s; press any key to close)  \(name.escaped)\u{1B}[?7h"
    Output.write(screen)
    _ = signals.wait(for: keys == nil ? -1 : 0, until: Limits.shareDisplayTime)
    Output.write("\u{1B}[2J\u{1B}[3J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l")
  }

  private static func requireRoom(columns: Int, rows: Int) throws(CommandFailure) {
    guard let size = TerminalSize.current(), size.columns < columns || size.rows < rows else { return }
    throw .failed(
      "the code needs \(columns) columns and \(rows) lines, but this terminal has \(size.columns) and \(size.rows); "
        + "enlarge the terminal, or specify --out FILE")
  }
}

extension QRCode {
  /// The lines in black on white by colour number, for light and dark terminals; named colours depend on the theme.
  var inkLines: [String] { lines.map { "\u{1B}[38;5;16;48;5;231m" + $0 + "\u{1B}[0m" } }
}
