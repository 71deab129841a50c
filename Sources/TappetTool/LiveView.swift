// The kiosk on a terminal: its light, its parts, the last taps. Drawn when something changes, never on a timer.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// Draws on the terminal's alternate screen, which leaves what stood there before as it was.
final class LiveView {
  private var isOpen = false

  /// Shows the picture.
  func draw(_ view: KioskView) {
    if !isOpen {
      isOpen = true
      Output.write("\u{1B}[?1049h\u{1B}[?25l")
    }
    let (columns, rows) = Self.size()
    let text = lines(view).prefix(rows - 1).map { Self.clipped($0, columns) }.joined(separator: "\u{1B}[K\r\n")
    Output.write("\u{1B}[H" + text + "\u{1B}[K\u{1B}[J")
  }

  /// Gives the terminal back.
  func close() {
    if isOpen { Output.write("\u{1B}[?25h\u{1B}[?1049l") }
    isOpen = false
  }

  private func lines(_ view: KioskView) -> [String] {
    var lines = [
      "\u{1B}[1mtappet\u{1B}[0m \(view.clientID)   (Ctrl-C ends it)", "",
      "  light    \(cell(view.light)) \(view.light.name)"
        + (view.light.isLasting ? "" : "   then \(cell(view.baseLight)) \(view.baseLight.name)"),
      "  reader   " + part(view.reader), "  broker   " + part(view.broker), "  disk     " + part(view.disk),
      "  clock    " + (view.clockIsGood == false ? "\u{1B}[33mnot synchronised\u{1B}[0m" : "good"),
      "  outbox   \(view.outboxCount) waiting", "",
      "  accepted \(view.counters.accepted)   delivered \(view.counters.delivered)   refused \(view.counters.refused)"
        + "   expired \(view.counters.expired)", "",
    ]
    for tap in view.taps.reversed() {
      lines.append("  \(tap.isGood ? "\u{1B}[32m✓\u{1B}[0m" : "\u{1B}[33m•\u{1B}[0m") \(tap.text)")
    }
    return lines
  }

  private func part(_ part: KioskView.Part) -> String {
    part.isGood ? part.text : "\u{1B}[33m\(part.text)\u{1B}[0m"
  }

  private func cell(_ light: Light) -> String {
    let colour =
      switch light {
      case .ready, .accepted, .deliveredByTag, .deliveredByButton: 42
      case .starting, .reading: 44
      case .locked: 47
      case .queued, .offline, .clockUnknown, .confirming: 43
      case .refused, .expired, .readerLost, .fault: 41
      }
    return "\u{1B}[\(colour)m  \u{1B}[0m"
  }

  private static func size() -> (columns: Int, rows: Int) {
    var window = winsize()
    guard tp_ioctl_pointer(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 1 else {
      return (80, 24)
    }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// At most `columns` visible scalars; colours are kept and closed.
  private static func clipped(_ line: String, _ columns: Int) -> String {
    var text = ""
    var width = 0
    var isInEscape = false
    for scalar in line.unicodeScalars {
      if scalar == "\u{1B}" { isInEscape = true }
      if !isInEscape {
        width += 1
        if width > columns { break }
      }
      text.unicodeScalars.append(scalar)
      if isInEscape, scalar == "m" { isInEscape = false }
    }
    return text + "\u{1B}[0m"
  }
}
