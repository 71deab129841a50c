// A kiosk that starts on a full disk: it runs, says so, and delivers what waits.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `after a clean stop the kiosk starts on a full disk, and accepts taps once there is room`() throws {
    let disk = try SmallDisk()
    let world = try KioskWorld.stranded(on: disk, by: SIGTERM)
    try disk.fill()
    try world.restartBroker()
    try world.startForTaps(until: "fault")
    #expect(eventually { world.received.count == 2 }, "\(world.received) \(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("event=disk-trouble") && world.log.contains("no space is left in") })
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
}
