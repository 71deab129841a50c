// The kiosk's live view on a terminal: blinking lights, parts, recent taps, and buttons mapped to keys. Redrawn on
// changes, never on a timer, and only the lines that changed.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// Draws on the terminal's alternate screen, so that the previous text is preserved.
final class LiveView {
  private var isOpen = false
  private var drawn: [String] = []
  private var size: (columns: Int, rows: Int) = (0, 0)
  /// `nil` if the keyboard is not being read.
  private var keyboard: TerminalMode?
  /// Set by `h`: the next digit key holds its button down, or releases it.
  private var isHolding = false
  /// The buttons held down from the keyboard.
  private var held: Set<Int> = []
  /// Whether help for the keys is shown; toggled by `?`.
  private var isExplaining = false

  /// The result of keyboard input.
  enum Typed {
    case buttons
    /// The view must be redrawn.
    case redraw
    case quit
    /// The terminal was closed.
    case gone
  }

  /// Draws the view.
  func draw(_ view: KioskView) {
    if !isOpen {
      isOpen = true
      Output.write("\u{1B}[?1049h\u{1B}[?25l")
    }
    let size = TerminalSize.current() ?? (80, 24)
    var text = ""
    if size != self.size {
      self.size = size
      drawn = []
      text = "\u{1B}[2J"
    }
    var lines = lines(view).flatMap { ScreenLine.wrapped($0, size.columns) }
    if lines.count > size.rows { lines.removeLast(lines.count - size.rows) }
    for index in 0..<max(lines.count, drawn.count) {
      let line = index < lines.count ? lines[index] : ""
      if index < drawn.count, drawn[index] == line { continue }
      if index < drawn.count { drawn[index] = line } else { drawn.append(line) }
      text += "\u{1B}[" + String(index + 1) + ";1H" + line + "\u{1B}[K"
    }
    if !text.isEmpty { Output.write(text) }
  }

  /// Restores the terminal.
  func close() {
    keyboard = nil
    if isOpen { Output.write("\u{1B}[?25h\u{1B}[?1049l") }
    isOpen = false
  }

  // MARK: Keys

  /// Starts reading single keys without echo; returns false if standard input is not a terminal.
  func openKeyboard() -> Bool {
    keyboard = .keys()
    return keyboard != nil
  }

  /// Reads pending keys; calls `handler` with a button's index and whether the button is pressed or released.
  func readKeys(_ handler: (Int, Bool) -> Void) -> Typed {
    var bytes = [UInt8](repeating: 0, count: 64)
    guard let count = try? checked("read", { read(0, &bytes, bytes.count) }), count > 0 else { return .gone }
    var typed = Typed.buttons
    for byte in bytes.prefix(count) {
      if byte == UInt8(ascii: "q") { return .quit }
      if byte == UInt8(ascii: "?") {
        isExplaining.toggle()
        typed = .redraw
      }
      let isHolding = isHolding
      self.isHolding = byte == UInt8(ascii: "h")
      guard byte >= UInt8(ascii: "1"), byte <= UInt8(ascii: "9") else { continue }
      let button = Int(byte - UInt8(ascii: "1"))
      if held.remove(button) != nil {
        handler(button, false)
      } else {
        if isHolding { held.insert(button) }
        handler(button, true)
        if !isHolding { handler(button, false) }
      }
    }
    return typed
  }

  // MARK: Lines

