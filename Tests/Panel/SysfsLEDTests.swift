// /sys/class/leds, played by a folder.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPanel
@testable import TappetPlatform

@Suite struct SysfsLEDTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func make(_ name: String, trigger: String, max: String = "255\n") throws {
    let led = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: led, withIntermediateDirectories: true)
    for (file, text) in [("trigger", trigger), ("max_brightness", max), ("brightness", "7")] {
      try Data(text.utf8).write(to: led.appending(path: file))
    }
  }

  private func read(_ name: String, _ file: String) throws -> String {
    try String(contentsOf: folder.url.appending(path: "\(name)/\(file)"), encoding: .utf8)
  }

  /// Returns a file's beginning: one in sysfs forgets its previous content, an ordinary one keeps the tail.
  private func first(_ count: Int, of file: String, _ name: String) throws -> String {
    String(try read(name, file).prefix(count))
  }

  @Test func `the LED is dark at the start and end, and at full brightness when on`() throws {
    try make("led0", trigger: "[none] mmc0\n")
    let led = try SysfsLED(name: "led0", folder: folder.path)
    #expect(try first(1, of: "brightness", "led0") == "0")
    try led.set(isOn: true)
    #expect(try first(3, of: "brightness", "led0") == "255")
    try led.set(isOn: false)
    #expect(try first(1, of: "brightness", "led0") == "0")
    try led.set(isOn: true)
    led.close()
    led.close()
    #expect(try first(1, of: "brightness", "led0") == "0")
    #expect(try read("led0", "trigger") == "[none] mmc0\n")
  }

  @Test func `the LED's trigger is removed, and restored at the end`() throws {
    try make("ACT", trigger: "none rc-feedback kbd-scrolllock [mmc0] timer\n", max: "1\n")
    var led: SysfsLED? = try SysfsLED(name: "ACT", folder: folder.path)
    #expect(try first(4, of: "trigger", "ACT") == "none")
    try led?.set(isOn: true)
    #expect(try first(1, of: "brightness", "ACT") == "1")
    led = nil
    #expect(try first(4, of: "trigger", "ACT") == "mmc0")
    #expect(try first(1, of: "brightness", "ACT") == "0")
  }

  @Test func `a missing LED is ENOENT, and a name is never treated as a path`() throws {
    for name in ["led9", "", ".", "..", "../led9", "a/b"] {
      let error = #expect(throws: SystemError.self) { try SysfsLED(name: name, folder: folder.path) }
      #expect(error?.code == ENOENT)
    }
  }
}
