// The line that an address means, on machines other than this one.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetMessages
@testable import TappetPanel

@Suite struct GPIOChipsTests {
  private let raspberryPi: BoardProfile

  init() throws { raspberryPi = try Headers.profile("raspberry-pi") }

  private func chip(_ number: Int, _ label: String, _ names: [String]) -> GPIOChip {
    GPIOChip(path: "/dev/gpiochip\(number)", label: label, lines: names.map { .init(name: $0) })
  }

  /// A Raspberry Pi 5 with the line names of Raspberry Pi OS; other chips come first.
  private var pi5: GPIOChips {
    GPIOChips(chips: [
      chip(10, "gpio-brcmstb@107d508500", ["-", "2712_BOOT_CS_N"]),
      chip(4, "pinctrl-rp1", ["ID_SDA", "ID_SCL"] + (2..<54).map { "GPIO\($0)" }),
    ])
  }

  private func find(
    _ address: LineAddress, in chips: GPIOChips, chip: String? = nil, profile: BoardProfile? = nil
  ) -> Result<GPIOPlace, GPIOFault> {
    do throws(GPIOFault) {
      return .success(try chips.find(address, chip: chip, profile: profile))
    } catch { return .failure(error) }
  }

  private func place(_ number: Int, _ offset: UInt32) -> Result<GPIOPlace, GPIOFault> {
    .success(GPIOPlace(path: "/dev/gpiochip\(number)", offset: offset))
  }

  @Test func `a name, a pin, and a chip with an offset can mean the same line`() {
    #expect(find(.name("GPIO17"), in: pi5) == place(4, 17))
    #expect(find(.pin(11), in: pi5, profile: raspberryPi) == place(4, 17))
    #expect(find(.offset(chip: "pinctrl-rp1", offset: 17), in: pi5) == place(4, 17))
    #expect(find(.offset(chip: nil, offset: 17), in: pi5, chip: "pinctrl-rp1") == place(4, 17))
    #expect(find(.offset(chip: nil, offset: 17), in: pi5, profile: raspberryPi) == place(4, 17))
  }

  @Test func `one profile covers the chips of all Raspberry Pis, whatever their number`() {
    for (number, label) in [(0, "pinctrl-bcm2835"), (1, "pinctrl-bcm2711"), (0, "pinctrl-rp1")] {
      let chips = GPIOChips(chips: [
        chip(7, "raspberrypi-exp-gpio", ["BT_ON"]), chip(number, label, Array(repeating: "", count: 54)),
      ])
      #expect(find(.pin(40), in: chips, profile: raspberryPi) == place(number, 21))
    }
  }

  @Test func `a line name unknown to the kernel is found in the profile`() {
    let mainline = GPIOChips(chips: [chip(0, "pinctrl-bcm2711", ["ID_SDA", "ID_SCL", "SDA1", "SCL1", "GPIO_GCLK"])])
    #expect(find(.name("GPIO2"), in: mainline, profile: raspberryPi) == place(0, 2))
    #expect(find(.name("SDA1"), in: mainline, profile: raspberryPi) == place(0, 2))
    #expect(find(.name("GPIO2"), in: mainline) == .failure(.noSuchLine))
    #expect(find(.name("GND"), in: mainline, profile: raspberryPi) == .failure(.noSuchLine))
  }

  @Test func `the BeagleBone's lines are found in whatever order its chips appear`() throws {
    let profile = try Headers.profile("beaglebone-black")
    let chips = GPIOChips(chips: try Headers.beagleBoneChips().reversed())
    #expect(find(.pin(912), in: chips, profile: profile) == place(1, 28))
    #expect(find(.name("P9_14"), in: chips, profile: profile) == place(1, 18))
    #expect(find(.name("P9_14 [ehrpwm1a]"), in: chips) == place(1, 18))
    #expect(find(.pin(803), in: chips, profile: profile) == .failure(.wrongPin(.reserved("the eMMC"))))
  }

  @Test func `a name on two chips is ambiguous unless the chip is specified`() {
    let chips = GPIOChips(chips: [chip(0, "pinctrl-rp1", ["GPIO0", "GPIO1"]), chip(1, "cp2112_gpio", ["GPIO0"])])
    #expect(find(.name("GPIO0"), in: chips) == .failure(.ambiguous(count: 2)))
    #expect(find(.name("GPIO0"), in: chips, chip: "cp2112_gpio") == place(1, 0))
    #expect(find(.name("GPIO0"), in: chips, chip: "/dev/gpiochip0") == place(0, 0))
    #expect(find(.name("GPIO1"), in: chips) == place(0, 1))
    let twice = GPIOChips(chips: [chip(0, "a", ["NC", "NC"])])
    #expect(find(.name("NC"), in: twice) == .failure(.ambiguous(count: 2)))
  }

