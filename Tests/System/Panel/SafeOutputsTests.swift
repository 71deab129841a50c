// The outputs that a killed kiosk leaves on, and their end: at a virtual panel, which keeps the levels as the kernel of
// Raspberry Pi OS does.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SafeOutputsTests {
  /// A kiosk whose lamp was on when it was killed; its state folder is not the usual one.
  private func killed() throws -> KioskWorld {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
          panel:
            simulator: panel
            outputs:
              - {name: lamp, line: GPIO23}
              - {name: latch, line: GPIO24, safe: on}
          """))
    try world.start()
    for words in [["on", "lamp"], ["off", "latch"]] { #expect(try world.tappet(["output"] + words).status == 0) }
    #expect(try eventually { try outputs(world) == ["lamp 1", "latch 0"] })
    let running = try world.tappet("output", "safe")
    #expect(running.status == 4 && running.errors.contains("a kiosk is running"), "\(running)")
    world.kiosk?.end(SIGKILL)
    #expect(try outputs(world) == ["lamp 1", "latch 0"])
    return world
  }

  /// The last levels that the panel saw.
  private func outputs(_ world: KioskWorld) throws -> [String] {
    ["lamp", "latch"].map { name in
      let level = (try? world.levels())?.last { $0.output == name }
      return name + (level?.isOn == true ? " 1" : " 0")
    }
  }

  @Test func `after a kill, the service's command sets the safe levels once, even if kiosk.yaml is invalid`() throws {
    let world = try killed()
    let text = textSoFar(world.configPath)
    try (text + "nonsense: [\n").write(toFile: world.configPath, atomically: true, encoding: .utf8)
    // A panel that is busy meets the whole command at once.
    world.sim?.signal(SIGSTOP)
    let done = try world.tappet("output", "safe")
    world.sim?.signal(SIGCONT)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done)")
    #expect(try eventually { try outputs(world) == ["lamp 0", "latch 1"] })
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    world.kiosk?.end()
    #expect(try world.tappet("output", "safe").status == 0)
    // A record that cannot be read may contain levels.
    try FileManager.default.createDirectory(
      atPath: world.folder + "/state/safe-levels", withIntermediateDirectories: false)
    let unread = try world.tappet("output", "safe")
    #expect(unread.status == 4 && unread.errors.contains("safe-levels cannot be read"), "\(unread)")
  }

  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `safe levels that a full disk cannot record are reported, and recorded once there is room`() throws {
    let disk = try SmallDisk()
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(more: "panel:\n  simulator: panel\n  outputs: [{name: lamp, line: GPIO23}]"))
    try world.moveState(to: disk)
    try world.start()
    world.kiosk?.end(SIGTERM)
    unlink(disk.path + "/state/safe-levels")
    try disk.fill()
    try world.startForTaps(until: "fault")
    #expect(eventually { world.log.contains("event=panel-lost code=levels-unrecorded") }, "\(world.log.suffix(1500))")
    // The outputs work all the same.
    #expect(try world.tappet("output", "on", "lamp").status == 0)
    for words in [["status"], ["check"]] {
      let told = try world.tappet(words)
      #expect(told.status == 1 && told.output.contains("the record of safe levels in \(disk.path)"), "\(told)")
    }
    disk.empty()
    #expect(eventually { world.log.contains("event=panel-good") }, "\(world.log.suffix(1500))")
    world.kiosk?.end(SIGKILL)
    #expect(try world.tappet("output", "safe").status == 0)
    #expect(try eventually { try world.levels().last { $0.output == "lamp" }?.isOn == false })
  }

  @Test func `a damaged record is an error, and is kept until a person has checked the outputs`() throws {
    let world = try killed()
    let path = world.folder + "/state/safe-levels"
    let lines = textSoFar(path).split(separator: "\n").map(String.init)
    for (rest, level) in [([], "lamp 1"), (lines[1...].filter { $0.contains("lamp") } + ["panel\t0\t"], "lamp 0")] {
      try ((lines[..<1] + rest).joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
      let told = try world.tappet("output", "safe")
      #expect(told.status == 4 && told.errors.contains("safe-levels is damaged"), "\(told)")
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(try eventually { try outputs(world).first == level })
    }
  }

  @Test func `a state folder that does not exist is an error, not a folder without outputs`() throws {
    let world = try killed()
    let wrong = try world.tappet("output", "safe", "--state", world.folder + "/stat")
    #expect(wrong.status == 4 && wrong.errors.contains("/stat cannot be opened: No such file"), "\(wrong)")
    #expect(try world.tappet("output", "safe", "--state", world.folder + "/state").status == 0)
    #expect(try eventually { try outputs(world).first == "lamp 0" })
  }

  @Test func `'tappet run' with a refused configuration leaves no output on`() throws {
    let world = try killed()
    let text = textSoFar(world.configPath) + "\nnonsense: 1\n"
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try world.tappet("run", "--plain").status == 3)
    #expect(try eventually { try outputs(world) == ["lamp 0", "latch 1"] })
  }

  @Test func `the unit runs the command whenever its kiosk has ended`() throws {
    let unit = try String(contentsOfFile: Repository.path("board/systemd/tappet.service.in"), encoding: .utf8)
    #expect(unit.contains("ExecStopPost=-@PREFIX@/bin/tappet output safe --config @CONFIG@"))
  }
}
