// A kiosk that was killed, and starts on a disk with almost no room: it loses nothing.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FullDiskKillTests {
  /// Free kilobytes, from nothing to more than the log's index needs; somewhere between, SQLite alone would be killed
  /// by SIGBUS.
  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"), arguments: [0, 18, 24, 40])
  func `after kill -9 the kiosk starts on a nearly full disk, and loses nothing`(_ kilobytes: Int) throws {
    let disk = try SmallDisk()
    let world = try KioskWorld.stranded(on: disk, by: SIGKILL)
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
