// The store room as it ships: a table of boxes, labels, tags that are written, two taps that move, a loan, low stock.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryDeskTests {
  private let path = "House → Cellar → Shelf"
  private let message = """
    {"did": "%{verb}", "thing": "%{thing}", "in": "%{path}", "holds": "%{contents}", "with": "%{holder}", \
    "by": "%{who}"}
    """

  private func world(_ more: String = "", inventory: String = "") throws -> KioskWorld {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
        - {name: shelf, mode: inventory, topic: home/shelf, message: '\(message)', cooldown: 0 s}
        - {name: restock, topic: home/restock, message: '%{thing} %{quantity}/%{minimum} %{path}'}
      inventory: {publish: true, low_stock: restock, move_within: 5 s\(inventory)}
      unknown_tags: {mode: inventory, cooldown: 0 s}
      \(more)
      """
    let world = try KioskWorld(configuration)
    let rows = (1...200).map { "House,Cellar,\($0 % 2 == 0 ? "Rack" : "Shelf"),Box \($0),B-\($0),Thing \($0),\($0),10" }
    let table = (["building,room,spot,box,code,item,quantity,minimum"] + rows).joined(separator: "\n")
    try table.write(toFile: world.folder + "/boxes.csv", atomically: true, encoding: .utf8)
    let imported = try world.tappet("inventory", "import", world.folder + "/boxes.csv")
    #expect(imported.status == 0 && imported.errors.contains("404 added"), "\(imported)")
    return world
  }

  /// Writes a tag for a thing, and takes it away; the line in the simulator that places it again.
  private func writeTag(_ world: KioskWorld, _ words: String...) throws -> String {
    let uid = world.freshUID()
    try world.tell("place ntag215 uid=\(uid) empty")
    let written = try world.tappet(["tag", "write", "shelf", "--timeout", "20"] + words)
    #expect(written.status == 0, "\(words): \(written)")
    let memory = try world.tell("dump").filter { $0.isHexDigit }
    try world.takeAway()
    return "ntag215 uid=\(uid) memory=\(memory)"
  }

  /// A tag of others with a text.
  private func placement(_ uid: String, text: String) -> String {
    let payload = [2] + Array("en\(text)".utf8)
    let record = [0xD1, 1, UInt8(payload.count), UInt8(ascii: "T")] + payload
    return "ntag213 uid=\(uid) ndef=" + record.map { String(format: "%02x", $0) }.joined()
  }

  private func shown(_ outcome: KioskWorld.Outcome) -> String? {
    outcome.received.first { $0.topic == "home/shelf" }?.payload
  }

  @Test func `a tap shows a box, two taps move it, in either order, and a witness hears of all`() throws {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let rack = try writeTag(world, "--spot", "Rack")
    let tap = try world.tap(box, until: "delivered-by-tag", messages: 1)
    #expect(
      shown(tap) == #"""
        {"did": "shown", "thing": "Box 7", "in": "\#(path)", "holds": "7 Thing 7", "with": "", "by": "kiosk"}
        """#, "\(tap)")
    #expect(tap.lights.contains("confirming") && tap.log.contains("box Box 7 [B-7] is in \(path): 7 Thing 7"))
    let moved = try world.tap(rack, until: "accepted", messages: 1)
    #expect(moved.log.contains("event=inventory-moved"), "\(moved)")
    #expect(try world.tappet("find", "B-7").output == "box       Box 7  [B-7]  House → Cellar → Rack\n")
    #expect(
      try world.tappet("inventory", "moves").output.contains("kiosk  box Box 7: \(path), now House → Cellar → Rack"))
    #expect(eventually { moves(world).count == 1 })
    let feed = try #require(moves(world).first)
    #expect(feed.contains(#""name": "Box 7", "code": "B-7", "path": "House → Cellar → Rack""#), "\(feed)")
    // The place first, then the box.
    let shelf = try writeTag(world, "--spot", "Shelf")
    _ = try world.tap(shelf, until: "confirming", messages: 1)
    _ = try world.tap(box, until: "accepted", messages: 1)
    #expect(try world.tappet("find", "B-7").output == "box       Box 7  [B-7]  \(path)\n")
    try world.goodTap()
  }

  @Test func `an item goes to a person and back, and low stock is reported once`() throws {
    let world = try world()
    try world.start()
    #expect(try world.tappet("person", "add", "Ada").status == 0)
    let item = try writeTag(world, "--item", "Thing 50")
    let ada = try writeTag(world, "--person", "Ada")
    _ = try world.tap(item, until: "confirming", messages: 1)
    let lent = try world.tap(ada, until: "accepted", messages: 1)
    #expect(lent.log.contains("item Thing 50 was checked out to Ada"), "\(lent)")
    #expect(try world.tappet("item", "list", "--lent").output == "Thing 50  50  with Ada\n")
    #expect(try world.tappet("item", "show", "Thing 50").output.contains("  with      Ada, since "))
    // The item is still held, and she has it: it comes back. Then another thing is held, so she comes first.
    let back = try world.tap(ada, until: "accepted", messages: 1)
    #expect(back.log.contains("event=inventory-returned"), "\(back)")
    let rack = try writeTag(world, "--spot", "Rack")
    _ = try world.tap(rack, until: "confirming", messages: 1)
    try world.tell("place " + ada)
    #expect(eventually { world.log.contains("event=inventory-person") })
    try world.takeAway()
    let again = try world.tap(item, until: "accepted", messages: 1)
    #expect(again.log.contains("event=inventory-lent"), "\(again)")
    #expect(try world.tap(item, until: "accepted", messages: 1).log.contains("event=inventory-returned"))
    #expect(try world.tappet("item", "list", "--lent").output.isEmpty)
    #expect(try world.tappet("item", "edit", "Thing 50", "--quantity", "3").status == 0)
    func restocks() -> [String] { world.received.filter { $0.topic == "home/restock" }.map(\.payload) }
    #expect(eventually { restocks().contains("Thing 50 3/10 House → Cellar → Rack → Box 50") }, "\(restocks())")
    // Boxes 1 to 9 were low from the start.
    #expect(eventually { restocks().count == 10 }, "\(restocks())")
    let status = try world.tappet("status")
    #expect(
      eventually { (try? world.tappet("status").output.contains("inventory 10 items are low")) ?? false },
      "\(status)")
  }

  @Test func `tags of others are known by their text or their UID, and strangers are refused`() throws {
    let world = try world()
    try world.start()
    let labelled = try writeTag(world, "--box", "B-3", "--with-code")
    _ = try world.tap(labelled, until: "confirming", messages: 1)
    let text = try world.tap(placement("04a1b2c3d4e5f6", text: "B-4"), until: "accepted")
    #expect(text.log.contains("box Box 4 [B-4] is in"), "\(text)")
    let stranger = try world.tap(placement("04a1b2c3d4e5f7", text: "nothing"), until: "refused")
    #expect(stranger.log.contains("code=thing-unknown"), "\(stranger)")
    #expect(try world.tappet("box", "edit", "B-9", "--tag", "04a1b2c3d4e5f7").status == 0)
    let known = try world.tap(placement("04a1b2c3d4e5f7", text: "nothing"), until: "confirming")
    #expect(known.log.contains("box Box 9 [B-9]"), "\(known)")
    let unfit = try world.tappet("tag", "write", "light", "--box", "B-3")
    #expect(unfit.status == 1 && unfit.errors.contains("has no 'mode: inventory'"), "\(unfit)")
  }

  @Test func `tappet-inventory that is killed loses no change, and the next tap works`() throws {
    let world = try world()
    try world.start()
    let box = try writeTag(world, "--box", "B-7")
    let rack = try writeTag(world, "--spot", "Rack")
    func goodAgain(_ world: KioskWorld) -> Int {
      world.log.split(separator: "\n").count { $0.contains("event=inventory-good") }
    }
    for round in 0..<3 {
      _ = try world.tap(box, until: "confirming", messages: 1)
      try killHelper(of: world)
      let tapped = try world.tap(rack, until: "reading")
      #expect(!tapped.log.contains("event=inventory-moved"), "\(tapped)")
      #expect(eventually { goodAgain(world) > round }, "\(world.log)")
    }
    _ = try world.tap(box, until: "confirming", messages: 1)
    _ = try world.tap(rack, until: "accepted", messages: 1)
    #expect(eventually { moves(world).count == 1 }, "\(moves(world))")
  }

  @Test func `a scanned label and a tapped spot move a box, and half a code is nothing`() throws {
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

  /// The messages that were published about moves.
  private func moves(_ world: KioskWorld) -> [String] {
    (world.witness?.all ?? []).filter { $0.topic == "tappet/kiosk/inventory/moved" }.map(\.payload)
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
