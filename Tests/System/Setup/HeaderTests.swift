// `tappet check` draws the board's header from the profiles that are installed with the program.

import Foundation
import TappetJSON
import Testing
import TestSupport

@Suite(.serialized) struct HeaderTests {
  private func check(
    _ panel: String, _ words: String..., reader: String = "pn532_uart:/nowhere"
  ) throws -> Finished {
    let world = try KioskWorld(withBroker: false)
    try """
    broker: {url: "mqtt://127.0.0.1:\(TestSocket.freePort())", client_id: k}
    state: \(world.folder)/state
    clock: trust
    reader: {device: "\(reader)"}
    panel: \(panel)
    actions:
      - {name: light, topic: a, message: b}

    """.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    return try Programs.run(
      try Programs.built("tappet"), ["check", "--config", world.configPath] + words)
  }

  @Test func `the header is drawn with its wiring and the errors in it`() throws {
    let done = try check(
      "{profile: raspberry-pi, leds: {red: {pin: 6}}, buttons: [{name: light, pin: 27, press: light}]}")
    #expect(done.status == 1)
    for text in [
      "FAIL  panel          button light: pin 27 is needed by the board for the HAT's EEPROM (ID_SD); "
        + "choose another pin\n",
      "FAIL  panel          LED red: pin 6 is GND, not a GPIO line; count the pins again\n",
      "Raspberry Pi (40 pins), J8\n", "│  5 ○ !  6 │  GND ── LED red\n", "button light ── GPIO0  │ 27 ! · 28 │",
      "! LED red: pin 6 is GND, not a GPIO line; count the pins again\n",
    ] { #expect(done.output.contains(text), "\(text): \(done.output)\(done.errors)") }
    #expect(!done.output.contains("\u{1B}"))
  }

  @Test func `a virtual panel is drawn as it would be wired`() throws {
    let done = try check(
      "{simulator: /tmp/panel, profile: raspberry-pi, leds: {status: GPIO17}, buttons: [{line: GPIO5, press: light}]}")
    for text in [
      "ok    panel          virtual, at /tmp/panel: its lines are simulated\n", "Raspberry Pi (40 pins), J8\n",
      "LED status ── GPIO17  │ 11 ● ○ 12 │", "button GPIO5 ── GPIO5  │ 29 ● · 30 │",
    ] { #expect(done.output.contains(text), "\(text): \(done.output)\(done.errors)") }
    #expect(!done.output.contains("FAIL  panel"))
  }

  @Test func `the reader's wires are drawn, and their pins cannot be used otherwise`() throws {
    let done = try check(
      "{profile: raspberry-pi, buttons: [{name: light, pin: 3, press: light}, {line: GPIO5, press: light}]}",
      reader: "pn532_i2c:/dev/i2c-1")
    for text in [
      "FAIL  panel          button light: pin 3 is wired to 'reader SDA'; choose another line\n",
      "reader SDA, button light ── GPIO2  │  3 ! ·  4 │", "reader SCL ── GPIO3  │  5 ● ·  6 │",
      "! button light: pin 3 is wired to 'reader SDA'; choose another line\n",
    ] { #expect(done.output.contains(text), "\(text): \(done.output)\(done.errors)") }
    let alone = try check("{profile: raspberry-pi}", reader: "pn532_uart:/dev/ttyAMA0")
    #expect(alone.output.contains("│  7 ○ ●  8 │  GPIO14 ── reader RXD\n"), "\(alone.output)\(alone.errors)")
  }

  @Test func `JSON output has no drawing, and an unknown profile is reported with the nearest one`() throws {
    let done = try check("{profile: raspbery-pi, buttons: [{line: GPIO5, press: light}]}", "--json")
    let error = done.envelope["error"] as? [String: Any]
    let mistakes = try #require(error?["mistakes"] as? [[String: Any]])
    #expect(done.status == 3 && mistakes.count == 1, "\(done)")
    let text = mistakes.first?["text"] as? String ?? ""
    #expect(
      text.contains("kiosk.yaml:5:18: there is no profile 'raspbery-pi' (did you mean 'raspberry-pi'?)"), "\(text)")
  }
}
