// Imports: rows that change what is there and add what is not, whole or not at all, and the way back.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetMessages

@Suite struct InventoryImportTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }

  init() throws { world = try TestInventory() }

  private func row(_ names: String..., code: String? = nil, _ change: (inout InventoryRecord) -> Void = { _ in })
    -> InventoryRecord
  {
    var record = InventoryRecord()
    for (index, name) in names.enumerated() { record.names[index] = name }
    record.code = code
    change(&record)
    return record
  }

  private func load(_ records: [InventoryRecord], isTrial: Bool = false) throws -> [Int] {
    let counts = try inventory.runImport(named: "file", by: "Ann", isTrial: isTrial) { (job) throws(InventoryError) in
      for record in records { try job.add(record) }
    }
    return [counts.added, counts.changed, counts.unchanged]
  }

  private func records(_ inventory: Inventory) throws -> [InventoryRecord] {
    var all: [InventoryRecord] = []
    try inventory.forEachRecord { record in
      all.append(record)
      return true
    }
    return all
  }

  private let flat = [
    ["House", "Cellar", "Shelf", "Screws", "Größe 4"], ["House", "Cellar", "Shelf", "Screws", "M5"],
    ["House", "Cellar", "Rack", "Nails", "M4"], ["Barn", "Loft", "Hook", "Rope", ""],
  ]

  private func flatRows() -> [InventoryRecord] {
    flat.map { names in
      var record = InventoryRecord()
      record.names = names
      return record
    }
  }

  @Test func `rows without ids create the places of their paths once, and a second import changes nothing`() throws {
    #expect(try load(flatRows(), isTrial: true) == [13, 0, 0])
    #expect(try inventory.count(of: .building) == 0)
    #expect(try load(flatRows()) == [13, 0, 0])
    #expect(try world.names(.box).sorted() == ["Nails", "Rope", "Screws"] && world.found("grosse") == ["Größe 4"])
    let before = try world.dump("place item change undo_added")
    #expect(try load(flatRows()) == [0, 0, 4])
    #expect(try world.dump("place item change undo_added") == before && world.isWhole())
    try inventory.undo(by: "Ann")
    #expect(try inventory.count(of: .building) == 0 && world.isWhole() && world.found("m4").isEmpty)
  }

  @Test func `a row that repeats an id within a first import changes its entry`() throws {
    let id = InventoryID(unixMilliseconds: 1)
    let rows = ["Drill", "Drill big"].map { name in row("House", "Cellar", "Shelf", "Tools", name) { $0.id = id } }
    #expect(try load(rows) == [5, 1, 0])
    #expect(try world.isWhole() && world.found("big") == ["Drill big"] && world.found("tools") == ["Tools"])
  }

  @Test func `a name is looked up only in its place, through an index`() throws {
    let plan = try world.sqlite("EXPLAIN QUERY PLAN \(Inventory.childQuery)")
    #expect(plan.contains("SEARCH place USING INDEX place_name (name=? AND parent=?)"), "\(plan)")
    #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    let items = try world.sqlite("EXPLAIN QUERY PLAN \(Inventory.itemsQuery)")
    #expect(items.contains("SEARCH item USING INDEX item_name (box=? AND name=?"), "\(items)")
  }

  @Test func `an export is imported unchanged elsewhere, and changes nothing here`() throws {
    try _ = load(flatRows())
    try inventory.remove(try inventory.resolve("M4", .item), by: "Ann")
    try world.add(.item, " M6 ", try inventory.resolve("Rope", .box)) {
      $0.notes = "\"quoted\",\r\nnew line "
      $0.quantity = 0
      $0.minimum = 3
      $0.photo = InventoryPhoto(path: "/tmp/m6.jpg", hash: [UInt8](repeating: 9, count: 32))
    }
    let exported = try records(inventory)
    #expect(try load(exported) == [0, 0, exported.count])
    let other = try TestInventory()
    _ = try other.inventory.runImport(named: "file", by: "Ann", isTrial: false) { (job) throws(InventoryError) in
      for record in exported { try job.add(record) }
    }
    let facts = { (record: InventoryRecord) in
      "\(record.names) \(record.id?.text ?? "") \(record.container?.text ?? "") \(record.code ?? "") \(record.values) "
        + "\(record.createdUnixMilliseconds ?? 0)"
    }
    #expect(try records(other.inventory).map(facts) == exported.map(facts) && other.isWhole())
  }

  @Test func `an import is one change, which is undone as a whole`() throws {
    try _ = load(flatRows())
    let before = try world.dump()
    let box = try inventory.resolve("Screws", .box)
    let item = try inventory.resolve("M5", .item)
    let rows = [
      row("House", "Attic", "Beam", "Screws", code: box.code),
      row("House", "Attic", "Beam", "Bolts", code: box.code),
      row("Barn", "Loft", "Hook", "Rope", "M5") { $0.id = item.id },
      row("House", "Cellar", "Rack", "Nails", "M4") { $0.values.quantity = 7 },
      row("", "", "", "Rope", "New"), row("", "", "", "", "By code", code: box.code),
    ]
    #expect(try load(rows) == [4, 4, 0])
    #expect(try inventory.location(of: try inventory.resolve("Bolts", .box)).path == "House → Attic → Beam")
    #expect(try inventory.location(of: try inventory.resolve("By code", .item)).names.last == "Bolts")
    #expect(try inventory.resolve("M4", .item).quantity == 7)
    var moves = 0
    try inventory.forEachMove(of: nil) { move in
      moves += 1
      return true
    }
    #expect(moves == 2)
    try inventory.undo(by: "Ann")
    #expect(try world.dump() == before && world.isWhole())
  }

  @Test func `boxes with the same label but different codes stay separate, and so do their items`() throws {
    for rows in [
      [("", "B-1"), ("", "B-2")], [("Rope", "B-1"), ("Wire", "B-2"), ("Tape", "B-1")],
      [("", "B-1"), ("Rope", "B-1"), ("Wire", "B-2")],
    ] {
      let world = try TestInventory()
      let table = rows.map { item, code in row("House", "Cellar", "Shelf", "Screws", item, code: code) }
      for isFirst in [true, false] {
        let counts = try world.inventory.runImport(named: "file", by: "Ann", isTrial: false) {
          (job) throws(InventoryError) in
          for record in table { try job.add(record) }
        }
        #expect(isFirst || counts.added + counts.changed == 0, "\(rows)")
      }
      for code in ["B-1", "B-2"] {
        let box = try #require(try world.inventory.box(code: code))
        let items = try world.inventory.items(named: code == "B-1" ? "Rope" : "Wire", in: box)
        #expect(box.name == "Screws" && items.count == (rows.contains { $0.0 == "Wire" } ? 1 : 0), "\(rows)")
      }
      #expect(try world.names(.box) == ["Screws", "Screws"] && world.isWhole(), "\(rows)")
    }
  }

  @Test func `a row with a new code for a box sets that box's code`() throws {
    try _ = load(flatRows())
    #expect(try load([row("House", "Cellar", "Shelf", "Screws", code: "B-1")]) == [0, 1, 0])
    #expect(try world.names(.box).sorted() == ["Nails", "Rope", "Screws"] && inventory.box(code: "B-1") != nil)
  }

  @Test func `one bad row at the end leaves the inventory unchanged`() throws {
    try _ = load(flatRows())
    let before = try world.dump("place item change")
    let box = try inventory.resolve("Screws", .box)
    let gone = InventoryID(unixMilliseconds: 1)
    let long = String(repeating: "n", count: 65_537)
    for (record, sentence) in [
      (row("", "", "", "", "x") { $0.container = gone }, "there is no box '\(gone.text)'"),
      (row("", "", "", "", "x"), "does not specify which box"), (row(), "does not specify an entry"),
      (
        row("House", "Cellar", "Shelf", "Other") {
          $0.code = box.code; $0.id = gone
        }, "another box has the QR code"
      ),
      (row("House", "Cellar", "Shelf", "Screws", "x") { $0.values.notes = long }, "maximum is 65536"),
      (row("House", "Cellar", "Shelf", " \t", "x"), "does not specify which box"),
      (row("House", "Cellar", "Shelf", "Screws", "x", code: "B-2"), ", not B-2; correct the code"),
      (row("House", "Cellar", "Shelf", "Screws", "x") { $0.values.quantity = -1 }, "not a quantity"),
      (row("House", "Cellar") { $0.id = box.id }, "a room must be in a building"),
    ] {
      do {
        _ = try load([row("Shed"), row("Shed", "All"), record])
        Issue.record("it was taken: \(sentence)")
      } catch let error as InventoryError { #expect(error.sentence.contains(sentence), "\(error.sentence)") }
      #expect(try world.dump("place item change") == before)
    }
    #expect(try world.isWhole())
  }

  @Test func `an import that fills the disk changes nothing`() throws {
    let before = try world.sqlite(".schema")
    try inventory.database.execute("PRAGMA max_page_count = 100")
    let rows = (0..<20_000).map { row("House", "Cellar", "Shelf", "Box \($0 % 100)", "item \($0)") }
    #expect(throws: InventoryError.self) { try load(rows) }
    #expect(try world.sqlite(".schema") == before && inventory.count(of: .item) == 0)
    try inventory.database.execute("PRAGMA max_page_count = 1073741823")
    #expect(try load(rows) == [20_103, 0, 0])
    #expect(try world.sqlite(".schema").split(separator: "\n").sorted() == before.split(separator: "\n").sorted())
    #expect(try world.isWhole() && world.found("item 19999") == ["item 19999"])
  }
}
