// Imports and exports of the inventory as they ship: exact, whole or not at all.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InventoryFileTests {
  private let world: KioskWorld

  init() throws { world = try KioskWorld(withBroker: false) }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = world.folder + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func export(_ words: String...) throws -> String {
    let done = try Programs.run(
      try Programs.built("tappet"), ["inventory", "export"] + words + ["--config", world.configPath])
    #expect(done.status == 0, "\(done.errors)")
    return done.output
  }

  /// 200 boxes on ten shelves, two items in each.
  private var boxes: String {
    var text = "\u{FEFF}building;room;spot;box;code;item;quantity;minimum;notes\r\n"
    for box in 0..<200 {
      for item in 0..<2 {
        text += "House;Cellar;Shelf \(box / 20);Box \(box);B-\(box);Größe \(item);\(box);2;\"a \"\"b\"\";\nc \"\r\n"
      }
    }
    return text
  }

  @Test func `a table of 200 boxes is exported exactly as it was imported`()
    throws
  {
    let path = try file("boxes.csv", boxes)
    let tried = try world.tappet("inventory", "import", "--dry-run", path)
    #expect(tried.status == 0 && tried.output.split(separator: "\n").count == 612, "\(tried.errors)")
    #expect(tried.errors.contains("612 added, 0 changed, 0 unchanged. Nothing was changed."), "\(tried.errors)")
    #expect(try export().split(separator: "\r\n").count == 1)
    let done = try world.tappet("inventory", "import", path, "--json")
    #expect(done.data["added"] as? Int == 612 && done.data["dry_run"] as? Bool == false, "\(done)")
    let first = try world.tappet("find", "grosse", "--limit", "1")
    #expect(first.output == "item      Größe 1  199  House → Cellar → Shelf 9 → Box 199\n")
    #expect(first.errors == "More than 1 match; add words, or raise --limit.\n")
    #expect(try world.tappet("item", "list", "--low").output.split(separator: "\n").count == 4)
    #expect(try world.tappet("inventory", "import", path).errors.contains("0 added, 0 changed, 400 unchanged"))
    for format in ["csv", "json"] {
      let text = try export("--format", format)
      let copy = try file("copy." + format, text)
      #expect(try world.tappet("inventory", "import", copy).errors.contains("0 added, 0 changed, 612 unchanged"))
      #expect(try world.tappet("building", "remove", "House", "--yes").status == 0)
      #expect(try world.tappet("inventory", "import", copy).errors.contains("612 added, 0 changed"))
      #expect(try export("--format", format) == text)
      #expect(try world.tappet("inventory", "undo", "--yes").errors.contains("'copy.\(format)' was imported by"))
      #expect(try world.tappet("inventory", "undo", "--yes").status == 0)
      #expect(try export("--format", format) == text)
    }
  }

  @Test func `bad files are refused with the line number, and change nothing`() throws {
    #expect(try world.tappet("building", "add", "House").status == 0)
    let before = try export()
    let columns = "building,room,spot,box,item"
    for (text, sentence) in [
      (columns + "\nA,B,C,D,\"E\nx", "line 2: misplaced"),
      (columns + "\nA,B,C,\"D\" x,E\n", "line 2: misplaced"),
      (String(repeating: "x,", count: 1_000_000) + "\n", "line 1: more than 256 columns"),
      (columns + "\nA,B,C,D,\"" + String(repeating: "n", count: 200_000), "is larger than 131072 bytes"),
      ("name,price\nA,1\n", "the first line must name the columns"), ("building,building\nA,A\n", "two columns"),
      (columns + ",quantity\nTotal,,,,,5\n", "line 2: the row has a quantity, but no item: it would add the building"),
      (columns + "\nA\nA,B,C,D,E,F\n", "line 3: 6 fields, but 5 columns"),
      (columns + ",quantity\n\nA,B,C,D,E,many\n", "line 3: quantity must be a whole number, not 'many'"),
      (columns + "\nA,,,,E\n", "line 2: the row does not specify which box the item is in"),
      (columns + "\nA,B,,D,E\n", "line 2: the row does not specify which spot the box is in"),
      (columns + "\n,,,D,E\n", "line 2: No box found with QR code: D"), ("", "the file is empty"),
      (columns + ",quantity\nA,B,C,D,E,1.000\n", "line 2: quantity may be one or a thousand times as much: '1.000'"),
      (columns + ",quantity\nA,B,C,D,E,\"25,000\"\n", "line 2: quantity may be one or a thousand"),
      (columns + ",barcodes\nA,B,C,D,E,\"X 4,00638E+12\"\n", "line 2: barcodes was rounded by a spreadsheet"),
      (columns + ",code\nA,B,C,D,,4.00638E+12\n", "line 2: code was rounded by a spreadsheet"),
      ("HB.name,HB.location\n,Home\n", "line 2: HB.name is empty"),
      ("item\nE\n", "line 2: the row does not specify which box"),
      ("building,id\nA,x\n", "id must be an id from an export"),
      (columns + ",code\nA,B,C,D,,B-1\nA,B,C,E,,\u{1B}\n", "U+001B"),
      (columns + ",code\nA,B,C,D,,B-1\nA,B,C,E,,B-2\nA,B,C,D,,B-2\n", "the QR code B-2 belongs to A → B → C → E"),
      (columns + ",code\nA,B,C,D,x,B-1\nA,B,C,E,y,B-1\n", "line 3: the QR code B-1 belongs to A → B → C → D"),
      (columns + ",code\nA,B,C,D,x,B-1\nF,B,C,D,y,B-1\n", "line 3: the QR code B-1 belongs to A → B → C → D"),
      (columns + ",code\nA,B,C,D,,B-1\nF,G,H,I,,B-1\n", "but this row is for F → G → H → I"),
      (columns + ",code\nA,B,C,D,,B-1\nA,B,C,E,,B-1\n", "line 3: the QR code B-1 belongs to A → B → C → D, but"),
      (columns + ",code\nA,B,C,D,,B-1\nA,B,F,D,,B-1\n", "line 3: the QR code B-1 belongs to A → B → C → D, but"),
      (columns + ",code\nA,B,C,D,x,B-1\n,,,D,y,B-2\n", "line 3: A → B → C → D has the QR code B-1, not B-2"),
    ] {
      let done = try world.tappet("inventory", "import", try file("bad.csv", text))
      #expect(done.status == 1 && done.errors.contains(sentence), "\(sentence): \(done)")
      #expect(done.errors.contains("nothing was changed"), "\(done)")
      #expect(try export() == before)
    }
    let latin = world.folder + "/latin.csv"
    try (Data("building\nGröße\n".utf8) + Data([0x53, 0xFC, 0x64, 0x0A])).write(to: URL(fileURLWithPath: latin))
    #expect(try world.tappet("inventory", "import", latin).errors.contains("line 3 is not UTF-8"))
    let wide: [UInt8] = "building\nA\n".utf8.flatMap { [$0, 0] }
    let workbook = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 100)
    for (bytes, sentence) in [
      (wide, "line 1 contains a NUL character; remove it, or import UTF-16 with --encoding UTF-16LE"),
      (Array("building\nHouse\nBa\0rn\n".utf8), "line 3 contains a NUL character; remove it"),
      (Array(("building\n" + String(repeating: "House\n", count: 90_000) + "\0\n").utf8), "line 90002 contains a NUL"),
      (workbook, "the file is a workbook"),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: latin))
      let done = try world.tappet("inventory", "import", latin)
      #expect(done.status == 1 && done.errors.contains(sentence), "\(done)")
      #expect(done.errors.contains("nothing was changed"), "\(done)")
    }
    for text in [
      "[\n{\"building\": \"A\"\n", "{\"building\": [1]}", "7", "{\"building\": \"A\", \"quantity\": 1.5}",
      "{\"building\": \"A\"} {\"building\": \"B\"}", "{\"building\": \"A\\u0000B\"}", "{\"building\": \"A\0B\"}",
      "{\"building\": \"A\", \"notes\": \"\\\\\\u0000\"}", "[" + String(repeating: "0,", count: 65_536) + "0]",
    ] {
      let done = try world.tappet("inventory", "import", try file("bad.json", text))
      #expect(done.status == 1 && done.errors.contains("line "), "\(text): \(done)")
    }
    #expect(try world.tappet("inventory", "import", world.folder).status == 4)
    #expect(try world.tappet("inventory", "import", world.folder + "/none.csv").status == 4)
    #expect(try export() == before)
  }

  @Test func `a line with too many values is refused, and a long line needs no more time per byte`() throws {
    let many = "[" + String(repeating: "0,", count: 65_536) + "0]"
    let refused = try world.tappet("inventory", "import", try file("many.json", many))
    #expect(refused.status == 1 && refused.errors.contains("line 1 contains more than 65536 values"), "\(refused)")
    let long = "{\"building\": \"A\"}" + String(repeating: " ", count: 15_000_000) + "\n"
    #expect(try world.tappet("inventory", "import", try file("long.json", long)).errors.contains("1 added"))
  }

  @Test func `an import that leaves fewer pieces than are on loan reports that`() throws {
    let columns = "building,room,spot,box,item,quantity\n"
    let rows = ["Drill,5", "Saw,4", "Clamp,8"].map { "A,B,C,D," + $0 + "\n" }
    #expect(try world.tappet("inventory", "import", try file("a.csv", columns + rows.joined())).status == 0)
    for (item, pieces) in [("Drill", "3"), ("Saw", "2"), ("Clamp", "1")] {
      #expect(try world.tappet("item", "lend", item, "--to", "Ada", "--quantity", pieces).status == 0)
    }
    let fewer = try file("b.csv", columns + "A,B,C,D,Drill,2\nA,B,C,D,Saw,1\nA,B,C,D,Clamp,7\n")
    let expected =
      "line 2: of 'Drill', 3 pieces are checked out to Ada, more than the quantity, and likewise in 1 more row; "
      + "correct the quantity, or the loans"
    for words in [["--dry-run"], []] {
      let done = try world.tappet(["inventory", "import", fewer] + words)
      #expect(done.status == 0 && done.errors.contains(expected), "\(done)")
    }
    #expect(try !world.tappet("inventory", "import", fewer).errors.contains("checked out"), "nothing was changed")
    let edited = try world.tappet("item", "edit", "Clamp", "--quantity", "0")
    #expect(edited.errors.contains("note: 1 piece is checked out to Ada, more than the quantity"), "\(edited)")
  }

  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `an import leaves room for taps, and a full disk stays readable`() throws {
    let disk = try SmallDisk(size: 64 * 1024)
    try world.moveState(to: disk)
    let rows = { (count: Int) in "building,room,spot,box,item\n" + (0..<count).map { "A,B,C,D,item \($0)\n" }.joined() }
    #expect(try world.tappet("inventory", "import", try file("small.csv", rows(10))).status == 0)
    try disk.fill(leaving: 12 * 1024 * 1024)
    let large = try file("large.csv", rows(30_000))
    let refused = try world.tappet("inventory", "import", large)
    #expect(refused.status == 4 && refused.errors.contains("would leave less than 8 MB"), "\(refused)")
    try disk.fill()
    let before = try export()
    #expect(before.split(separator: "\r\n").count == 15)
    #expect(try world.tappet("find", "item 7").status == 0 && world.tappet("box", "show", "D").status == 0)
    let change = try world.tappet("building", "add", "E")
    #expect(change.status == 4 && change.errors.contains("no space is left"), "\(change)")
    disk.empty()
    #expect(try world.tappet("inventory", "import", large).status == 0)
    #expect(try world.tappet("building", "add", "E").status == 0)
  }

  @Test func `a killed import leaves nothing behind, and the next one works`() throws {
    let text = "building,room,spot,box,item\n" + (0..<200_000).map { "A,B,C,D\($0 / 100),item \($0)\n" }.joined()
    let path = try file("large.csv", text)
    let log = world.folder + "/import.err"
    let process = try TestProcess(
      try Programs.built("tappet"), ["inventory", "import", path, "--config", world.configPath], errors: log)
    #expect(eventually { textSoFar(log).contains("rows…") || !process.isRunning })
    process.stop(SIGKILL)
    if !textSoFar(log).contains("Imported") { #expect(try export().split(separator: "\r\n").count == 1) }
    #expect(try world.tappet("inventory", "import", try file("small.csv", "building\nA\n")).status == 0)
  }

  @Test func `an export of Homebox becomes places and items, and a second import changes nothing`() throws {
    let path = try file(
      "homebox.csv",
      """
      HB.import_ref,HB.location,HB.labels,HB.name,HB.quantity,HB.description,HB.insured,HB.serial_number,\
      HB.low_stock_threshold,HB.asset_id
      a1,Home / Garage / Shelf,tools,Drill,2.0,"18 V, cordless",false,S-9,3,000-017
      a2,Attic,,Tent,,,false,,0,000-000
      """ + "\n")
    let done = try world.tappet("inventory", "import", path)
    #expect(done.errors.contains("Imported: 10 added"), "\(done)")
    let drill = try world.tappet("item", "show", "Drill", "--json").data
    #expect(drill["location_path"] as? String == "Home → Garage → Shelf → Shelf" && drill["quantity"] as? Int == 2)
    #expect(drill["minimum"] as? Int == 3 && drill["low"] as? Bool == true)
    #expect(drill["notes"] as? String == "18 V, cordless\nlabels: tools\nserial_number: S-9")
    #expect(drill["barcodes"] as? [String] == ["000-017"])
    #expect(try world.tappet("find", "000-017").output.hasPrefix("item      Drill  2"))
    #expect(try world.tappet("find", "tent").output == "item      Tent  1  Attic → Attic → Attic → Attic\n")
    #expect(try world.tappet("inventory", "import", path).errors.contains("0 added, 0 changed, 2 unchanged"))
  }

  @Test func `a location in an export of Homebox becomes a place, and fractional quantities stay in the notes`() throws
  {
    let path = try file(
      "homebox.csv",
      """
      HB.import_ref,HB.location,HB.name,HB.quantity,HB.url
      1,,Home,1,
      1a,Home,Garage,1,
      1b,Home / Garage,A/C hose,2.5,
      1c,Home,Attic,1,https://homebox.example/location/9
      1d,Home,Garage,1,https://homebox.example/item/8
      """ + "\n")
    let done = try world.tappet("inventory", "import", path)
    #expect(done.errors.contains("1 item has a quantity that is not whole, such as 2.5 of 'A/C hose'"), "\(done)")
    #expect(try world.tappet("room", "list").output == "Garage  Home\nAttic  Home\nHome  Home\n")
    let hose = try world.tappet("item", "show", "Home → Garage → Garage → Garage → A/C hose", "--json").data
    #expect(hose["quantity"] as? Int == 2 && hose["notes"] as? String == "quantity: 2.5", "\(hose)")
    #expect(try world.tappet("item", "list").output.split(separator: "\n").count == 2)
    #expect(try world.tappet("inventory", "import", path).errors.contains("0 added, 0 changed"))
  }

  @Test func `an inch mark is kept, and digits marked as text are read as digits and reported once`() throws {
    let columns = "building,room,spot,box,code,item\n"
    let path = try file(
      "marks.csv", columns + "H,C,S,Racks,\"=\"\"00123\"\"\",19\" shelf\nH,C,S,Pipes,'00124,\"3/4\"\" pipe\"\n")
    let done = try world.tappet("inventory", "import", path)
    #expect(done.errors.contains("line 2: =\"00123\" was read as 00123"), "\(done)")
    #expect(done.errors.components(separatedBy: "was read as").count == 2)
    #expect(try world.tappet("item", "list").output.contains("19\" shelf"))
    #expect(try world.tappet("box", "show", "00123").output.hasPrefix("Box Racks"))
    #expect(try world.tappet("box", "show", "00124").output.hasPrefix("Box Pipes"))
    #expect(try world.tappet("item", "show", "Pipes → 3/4\" pipe").status == 0)
  }

  @Test func `a repeated row is reported, and a generated code is not taken for the box's code`() throws {
    let header = "building,room,spot,box,item,code\n"
    let twice = try world.tappet(
      "inventory", "import", try file("twice.csv", header + "A,B,C,D,Tape,\nA,B,C,D,Rope,\nA,B,C,D,Tape,\n"))
    #expect(twice.errors.contains("line 4 repeats line 2: each adds another item, such as 'Tape'"), "\(twice)")
    let late = try world.tappet(
      "inventory", "import", try file("late.csv", header + "A,B,C,E,x,\nA,B,C,E,y,B-2\n"))
    #expect(late.errors.contains("an earlier row is for A → B → C → E without a code"), "\(late)")
  }

  @Test(arguments: [
    ("HB.name,HB.location,HB.description\nBox,A,one\nBox,A,two\nBox,A,two\n", 3),
    ("HB.asset_id,HB.name,HB.location\n000-001,Box,A\n000-002,Box,A\n000-003,Box,A\n", 3),
    ("HB.asset_id,HB.name,HB.location\n000-000,Box,A\n000-000,Box,A\n000-000,Box,A\n", 3),
    ("building,room,spot,box,item\nA,A,A,A,Box\nA,A,A,A,Box\nA,A,A,A,Box\n", 3),
  ])
  func `entries with equal names are matched by their numbers, or by their order`(
    _ text: String, _ count: Int
  ) throws {
    let path = try file("equal.csv", text)
    let added = try world.tappet("inventory", "import", path)
    #expect(added.errors.contains("Imported: \(4 + count) added"), "\(added)")
    let again = try world.tappet("inventory", "import", path)
    #expect(again.errors.contains("0 added, 0 changed, \(count) unchanged"), "\(again)")
  }

  @Test func `a row that matches several entries of its name is refused`() throws {
    let header = "building,room,spot,box,item,notes\n"
    let two = try file("two.csv", header + "A,A,A,A,Box,one\nA,A,A,A,Box,two\n")
    #expect(try world.tappet("inventory", "import", two).status == 0)
    let one = try world.tappet("inventory", "import", try file("one.csv", header + "A,A,A,A,Box,three\n"))
    #expect(one.status == 1 && one.errors.contains("Box"), "\(one)")
    let same = try world.tappet("inventory", "import", try file("same.csv", header + "A,A,A,A,Box,two\n"))
    #expect(same.errors.contains("0 added, 0 changed, 1 unchanged"), "\(same)")
  }
}
