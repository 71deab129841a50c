// The GPIO lines that `tappet init` lists.

import Foundation
import TappetPanel
import TestSupport
import Testing

@testable import TappetKioskTool

@Suite struct LineListTests {
  private let chips: GPIOChips = {
    var lines = ["ID_SDA", "ID_SCL"].map { GPIOChip.LineInfo(name: $0, isUsed: true, consumer: "i2c") }
    lines += (2..<54).map { .init(name: "GPIO\($0)", isUsed: $0 == 4, consumer: $0 == 4 ? "onewire@0" : "") }
    return GPIOChips(
      chips: [
        GPIOChip(path: "/dev/gpiochip0", label: "pinctrl-bcm2835", lines: lines),
        GPIOChip(path: "/dev/gpiochip1", label: "cp2112_gpio", lines: [.init(name: ""), .init(name: "")]),
      ], deniedPaths: ["/dev/gpiochip2"])
  }()

  @Test func `without a profile, the free lines of each chip are listed by name`() {
    let lines = LineList.lines(chips, nil, reader: nil)
    let names = [2, 3] + Array(5..<54)
    #expect(
      lines.joined(separator: " ").replacingOccurrences(of: "   ", with: " ")
        == "/dev/gpiochip2: permission denied; use sudo /dev/gpiochip0, pinctrl-bcm2835, 54 lines: "
        + names.map { "GPIO\($0)" }.joined(separator: ", ")
        + " /dev/gpiochip1, cp2112_gpio, 2 lines: no free line has a name")
    #expect(lines.allSatisfy { $0.count <= 78 })
    #expect(
      LineList.lines(GPIOChips(chips: []), nil, reader: nil) == ["This machine has no GPIO chip (/dev/gpiochip*)."])
  }

  @Test func `with a profile, the header shows what the reader and the kernel use`() throws {
    let lines = LineList.lines(
      chips, try Headers.profile("raspberry-pi"), reader: "pn532_i2c:/dev/i2c-1")
    #expect(lines.contains { $0.contains("onewire@0 ── GPIO4  │  7 ●") }, "\(lines)")
    #expect(lines.contains { $0.contains("GPIO2  │  3 ●") } && lines.contains { $0.contains("11 ○") }, "\(lines)")
    #expect(lines.last == "Enter the name of a line, or the number of its pin.")
  }
}
