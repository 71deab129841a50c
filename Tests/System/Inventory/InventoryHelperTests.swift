// The store room with its other process, tappet-inventory: what it reads from a scanner, and what is left when it dies.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryHelperTests: InventoryDeskSuite {
  @Test func `tappet-inventory loses no change when killed, and the next tap works`() throws {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let rack = try writeTag(world, "--spot", "Rack")
    func goodAgain(_ world: KioskWorld) -> Int {
      world.log.split(separator: "\n").count { $0.contains("event=inventory-good") }
    }
    for round in 0..<3 {
      _ = try world.tap(box, until: "holding", messages: 1)
      try killHelper(of: world)
      #expect(eventually { goodAgain(world) > round }, "\(world.log)")
    }
    // The box is held no more.
    let rackAlone = try world.tap(rack, until: "holding", messages: 1)
    #expect(!rackAlone.log.contains("event=inventory-moved"), "\(rackAlone)")
    _ = try world.tap(box, until: "accepted", messages: 1)
    #expect(eventually { moves(world).count == 1 }, "\(moves(world))")
  }

  @Test func `a scanned label and a tapped spot move a box, and half a code does nothing`() throws {
    let world = try world(inventory: ", scanner: scanner")
    let labels = world.folder + "/labels.svg"
    let made = try world.tappet("label", "B-8", "B-9", "--format", "svg", "--sheet", "a4-3x8", "--out", labels)
    #expect(made.status == 0 && FileManager.default.fileExists(atPath: labels), "\(made)")
    #expect(try world.tappet("check", "--config-only").output.contains("the scanner cannot be used"))
    let scanner = try PlayedScanner(in: world.folder)
    try scanner.plug()
    try world.start(environment: scanner.environment)
    let shelf = try writeTag(world, "--spot", "Shelf")
    func log(_ text: String, _ count: Int = 1) -> Bool {
      eventually { world.log.components(separatedBy: text).count > count }
    }
    let lights = world.lights.count
    try scanner.type("B-8\n")
    #expect(log("box Box 8 [B-8] is in House → Cellar → Rack"), "\(world.log)")
    // The scan's own "accepted" must not be taken for the tap's.
    try world.awaitLight("delivered-by-tag", after: lights)
    _ = try world.tap(shelf, until: "accepted")
    #expect(log("box Box 8 [B-8] was moved to \(path)"), "\(world.log)")
    try scanner.type("NOTHING\nB-1")
    #expect(log("code=thing-unknown"), "\(world.log)")
    scanner.unplug()
    #expect(log("event=scanner-lost"), "\(world.log)")
    #expect(try world.tappet("status").status == 1)
    try scanner.plug()
    #expect(log("event=scanner-good"), "\(world.log)")
    try scanner.type("0\nB-10\n")
    #expect(log("box Box 10 [B-10] is in"), "\(world.log)")
    #expect(log("code=thing-unknown", 2) && !world.log.contains("box Box 1 ["), "\(world.log)")
    try world.goodTap()
  }

  @Test func `a serial scanner moves a box, and a garbled code is refused with its reason`() throws {
    let world = try world(inventory: ", scanner: scanner")
    #expect(try world.tappet("spot", "edit", "Shelf", "--barcode", "S-1").status == 0)
    let scanner = SerialScanner(in: world.folder)
    try scanner.plug()
    let checked = try world.tappet("check", "--config-only")
    #expect(checked.output.contains(scanner.path) && !checked.output.contains("cannot be used"), "\(checked)")
    try world.start()
    func log(_ text: String, _ count: Int = 1) -> Bool {
      eventually { world.log.components(separatedBy: text).count > count }
    }
    try scanner.send("]Q3B-8\r\n")
    #expect(log("box Box 8 [B-8] is in House → Cellar → Rack"), "\(world.log)")
    try scanner.send("S-1\r")
    #expect(log("box Box 8 [B-8] was moved to \(path)"), "\(world.log)")
    try scanner.send("\u{1}\u{2}\n")
    #expect(log("code=scan-unreadable"), "\(world.log)")
    try scanner.send(String(repeating: "8", count: 10_000) + "\n")
    #expect(log("code=scan-too-long"), "\(world.log)")
    try scanner.send("B-1")
    #expect(log("code=scan-incomplete"), "\(world.log)")
    try scanner.send("B-1")
    scanner.unplug()
    #expect(log("event=scanner-lost"), "\(world.log)")
    try scanner.plug()
    #expect(log("event=scanner-good"), "\(world.log)")
    try scanner.send("0\nB-10\n")
    #expect(log("box Box 10 [B-10] is in"), "\(world.log)")
    #expect(log("code=thing-unknown") && !world.log.contains("box Box 1 ["), "\(world.log)")
    try world.goodTap()
  }

  @Test func `a device that is not a scanner is reported with the reason, and tags still work`() throws {
    let world = try world(inventory: ", scanner: boxes.csv")
    #expect(try world.tappet("check", "--config-only").output.contains("neither a keyboard nor a serial line"))
    try world.start()
    #expect(eventually { world.log.contains("neither a keyboard nor a serial line") }, "\(world.log)")
    // Boxes 1 to 9 are low at the start: their messages must not be counted for the tap.
    _ = try world.received(9)
    try world.goodTap()
  }

  private func killHelper(of world: KioskWorld) throws {
    let kiosk = try #require(world.kiosk?.pid)
    let children = try String(contentsOfFile: "/proc/\(kiosk)/task/\(kiosk)/children", encoding: .utf8)
    for child in children.split(separator: " ").compactMap({ Int32($0) }) {
      let name = try String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
      if name.hasPrefix("tappet-inventor") { kill(child, SIGKILL) }
    }
  }
}
