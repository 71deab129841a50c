// The inventory as it ships: by hand, next to a running kiosk, and with a full disk.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryTests {
  private func fill(_ world: KioskWorld) throws {
    for words in [
      ["building", "add", "House"], ["room", "add", "Cellar", "--in", "House"],
      ["spot", "add", "Shelf", "--in", "Cellar"],
      ["spot", "add", "Rack", "--in", "Cellar"], ["box", "add", "Schrauben", "--in", "Shelf", "--code", "B-17"],
      ["item", "add", "M4 x 20", "--in", "B-17", "--quantity", "200", "--minimum", "50", "--notes", "Größe 4"],
    ] {
      let done = try world.tappet(words)
      #expect(done.status == 0 && done.output.isEmpty, "\(done)")
    }
  }

  @Test func `things are added, found, moved, edited and removed next to a running kiosk, and taken back`() throws {
    let world = try KioskWorld()
    try world.start()
    try fill(world)
    #expect(try world.tappet("find", "B-17").output == "box       Schrauben  [B-17]  House → Cellar → Shelf\n")
    let line = "item      M4 x 20  200, low: at least 500  House → Cellar → Rack → Schrauben\n"
    #expect(try world.tappet("box", "move", "B-17", "--to", "House/Cellar/Rack", "--by", "Ann").status == 0)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--minimum", "500").status == 0)
    #expect(try world.tappet("find", "grosse").output == line)
    for place in ["--low", "--in=B-17", "--in=Rack", "--in=House / Cellar", "--in=House"] {
      #expect(try world.tappet("item", "list", place).output == String(line.dropFirst(10)))
    }
    #expect(try world.tappet("box", "list", "--in", "House").output.hasPrefix("Schrauben  [B-17]"))
    let move = "Ann  box Schrauben: House → Cellar → Shelf, now House → Cellar → Rack\n"
    #expect(try world.tappet("inventory", "moves", "--box", "B-17").output.hasSuffix(move))
    let shown = try world.tappet("box", "show", "Schrauben").output
    for text in ["Box Schrauben\n", "  in        House → Cellar → Rack\n", "  1 item:\n  M4 x 20  200"] {
      #expect(shown.contains(text), "\(shown)")
    }
    #expect(try world.tappet("item", "take", "M4 x 20", "50", "--by", "Ann").errors.contains("Taken: M4 x 20  150"))
    #expect(try world.tappet("item", "put", "M4 x 20").errors.contains("Put back: M4 x 20  151"))
    let tooMany = try world.tappet("item", "take", "M4 x 20", "152")
    #expect(tooMany.status == 1 && tooMany.errors.contains("the quantity of 'M4 x 20' is only 151"), "\(tooMany)")
    for _ in 0..<2 { #expect(try world.tappet("item", "count", "M4 x 20", "200").status == 0) }
    #expect(try world.tappet("item", "take", "M4 x 20", "few").status == 2)
    let refused = try world.tappet("building", "remove", "House")
    #expect(refused.status == 1 && refused.errors.contains("add --yes"), "\(refused)")
    #expect(try world.tappet("building", "remove", "House", "--yes").status == 0)
    #expect(try world.tappet("item", "list").output.isEmpty)
    let whole = try world.tappet("inventory", "undo")
    #expect(whole.status == 1 && whole.errors.contains("was removed, which affects 6 things; add --yes"), "\(whole)")
    let undone = try world.tappet("inventory", "undo", "--yes")
    #expect(undone.status == 0 && undone.errors.contains("the building 'House' was removed by"), "\(undone)")
    #expect(try world.tappet("item", "list").output == String(line.dropFirst(10)))
    let others = try world.tappet("inventory", "undo", "--by", "Cy")
    #expect(others.status == 1 && others.errors.contains("there is no change by Cy that can be undone"), "\(others)")
    let changes = try world.tappet("inventory", "changes").output.split(separator: "\n")
    let last = try #require(changes.first)
    #expect(last.hasSuffix("the building 'House' was removed: 6 things, undone"), "\(changes)")
    #expect(changes.contains { $0.contains("Ann  the box 'Schrauben' was moved") }, "\(changes)")
    #expect(try world.tappet("inventory", "redo").status == 0)
    #expect(try world.tappet("item", "list").output.isEmpty)
    #expect(try world.tappet("inventory", "undo", "--yes").status == 0)
    try world.goodTap()
  }

  @Test func `a refusal says why, in the phone app's words, and changes nothing`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    func refusal(_ words: String...) throws -> String {
      let done = try world.tappet(words)
      #expect(done.status == 1 && done.output.isEmpty, "\(words): \(done)")
      return done.errors
    }
    #expect(try refusal("find", "--code", "b-17").contains("No box found with QR code: b-17\n"))
    #expect(try refusal("box", "show", "X").contains("No box found with QR code: X\n"))
    #expect(try refusal("find", "schraubenzieher").contains("nothing found for 'schraubenzieher'"))
    #expect(try refusal("item", "list", "--in", "Attic").contains("there is no place 'Attic'"))
    #expect(try refusal("building", "add", " ").contains("Building name cannot be empty"))
    #expect(try refusal("box", "add", "", "--in", "Shelf").contains("Box label cannot be empty"))
    #expect(try refusal("box", "edit", "B-17", "--code", "").contains("QR code cannot be empty"))
    #expect(try refusal("item", "add", "", "--in", "B-17").contains("Item name cannot be empty"))
    #expect(try refusal("item", "edit", "M4 x 20", "--quantity", "200").contains("nothing was changed"))
    #expect(try refusal("box", "add", "x", "--in", "Rack", "--code", "B-17").contains("another box has the QR code"))
    #expect(try refusal("item", "move", "M4 x 20", "--to", "gone").contains("No box found with QR code: gone"))
    #expect(try refusal("spot", "add", "x", "--in", "Attic").contains("there is no room 'Attic'"))
    for words in [
      ["item", "add", "x"], ["item", "edit", "M4 x 20"], ["box", "move", "B-17"],
      ["item", "edit", "x", "--minimum", "-1"],
    ] {
      #expect(try world.tappet(words).status == 2, "\(words)")
    }
    #expect(try world.tappet("spot", "list").output == "Shelf  House → Cellar\nRack  House → Cellar\n")
  }

  @Test func `a photo is known by its path and content`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    let photo = world.folder + "/m4.jpg"
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", photo).status == 4)
    try "picture".write(toFile: photo, atomically: true, encoding: .utf8)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", photo).status == 0)
    func state() throws -> String? {
      try world.tappet("item", "show", "M4 x 20", "--json").data["photo_state"] as? String
    }
    #expect(try state() == "there")
    try "another".write(toFile: photo, atomically: true, encoding: .utf8)
    #expect(try state() == "changed")
    try FileManager.default.removeItem(atPath: photo)
    #expect(try state() == "missing")
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", "").status == 0 && state() == nil)
  }
}
