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

  @Test func `each kind of change is taken back whole, one after the other`() throws {
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
    try change { try world.spot(["Shed", "All", "Hook"]) }
    for _ in 0..<2 { try inventory.undo(by: "Ben") }
    while states.count > 1 {
      try inventory.undo(by: "Ben")
      states.removeLast()
      #expect(try world.dump() == states[states.count - 1])
    }
    #expect(try world.isWhole() && world.found("schraub") == ["Schraube"] && world.found("grosse") == ["Größe"])
    #expect(try inventory.location(of: try inventory.resolve("B-17", .box)).path == "House → Cellar → Shelf")
  }

  @Test func `the last fifty changes can be taken back, and then none`() throws {
    for number in 0..<60 { try world.add(.building, "\(number)") }
    for number in (10..<60).reversed() {
      let change = try inventory.undo(by: "Ben")
      #expect(change.name == "\(number)" && change.verb == .added && change.kind == .building && change.who == "Ann")
    }
    #expect(throws: InventoryError.nothingToUndo) { try inventory.undo(by: "Ben") }
    #expect(try world.names(.building).count == 10)
    #expect(try world.sqlite("SELECT count(*) FROM undo_added") == "0\n")
  }

  @Test func `every move is in the history, and the way back too`() throws {
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

  @Test func `a commit that fails changes nothing, and the next one works`() throws {
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

  @Test func `fifty writers at once all get their turn`() throws {
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

  @Test func `a database of a later version is left alone`() throws {
    _ = try world.sqlite("PRAGMA user_version = 99")
    let known = Int64(InventorySchema.migrations.count)
    #expect(throws: DatabaseError.newerSchema(found: 99, known: known, path: world.path)) { try world.reopened() }
  }

  @Test func `an id reads back, rises with time, and is never another's`() throws {
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
