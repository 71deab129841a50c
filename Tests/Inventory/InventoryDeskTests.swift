// The parts of the inventory that a kiosk needs: tags that stand for things, items that are with a person, changes to
// pass on.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetStore

@Suite struct InventoryDeskTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }
  private let uid: TagUID

  init() throws {
    world = try TestInventory()
    uid = try #require(TagUID([0x04, 1, 2, 3, 4, 5, 6]))
  }

  private func moves() throws -> [String] {
    var moves: [String] = []
    try inventory.forEachMove(of: nil) { move in
      moves.append("\(move.name): \(move.origin) > \(move.destination)")
      return true
    }
    return moves
  }

  @Test func `a tag identifies one thing of any kind, even if the thing was removed and restored`() throws {
    let shelf = try world.spot()
    let box = try world.add(.box, "Screws", shelf)
    let item = try world.add(.item, "M4", box)
    #expect(try inventory.entry(tag: uid) == nil)
    for thing in [shelf, item, box] {
      try inventory.assign(uid, to: thing, by: "Ann")
      #expect(try world.reopened().entry(tag: uid) == thing)
      #expect(try inventory.tags(of: thing) == [uid])
    }
    #expect(try inventory.tags(of: item) == [])
    try inventory.remove(box, by: "Ann")
    #expect(try inventory.entry(tag: uid) == nil)
    #expect(throws: InventoryError.unknown(.box, "Screws")) { try inventory.assign(uid, to: box, by: "Ann") }
    try inventory.undo(by: "Ann")
    #expect(try inventory.entry(tag: uid) == box)
  }

  @Test func `a barcode belongs to one entry, and again after an undo`() throws {
    let shelf = try world.spot()
    let box = try world.add(.box, "Screws", shelf)
    let (m4, m5) = (try world.add(.item, "M4", box), try world.add(.item, "M5", box))
    for code in ["4006381333931", "INV-7"] { try inventory.assign(barcode: code, to: m4) }
    try inventory.assign(barcode: " grcy:p:13 ", to: shelf)
    try inventory.assign(barcode: "INV-7", to: m4)
    let reopened = try world.reopened()
    #expect(try reopened.barcodes(of: m4) == ["4006381333931", "INV-7"])
    #expect(try reopened.thing(onLabel: "4006381333931") == m4 && reopened.resolve("INV-7", .item) == m4)
    #expect(try reopened.resolve(anything: "grcy:p:13") == shelf)
    // No other entry can have it, neither as a barcode nor as a box's code; and no code of a label becomes a barcode.
    let taken = InventoryError.barcodeTaken(code: "INV-7", kind: .item, name: "M4")
    #expect(throws: taken) { try inventory.assign(barcode: "INV-7", to: m5) }
    var edit = InventoryEdit()
    edit.code = "INV-7"
    #expect(throws: taken) { try inventory.edit(box, edit, by: "Ann") }
    #expect(throws: InventoryError.barcodeTaken(code: box.code, kind: .box, name: "Screws")) {
      try inventory.assign(barcode: box.code, to: m5)
    }
    for wrong in ["", "  ", "4006 3813"] {
      #expect(throws: InventoryError.wrongBarcode(wrong.trimmedLabel ?? "")) {
        try inventory.assign(barcode: wrong, to: m5)
      }
    }
    #expect(throws: InventoryError.self) { try inventory.assign(barcode: "a\u{1B}", to: m5) }
    #expect(throws: InventoryError.self) { try inventory.assign(barcode: String(repeating: "7", count: 129), to: m5) }
    try inventory.remove(m4, by: "Ann")
    #expect(try inventory.thing(onLabel: "INV-7") == nil)
    try inventory.undo(by: "Ann")
    #expect(try inventory.thing(onLabel: "INV-7") == m4)
    // The barcode of a removed entry is free.
    try inventory.remove(m4, by: "Ann")
    try inventory.assign(barcode: "INV-7", to: m5)
    #expect(try inventory.thing(onLabel: "INV-7") == m5)
    try inventory.remove(barcode: "INV-7", from: m5)
    #expect(try inventory.barcodes(of: m5) == [])
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.remove(barcode: "INV-7", from: m5) }
  }

  @Test(arguments: ["smp://number?n=25", "smp://item?id=019a9c3b-0b5e-7c41-9d2e-6f1f6e0c6d11", "smp://"])
  func `a code with the form of a link is refused`(_ code: String) throws {
    let shelf = try world.spot()
    let box = try world.add(.box, "Screws", shelf)
    let item = try world.add(.item, "M4", box)
    let refusal = InventoryError.reservedCode(code)
    #expect(throws: refusal) { try inventory.assign(barcode: code, to: item) }
    #expect(throws: refusal) { try world.add(.box, "Nails", shelf) { $0.code = code } }
    var record = InventoryRecord()
    (record.names, record.code) = (["House", "Cellar", "Shelf", "Nails", ""], code)
    #expect(throws: refusal) {
      _ = try inventory.runImport(named: "boxes.csv", by: "Eve", isTrial: false) { (job) throws(InventoryError) in
        try job.add(record)
      }
    }
    #expect(try inventory.barcodes(of: item) == [] && world.names(.box) == ["Screws"])
  }

  @Test func `labels of other programs are found by the codes in them`() throws {
    let box = try world.add(.box, "Screws", try world.spot())
    let (m4, m5) = (try world.add(.item, "M4", box), try world.add(.item, "M5", box))
    for code in ["grcy:p:13", "000-017", "{\"part\": 5}"] { try inventory.assign(barcode: code, to: m4) }
    try inventory.assign(barcode: "grcy:p:13:5f3a", to: m5)
    #expect(try inventory.barcodes(of: m4) == ["000-017", "grcy:p:13", "{\"part\":5}"])
    let homebox = "https://homebox.example/a/"
    for label in ["grcy:p:13", "grcy:p:13:77", homebox + "000-017", "{\"part\":5}", "{ \"part\" : 5 }"] {
      #expect(try inventory.thing(scanned: label) == m4, "\(label)")
    }
    #expect(try inventory.thing(scanned: "grcy:p:13:5f3a") == m5)
    #expect(try inventory.thing(scanned: "smp://box?id=\(box.id.text)") == box)
    for label in ["grcy:p:14:77", homebox + "000-018", "{\"part\": 6}", "smp://box?id=\(box.code)"] {
      #expect(try inventory.thing(scanned: label) == nil, "\(label)")
    }
    try inventory.remove(barcode: "{\"part\": 5}", from: m4)
    #expect(try inventory.thing(scanned: "{\"part\":5}") == nil)
  }

  @Test func `a barcode in use prevents adding an entry, and leaves an edit without effect`() throws {
    let box = try world.add(.box, "Screws", try world.spot())
    let m4 = try world.add(.item, "M4", box) { $0.barcode = "INV-7" }
    #expect(try inventory.thing(onLabel: "INV-7") == m4)
    let taken = InventoryError.barcodeTaken(code: "INV-7", kind: .item, name: "M4")
    #expect(throws: taken) { try world.add(.item, "M5", box) { $0.barcode = "INV-7" } }
    #expect(try world.names(.item) == ["M4"])
    var edit = InventoryEdit()
    (edit.tag, edit.name, edit.barcode) = (TagUID([4, 1, 2, 3]), "Nails", "INV-7")
    #expect(throws: taken) { try inventory.edit(box, edit, by: "Ann") }
    #expect(try inventory.tags(of: box).isEmpty && world.names(.box) == ["Screws"])
  }

  @Test func `a loan with a last day is overdue after it, and can be extended`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let (drill, saw) = (try world.add(.item, "Drill", box), try world.add(.item, "Saw", box))
    let (first, second) = (try #require(CalendarDay("2026-12-24")), try #require(CalendarDay("2026-12-31")))
    func overdue(_ day: String) throws -> [String] {
      var names: [String] = []
      try inventory.forEachLent(.item, dueBefore: try #require(CalendarDay(day))) { item in
        names.append(item.name)
        return true
      }
      return names
    }
    try inventory.lend(drill, to: "Ann", until: second, by: "Ann")
    try inventory.lend(saw, to: "Ben", until: first, by: "Ann")
    #expect(try overdue("2026-12-24") == [] && overdue("2026-12-25") == ["Saw"])
    #expect(try overdue("2027-01-01") == ["Saw", "Drill"])
    let since = try inventory.loan(of: saw)?.unixMilliseconds
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.lend(saw, to: "Ben", until: first, by: "Ann") }
    try inventory.lend(saw, to: "Ben", until: second, by: "Ann")
    let loan = try world.reopened().loan(of: saw)
    #expect(loan?.due == second && loan?.unixMilliseconds == since)
    #expect(try moves().count == 2)
    // The next person has no last day, unless they get one.
    try inventory.lend(saw, to: "Ann", by: "Ann")
    #expect(try overdue("2027-01-01") == ["Drill"])
  }

  @Test func `an item is lent to a person, then to another, and returned to a box`() throws {
    let shelf = try world.spot()
    let box = try world.add(.box, "Tools", shelf)
    let other = try world.add(.box, "Other", shelf)
    let drill = try world.add(.item, "Drill", box)
    let path = "House → Cellar → Shelf"
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.takeBack(drill, by: "Ann") }
    #expect(throws: InventoryError.wrongContainer(.spot, nil)) { try inventory.lend(shelf, to: "Ann", by: "Ann") }
    try inventory.lend(drill, to: "Ann", by: "Ann")
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.lend(drill, to: "Ann", by: "Ann") }
    try inventory.lend(drill, to: "Ben", by: "kiosk")
    #expect(try world.reopened().loan(of: drill)?.person == "Ben")
    var lent: [InventoryEntry] = []
    try inventory.forEachLent(.item) { item in
      lent.append(item)
      return true
    }
    #expect(lent == [drill])
    try inventory.takeBack(drill, by: "Ben")
    #expect(try inventory.loan(of: drill) == nil)
    // Into its own box, and into another: it is with nobody then.
    for place in [box, other] {
      try inventory.lend(drill, to: "Ann", by: "Ann")
      try inventory.move(drill, to: place, by: "Ann")
      #expect(try inventory.loan(of: drill) == nil)
    }
    #expect(
      try moves().reversed() == [
        "Drill: \(path) → Tools > Ann", "Drill: Ann > Ben", "Drill: Ben > \(path) → Tools",
        "Drill: \(path) → Tools > Ann", "Drill: Ann > \(path) → Tools",
        "Drill: \(path) → Tools > Ann", "Drill: Ann > \(path) → Other",
      ])
  }

  @Test func `each change is passed on once and in order, from the first request on`() throws {
    let shelf = try world.spot()
    #expect(try inventory.nextNews() == nil)
    let box = try world.add(.box, "Screws", shelf)
    let item = try world.add(.item, "M4", box)
    let barn = try world.spot(["Barn", "Loft", "Corner"])
    try inventory.move(box, to: barn, by: "Ben")
    try inventory.lend(item, to: "Ann", by: "Ben")
    try inventory.remove(item, by: "Ben")
    try inventory.undo(by: "Eve")
    var record = InventoryRecord()
    record.names[0] = "Shed"
    _ = try inventory.runImport(named: "boxes.csv", by: "Eve", isTrial: false) { (job) throws(InventoryError) in
      try job.add(record)
    }
    var passed: [String] = []
    // Killed before it says that it has the change: it comes again.
    let first = try inventory.nextNews()
    #expect(try first != nil && world.reopened().nextNews() == first)
    while let news = try inventory.nextNews() {
      passed.append("\(news.who) \(news.verb.name) \(news.kind.name) \(news.name) \(news.path)")
      try inventory.passedOn(upTo: news.number)
    }
    let path = "House → Cellar → Shelf"
    #expect(
      passed == [
        "Ann added box Screws \(path)", "Ann added item M4 \(path) → Screws", "Ann added building Barn ",
        "Ann added room Loft Barn", "Ann added spot Corner Barn → Loft", "Ben moved box Screws \(path)",
        "Ben lent item M4 Barn → Loft → Corner → Screws", "Ben removed item M4 Barn → Loft → Corner → Screws",
        "Eve undone item M4 ", "Eve imported item boxes.csv ",
      ])
    #expect(try world.reopened().nextNews() == nil)
  }

  @Test func `an item is reported when it becomes low, and again after being restocked`() throws {
    let box = try world.add(.box, "Screws", try world.spot())
    var item = try world.add(.item, "M4", box) { $0.minimum = .some(10) }
    #expect(try inventory.nextLowItem() == item && inventory.lowItemCount() == 1)
    try inventory.passedOnLow(item.id)
    #expect(try inventory.nextLowItem() == nil && inventory.lowItemCount() == 1)
    func setQuantity(_ quantity: Int64) throws {
      var edit = InventoryEdit()
      edit.quantity = quantity
      item = try inventory.edit(item, edit, by: "Ann")
      try inventory.clearLowReportsOfRestockedItems()
    }
    try setQuantity(9)
    #expect(try inventory.nextLowItem() == nil)
    try setQuantity(10)
    #expect(try inventory.nextLowItem() == nil && inventory.lowItemCount() == 0)
    try setQuantity(3)
    #expect(try world.reopened().nextLowItem() == item)
  }
}
