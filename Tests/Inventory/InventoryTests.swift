// The rules of the inventory: texts, orders, cascades, lookups, search.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetMessages
@testable import TappetStore

@Suite struct InventoryTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }

  init() throws { world = try TestInventory() }

  /// The sentence with which something is refused; nothing may have changed.
  private func refusal(_ body: () throws -> Void) throws -> String? {
    let before = try world.dump("place item")
    do { try body() } catch let error as InventoryError {
      #expect(try world.dump("place item") == before)
      return error.sentence
    }
    return nil
  }

  @Test func `a thing keeps its properties and creation time in a new process`() throws {
    let spot = try world.spot()
    let box = try world.add(.box, "Screws", spot) { $0.code = "B-17" }
    let item = try world.add(.item, "M4 x 20", box) {
      $0.notes = "steel\nA2"
      $0.quantity = 200
      $0.minimum = 50
      $0.photo = InventoryPhoto(path: "/tmp/m4.jpg", hash: [UInt8](repeating: 7, count: 32))
    }
    let again = try world.reopened()
    #expect(try again.entry(item.id, of: .item) == item)
    #expect(try again.entry(box.id, of: .box) == box)
    #expect(try again.entry(box.id, of: .room) == nil)
    let building = try #require(try again.entry(row: 1, of: .building))
    #expect(try again.entry(building.id, of: .building)?.createdUnixMilliseconds == building.createdUnixMilliseconds)
    #expect(try again.location(of: item).path == "House \u{2192} Cellar \u{2192} Shelf \u{2192} Screws")
    #expect(try again.location(of: box).path == "House \u{2192} Cellar \u{2192} Shelf")
    #expect(try again.location(of: building).path == "")
    #expect(try again.contentCount(of: box) == 1 && again.count(of: .item) == 1 && again.count(of: .spot) == 1)
    #expect(StoreFolderMode.of(world.path) == 0o600)
  }

  @Test func `empty names, labels and codes are refused, in the phone app's words`() throws {
    let spot = try world.spot()
    let box = try world.add(.box, "Screws", spot)
    let room = try #require(try inventory.entry(row: 2, of: .room))
    let building = try #require(try inventory.entry(row: 1, of: .building))
    for (kind, place, sentence) in [
      (InventoryKind.building, nil, "Building name cannot be empty"), (.room, building, "Room name cannot be empty"),
      (.spot, room, "Spot name cannot be empty"), (.box, spot, "Box label cannot be empty"),
      (.item, box, "Item name cannot be empty"),
    ] {
      #expect(try refusal { try world.add(kind, " \t\n", place) } == sentence)
    }
    #expect(try refusal { try world.add(.box, "x", spot) { $0.code = " " } } == "QR code cannot be empty")
    var edit = InventoryEdit()
    edit.name = ""
    #expect(try refusal { try inventory.edit(box, edit, by: "Ann") } == "Box label cannot be empty")
    edit.name = "Screws"
    #expect(try refusal { try inventory.edit(box, edit, by: "Ann") }?.contains("nothing was changed") == true)
  }

  @Test func `overlong texts, control characters and impossible quantities are refused`() throws {
    let spot = try world.spot()
    let box = try world.add(.box, "Screws", spot)
    let long = String(repeating: "ü", count: 40_000)
    #expect(try refusal { try world.add(.item, long, box) }?.contains("80000 bytes long; the maximum is 512") == true)
    #expect(try refusal { try world.add(.item, "x", box) { $0.notes = long } }?.contains("maximum is 65536") == true)
    #expect(try refusal { try world.add(.item, "a\u{1B}b", box) }?.hasPrefix("character 2 of the name, U+001B") == true)
    #expect(
      try refusal { try world.add(.box, "x", spot) { $0.code = "B\u{3164}1" } }
        == "character 2 of the QR code, U+3164, is invisible; delete it, or retype the QR code")
    #expect(try refusal { try world.add(.item, "x", box) { $0.quantity = -1 } }?.hasPrefix("-1 is not") == true)
    #expect(try refusal { try world.add(.item, "x", box) { $0.minimum = .some(.max) } } != nil)
    let notes = String(repeating: "n", count: 65_536)
    let item = try world.add(.item, " x ", box) { $0.notes = notes }
    #expect(item.name == "x" && item.notes == notes)
  }

  @Test func `a code belongs to one box`() throws {
    let spot = try world.spot()
    let first = try world.add(.box, "Screws", spot) { $0.code = "B-17" }
    let second = try world.add(.box, "Nails", spot)
    #expect(second.code.hasPrefix("B-") && second.code.utf8.count == 12)
    let sentence = "another box has the QR code B-17: House \u{2192} Cellar \u{2192} Shelf \u{2192} Screws"
    #expect(try refusal { try world.add(.box, "Bolts", spot) { $0.code = "B-17" } } == sentence)
    var edit = InventoryEdit()
    edit.code = "B-17"
    #expect(try refusal { try inventory.edit(second, edit, by: "Ann") } == sentence)
    #expect(try inventory.box(code: "B-17")?.id == first.id)
    #expect(try inventory.box(code: "b-17") == nil && inventory.box(code: "") == nil)
    #expect(InventoryError.unknownCode("X").sentence == "No box found with QR code: X")
  }

  @Test func `UPC-A, EAN-13 and GTIN-14 forms of a barcode are equal wherever codes are compared`() throws {
    let test = try TestInventory()
    let spot = try test.spot()
    let box = try test.add(.box, "Screws", spot) { $0.code = "B-17" }
    let item = try test.add(.item, "M4", box) { $0.barcode = "012345678905" }
    let other = try test.add(.item, "M5", box)
    for spelling in ["012345678905", "0012345678905", "00012345678905", "]C10100012345678905"] {
      #expect(try test.inventory.thing(scanned: spelling)?.id == item.id)
    }
    var edit = InventoryEdit()
    for spelling in ["012345678905", "0012345678905", "00012345678905"] {
      edit.barcode = spelling
      #expect(throws: InventoryError.self) { try test.inventory.edit(other, edit, by: "Ann") }
    }
    #expect(throws: InventoryError.self) { try test.add(.box, "Nuts", spot) { $0.code = "0012345678905" } }
    var row = InventoryRecord()
    row.names = ["House", "Cellar", "Shelf", "Screws", "M4"]
    row.barcodes = ["00012345678905"]
    let counts = try test.inventory.runImport(named: "i.csv", by: "Ann", isTrial: false) {
      (job) throws(InventoryError) in try job.add(row)
    }
    #expect(counts.unchanged == 1 && counts.changed == 0)
    edit = InventoryEdit()
    edit.removedBarcode = "0012345678905"
    try test.inventory.edit(item, edit, by: "Ann")
    #expect(try test.inventory.barcodes(of: item).isEmpty)
  }

  @Test func `a thing can only be in an existing place of the next larger kind`() throws {
    let spot = try world.spot()
    let room = try #require(try inventory.entry(row: 2, of: .room))
    #expect(try refusal { try world.add(.item, "x", spot) } == "an item must be in a box, not in a spot")
    #expect(try refusal { try world.add(.room, "x") } == "a room must be in a building, not in nothing")
    #expect(try refusal { try world.add(.building, "x", room) } == "a building cannot be inside another place")
    #expect(try refusal { try inventory.move(spot, to: spot, by: "Ann") } == "a spot must be in a room, not in a spot")
    #expect(try refusal { try inventory.move(spot, to: room, by: "Ann") }?.contains("nothing was changed") == true)
    try world.reopened().remove(spot, by: "Ben")
    #expect(try refusal { try world.add(.box, "x", spot) }?.contains("there is no spot 'Shelf'") == true)
    #expect(try refusal { try inventory.remove(spot, by: "Ann") }?.contains("there is no spot") == true)
  }

  @Test func `buildings and contents are listed oldest first, and all boxes and items newest first`() throws {
    let spot = try world.spot()
    for name in ["b", "a", "c"] { try world.add(.building, name) }
    #expect(try world.names(.building) == ["House", "b", "a", "c"])
    let boxes = try ["2", "1", "3"].map { try world.add(.box, $0, spot) }
    #expect(try world.names(in: spot) == ["2", "1", "3"] && world.names(.box) == ["3", "1", "2"])
    for name in ["z", "y"] { try world.add(.item, name, boxes[0]) }
    try world.add(.item, "x", boxes[1])
    #expect(try world.names(in: boxes[0]) == ["z", "y"] && world.names(.item) == ["x", "y", "z"])
    #expect(try world.names(in: try #require(try inventory.entry(row: 1, of: .building))) == ["Cellar"])
    let low = try world.add(.item, "low", boxes[0]) {
      $0.quantity = 1
      $0.minimum = 2
    }
    var seen: [InventoryID] = []
    try inventory.forEachLowItem { entry in
      seen.append(entry.id)
      return true
    }
    #expect(seen == [low.id] && low.isLow)
  }

  @Test func `removing a building removes its contents at all levels, and nothing else`() throws {
    for name in ["House", "Barn"] {
      let spot = try world.spot([name, "Room of " + name, "Spot of " + name])
      for number in 0..<3 {
        let box = try world.add(.box, "\(name) \(number)", spot)
        for item in 0..<4 { try world.add(.item, "\(name) \(number) \(item)", box) }
      }
    }
    func counts() throws -> [Int64] { try InventoryKind.allCases.map { try inventory.count(of: $0) } }
    #expect(try counts() == [2, 2, 2, 6, 24])
    let house = try inventory.resolve("House", .building)
    try inventory.remove(house, by: "Ann")
    #expect(try counts() == [1, 1, 1, 3, 12])
    #expect(try world.found("House").isEmpty && world.found("Barn").count == 18)
    #expect(try world.isWhole())
    #expect(throws: InventoryError.unknown(.building, "House")) { try inventory.remove(house, by: "Ann") }
  }

  @Test func `words are found by their beginnings, ignoring case, accents and special letters`() throws {
    let box = try world.add(.box, "Größe 5", try world.spot()) { $0.code = "Kiste-9" }
    for (name, notes) in [
      ("Schlüssel", "für die Tür"), ("Smørbrød", ""), ("Łódź", "łopata"), ("Ærø", ""),
      ("grosse Schraube", "M4, verzinkt"),
      ("ключ", "Ёлка"), ("Άλφα", "όμικρον"), ("Œuvre", ""),
    ] {
      try world.add(.item, name, box) { $0.notes = notes }
    }
    for (query, names) in [
      ("schlus", ["Schlüssel"]), ("SCHLÜSSEL tur", ["Schlüssel"]), ("smorb", ["Smørbrød"]), ("SMØR", ["Smørbrød"]),
      ("lodz", ["Łódź"]), ("Łop", ["Łódź"]), ("aero", ["Ærø"]), ("grosse", ["Größe 5", "grosse Schraube"]),
      ("größ", ["Größe 5", "grosse Schraube"]), ("КЛЮ", ["ключ"]), ("елка", ["ключ"]), ("αλφα Ομι", ["Άλφα"]),
      ("oeuv", ["Œuvre"]),
      ("kiste", ["Größe 5"]), ("schraube m4", ["grosse Schraube"]), ("chlüssel", ["Schlüssel"]), ("üs", []),
      ("\" OR \"", []), ("*", []), ("name:schl", []), ("", []), ("grosse nichts", []),
    ] {
      #expect(try world.found(query) == names, "\(query)")
    }
    #expect(try world.found("gros", limit: 1) == ["Größe 5"])
    let item = try inventory.resolve("Schlüssel", .item)
    var edit = InventoryEdit()
    edit.name = "Straße"
    edit.notes = ""
    try inventory.edit(item, edit, by: "Ann")
    #expect(try world.found("schlüssel").isEmpty && world.found("tur").isEmpty && world.found("strasse") == ["Straße"])
    #expect(try world.isWhole())
  }

  @Test(arguments: [
    ("螺丝", ["M4螺丝刀", "不锈钢螺丝"]), ("钢螺", ["不锈钢螺丝"]), ("螺钢", []), ("M4螺", ["M4螺丝刀"]), ("กุญ", ["กุญแจบ้าน"]),
    ("แจ", ["กุญแจบ้าน"]), ("ねじ", ["皿ねじ"]), ("나사", ["육각나사못"]), ("schraube", ["Senkkopfschraube"]),
    ("KOPFSCHRAUB senk", ["Senkkopfschraube"]),
    ("042", ["Kiste"]), ("k-04", ["Kiste"]), ("raube", ["Senkkopfschraube"]), ("rauben", []),
    ("gaffa raum 1", ["Gaffa"]), ("raum gaffa", ["Gaffa"]), ("haus kiste", ["Kiste"]), ("gaffa raum 2", []),
    ("raum 1", ["Raum 1"]), ("haus regal raum", ["Regal"]),
  ])
  func `a search finds parts of words in every script, and the names of places`(_ query: String, _ names: [String])
    throws
  {
    let box = try world.add(.box, "Kiste", try world.spot(["Haus", "Raum 1", "Regal"])) { $0.code = "K-042" }
    for name in ["不锈钢螺丝", "M4螺丝刀", "กุญแจบ้าน", "皿ねじ", "육각나사못", "Senkkopfschraube", "Gaffa"] {
      try world.add(.item, name, box)
    }
    #expect(try world.found(query) == names)
    #expect(try world.isWhole())
  }

  @Test func `a search finds the newest of many matches, and a unique match by part of a word`() throws {
    let shelf = try world.spot(["Haus", "Keller", "Regal"])
    let box = try world.add(.box, "Kiste", shelf)
    // More words than a search looks up that start with 'schrau', and few of which there are many.
    for number in 0..<100 { try world.add(.item, "Widget Schraube\(number) \(number) Öse", box) }
    try world.add(.item, "Spax", try world.add(.box, "Dose", try world.spot(["Halle", "Lager", "Brett"])))
    let newest = (97..<100).reversed().map { "Widget Schraube\($0) \($0) Öse" }
    for query in [
      "w", "wi", "widg", "WIDGET", "schrau", "Schraube", "ö", "öse", "w s ö", "idget", "widget keller", "h w", "k ö",
      "haus widget", "regal schraub",
    ] {
      #expect(try world.found(query, limit: 3) == newest, "\(query)")
    }
    #expect(try world.found("widget 42") == ["Widget Schraube42 42 Öse"])
    #expect(try world.found("schraube42 haus") == ["Widget Schraube42 42 Öse"])
    #expect(try world.found("spa halle brett") == ["Spax"])
    for query in ["widget halle", "widget nirgends", "spax keller", "x", "widgets", "halle haus"] {
      #expect(try world.found(query).isEmpty, "\(query)")
    }
  }

  @Test func `a path is followed from its outermost name, even if many things share the last name`() throws {
    for building in 0..<30 {
      let room = try world.add(.room, "Room", try world.add(.building, "House \(building)"))
      for shelf in 0..<40 { try world.add(.spot, "Shelf \(shelf)", room) }
    }
    let spot = try inventory.resolve("House 29 / Room / Shelf 39", .spot)
    #expect(try inventory.location(of: spot).path == "House 29 → Room")
    #expect(throws: InventoryError.ambiguous(.spot, "Room / Shelf 39", count: 30)) {
      try inventory.resolve("Room / Shelf 39", .spot)
    }
    #expect(throws: InventoryError.unknown(.spot, "Attic / House 29 / Room / Shelf 39")) {
      try inventory.resolve("Attic / House 29 / Room / Shelf 39", .spot)
    }
  }

  @Test func `a thing is found by its name in either Unicode form`() throws {
    let (made, typed) = ("Ku\u{308}che \u{1100}\u{1161}\u{11A8}", "K\u{FC}che \u{AC01}")
    let box = try world.add(.box, made, try world.spot()) { $0.code = "Ku\u{308}-1" }
    let item = try world.add(.item, "Cafe\u{301}", box) { $0.notes = "\u{1100}\u{1161}\u{11A8}" }
    for name in [made, typed] {
      #expect(try inventory.resolve(name, .box).id == box.id && world.found(name).first == typed)
    }
    #expect(try inventory.box(code: "K\u{FC}-1")?.id == box.id && inventory.box(code: "Ku\u{308}-1")?.id == box.id)
    #expect(try world.found("\u{AC01}").count == 2 && inventory.resolve("Caf\u{E9}", .item).id == item.id)
    #expect(try inventory.entry(box.id, of: .box)?.name.utf8.elementsEqual(typed.utf8) == true)
  }

  @Test func `a thing can be specified by code, id, name or path`() throws {
    let shelf = try world.spot()
    let other = try world.spot(["Barn", "Cellar", "Shelf"])
    let box = try world.add(.box, "Screws", shelf) { $0.code = "B-17" }
    try world.add(.box, "Screws", other)
    let item = try world.add(.item, "M4 / M5", box)
    try world.add(.item, "***", box)
    #expect(try inventory.resolve("B-17", .box).id == box.id)
    #expect(try inventory.resolve(box.id.text, .box).id == box.id)
    #expect(try inventory.resolve("House / Cellar / Shelf", .spot).id == shelf.id)
    #expect(try inventory.resolve("House\u{2192}Cellar\u{2192}Shelf\u{2192}Screws", .box).id == box.id)
    #expect(try inventory.resolve("House/Cellar/Shelf/Screws", .box).id == box.id)
    #expect(try inventory.resolve("M4 / M5", .item).id == item.id)
    #expect(try inventory.resolve("***", .item).name == "***")
    #expect(throws: InventoryError.ambiguous(.box, "Screws", count: 2)) { try inventory.resolve("Screws", .box) }
    let path = "specify the full path, as in 'House / Cellar / …', or "
    for (kind, key) in [(InventoryKind.box, "the code"), (.spot, "the id, which 'tappet spot list --json' prints")] {
      #expect(InventoryError.ambiguous(kind, "X", count: 2).sentence == "2 \(kind.plural) match 'X'; " + path + key)
    }
    #expect(throws: InventoryError.ambiguous(.spot, "Cellar/Shelf", count: 2)) {
      try inventory.resolve("Cellar/Shelf", .spot)
    }
    #expect(throws: InventoryError.unknownCode("nothing")) { try inventory.resolve("nothing", .box) }
    #expect(throws: InventoryError.unknown(.spot, "Attic / Shelf")) { try inventory.resolve("Attic / Shelf", .spot) }
  }
}

/// The permission bits of a file.
private enum StoreFolderMode {
  static func of(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}
