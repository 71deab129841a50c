// The profiles that are shipped, against what others say about the same headers, and what becomes of a wrong one.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetMessages
@testable import TappetPanel

@Suite struct BoardProfileTests {
  @Test(arguments: Headers.names) func `every pin has the line that other sources state`(_ name: String) throws {
    let profile = try Headers.profile(name)
    let expected = try Headers.numbers(name)
    let names = try Headers.beagleBoneChips().flatMap { $0.lines.map { $0.name } }
    var found: [Int: Int] = [:]
    for pin in profile.headers.flatMap({ $0.pins }) {
      switch pin.line {
      case .none: break
      case .offset(let labels, let offset):
        let bank = labels[0].hasPrefix("gpio") ? Int(labels[0].dropFirst(4)) ?? -1 : 0
        found[pin.number] = bank * 32 + Int(offset)
      case .named(let name):
        found[pin.number] = names.firstIndex { $0 == name || $0.hasPrefix(name + " [") }
      }
    }
    #expect(found == expected)
    #expect(found.count > 10)
  }

  @Test(arguments: Headers.names) func `a header of 26 or 40 pins has power and ground where the Raspberry Pi has them`(
    _ name: String
  ) throws {
    let profile = try Headers.profile(name)
    guard name != "beaglebone-black" else {
      #expect(profile.headers.map { $0.pins.count } == [46, 46])
      #expect([801, 802, 901, 902, 943, 944, 945, 946].allSatisfy { profile.pin($0)?.name == "GND" })
      return
    }
    let pins = profile.headers.flatMap { $0.pins }
    #expect(pins.count == (name == "orange-pi-zero-2" ? 26 : 40))
    #expect(
      pins.filter { $0.name == "GND" }.map { $0.number } == [6, 9, 14, 20, 25, 30, 34, 39].filter { $0 <= pins.count })
    #expect(pins.filter { $0.name == "3V3" }.map { $0.number } == [1, 17])
    #expect(pins.filter { $0.name == "5V" }.map { $0.number } == [2, 4])
  }

  @Test func `names of Rockchip and Allwinner lines match their numbers`() throws {
    for name in ["rock-pi-4", "rock-5b"] {
      for pin in try Headers.profile(name).headers[0].pins {
        guard case .offset(let labels, let offset) = pin.line else { continue }
        let letters = Array("ABCD")
        #expect(pin.name == "GPIO\(labels[0].dropFirst(4))_\(letters[Int(offset) / 8])\(offset % 8)")
      }
    }
    for name in ["orange-pi-pc", "orange-pi-zero-2"] {
      for pin in try Headers.profile(name).headers[0].pins {
        guard case .offset(_, let offset) = pin.line else { continue }
        #expect(pin.name == "P\(Array("ABCDEFGHI")[Int(offset) / 32])\(offset % 32)")
      }
    }
  }

  @Test func `the pins of a HAT's EEPROM are reserved`() throws {
    let profile = try Headers.profile("raspberry-pi")
    #expect(profile.headers[0].pins.filter { $0.reservedFor != nil }.map { $0.number } == [27, 28])
    #expect(profile.lastPin == 40)
    #expect(profile.pin(41) == nil)
    #expect(profile.pin(named: "GND") == nil)
    #expect(profile.pin(named: "GPIO17")?.number == 11)
  }

  @Test(arguments: [
    ("leds: {red: GPIO17}, buzzer: {pin: 11}", "panel.buzzer.pin: pin 11 is already used by panel.leds.red"),
    ("leds: {red: {pin: 11}}, buzzer: GPIO17", "panel.buzzer: GPIO17 is already used by panel.leds.red.pin"),
    (
      "leds: {red: {offset: 17, chip: pinctrl-bcm2711}}, buzzer: {pin: 11}",
      "panel.buzzer.pin: pin 11 is already used by panel.leds.red.offset"
    ),
    ("chip: pinctrl-rp1, leds: {red: GPIO17}, buzzer: {offset: 17}", "line 17 of pinctrl-rp1 is already used"),
    ("leds: {red: GPIO17}, buzzer: {pin: 12}", ""),
    // The panel's chip is not the header's.
    ("chip: mcp23017, leds: {red: GPIO17}, buzzer: {pin: 11}", ""),
    ("leds: {red: {offset: 17, chip: mcp23017}}, buzzer: {pin: 11}", ""),
  ])
  func `a line used twice in different forms is an error if the profile knows both forms`(
    _ keys: String, _ sentence: String
  ) throws {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions: [{name: light, topic: home/light, message: toggle}]
      panel: {profile: \(Repository.path("board/profiles/raspberry-pi.yaml")), \(keys)}
      """
    let file = NSTemporaryDirectory() + "tappet-" + UUID().uuidString
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    defer { unlink(file) }
    switch ConfigurationParser.load(path: file, files: .required) {
    case .loaded: #expect(sentence.isEmpty)
    case .refused(let problems):
      #expect(!sentence.isEmpty && problems.map(\.sentence).allSatisfy { $0.contains(sentence) }, "\(problems)")
    }
  }

  @Test func `an unknown profile is reported with a list of the known ones`() throws {
    do {
      _ = try BoardProfile.load(name: "raspberry-py")
      Issue.record("there is a profile raspberry-py")
    } catch {
      guard case .unknown(let name, _, let known) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(name == "raspberry-py")
      #expect(known == BoardProfile.known())
      #expect(error.sentences.count == 1)
      #expect(error.sentences[0].hasPrefix("there is no profile 'raspberry-py'"))
    }
  }

  // MARK: Wrong profiles

  private func sentences(_ yaml: String) -> [String] {
    do {
      _ = try BoardProfile.parse(Array(yaml.utf8), file: "my.yaml", name: "my")
      return []
    } catch { return error.sentences }
  }

  private func header(_ pins: String, chips: String = "{soc: [chip]}") -> String {
    "title: T\nchips: \(chips)\nheaders:\n  - title: H\n    pins:\n" + pins
  }

  @Test func `a valid profile has no errors`() {
    #expect(sentences(header("      1: 3V3\n      2: {name: A, line: 4, also: X}\n")) == [])
    #expect(sentences("title: T\nheaders: [{title: H, pins: {1: GND, 2: {name: A, kernel: B}}}]\n") == [])
  }

  @Test(arguments: [
    (
      "      1: 3V3\n      3: GND\n",
      "my.yaml:7:7: headers[0].pins must be pin 2, because no pin can be omitted, not '3'"
    ),
    (
      "      2: 3V3\n      3: GND\n",
      "my.yaml:6:7: headers[0].pins must be an odd number that is greater than all previous pin numbers, not '2'"
    ),
    (
      "      1: 3V3\n",
      "my.yaml:6:7: headers[0].pins must be a mapping of an even number of pins, at most 128, not something else"
    ),
    (
      "      1: {name: A, line: 4}\n      2: {name: B, line: 4}\n",
      "my.yaml:7:10: headers[0].pins.2 must be a line and a name that no other pin uses; pin 1 already uses one of "
        + "them, not 'B'"
    ),
    (
      "      1: {name: A, line: 4}\n      2: {name: A, line: 5}\n",
      "my.yaml:7:10: headers[0].pins.2 must be a line and a name that no other pin uses; pin 1 already uses one of "
        + "them, not 'A'"
    ),
    (
      "      1: {name: A, line: -1}\n      2: GND\n",
      "my.yaml:6:26: headers[0].pins.1.line must be a whole number from 0 to 1023, not '-1'"
    ),
    (
      "      1: {name: A, lin: 1}\n      2: GND\n",
      "my.yaml:6:20: unknown key 'lin' in headers[0].pins.1 (did you mean 'line'?)"
    ),
    (
      "      1: {name: A, line: 1, chip: x}\n      2: GND\n",
      "my.yaml:6:35: headers[0].pins.1.chip must be a name from 'chips', not 'x'"
    ),
    ("      1: {line: 1}\n      2: GND\n", "my.yaml:6:10: the key 'name' is missing in headers[0].pins.1"),
    ("      1: [GND]\n      2: GND\n", "my.yaml:6:10: headers[0].pins.1 must be a mapping (key: value), not a list"),
  ]) func `each invalid pin is reported with its reason`(_ pins: String, _ sentence: String) {
    #expect(sentences(header(pins)).first == sentence)
  }

  @Test func `a pin must name its chip if there are several`() {
    let pins = "      1: {name: A, line: 1}\n      2: GND\n"
    #expect(
      sentences(header(pins, chips: "{a: [x], b: [y]}")) == [
        "my.yaml:6:10: the key 'chip' is missing in headers[0].pins.1"
      ])
  }

  @Test func `text that is not a profile is reported`() {
    #expect(sentences("") == ["my.yaml:1:1: the key 'headers' is missing"])
    #expect(sentences("\u{7F}: [").count == 1)
    #expect(sentences("title: T\n") == ["my.yaml:1:1: the key 'headers' is missing"])
    #expect(sentences("title: T\nchips: 3\nheaders: []\n").count == 2)
  }

  @Test func `a missing file is reported with its path`() {
    #expect(throws: BoardProfileError.self) { try BoardProfile.load(name: "/nowhere/my.yaml") }
    do { _ = try BoardProfile.load(name: "/nowhere/my.yaml") } catch {
      #expect(error.sentences == ["/nowhere/my.yaml cannot be read: No such file or directory"])
    }
  }
}
