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

  @Test func `things are added, found, moved, edited and removed next to a running kiosk, and undone`() throws {
    let world = try KioskWorld()
    try world.start()
    try fill(world)
    #expect(try world.tappet("find", "B-17").output == "box       Schrauben  [B-17]  House → Cellar → Shelf\n")
    let line = "item      M4 x 20  200, low: at least 500  House → Cellar → Rack → Schrauben\n"
    #expect(try world.tappet("box", "move", "B-17", "--to", "House/Cellar/Rack", "--by", "Ann").status == 0)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--minimum", "500").status == 0)
    #expect(try world.tappet("find", "grosse").output == line)
    #expect(try world.tappet("find", "gross", "rack").output == line)
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
    let journal = try world.tappet("inventory", "changes").output
    #expect(journal.contains("the item 'M4 x 20' was edited: quantity 200, then 150\n"), "\(journal)")
    #expect(journal.contains("the item 'M4 x 20' was counted: quantity 151, then 200\n"), "\(journal)")
    let older = try world.tappet("inventory", "undo", "--by", "Ann")
    #expect(older.errors.contains("newer changes by others: the last is change "), "\(older)")
    #expect(older.errors.contains("the item 'M4 x 20' was counted; use --any to undo that one instead"), "\(older)")
    let refused = try world.tappet("building", "remove", "House")
    #expect(refused.status == 1 && refused.errors.contains("1 room, 5 entries in all"), "\(refused)")
    #expect(try world.tappet("building", "remove", "House", "--yes").status == 0)
    #expect(try world.tappet("item", "list").output.isEmpty)
    let undone = try world.tappet("inventory", "undo")
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
    try takeBackLoans(world)
    try world.goodTap()
  }

  @Test func `notes keep their line breaks, and an argument that is not UTF-8 is refused`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--notes", "Größe 4\r\n  with  Bob").status == 0)
    let notes = "  notes     Größe 4\n              with  Bob\n"
    #expect(try world.tappet("item", "show", "M4 x 20").output.contains(notes))
    let tappet = try Programs.built("tappet").path
    let latin = "exec '\(tappet)' building add \"$(printf 'B\\374ro')\" --config '\(world.configPath)'"
    let refused = try Programs.run(URL(fileURLWithPath: "/bin/sh"), ["-c", latin])
    #expect(refused.status == 2 && refused.errors.contains("is not UTF-8; set the terminal"), "\(refused)")
    #expect(try world.tappet("building", "list").output == "House\n")
  }

  /// Loans, reservations and barcodes are changes, too; one that another person made needs --any.
  private func takeBackLoans(_ world: KioskWorld) throws {
    #expect(try world.tappet("item", "lend", "M4 x 20", "--to", "Ann", "--by", "Ben").status == 0)
    let taken = try world.tappet("inventory", "undo", "--by", "Cy")
    #expect(taken.status == 1 && taken.errors.contains("there is no change by Cy"), "\(taken)")
    let undone = try world.tappet("inventory", "undo", "--by", "Ben")
    #expect(undone.status == 0 && undone.errors.contains("the item 'M4 x 20' was lent by Ben"), "\(undone)")
    #expect(try world.tappet("item", "list", "--lent").output.isEmpty)
    let days = ["--from", "2126-12-24", "--until", "2126-12-26"]
    #expect(try world.tappet(["item", "reserve", "M4 x 20", "--for", "Ann"] + days).status == 0)
    #expect(try world.tappet("item", "unreserve", "M4 x 20", "--from", "2126-12-24").status == 0)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--barcode", "INV-7").status == 0)
    let changes = try world.tappet("inventory", "changes").output.split(separator: "\n").prefix(4)
    let expected = [
      "the item 'M4 x 20' was edited", "a reservation of the item 'M4 x 20' was cancelled",
      "the item 'M4 x 20' was reserved", "the item 'M4 x 20' was lent, undone",
    ]
    #expect(changes.count == 4 && zip(changes, expected).allSatisfy { $0.hasSuffix($1) }, "\(changes)")
    for _ in 0..<2 { #expect(try world.tappet("inventory", "undo").status == 0) }
    #expect(try world.tappet("find", "INV-7").status == 1)
    #expect(try world.tappet("item", "show", "M4 x 20").output.contains("for Ann, 2126-12-24 to 2126-12-26"))
  }

  @Test func `pieces and boxes can be lent to people, and suspending a person lists the loans`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    let item = "M4 x 20"
    for (person, quantity) in [("Ann", "50"), ("Ben", "30")] {
      #expect(try world.tappet("item", "lend", item, "--to", person, "--quantity", quantity).status == 0)
    }
    let line = "M4 x 20  200  House → Cellar → Shelf → Schrauben  50 with Ann  30 with Ben\n"
    #expect(try world.tappet("item", "list", "--lent").output == line)
    let tooMany = try world.tappet("item", "take", item, "121")
    #expect(tooMany.status == 1 && tooMany.errors.contains("only 120 of 'M4 x 20' can be had"), "\(tooMany)")
    let unclear = try world.tappet("item", "return", item)
    #expect(unclear.status == 1 && unclear.errors.contains("Ann, Ben; specify one of them"), "\(unclear)")
    #expect(try world.tappet("item", "return", item, "--from", "Ben", "--quantity", "10").status == 0)
    #expect(try world.tappet("box", "lend", "B-17", "--to", "Ann", "--until", "2020-02-02").status == 0)
    let overdue = try world.tappet("box", "list", "--overdue").output
    #expect(overdue == "Schrauben  [B-17]  with Ann, until 2020-02-02: overdue\n")
    let shown = try world.tappet("item", "show", item).output
    #expect(shown.contains("  with      Ann: 50, since ") && shown.contains("  with      Ben: 20, since "), "\(shown)")
    let days = ["--from", "2126-12-24", "--until", "2126-12-26", "--quantity"]
    #expect(try world.tappet(["item", "reserve", item, "--for", "Cy"] + days + ["150"]).status == 0)
    let refused = try world.tappet(["item", "reserve", item, "--for", "Ann"] + days + ["51"])
    #expect(refused.status == 1 && refused.errors.contains("is reserved by Cy"), "\(refused)")
    #expect(try world.tappet(["item", "reserve", item, "--for", "Ann"] + days + ["50"]).status == 0)
    #expect(try world.tappet("person", "add", "Ann").status == 0)
    let stranger = try world.tappet("item", "lend", item, "--to", "Anne", "--quantity", "1")
    #expect(stranger.status == 0 && stranger.errors.contains("note: no person is named 'Anne'"), "\(stranger)")
    #expect(try world.tappet("item", "return", item, "--from", "Anne").status == 0)
    let known = try world.tappet("item", "lend", item, "--to", "Ann", "--quantity", "1")
    #expect(known.status == 0 && !known.errors.contains("note:"), "\(known)")
    #expect(try world.tappet("item", "return", item, "--from", "Ann", "--quantity", "1").status == 0)
    let suspended = try world.tappet("person", "suspend", "Ann")
    #expect(suspended.errors.contains("Ann still has on loan: Schrauben, 50 of M4 x 20."), "\(suspended)")
    #expect(try world.tappet("box", "return", "B-17").status == 0)
    #expect(try world.tappet("box", "list", "--lent").output.isEmpty)
  }

  @Test func `a refusal states the reason, in the phone app's words, and changes nothing`() throws {
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

  @Test func `a photo is recorded with its path and content, and only pictures are accepted`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    let photo = world.folder + "/m4.jpg"
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", photo).status == 4)
    try "root:x:0:0".write(toFile: photo, atomically: true, encoding: .utf8)
    let text = try world.tappet("item", "edit", "M4 x 20", "--photo", photo)
    #expect(text.status == 4 && text.errors.contains("is not a picture") && !text.errors.contains("root:"), "\(text)")
    try "GIF89a picture".write(toFile: photo, atomically: true, encoding: .utf8)
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", photo).status == 0)
    func state() throws -> String? {
      try world.tappet("item", "show", "M4 x 20", "--json").data["photo_state"] as? String
    }
    #expect(try state() == "there")
    try "GIF89a another".write(toFile: photo, atomically: true, encoding: .utf8)
    #expect(try state() == "changed")
    // A file that is not a picture is like a missing one.
    try "root:x:0:0".write(toFile: photo, atomically: true, encoding: .utf8)
    #expect(try state() == "missing")
    try FileManager.default.removeItem(atPath: photo)
    #expect(try state() == "missing")
    #expect(try world.tappet("item", "edit", "M4 x 20", "--photo", "").status == 0 && state() == nil)
  }

  @Test func `the path of an imported photo cannot imitate another line`() throws {
    let world = try KioskWorld(withBroker: false)
    try fill(world)
    let file = world.folder + "/photo.json"
    try #"[{"building": "House", "room": "Cellar", "spot": "Shelf", "box": "Schrauben", "item": "M4 x 20", "#
      .appending(#""photo": "/tmp/a\n  tag       04a1"}]"#).write(toFile: file, atomically: true, encoding: .utf8)
    let done = try world.tappet("inventory", "import", file)
    #expect(done.status == 0, "\(done)")
    let shown = try world.tappet("item", "show", "M4 x 20").output
    #expect(shown.contains("  photo     /tmp/a\\u{a}  tag       04a1 (missing)\n") && !shown.contains("\n  tag "))
  }
}
