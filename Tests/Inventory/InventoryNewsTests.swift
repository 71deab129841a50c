// Tags, loans and changes to pass on, when they are many, when things go and come back, and for two processes at once.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetStore

@Suite struct InventoryNewsTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }

  init() throws { world = try TestInventory() }

  private func uid(_ last: UInt8) throws -> TagUID { try #require(TagUID([4, 1, 2, 3, 4, 5, last])) }

  private func lent(_ inventory: Inventory) throws -> [String] {
    var names: [String] = []
    try inventory.forEachLent(.item) { item in
      names.append(item.name)
      return true
    }
    return names
  }

  /// Passes on what there is; returns the numbers and the words.
  private func passOn(_ inventory: Inventory) throws -> [(number: Int64, text: String)] {
    var passed: [(number: Int64, text: String)] = []
    while let news = try inventory.nextNews() {
      passed.append((news.number, news.verb.name + " " + news.name))
      try inventory.passedOn(upTo: news.number)
    }
    return passed
  }

  @Test func `a thing's tags are listed in order, and only a reassigned tag is removed`() throws {
    let shelf = try world.spot()
    let (screws, nails) = (try world.add(.box, "Screws", shelf), try world.add(.box, "Nails", shelf))
    for number in [3, 1, 2] as [UInt8] { try inventory.assign(uid(number), to: screws, by: "Ann") }
    #expect(try inventory.tags(of: screws) == [uid(1), uid(2), uid(3)])
    try world.reopened().assign(uid(2), to: nails, by: "Ann")
    #expect(try inventory.tags(of: screws) == [uid(1), uid(3)] && inventory.tags(of: nails) == [uid(2)])
    #expect(try inventory.entry(tag: uid(2)) == nails)
    // Four bytes are another tag than seven that begin with them.
    #expect(try inventory.entry(tag: try #require(TagUID([4, 1, 2, 3]))) == nil)
  }

  @Test func `a building that is removed and restored keeps the tags and loans of its contents`() throws {
    let shelf = try world.spot()
    let box = try world.add(.box, "Tools", shelf)
    let drill = try world.add(.item, "Drill", box) { $0.minimum = .some(2) }
    try inventory.assign(uid(1), to: box, by: "Ann")
    try inventory.assign(uid(2), to: drill, by: "Ann")
    try inventory.lend(drill, to: "Ann", by: "Ben")
    let loan = try inventory.loan(of: drill)
    try inventory.passedOnLow(drill.id)
    try inventory.remove(try inventory.resolve("House", .building), by: "Ann")
    #expect(try inventory.entry(tag: uid(1)) == nil && inventory.entry(tag: uid(2)) == nil)
    #expect(try lent(inventory) == [] && inventory.lowItemCount() == 0)
    #expect(throws: InventoryError.unknown(.item, "Drill")) { try inventory.takeBack(drill, by: "Ann") }
    #expect(throws: InventoryError.unknown(.item, "Drill")) { try inventory.lend(drill, to: "Eve", by: "Ann") }
    // An item that is gone is not low: it is news again when it comes back.
    try inventory.clearLowReportsOfRestockedItems()
    try inventory.undo(by: "Ann")
    #expect(try inventory.entry(tag: uid(1)) == box && inventory.entry(tag: uid(2)) == drill)
    #expect(try inventory.loan(of: drill) == loan && lent(inventory) == ["Drill"])
    #expect(try inventory.nextLowItem() == drill && world.isWhole())
  }

  @Test func `a refused change has no effect and is not passed on`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let drill = try world.add(.item, "Drill", box)
    try inventory.lend(drill, to: "Ann", by: "Ann")
    _ = try inventory.nextNews()
    let before = try world.dump("loan move news change")
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.lend(drill, to: "Ann", by: "Ben") }
    #expect(throws: InventoryError.unchanged(.box)) { try inventory.takeBack(box, by: "Ben") }
    #expect(throws: InventoryError.wrongContainer(.item, .spot)) {
      try inventory.move(drill, to: try inventory.resolve("Shelf", .spot), by: "Ben")
    }
    #expect(try world.dump("loan move news change") == before && inventory.nextNews() == nil)
  }

  @Test func `the item lent longest ago is listed first, even after an undo`() throws {
    let box = try world.add(.box, "Tools", try world.spot())
    for name in ["Saw", "Drill", "Axe"] { try world.add(.item, name, box) }
    for name in ["Drill", "Saw", "Axe"] {
      try inventory.lend(try inventory.resolve(name, .item), to: "Ann", by: "Ann")
      _ = try world.sqlite("UPDATE loan SET unix_ms = unix_ms - 1000")
    }
    #expect(try lent(inventory) == ["Drill", "Saw", "Axe"])
    // It goes to somebody else, from now on.
    try inventory.lend(try inventory.resolve("Drill", .item), to: "Ben", by: "Ann")
    #expect(try lent(inventory) == ["Saw", "Axe", "Drill"])
    var first: [String] = []
    try inventory.forEachLent(.item) { item in
      first.append(item.name)
      return false
    }
    #expect(first == ["Saw"])
    #expect(try inventory.undo(by: "Ann").name == "Drill")
    #expect(try lent(inventory) == ["Drill", "Saw", "Axe"])
  }

  @Test func `a change is repeated until it is passed on, even in another process`() throws {
    #expect(try inventory.nextNews() == nil)
    for name in ["A", "B", "C"] { try world.add(.building, name) }
    let first = try #require(try inventory.nextNews())
    #expect(first.name == "A" && first.who == "Ann" && first.path.isEmpty)
    #expect(try inventory.nextNews() == first && world.reopened().nextNews() == first)
    try inventory.passedOn(upTo: first.number)
    let second = try #require(try world.reopened().nextNews())
    #expect(second.name == "B" && second.number > first.number)
    // An old number does not bring old changes back.
    try inventory.passedOn(upTo: second.number)
    try inventory.passedOn(upTo: first.number)
    #expect(try passOn(try world.reopened()).map(\.text) == ["added C"])
    #expect(try inventory.nextNews() == nil)
  }

  @Test func `the oldest unread changes are discarded, and the gap reports their number`() throws {
    #expect(try inventory.nextNews() == nil)
    let building = try world.add(.building, "House")
    let oldest = try #require(try inventory.nextNews())
    try inventory.passedOn(upTo: oldest.number)
    try world.add(.room, "Cellar", building)
    try world.add(.room, "Attic", building)
    // The numbers are as if 10,000 changes had been made since those two.
    _ = try world.sqlite("UPDATE sqlite_sequence SET seq = seq + \(Limits.inventoryNewsMax) WHERE name = 'news'")
    try world.add(.room, "Loft", building)
    let gap = try #require(try inventory.nextNews())
    #expect(gap.verb == .gap && gap.droppedCount == Limits.inventoryNewsMax + 2 && gap.name.isEmpty)
    // It comes again until it is passed on, also to another process, and then never.
    #expect(try world.reopened().nextNews() == gap && inventory.entry(gap.id) == nil)
    try inventory.passedOn(upTo: gap.number)
    #expect(try passOn(world.reopened()).map(\.text) == ["added Loft"])
    #expect(try inventory.nextNews() == nil)
  }

  @Test func `low items are reported one by one, oldest first, and once each`() throws {
    let box = try world.add(.box, "Screws", try world.spot())
    var items: [InventoryEntry] = []
    for name in ["M3", "M4", "M5", "M6"] {
      items.append(try world.add(.item, name, box) { $0.minimum = name == "M4" ? .some(1) : .some(5) })
      _ = try world.sqlite("UPDATE item SET created = created - 1000")
    }
    items.append(try world.add(.item, "M8", box))
    #expect(try inventory.lowItemCount() == 3)
    var told: [String] = []
    while let item = try inventory.nextLowItem() {
      told.append(item.name)
      try world.reopened().passedOnLow(item.id)
      try inventory.passedOnLow(item.id)
    }
    #expect(told == ["M3", "M5", "M6"])
    // As many as there should be is not low, none of what needs none is not, and no minimum is no need.
    var enough = InventoryEdit()
    enough.quantity = 5
    var unlimited = InventoryEdit()
    unlimited.minimum = .some(nil)
    try inventory.edit(items[0], enough, by: "Ann")
    try inventory.edit(items[2], unlimited, by: "Ann")
    try inventory.clearLowReportsOfRestockedItems()
    #expect(try inventory.nextLowItem() == nil && inventory.lowItemCount() == 1)
    // Taking it back makes both low again, which is news.
    for _ in 0..<2 { try inventory.undo(by: "Ann") }
    #expect(try inventory.nextLowItem()?.name == "M3" && inventory.lowItemCount() == 3)
    #expect(try world.sqlite("SELECT count(*) FROM announced_low") == "1\n")
  }

  @Test func `simultaneous changes of two processes are all passed on, in order`() async throws {
    let box = try world.add(.box, "Tools", try world.spot())
    let drill = try world.add(.item, "Drill", box)
    #expect(try inventory.nextNews() == nil)
    let folder = world.folder.path
    let rounds = 100
    let tags = try (0..<rounds).map { try uid(UInt8($0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for person in ["Ann", "Ben"] {
        group.addTask {
          let inventory = try Inventory.open(folder: folder)
          for round in 0..<rounds {
            try inventory.lend(drill, to: "\(person) \(round)", by: person)
            try inventory.assign(tags[round], to: drill, by: "Ann")
          }
        }
      }
      try await group.waitForAll()
    }
    let passed = try passOn(inventory)
    #expect(passed.count == 2 * rounds && passed.allSatisfy { $0.text == "lent Drill" })
    #expect(zip(passed, passed.dropFirst()).allSatisfy { $0.number < $1.number })
    #expect(try inventory.tags(of: drill).count == rounds && lent(inventory) == ["Drill"])
    // Each move begins where the one before ended.
    var moves: [InventoryMove] = []
    try inventory.forEachMove(of: drill.id) { move in
      moves.append(move)
      return true
    }
    #expect(moves.count == 2 * rounds)
    #expect(zip(moves, moves.dropFirst()).allSatisfy { $0.origin == $1.destination })
    #expect(try inventory.loan(of: drill)?.person == moves.first?.destination && world.isWhole())
  }
}
