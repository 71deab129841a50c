// The record of a panel's safe levels, without a chip; System/SafeOutputsTests set them at a virtual panel.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetPanel

@Suite struct SafeLevelsTests {
  private let levels = SafeLevels([
    SafeLevels.Entry(
      name: "front door", isOn: false,
      .line(GPIOPlace(path: "/dev/gpiochip0", offset: 23), isActiveLow: true, .openDrain)),
    SafeLevels.Entry(name: "latch", isOn: true, .panel("/run/panel")),
    SafeLevels.Entry(name: "status", isOn: false, .led("ACT")),
  ])

  @Test func `a record can be read back until the machine restarts`() throws {
    let folder = try TemporaryFolder()
    #expect(try SafeLevels.recorded(in: folder.path) == .absent)
    // A pipe that another program left under the temporary name is neither written to nor waited for.
    try checked("mkfifo") { mkfifo(folder.path + "/safe-levels.new", 0o600) }
    chown(folder.path, 12345, 12345)
    try levels.record(in: folder.path)
    #expect(try SafeLevels.recorded(in: folder.path) == .whole(levels))
    var status = stat()
    #expect(stat(folder.path + "/safe-levels", &status) == 0 && (geteuid() != 0 || status.st_uid == 12345))
    let text = levels.text(bootID: "00aa")
    #expect(SafeLevels.Record(text, bootID: "00aa") == .whole(levels))
    #expect(SafeLevels.Record(text, bootID: "00ab") == .absent && SafeLevels.Record(text, bootID: "") == .absent)
    SafeLevels.removeRecord(in: folder.path)
    #expect(try SafeLevels.recorded(in: folder.path) == .absent)
  }

  @Test func `an unreadable record is an error, not a record without outputs`() throws {
    let folder = try TemporaryFolder()
    try checked("mkdir") { mkdir(folder.path + "/safe-levels", 0o700) }
    #expect(throws: SystemError.self) { try SafeLevels.recorded(in: folder.path) }
  }

  @Test func `a record that cannot be written leaves nothing behind`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/safe-levels/kept", withIntermediateDirectories: true)
    #expect(throws: SystemError.self) { try levels.record(in: folder.path) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["safe-levels"])
  }

  @Test(arguments: [
    "led", "led\t2\tstatus\tACT", "line\t0\tdoor\t/dev/gpiochip0\t-1\t0\tpush-pull",
    "line\t0\tdoor\t/etc/passwd\t1\t0\tpush-pull", "line\t0\tdoor\t/dev/gpiochip0\t1\t0\tpush", "motor\t0\ta\tb",
  ])
  func `a damaged line is an error, and the others are still used`(_ line: String) {
    #expect(SafeLevels.Record(levels.text(bootID: "00aa") + line + "\n", bootID: "00aa") == .damaged(levels))
  }

  @Test(arguments: ["", "\n", "00aa\n", "00a\n", "00ag\nled\t0\tstatus\tACT\n", "led\t0\tstatus\tACT\n"])
  func `a record without a decodable line is damaged, not empty`(_ text: String) {
    #expect(SafeLevels.Record(text, bootID: "00aa") == .damaged(SafeLevels()))
  }

  @Test func `a level that cannot be set is named, and the others are set`() {
    let failures = levels.set()
    #expect(failures.map(\.entry.name).contains("latch"))
    #expect(failures.allSatisfy { $0.error.code != 0 })
  }

  @Test func `a kernel parameter shows whether released lines keep their level`() throws {
    for driver in ["pinctrl_bcm2835", "pinctrl_rp1"] {
      let folder = try TemporaryFolder()
      #expect(!LinePersistence.isOn(folder: folder.path))
      let parameters = folder.path + "/\(driver)/parameters"
      try FileManager.default.createDirectory(atPath: parameters, withIntermediateDirectories: true)
      for (value, isOn) in [("N\n", false), ("Y\n", true)] {
        try value.write(toFile: parameters + "/persist_gpio_outputs", atomically: true, encoding: .utf8)
        #expect(LinePersistence.isOn(folder: folder.path) == isOn)
      }
    }
  }
}
