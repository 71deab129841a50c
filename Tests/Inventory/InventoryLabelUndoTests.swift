// Loans, reservations, barcodes and tags, taken back and made again.

import TappetCore
import TestSupport
import Testing

@testable import TappetInventory

@Suite struct InventoryLabelUndoTests {
  private let world: TestInventory
  private let box: InventoryEntry
  private let drill: InventoryEntry
  private let saw: InventoryEntry
  private var inventory: Inventory { world.inventory }

  init() throws {
    world = try TestInventory()
    box = try world.add(.box, "Tools", try world.spot()) { $0.code = "B-1" }
    drill = try world.add(.item, "Drill", box)
    saw = try world.add(.item, "Saw", box)
  }

  private func uid() throws -> TagUID { try #require(TagUID([4, 1, 2, 3, 4, 5, 6])) }

  private func reservation(_ first: Int64, _ last: Int64, _ person: String) -> InventoryReservation {
    let today = CalendarDay.today.number
    return InventoryReservation(
      person: person, first: CalendarDay(number: today + first), last: CalendarDay(number: today + last))
  }

  private func state() throws -> String { try world.dump("place item loan reservation barcode tag") }

  private func lastMove() throws -> String {
    var last = ""
    try inventory.forEachMove(of: nil) { move in
      last = "\(move.who) \(move.name): \(move.origin) > \(move.destination)"
      return false
    }
    return last
  }

  private func edit(_ entry: InventoryEntry, _ change: (inout InventoryEdit) -> Void) throws {
    var edit = InventoryEdit()
    change(&edit)
    try inventory.edit(entry, edit, by: "Ann")
  }

  @Test func `loans, reservations, barcodes and tags are undone and redone exactly`() throws {
    let other = try world.add(.box, "Other", try inventory.resolve("Shelf", .spot))
    let due = reservation(0, 3, "").last
    let changes: [(verb: InventoryVerb, body: () throws -> Void)] = [
      (.lent, { try self.inventory.lend(self.drill, to: "Ben", until: due, by: "Ann") }),
      (.lent, { try self.inventory.lend(self.drill, to: "Cy", by: "Ann") }),
      (.returned, { try self.inventory.takeBack(self.drill, by: "Ann") }),
      (.lent, { try self.inventory.lend(self.drill, to: "Ben", by: "Ann") }),
      (.moved, { try self.inventory.move(self.drill, to: other, by: "Ann") }),
      (.reserved, { try self.inventory.reserve(self.saw, self.reservation(1, 2, "Ben"), by: "Ann") }),
      (.reserved, { try self.inventory.reserve(self.saw, self.reservation(4, 4, "Cy"), by: "Ann") }),
      (.unreserved, { try self.inventory.unreserve(self.saw, from: self.reservation(1, 2, "").first, by: "Ann") }),
      (.edited, { try self.edit(self.drill) { $0.barcode = "INV-7" } }),
      (
        .edited, { try self.edit(self.drill) { ($0.name, $0.barcode, $0.tag) = ("Drill 2", "INV-8", try? self.uid()) } }
      ),
      (.edited, { try self.edit(self.drill) { $0.removedBarcode = "INV-7" } }),
      (.edited, { try self.edit(self.saw) { $0.barcode = "INV-7" } }),
      (.edited, { try self.inventory.assign(try self.uid(), to: self.saw, by: "Ann") }),
      (.added, { try self.world.add(.item, "Axe", self.box) { $0.barcode = "INV-9" } }),
      (.imported, { try self.importBarcode("INV-10", of: self.saw) }),
    ]
    var states = [try state()]
    for change in changes {
      try change.body()
      states.append(try state())
      #expect(states[states.count - 1] != states[states.count - 2])
      #expect(try inventory.changes().first?.verb == change.verb)
      for _ in 0..<2 {
        try inventory.undo(by: "Ann")
        #expect(try state() == states[states.count - 2])
        try inventory.redo(by: "Ann")
        #expect(try state() == states[states.count - 1])
      }
    }
    for expected in states.reversed().dropFirst() {
      try inventory.undo(by: "Ann")
      #expect(try state() == expected)
    }
    #expect(try world.isWhole())
  }

  private func importBarcode(_ code: String, of entry: InventoryEntry) throws {
    var record = InventoryRecord()
    record.names[4] = entry.name
    (record.id, record.barcodes) = (entry.id, [code])
    _ = try inventory.runImport(named: "codes.csv", by: "Ann", isTrial: false) { (job) throws(InventoryError) in
      try job.add(record)
    }
  }

  @Test func `undoing a loan is recorded as a move from the person to the item's place`() throws {
    try inventory.lend(drill, to: "Ben", by: "Ann")
    try inventory.undo(by: "Cy")
    #expect(try lastMove() == "Cy Drill: Ben > House → Cellar → Shelf → Tools")
    try inventory.redo(by: "Cy")
    #expect(try lastMove() == "Cy Drill: House → Cellar → Shelf → Tools > Ben")
    try inventory.takeBack(drill, by: "Ben")
    try inventory.undo(by: "Ben")
    #expect(try lastMove() == "Ben Drill: House → Cellar → Shelf → Tools > Ben")
    #expect(try inventory.loan(of: drill)?.person == "Ben")
  }

  @Test func `a change is not undone if another person's depends on it, and the later change is named`() throws {
    func refuse(_ older: InventoryChange?, _ what: String) throws {
      let before = try state()
      let (older, newer) = (try #require(older), try #require(try inventory.changes().first))
      #expect(throws: InventoryError.changedSince(newer), "\(what)") {
        try inventory.undo(number: older.number, by: "Ann")
      }
      #expect(try state() == before, "\(what)")
    }
    func made(_ body: () throws -> Void) throws -> InventoryChange? {
      try body()
      return try inventory.changes().first
    }
    let loan = try made { try inventory.lend(drill, to: "Ann", by: "Ann") }
    try inventory.lend(drill, to: "Ben", by: "Ben")
    try refuse(loan, "lent on")
    let back = try made { try inventory.takeBack(drill, by: "Ann") }
    try inventory.reserve(drill, reservation(0, 0, "Ben"), by: "Ben")
    try refuse(back, "reserved by another for today")
    let reserved = try made { try inventory.reserve(saw, reservation(1, 2, "Ann"), by: "Ann") }
    try inventory.reserve(saw, reservation(3, 4, "Ben"), by: "Ben")
    try refuse(reserved, "reserved by another, too")
    // The barcode goes to another entry: neither entry is the same, only the barcode.
    try inventory.assign(barcode: "INV-7", to: drill)
    let freed = try made { try inventory.remove(barcode: "INV-7", from: drill) }
    try inventory.assign(barcode: "INV-7", to: saw)
    try refuse(freed, "the barcode of another")
    let freedAgain = try made { try inventory.remove(barcode: "INV-7", from: saw) }
    try edit(box) { $0.code = "INV-7" }
    try refuse(freedAgain, "the code of a box")
    let relabelled = try made { try edit(box) { $0.code = "B-2" } }
    try inventory.assign(barcode: "INV-7", to: saw)
    try refuse(relabelled, "a barcode now")
    // A removed entry keeps its barcode, unless another gets it.
    let removed = try made { try inventory.remove(saw, by: "Ann") }
    try edit(box) { $0.code = "INV-7" }
    try refuse(removed, "the barcode of the removed entry")
    try edit(box) { $0.code = "B-2" }
    try inventory.assign(barcode: "0012345678905", to: drill)
    let gone = try made { try inventory.remove(drill, by: "Ann") }
    let tape = try world.add(.item, "Tape", box)
    try inventory.assign(barcode: "012345678905", to: tape)
    try refuse(gone, "the barcode of the removed entry, spelt otherwise")
    #expect(throws: InventoryError.self) { try inventory.undo(number: gone?.number, by: "Ann") }
    try inventory.undo(by: "Ann")
    try inventory.undo(by: "Ann")
    try inventory.undo(by: "Ann")
    let tagged = try made { try inventory.assign(try uid(), to: box, by: "Ann") }
    try inventory.assign(try uid(), to: drill, by: "Ben")
    try refuse(tagged, "the tag of another")
    #expect(try world.isWhole())
  }

  @Test func `an older loan is undone alone, despite changes by others`() throws {
    try inventory.lend(drill, to: "Ann", by: "Ann")
    let loan = try #require(try inventory.changes().first)
    try inventory.lend(saw, to: "Ben", by: "Ben")
    try inventory.reserve(saw, reservation(5, 6, "Ben"), by: "Ben")
    try edit(box) { $0.name = "Power tools" }
    try inventory.undo(number: loan.number, by: "Ann")
    #expect(try inventory.loan(of: drill) == nil && inventory.loan(of: saw)?.person == "Ben")
    #expect(try inventory.reservations(of: saw).count == 1 && world.names(.box) == ["Power tools"])
  }

  @Test func `an existing label is not journaled again, and reservations are not published`() throws {
    try inventory.assign(barcode: "INV-7", to: drill)
    try inventory.assign(try uid(), to: drill, by: "Ann")
    _ = try inventory.nextNews()
    let before = try world.dump("change news")
    try inventory.assign(barcode: "INV-7", to: drill)
    try inventory.assign(try uid(), to: drill, by: "Ann")
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.remove(barcode: "INV-8", from: drill) }
    #expect(try world.dump("change news") == before)
    try inventory.reserve(drill, reservation(1, 1, "Ann"), by: "Ann")
    #expect(try inventory.nextNews() == nil)
    try inventory.lend(drill, to: "Ann", by: "Ann")
    #expect(try inventory.nextNews()?.verb == .lent)
  }
}
