// `tappet run` on a terminal of 80 by 24, with its lights as coloured cells and its buttons on keys.

import Foundation
import TappetConfig
import TestSupport
import Testing

/// A terminal with a person: tmux keeps the screen and types the keys.
final class Terminal {
  private let name = "tappet-test-" + UUID().uuidString.prefix(8)
  private let tmux: URL

  /// `nil` means that it is not installed.
  static var tmuxPath: String? {
    ["/usr/bin/tmux", "/usr/local/bin/tmux"].first(where: FileManager.default.isExecutableFile)
  }

  init(_ program: URL, _ arguments: [String], in folder: String, columns: Int = 100, rows: Int = 24) throws {
    tmux = URL(fileURLWithPath: try #require(Self.tmuxPath))
    let command = ([program.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    // Its output is kept too: a screen does not show that something is drawn again.
    try ask(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
      "until [ -e '\(folder)/go' ]; do sleep 0.02; done; exec env TERM=screen-256color \(command)")
    try ask("pipe-pane", "-o", "cat >> '\(folder)/written'")
    _ = FileManager.default.createFile(atPath: folder + "/go", contents: nil)
  }

  deinit { close() }

  /// The window is closed.
  func close() { _ = try? ask("kill-server") }

  @discardableResult
  private func ask(_ words: String...) throws -> String {
    // The server continues when this has ended, and must not hold the descriptor that Foundation watches for its end.
    let close = """
      for fd in /proc/$$/fd/*; do n=${fd##*/}; if [ "$n" -gt 2 ]; then eval "exec $n>&-"; fi; done; exec "$@"
      """
    let bash = URL(fileURLWithPath: "/bin/bash")
    // As in Service: with the signals blocked that this thread blocks, the server would not even end.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try Programs.run(bash, ["-c", close, "bash", tmux.path, "-L", name] + words).output
  }

  /// The text on the screen, without colours.
  func text() throws -> String { try ask("capture-pane", "-p") }

  /// The same with its colours, as escape sequences.
  func colouredText() throws -> String { try ask("capture-pane", "-p", "-e") }

  /// The scrollback too.
  func everything() throws -> String { try ask("capture-pane", "-p", "-S", "-") }

  func type(_ keys: String) throws { try ask("send-keys", "-l", keys) }

  func resize(columns: Int, rows: Int) throws { try ask("resize-window", "-x", "\(columns)", "-y", "\(rows)") }
}

@Suite(.serialized) struct TerminalTests {
  private func written(_ world: KioskWorld) -> String {
    textSoFar(world.folder + "/written")
  }

  @Test(.needsTmux)
  func `on a terminal the LEDs blink in their rhythm, and keys act as buttons`() throws {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
          panel:
            simulator: panel
            leds: {status: GPIO17, result: GPIO27}
            outputs: [{name: door, line: GPIO23}]
            buttons:
              - {name: lamp, line: GPIO5, press: light, hold: bell}
              - {name: gate, line: GPIO6, press: garage}
          """))
    let trace = world.folder + "/lights"
    let terminal = try Terminal(
      try Programs.built("tappet"), ["run", "--config", world.configPath, "--light-trace", trace], in: world.folder)
    #expect(try eventually { try terminal.text().contains("light        ready") })
    let screen = try terminal.text().split(separator: "\n").map(String.init)
    let wanted = [
      "tappet kiosk   (q quits, ? shows the keys)", "  light        ready", "  LEDs        status      result",
      "  buttons  1 lamp (light, bell)   2 gate (garage)   h, then a digit: hold", "  reader   the reader is ready",
      "  broker   connected to mqtts://localhost:\(world.broker.port)", "  disk     good",
      "  output   door: off, its safe level", "  clock    good",
      "  outbox   0 pending", "  accepted 0   delivered 0   refused 0   expired 0",
    ]
    #expect(screen.map { $0.trimmed } == wanted.map { $0.trimmed }, "\(screen)")

    // At rest nothing is drawn.
    var before = ""
    #expect(
      eventually {
        before = written(world)
        return stays(for: 2) { written(world).count == before.count }
      })
    #expect(before.contains("\u{1B}[43m  \u{1B}[0m status"))
    // A press flashes the other LED.
    #expect(!before.contains("\u{1B}[42m  \u{1B}[0m result"))
    try terminal.type("2")
    #expect(eventually { self.written(world).contains("\u{1B}[42m  \u{1B}[0m result") })
    #expect(eventually { world.received.map(\.topic) == ["home/garage"] })
    let tap = /✓ \d\d:\d\d:\d\d  delivered: garage/
    #expect(try eventually { try terminal.text().contains(tap) })

    // Held until the digit is typed again.
    try terminal.type("h1")
    #expect(try eventually { try terminal.text().contains("lamp (light, bell) (held)") })
    #expect(eventually { world.received.map(\.topic) == ["home/garage", "home/bell"] })
    try terminal.type("1")
    #expect(try eventually { try !terminal.text().contains("(held)") })
    try terminal.type("1")
    #expect(eventually { world.received.map(\.topic) == ["home/garage", "home/bell", "home/light"] })
    try terminal.type("9xh")
    #expect(try terminal.text().contains("lamp"))

    try terminal.type("?")
    #expect(try eventually { try terminal.text().contains("until the digit is typed again") })
    try terminal.type("?")
    #expect(try eventually { try terminal.text().contains(tap) })

    // A kiosk whose window is closed ends in order.
    #expect(try world.tappet("status").status == 0)
    terminal.close()
    #expect(try eventually { try world.tappet("status").status == 4 })
    #expect(eventually { world.witness?.all.last { $0.topic == "tappet/kiosk/status" }?.payload == "offline" })
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