  @Test func `a label on two chips is ambiguous, and a path is not`() {
    let chips = GPIOChips(chips: [chip(0, "cp2112_gpio", [""]), chip(1, "cp2112_gpio", [""])])
    #expect(
      find(.offset(chip: "cp2112_gpio", offset: 0), in: chips) == .failure(.ambiguousChip("cp2112_gpio", count: 2)))
    #expect(find(.offset(chip: "/dev/gpiochip1", offset: 0), in: chips) == place(1, 0))
  }

  @Test func `each invalid line address is refused with its own fault`() {
    #expect(find(.pin(11), in: pi5) == .failure(.wrongPin(.noProfile)))
    #expect(find(.pin(41), in: pi5, profile: raspberryPi) == .failure(.wrongPin(.beyondHeader(last: 40))))
    #expect(find(.pin(6), in: pi5, profile: raspberryPi) == .failure(.wrongPin(.notALine("GND"))))
    #expect(
      find(.pin(27), in: pi5, profile: raspberryPi) == .failure(.wrongPin(.reserved("the HAT's EEPROM (ID_SD)"))))
    #expect(
      find(.offset(chip: "pinctrl-rp1", offset: 54), in: pi5)
        == .failure(.noSuchOffset(chip: "pinctrl-rp1", offset: 54, count: 54)))
    #expect(find(.offset(chip: nil, offset: 1), in: pi5) == .failure(.chipNotNamed))
    #expect(find(.offset(chip: "cp2112_gpio", offset: 1), in: pi5) == .failure(.noChip("cp2112_gpio")))
    #expect(find(.offset(chip: "/dev/gpiochip9", offset: 1), in: pi5) == .failure(.noChip("/dev/gpiochip9")))
    #expect(find(.name("GPIO17"), in: GPIOChips(chips: [])) == .failure(.noChips))
  }

  @Test func `a profile for another board reports the missing chip`() throws {
    #expect(
      find(.pin(11), in: pi5, profile: try Headers.profile("orange-pi-pc")) == .failure(.noChip("1c20800.pinctrl")))
  }

  @Test func `a chip without permission is assumed to be the missing one`() {
    let denied = GPIOChips(chips: [], deniedPaths: ["/dev/gpiochip0"])
    #expect(find(.name("GPIO17"), in: denied) == .failure(.noPermission(path: "/dev/gpiochip0")))
    #expect(find(.pin(11), in: denied, profile: raspberryPi) == .failure(.noPermission(path: "/dev/gpiochip0")))
    #expect(
      find(.offset(chip: "/dev/gpiochip0", offset: 1), in: denied) == .failure(.noPermission(path: "/dev/gpiochip0")))
  }

  @Test func `the drawing shows a line's pin, however the line was specified`() {
    for address in [LineAddress.pin(11), .name("GPIO17"), .offset(chip: "pinctrl-rp1", offset: 17)] {
      #expect(pi5.pin(of: address, chip: nil, profile: raspberryPi) == 11)
    }
    #expect(pi5.pin(of: .name("2712_BOOT_CS_N"), chip: nil, profile: raspberryPi) == nil)
    #expect(GPIOChips(chips: []).pin(of: .name("GPIO17"), chip: nil, profile: raspberryPi) == 11)
  }

  @Test func `files and links named like chips are not taken for chips`() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appending(path: "gpiochip0"))
    symlink("/dev/null", folder.path + "/gpiochip4")
    let found = GPIOChips.scan(folder: folder.path)
    #expect(found.chips.isEmpty && found.deniedPaths.isEmpty)
  }

  @Test func `every fault has a message that names the line`() {
    let faults: [GPIOFault] = [
      .noChips, .noChip("x"), .ambiguousChip("x", count: 2), .noSuchLine, .noSuchOffset(chip: "x", offset: 9, count: 8),
      .chipNotNamed, .ambiguous(count: 2), .wrongPin(.noProfile), .wrongPin(.beyondHeader(last: 40)),
      .wrongPin(.notALine("GND")), .wrongPin(.reserved("x")), .listedTwice, .busy(consumer: ""),
      .busy(consumer: "gpiomon"),
      .noPermission(path: "/dev/gpiochip0"), .noEdges, .notSupported, .chipGone, .system(code: EIO),
    ]
    let sentences = faults.map { $0.sentence(line: "GPIO17") }
    #expect(sentences.allSatisfy { $0.contains("GPIO17") && !$0.hasSuffix(".") })
    #expect(Set(sentences).count == faults.count)
    #expect(GPIOFault.busy(consumer: "gpiomon").sentence(line: "GPIO17").contains("'gpiomon'"))
  }
}

/// A folder that is removed with the test.
final class TemporaryFolder {
  let url: URL
  var path: String { url.path }

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "tappet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
