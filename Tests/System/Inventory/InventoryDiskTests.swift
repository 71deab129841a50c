// The store room at a kiosk whose disk fills up.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryDiskTests: InventoryDeskSuite {
  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `a disk that fills up between two taps refuses the move, and accepts it once there is room`() throws {
    let disk = try SmallDisk(size: 32 * 1024)
    let world = try world()
    try world.moveState(to: disk)
    #expect(try world.tappet("inventory", "import", world.folder + "/boxes.csv").status == 0)
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let rack = try writeTag(world, "--spot", "Rack")
    _ = try world.tap(box, until: "holding", messages: 1)
    try disk.fill()
    let refused = try world.tap(rack, until: "refused")
    #expect(!refused.lights.contains("accepted") && refused.log.contains("code=inventory-full"), "\(refused)")
    #expect(!world.log.contains("event=inventory-moved"))
    let shown = try world.tappet("box", "show", "B-7")
    #expect(shown.status == 0 && shown.output.contains(path), "\(shown)")
    disk.empty()
    #expect(eventually { (try? world.tappet("status").output.contains("no space is left in")) == false })
    _ = try world.tap(box, until: "holding", messages: 1)
    let moved = try world.tap(rack, until: "accepted")
    #expect(moved.log.contains("event=inventory-moved"), "\(moved)")
    #expect(try world.tappet("box", "show", "B-7").output.contains("House → Cellar → Rack"))
  }
}
