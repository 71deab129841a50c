// A store room with 200 boxes at a kiosk, and tags for its things.

import Foundation
import TestSupport
import Testing

/// A suite whose kiosk is in the store room.
protocol InventoryDeskSuite {}

extension InventoryDeskSuite {
  var path: String { "House → Cellar → Shelf" }

  private var message: String {
    """
    {"did": "%{verb}", "thing": "%{thing}", "in": "%{path}", "holds": "%{contents}", "with": "%{holder}", \
    "by": "%{who}"}
    """
  }

  func world(_ more: String = "", inventory: String = "") throws -> KioskWorld {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
        - {name: shelf, mode: inventory, topic: home/shelf, message: '\(message)', cooldown: 0 s}
        - {name: taking, mode: inventory, job: remove, cooldown: 0 s}
        - {name: counting, mode: inventory, job: count, cooldown: 0 s}
        - {name: audit, mode: inventory, job: audit, cooldown: 0 s}
        - {name: restock, topic: home/restock, message: '%{thing} %{quantity}/%{minimum} %{path}'}
      inventory: {publish: true, low_stock: restock, move_within: 120 s\(inventory)}
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
  func writeTag(_ world: KioskWorld, _ words: String..., action: String? = "shelf") throws -> String {
    let uid = world.freshUID()
    try world.tell("place ntag215 uid=\(uid) empty")
    let written = try world.tappet(["tag", "write"] + (action.map { [$0] } ?? []) + ["--timeout", "60"] + words)
    #expect(written.status == 0, "\(words): \(written)")
    let memory = try world.tell("dump").filter { $0.isHexDigit }
    try world.takeAway()
    return "ntag215 uid=\(uid) memory=\(memory)"
  }

  func shown(_ outcome: KioskWorld.Outcome) -> String? {
    outcome.received.first { $0.topic == "home/shelf" }?.payload
  }

  /// The messages that were published about moves.
  func moves(_ world: KioskWorld) -> [String] {
    (world.witness?.all ?? []).filter { $0.topic == "tappet/kiosk/inventory/change/moved" }.map(\.payload)
  }
}
