// Taking changes back, the history of moves, and changes by several processes at once.

import Foundation
import Synchronization
import TappetCore
import TappetSQLite
import Testing
import TestSupport

@testable import TappetInventory
@testable import TappetStore

@Suite struct InventoryUndoTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }

  init() throws { world = try TestInventory() }

  private func moves(of id: InventoryID? = nil) throws -> [InventoryMove] {
    var moves: [InventoryMove] = []
    try inventory.forEachMove(of: id) { move in
      moves.append(move)
      return true
    }
    return moves
  }

  @Test func `each kind of change is undone completely, one after the other`() throws {
    let shelf = try world.spot()
    let barn = try world.spot(["Barn", "Loft", "Corner"])
    let box = try world.add(.box, "Größe", shelf) { $0.code = "B-17" }
    let item = try world.add(.item, "Schraube", box)
    var states = [try world.dump()]
    func change(_ body: () throws -> Void) throws {
      try body()
      states.append(try world.dump())
    }
    var edit = InventoryEdit()
    edit.code = "B-18"
    edit.name = "Grösse"
    var itemEdit = InventoryEdit()
    itemEdit.minimum = .some(3)
    try change { try inventory.move(box, to: barn, by: "Ann") }
    try change { try inventory.edit(box, edit, by: "Ann") }
    try change { try inventory.edit(item, itemEdit, by: "Ann") }
    try change { try world.add(.box, "Taken", shelf) { $0.code = "B-17" } }
    try change { try inventory.remove(try inventory.resolve("Barn", .building), by: "Ann") }
    try change { try world.add(.item, "New", try inventory.resolve("B-17", .box)) }
    try change { try inventory.remove(try inventory.resolve("House", .building), by: "Ann") }
    try change { _ = try world.spot(["Shed", "All", "Hook"]) }
    for _ in 0..<2 { try inventory.undo(by: "Ben") }
    while states.count > 1 {
      try inventory.undo(by: "Ben")
      states.removeLast()
      #expect(try world.dump() == states[states.count - 1])
    }
    #expect(try world.isWhole() && world.found("schraub") == ["Schraube"] && world.found("grosse") == ["Größe"])
    #expect(try inventory.location(of: try inventory.resolve("B-17", .box)).path == "House → Cellar → Shelf")
  }

  @Test func `the last fifty changes can be undone, and no older ones`() throws {
    for number in 0..<60 { try world.add(.building, "\(number)") }
    for number in (10..<60).reversed() {
      let change = try inventory.undo(by: "Ben")
      #expect(change.name == "\(number)" && change.verb == .added && change.kind == .building && change.who == "Ann")
    }
    #expect(throws: InventoryError.nothingToUndo) { try inventory.undo(by: "Ben") }
    #expect(try world.names(.building).count == 10)
    for _ in 10..<60 { try inventory.redo(by: "Ben") }
    #expect(throws: InventoryError.nothingToRedo) { try inventory.redo(by: "Ben") }
    #expect(try world.names(.building) == (0..<60).map { "\($0)" } && world.isWhole())
  }

  @Test func `undoing and redoing any change restores it exactly`() throws {
    let shelf = try world.spot()
    let barn = try world.spot(["Barn", "Loft", "Corner"])
    let box = try world.add(.box, "Screws", shelf) { $0.code = "B-17" }
    try world.add(.item, "M4", box)
    var edit = InventoryEdit()
    edit.code = "B-18"
    let changes: [() throws -> Void] = [
      { try self.inventory.move(box, to: barn, by: "Ann") }, { try self.inventory.edit(box, edit, by: "Ann") },
      { try self.world.add(.item, "M5", box) },
      { try self.inventory.remove(try self.inventory.resolve("Barn", .building), by: "Ann") },
    ]
    for change in changes {
      let before = try world.dump()
      try change()
      let after = try world.dump()
      for _ in 0..<2 {
        try inventory.undo(by: "Ben")
        #expect(try world.dump() == before)
        try inventory.redo(by: "Ben")
        #expect(try world.dump() == after)
      }
    }
    #expect(try world.isWhole() && inventory.changes().allSatisfy { !$0.isTakenBack })
  }

  @Test func `an older change is undone alone, unless a later one affects the same things`() throws {
    let shelf = try world.spot()
    let first = try world.add(.box, "Screws", shelf) { $0.code = "B-1" }
    let second = try world.add(.box, "Nails", shelf) { $0.code = "B-2" }
    try inventory.remove(first, by: "Ann")
    let removal = try #require(try inventory.changes().first)
    var edit = InventoryEdit()
    edit.name = "Long nails"
    try inventory.edit(second, edit, by: "Bob")
    let bob = try #require(try inventory.changes().first)
    try inventory.undo(number: removal.number, by: "Ann")
    #expect(try world.names(.box).sorted() == ["Long nails", "Screws"])
    #expect(try inventory.changes().first { $0.number == removal.number }?.isTakenBack == true)
    // A box that was added, and what somebody put into it; a code that another box has meanwhile.
    let addition = try #require(try inventory.changes().first { $0.name == "Nails" && $0.verb == .added })
    #expect(throws: InventoryError.changedSince(bob)) { try inventory.undo(number: addition.number, by: "Ann") }
    try inventory.redo(by: "Ann")
    let other = try world.add(.box, "Other", shelf) { $0.code = "B-1" }
    #expect(throws: InventoryError.self) { try inventory.undo(number: removal.number, by: "Ann") }
    try inventory.remove(other, by: "Ann")
    try inventory.undo(by: "Ann")
    try inventory.undo(by: "Ann")
    try world.add(.item, "M4", second)
    #expect(throws: InventoryError.self) { try inventory.undo(number: addition.number, by: "Ann") }
    #expect(try world.names(in: second) == ["M4"] && world.isWhole())
  }

  @Test func `a removed or undone entry can be restored, whatever was added in the meantime`() throws {
    let shelf = try world.spot()
    let screws = try world.add(.box, "Screws", shelf) { $0.code = "B-1" }
    try world.add(.item, "M4", screws)
    try inventory.remove(screws, by: "Ann")
    let removal = try #require(try inventory.changes().first)
    let nails = try world.add(.box, "Nails", shelf) { $0.code = "B-2" }
    try world.add(.item, "40 mm", nails)
    try inventory.undo(number: removal.number, by: "Ann")
    #expect(try world.names(.box).sorted() == ["Nails", "Screws"])
    #expect(try world.names(in: screws) == ["M4"])
    try inventory.undo(by: "Ann")
    #expect(try world.names(in: nails).isEmpty)
    try world.add(.item, "60 mm", nails)
    try inventory.redo(by: "Ann")
    #expect(try world.names(in: nails).sorted() == ["40 mm", "60 mm"] && world.isWhole())
  }

  @Test func `every move is in the history, and so is its undo`() throws {
    let (shelf, corner) = (try world.spot(), try world.spot(["Barn", "Loft", "Corner"]))
    let box = try world.add(.box, "Screws", shelf)
    let other = try world.add(.box, "Nails", corner)
    let item = try world.add(.item, "M4", box)
    try inventory.move(box, to: corner, by: "Ann")
    try inventory.move(item, to: other, by: "Ben")
    try inventory.undo(by: "Cy")
    let all = try moves()
    #expect(all.map { $0.who } == ["Cy", "Ben", "Ann"] && all.map { $0.name } == ["M4", "M4", "Screws"])
    #expect(
      all.map { $0.origin } == [
        "Barn → Loft → Corner → Nails", "Barn → Loft → Corner → Screws", "House → Cellar → Shelf",
      ])
    #expect(all[0].destination == all[1].origin)
    #expect(try moves(of: box.id).count == 1)
    try inventory.remove(corner, by: "Ann")
    #expect(try moves().count == 3)
  }

  @Test func `a failed commit changes nothing, and the next one works`() throws {
    let box = try world.add(.box, "Screws", try world.spot())
    let before = try world.dump()
    let pages = try #require(try inventory.database.integer("PRAGMA page_count"))
    try inventory.database.execute("PRAGMA max_page_count = \(pages)")
    var failures = 0
    for _ in 0..<20 {
      do { try world.add(.item, String(repeating: "word ", count: 100), box) } catch let error as InventoryError {
        guard case .store(.full) = error else { throw error }
        failures += 1
        break
      }
      try inventory.undo(by: "Ann")
    }
    // A change that fits into free pages is not refused.
    if failures > 0 { #expect(try world.dump() == before) }
    try inventory.database.execute("PRAGMA max_page_count = 1073741823")
    try world.add(.item, "M4", box)
    #expect(try world.isWhole())
  }

  @Test func `fifty simultaneous writers all succeed`() throws {
    let folder = world.folder.path
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 50) { number in
      do {
        var values = InventoryEdit()
        values.name = "\(number)"
        try Inventory.open(folder: folder).add(.building, to: nil, values, by: "Ann")
      } catch { failures.withLock { $0 += 1 } }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(try Set(world.names(.building)).count == 50 && world.isWhole())
  }

  @Test(arguments: [18, 99] as [Int64])
  func `a database of a different version is left unchanged`(_ number: Int64) throws {
    _ = try world.sqlite("CREATE TABLE former (value); PRAGMA user_version = \(number)")
    let refusal = DatabaseError.otherSchema(found: number, known: InventorySchema.version, path: world.path)
    #expect(throws: refusal) { try world.reopened() }
  }

  @Test(arguments: [0, 99])
  func `if only the version number is damaged, it is corrected`(_ number: Int) throws {
    let names = try world.names(.building)
    _ = try world.sqlite("PRAGMA user_version = \(number)")
    _ = try world.reopened()
    #expect(try world.names(.building) == names)
    #expect(try world.sqlite("PRAGMA user_version").contains("\(InventorySchema.version)"))
  }

  @Test func `an id round-trips, increases with time, and is unique`() throws {
    let first = InventoryID(unixMilliseconds: 1_700_000_000_000)
    let later = InventoryID(unixMilliseconds: 1_700_000_000_001)
    #expect(InventoryID(text: first.text) == first && InventoryID(first.bytes) == first)
    #expect(first.text < later.text && Array(first.text)[14] == "7" && "89ab".contains(Array(first.text)[19]))
    #expect(UUID(uuidString: first.text) != nil)
    for text in ["", "x", first.text + "0", first.text.replacingOccurrences(of: "-", with: "0")] {
      #expect(InventoryID(text: text) == nil)
    }
  }
}
