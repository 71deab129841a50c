// The disk under the kiosk as it ships: full, damaged before the start and while it runs. A light's promise is kept;
// what it did not promise does not.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct DiskTests {
  private func panelled() throws -> KioskWorld {
    let world = try KioskWorld()
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
      panel:
        simulator: \(world.folder)/panel
        buttons: [{name: bell, line: GPIO5, press: light}]
      """
    try world.write(configuration)
    return world
  }

  private func count(_ light: String, in world: KioskWorld) -> Int { world.lights.count { $0 == light } }

  @Test
  func `a tap on a full disk is refused as such, earlier taps are kept, and later taps work`()
    throws
  {
    let world = try panelled()
    try world.start()
    let kiosk = try #require(world.kiosk)
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    // The log of the database has room for a few taps more; everything else that is written is smaller than that.
    let limit = 80_000
    try #require(
      try Programs.run(
        try Programs.installed("prlimit"), ["--pid", "\(kiosk.pid)", "--fsize=\(limit):unlimited"], input: ""
      ).status == 0)
    var presses = 0
    while count("refused", in: world) == 0, presses < 60 {
      let seen = count("queued", in: world) + count("refused", in: world)
      try world.play("bell")
      presses += 1
      #expect(eventually { count("queued", in: world) + count("refused", in: world) > seen })
    }
    #expect(count("refused", in: world) == 1 && count("queued", in: world) >= 2)
    #expect(eventually { world.log.contains("no space is left in") })
    try world.awaitLight("fault", after: before)
    try world.play("bell")
    #expect(eventually { count("refused", in: world) == 2 })
    #expect(kiosk.isRunning)
    let promised = count("queued", in: world)
    // Somebody makes room: within the 5 s of its trials it is noticed.
    _ = try Programs.run(
      try Programs.installed("prlimit"), ["--pid", "\(kiosk.pid)", "--fsize=unlimited:unlimited"], input: "")
    #expect(eventually { world.log.contains("event=disk-good") })
    try world.play("bell")
    #expect(eventually { count("queued", in: world) == promised + 1 })
    try world.restartBroker()
    _ = try world.received(promised + 1)
    try world.goodTap()
    #expect(try world.settled().count == promised + 2)
  }

  @Test(arguments: ["header", "pages"])
  func `a database damaged before the start costs pending taps, but no secret`(
    _ place: String
  ) throws {
    let world = try KioskWorld()
    try world.start()
    try world.goodTap()
    #expect(world.kiosk?.end() == true)
    let path = world.folder + "/state/tappet.db"
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: place == "header" ? 0 : 4096)
    file.write(Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }))
    try file.close()
    // Tools leave it alone.
    let listed = try world.tappet("secret", "list")
    #expect(listed.status == 4 && listed.errors.contains("is damaged"), "\(listed.errors)")
    let before = world.lights.count
    try world.start()
    try world.awaitLight("fault", after: before)
    #expect(
      eventually {
        world.log.contains("event=database-damaged") && world.log.contains("2 secrets were restored from the copy")
      })
    let names = try FileManager.default.contentsOfDirectory(atPath: world.folder + "/state")
    #expect(names.contains { $0.hasPrefix("tappet.db.damaged-") }, "\(names)")
    try world.goodTap()
  }

  @Test func `a database damaged while the kiosk runs is replaced, and taps work again`() throws {
    let world = try panelled()
    try world.start()
    try world.goodTap()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    for number in 1...3 {
      try world.play("bell")
      #expect(eventually { count("queued", in: world) == number })
    }
    // All in the database and none in the log, then rubbish over everything but the first page.
    let path = world.folder + "/state/tappet.db"
    let sqlite = try Programs.installed("sqlite3")
    #expect(
      try eventually {
        // Refused while the kiosk is at a checkpoint.
        try Programs.run(sqlite, [path, "PRAGMA wal_checkpoint(TRUNCATE)"], input: "").output.hasPrefix("0|0|0")
      })
    let size = StateFolder.size(path)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: 4096)
    file.write(Data((4096..<size).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }))
    try file.close()
    try world.restartBroker()
    #expect(eventually { world.log.contains("event=database-damaged") }, "\(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("event=disk-good") })
    #expect(world.kiosk?.isRunning == true)
    try world.awaitLight("ready", after: before)
    try world.goodTap()
  }
}

/// Sizes of files in a state folder.
private enum StateFolder {
  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