  private func lines(_ view: KioskView) -> [String] {
    var lines: [String] = []
    func row(_ label: String, _ text: String) { lines.append(label + text) }
    row(
      Self.painted("tappet ", 1) + (view.clientID ?? "").escaped,
      keyboard == nil ? "   (Ctrl-C quits)" : "   (q quits, ? shows the keys)")
    row("", "")
    var light = cell(view.levels) + view.light.name
    if !view.light.isLasting { light += "   then " + view.baseLight.name }
    row("  light    ", light)
    if !view.wired.isEmpty { row("  LEDs     ", leds(view)) }
    if !view.buttons.isEmpty { row("  buttons  ", buttons(view)) }
    for (part, state) in view.parts where part.isStandard && part != .panel || !state.isGood {
      let text = state.text.escaped
      row("  " + Help.padded(part.rawValue + " ", 9), state.isGood ? text : Self.painted(text, 33))
    }
    for output in view.outputsJSON.elements ?? [] {
      let text = (output["name"]?.text ?? "") + ": " + Command.outputState(output)
      row("  output   ", output["good"] == .bool(true) ? text.escaped : Self.painted(text.escaped, 33))
    }
    for input in view.inputsJSON.elements ?? [] {
      let text = (input["name"]?.text ?? "") + ": " + Command.inputState(input)
      row("  input    ", Command.isAlarm(input) ? Self.painted(text.escaped, 33) : text.escaped)
    }
    row("  clock    ", clock(view))
    let aside = view.asideCount > 0 ? Self.painted(", \(view.asideCount) of them set aside", 33) : ""
    row("  outbox   ", String(view.outboxCount) + " pending" + aside)
    for topic in view.commands { row("  commands ", commands(topic)) }
    if let reload = view.reload { row("  reload   ", self.reload(reload)) }
    row("", "")
    row("  ", counters(view.counters))
    row("", "")
    if isExplaining { return lines + Self.explanation }
    for tap in view.taps {
      let time = WallTime.brief(unixMilliseconds: tap.unixMilliseconds, now: view.unixMilliseconds)
      let uid = tap.uid.map { "  " + Self.painted($0, 2) } ?? ""
      let by = tap.by.map { "  " + $0.escaped } ?? ""
      row(
        tap.isGood ? Self.painted("  ✓ ", 32) : Self.painted("  • ", 33), time + "  " + tap.text.escaped + uid + by)
    }
    return lines
  }

  private static var explanation: [String] {
    [
      "  1 to 9   press the button with this number",
      "  h        hold the button of the next digit until the digit is typed again",
      "  q        stop the kiosk, like Ctrl-C; press q again to stop it immediately",
      "  ?        show the last taps again, newest first",
      "  See also: 'tappet status' for the same state, 'tappet run --plain' for a log.",
    ]
  }

  private func clock(_ view: KioskView) -> String {
    guard view.clock.isGood == false else { return "good" }
    let state = "not synchronized, or set back"
    return view.clock.isNeeded ? Self.painted(state, 33) : state + "; not needed"
  }

  private func reload(_ outcome: ReloadOutcome) -> String {
    let text = WallTime.timeOfDay(unixMilliseconds: outcome.unixMilliseconds) + "  " + outcome.sentence.escaped
    return outcome.isGood ? text : Self.painted(text, 33)
  }

  private func commands(_ topic: KioskStatus.Commands) -> String {
    let text =
      topic.topic.escaped + "   accepted " + String(topic.counts.accepted) + "   refused "
      + String(topic.counts.refused)
    guard topic.isSubscribed == false else { return text }
    let reason = RoomAddress.isValid(topic.topic) ? "not listening (see 'tappet check')" : "denied by the broker"
    return Self.painted(text + "   " + reason, 33)
  }

  private func counters(_ counters: Counters) -> String {
    "accepted \(counters.accepted)   delivered \(counters.delivered)   refused \(counters.refused)   "
      + "expired \(counters.expired)"
  }

  /// Colours text with one of the terminal's numbered colours.
  private static func painted(_ text: String, _ code: Int) -> String { "\u{1B}[\(code)m\(text)\u{1B}[0m" }

  /// Returns a cell in the current colour of an RGB LED; a sounding buzzer is shown as a musical note.
  private func cell(_ levels: LightOutputs) -> String {
    // Red, green and blue have the same bit order as in the terminal's colour numbers.
    let colour = Int(levels.rawValue >> 2 & 7)
    return Self.painted("  ", colour == 0 ? 100 : 40 + colour) + (levels.contains(.buzzer) ? "♪ " : "  ")
  }

  private func leds(_ view: KioskView) -> String {
    // Terminal colours by bit, in the order of `LightOutputs.names`.
    let colours = [43, 42, 41, 42, 44, 45]
    var text = ""
    for (bit, name) in LightOutputs.names.enumerated() {
      let output = LightOutputs(rawValue: 1 << UInt8(bit))
      guard view.wired.contains(output) else { continue }
      text += Self.painted("  ", view.levels.contains(output) ? colours[bit] : 100) + " " + name + "   "
    }
    return text
  }

  private func buttons(_ view: KioskView) -> String {
    var text = ""
    for (index, name) in view.buttons.enumerated() {
      if keyboard != nil, index < 9 { text += Self.painted(String(index + 1), 1) + " " }
      text += name + (held.contains(index) ? " (held)   " : "   ")
    }
    if keyboard != nil { text += Self.painted("h, then a digit: hold", 2) }
    if view.isLocked == true { text += Self.painted("   locked", 33) }
    return text
  }
}
