// Tags erased, locked, watched, and made by others, by the programs as they ship.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct TagUseTests {
  /// `tappet tag …` while it waits for a tag.
  private func waiting(_ world: KioskWorld, _ words: String..., log: String = "tag.log") throws -> Service {
    try Service(
      try Programs.built("tappet"), ["tag"] + words + ["--config", world.configPath], log: world.folder + "/" + log)
  }

  private func tool(_ world: KioskWorld, _ name: String, _ arguments: [String], input: String = "") throws -> Finished {
    let device = "pn532_uart:" + world.folder + "/reader"
    return try Programs.run(
      try Programs.installed(name), arguments,
      environment: ["LIBNFC_DEFAULT_DEVICE": device, "LIBNFC_DEVICE": device], input: input)
  }

  @Test func `erase, format and lock work, and protect prevents other programs from writing`() throws {
    let world = try KioskWorld(withBroker: false)
    try world.tell("place ntag215 blank")
    #expect(try world.tappet("tag", "format", "--yes").output.contains("formatted: NTAG215"))
    #expect(try world.tappet("tag", "write", "bell", "--protect").output.contains("only this kiosk can rewrite it"))
    #expect(try world.tappet("tag", "read").status == 0)
    let file = world.folder + "/dump"
    let foreign = try tool(world, "nfc-mfultralight", ["r", file])
    #expect(foreign.status == 0)
    let dump = try world.tell("dump")
    _ = try tool(world, "nfc-mfultralight", ["w", file], input: "n\nn\nn\nn\n")
    #expect(try world.tell("dump") == dump)
    #expect(try world.tappet("tag", "erase").output.contains("erased: NTAG215"))
    #expect(try world.tappet("tag", "read").output.contains("the tag is empty"))
    #expect(try world.tappet("tag", "write", "bell", "--with-key").errors.contains("anyone who reads it can copy it"))
    #expect(try world.tappet("tag", "read", "--json").output.contains("\"carries_key\":true"))
    #expect(try world.tappet("tag", "lock", "--yes").output.contains("permanently locked"))
    #expect(try world.tappet("tag", "erase").status == 1)
    #expect(try world.tappet("tag", "read").status == 0)
  }

  @Test func `images written by other programs are accepted`() throws {
    let world = try KioskWorld()
    let url = try world.url(1)
    let message = try OtherLibraries.message(url)
    // By libnfc's tool, on a tag of its own.
    try world.tell("place ntag213 url=\(url)")
    let file = world.folder + "/image"
    _ = try tool(world, "nfc-mfultralight", ["r", file])
    try world.tell("place ntag213 empty")
    _ = try tool(world, "nfc-mfultralight", ["w", file], input: "n\nn\nn\nn\n")
    let image = try world.tell("dump").replacingOccurrences(of: "ok ", with: "")
    // By libfreefare, whose block of 300 bytes and more has a length of three.
    let blocks = try [message, OtherLibraries.message(try world.url(1), ballast: 300)].map {
      try OtherLibraries.block($0)
    }
    #expect(blocks[0].hasPrefix("03") && blocks[1].hasPrefix("03ff"))
    let freefareImages = try blocks.map { block in
      try world.tell("place ntag216 uid=\(world.freshUID()) empty")
      return try world.tell("dump").replacingOccurrences(of: "ok ", with: "").prefix(32) + block
    }
    try world.tell("take")
    try world.start()
    for placement in [
      "ntag213 uid=\(world.freshUID()) ndef=\(message)", "ntag424 ndef=\(message)", "ntag213 memory=\(image)",
    ] + freefareImages.map({ "ntag216 memory=\($0)" }) {
      #expect(try world.tap(placement, until: "delivered-by-tag", messages: 1).received.count == 1)
    }
  }

  @Test(arguments: [false, true])
  func `watch shows each tag as a line of JSON`(_ hasKiosk: Bool) throws {
    let world = try KioskWorld()
    if hasKiosk { try world.start() }
    let watching = try waiting(world, "watch", "--json")
    for (number, placement) in ["ntag213 url=\(try world.url(1))", "classic", "type4 empty"].enumerated() {
      try world.tell("place " + placement)
      #expect(eventually { watching.text.split(separator: "\n").count > number }, "\(watching.text)")
    }
    watching.end(SIGINT)
    let lines = try watching.text.split(separator: "\n").map {
      (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["data"] as? [String: Any]
    }
    #expect(lines.map { $0?["accepted"] as? Bool } == [true, false, false])
    #expect(lines.map { $0?["model"] as? String } == ["NTAG213", "MIFARE Classic", "Type 4 tag"])
  }
}
