// A kiosk that starts on a full disk: it runs, says so, and delivers what waits.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FullDiskTests {
  /// A world with its state on a disk of its own, and two messages waiting there; the kiosk has ended.
  private func stranded(_ disk: SmallDisk, by signal: Int32) throws -> KioskWorld {
    let world = try KioskWorld()
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "state: state", with: "state: \(disk.path)/state")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    for index in 0...1 { try world.importSecret(index: index, key: world.keys[index]) }
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    for _ in 0...1 { _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued") }
    #expect(world.kiosk?.end(signal) == true)
    return world
  }

  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `after a clean stop it starts on a full disk, delivers what waits, and takes taps when there is room`() throws {
    let disk = try SmallDisk()
    let world = try stranded(disk, by: SIGTERM)
    try disk.fill()
    try world.restartBroker()
    try world.start(until: "fault")
    #expect(eventually { world.received.count == 2 }, "\(world.received) \(world.log.suffix(1500))")
    #expect(world.log.contains("event=disk-trouble") && world.log.contains("no space is left in"))
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "refused")
    #expect(refused.log.contains("could not be stored (no space left)"), "\(refused.log)")
    #expect(try world.tappet("status").output.contains("no space"))
    disk.empty()
    #expect(eventually { world.log.contains("event=disk-good") })
    try world.goodTap()
    // Other processes can read the database again.
    #expect(eventually { (try? world.tappet("outbox", "list").status) == 0 })
    #expect(world.kiosk?.end() == true)
  }

  /// Free kilobytes, from nothing to more than the log's index needs; somewhere between, SQLite alone would be killed
  /// by SIGBUS.
  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"), arguments: [0, 18, 24, 40])
  func `after kill -9 it starts on a disk with almost no room, and loses nothing`(_ kilobytes: Int) throws {
    let disk = try SmallDisk()
    let world = try stranded(disk, by: SIGKILL)
    unlink(disk.path + "/state/tappet.db-shm")
    try disk.fill(leaving: kilobytes * 1024)
    try world.restartBroker()
    let before = world.lights.count
    try world.start(until: kilobytes < 32 ? "fault" : "ready")
    #expect(eventually { world.received.count >= 2 }, "\(world.received) \(world.log.suffix(1500))")
    disk.empty()
    #expect(eventually { world.lights.dropFirst(before).contains("ready") }, "\(world.lights.suffix(5))")
    try world.goodTap()
    #expect(world.kiosk?.isRunning == true && !world.log.contains("event=database-damaged"))
    #expect(world.kiosk?.end() == true)
  }
}
