// Stocktakes and audits of a place: what was not seen in it is missing, until it is found.

import Foundation
import TappetCore
import TappetSQLite
import TestSupport
import Testing

@testable import TappetInventory

@Suite struct InventoryMissingTests {
  private let world: TestInventory
  private let shelf: InventoryEntry
  private let boxes: [InventoryEntry]
  /// M1 and M2 are in the first box, M3 in the second; the third is empty.
  private let items: [InventoryEntry]
  private let ended = Counter()

  private final class Counter { var count: Int64 = 0 }

  init() throws {
    let world = try TestInventory()
    let shelf = try world.spot()
    let boxes = try (1...3).map { try world.add(.box, "Box \($0)", shelf) }
    items = try (1...3).map { number in
      try world.add(.item, "M\(number)", boxes[number / 3]) { $0.quantity = 10 }
    }
    (self.world, self.shelf, self.boxes) = (world, shelf, boxes)
  }

  /// The stocktake in progress.
  private var stocktake: Stocktake { Stocktake(number: 7 + ended.count, action: "counting") }

  private func see(_ entries: InventoryEntry..., as role: CheckedRole, by who: String = "Ann") throws {
    for entry in entries { try world.inventory.see(entry, role, in: stocktake, by: who) }
  }

  private func count(_ item: InventoryEntry, ticket: Int64) throws {
    _ = try world.inventory.tally(item, 1, in: stocktake, ticket: ticket, by: "Ann")
  }

  /// Ends the stocktake; the names of what is missing since then, or `nil` if it had no place.
  private func end() throws -> [String]? {
    defer { ended.count += 1 }
    return try world.inventory.endStocktake(stocktake.number, isKept: true).missing?.items.map(\.name).sorted()
  }

  private func missing() throws -> [String] {
    var names: [String] = []
    try world.inventory.forEachMissing { entry in
      names.append(entry.name)
      return true
    }
    #expect(try world.inventory.missingCount() == Int64(names.count))
    return names.sorted()
  }

  @Test func `an uncounted item in a box is missing with its quantity, and a counted item is not`() throws {
    try see(boxes[0], as: .countedPlace)
    try count(items[0], ticket: 1)
    #expect(try end() == ["M2"] && missing() == ["M2"])
    #expect(try items.map { try world.inventory.entry($0.id)?.quantity } == [1, 10, 10])
    #expect(try world.inventory.sighting(of: boxes[0])?.who == "Ann" && world.inventory.stocktakes().isEmpty)
  }

  @Test func `repeating an end has the same result, even from another process`() throws {
    try see(boxes[0], as: .countedPlace)
    try count(items[0], ticket: 1)
    for inventory in [world.inventory, try world.reopened()] {
      let end = try inventory.endStocktake(stocktake.number, isKept: true)
      #expect(end.items == 1 && end.missing?.items.map(\.name) == ["M2"])
    }
    ended.count += 1
    // Nothing is missing from a place in which all was seen, which is not the same as no place.
    try see(boxes[1], as: .countedPlace)
    try count(items[2], ticket: 2)
    for _ in 0..<2 { #expect(try world.inventory.endStocktake(stocktake.number, isKept: true).missing?.count == 0) }
    ended.count += 1
    try see(shelf, boxes[0], as: .auditedPlace)
    for _ in 0..<2 {
      let end = try world.inventory.endStocktake(stocktake.number, isKept: false)
      #expect(end.items == 2 && end.missing == nil)
    }
    #expect(try missing() == ["M2"])
  }

  @Test func `a count of a spot includes the items in its boxes, and a count of two places covers both`() throws {
    try see(shelf, as: .countedPlace)
    try count(items[2], ticket: 1)
    #expect(try end() == ["M1", "M2"])
    try see(boxes[0], boxes[1], as: .countedPlace)
    #expect(try end() == ["M1", "M2", "M3"])
    #expect(try end() == nil)
  }

  @Test func `an audit of a spot covers its boxes, and an audit of a box its items`() throws {
    try see(shelf, as: .auditedPlace)
    try see(boxes[1], as: .content)
    #expect(try end() == ["Box 1", "Box 3"])
    try see(boxes[0], as: .auditedPlace)
    try see(items[0], as: .content)
    #expect(try end() == ["M2"] && missing() == ["Box 3", "M2"])
  }

  @Test func `everything is missing from a spot in which nothing was seen, even if other spots follow`() throws {
    let rack = try world.spot(["Barn", "Attic", "Rack"])
    try world.add(.box, "Box 4", rack)
    try see(shelf, rack, as: .auditedPlace)
    #expect(try end() == ["Box 1", "Box 2", "Box 3", "Box 4"])
    // A place that is seen as a part of another one later is still one in which nothing was seen.
    try see(shelf, as: .auditedPlace)
    try see(try #require(try world.inventory.container(of: shelf)), as: .auditedPlace)
    try see(shelf, as: .content)
    #expect(try end() == ["Box 1", "Box 2", "Box 3"])
  }

  @Test func `a box's items are reported as missing only if one of them was seen`() throws {
    for count in 1...3 {
      for box in boxes.prefix(count) { try see(box, as: .auditedPlace) }
      #expect(try end() == nil && missing() == [])
    }
    try see(boxes[0], boxes[1], as: .auditedPlace)
    try see(items[0], as: .content)
    #expect(try end() == ["M2"])
    // It makes no difference whether the audit began at the spot of the box.
    try see(shelf, as: .auditedPlace)
    try see(boxes[0], boxes[1], boxes[2], items[1], as: .content)
    #expect(try end() == ["M1"])
  }

  @Test func `the last place is the one recorded last, whatever the wall clock showed`() throws {
    try see(boxes[0], as: .countedPlace)
    // The clock was a day ahead, and is set back now.
    try world.inventory.database.execute("UPDATE tally SET unix_ms = unix_ms + 86400000")
    try see(boxes[1], as: .countedPlace, by: "Ben")
    var open = try #require(try world.inventory.stocktakes().first)
    #expect(open.place?.id == boxes[1].id && open.who == "Ben" && !open.isAudit)
    ended.count += 1
    try see(boxes[2], as: .auditedPlace)
    open = try #require(try world.inventory.stocktakes().first)
    #expect(open.stocktake == stocktake && open.place?.id == boxes[2].id && open.isAudit)
  }

  @Test func `a thing on loan is not missing, and neither is an item with a quantity of zero`() throws {
    try world.inventory.lend(items[0], to: "Ada", by: "Ben")
    try world.inventory.lend(items[1], to: "Ada", quantity: 10, by: "Ben")
    try see(boxes[0], as: .countedPlace)
    #expect(try end() == [])
    try world.inventory.takeBack(items[1], from: "Ada", quantity: 1, by: "Ben")
    try see(boxes[0], as: .countedPlace)
    #expect(try end() == ["M2"])
    try world.inventory.count(items[2], found: 0, by: "Ben")
    try world.inventory.lend(boxes[0], to: "Cy", by: "Ben")
    try see(shelf, as: .countedPlace)
    #expect(try end() == [])
    try see(shelf, as: .auditedPlace)
    #expect(try end() == ["Box 2", "Box 3"])
  }

  @Test func `an item is missing until it is seen, counted, moved, lent or returned`() throws {
    func lose() throws {
      try see(boxes[0], as: .countedPlace)
      #expect(try end() == ["M1", "M2"])
    }
    try lose()
    try see(items[0], as: .content)
    try count(items[1], ticket: 1)
    #expect(try missing() == [])
    _ = try world.inventory.endStocktake(stocktake.number, isKept: false)
    ended.count += 1
    try lose()
    try world.inventory.move(items[0], to: boxes[1], by: "Ben")
    try world.inventory.move(items[0], to: boxes[0], by: "Ben")
    #expect(throws: InventoryError.unchanged(.item)) { try world.inventory.count(items[1], found: 10, by: "Ben") }
    #expect(try missing() == [])
    try lose()
    try world.inventory.lend(items[0], to: "Ada", by: "Ben")
    try world.inventory.count(items[1], found: 9, by: "Ben")
    #expect(try missing() == [])
    try world.inventory.takeBack(items[0], by: "Ben")
    try lose()
    // An entry that was removed is not missing, and is again when the removal is undone.
    try world.inventory.remove(items[0], by: "Eve")
    #expect(try missing() == ["M2"])
    try world.inventory.undo(by: "Eve")
    #expect(try missing() == ["M1", "M2"])
  }

  @Test func `a cancelled stocktake reports nothing, and another process resumes in the last place`() throws {
    try see(boxes[0], as: .countedPlace)
    #expect(try world.inventory.endStocktake(stocktake.number, isKept: false).missing == nil && missing() == [])
    ended.count += 1
    try see(boxes[1], as: .countedPlace, by: "Ben")
    let open = try #require(try world.reopened().stocktakes().first)
    #expect(open.stocktake == stocktake && open.who == "Ben")
    #expect(open.place == CheckedPlace(id: boxes[1].id, kind: .box))
    // The place was removed in the meantime: nothing is missing from it.
    try world.inventory.remove(boxes[1], by: "Eve")
    #expect(try world.inventory.stocktakes().first?.place == nil)
    #expect(try end() == nil && missing() == [])
  }

  @Test func `the response names at most 20 missing items, and reports their total`() throws {
    for number in 1...30 { try world.add(.item, "N\(number)", boxes[2]) }
    try see(boxes[2], as: .countedPlace)
    let list = try #require(try world.inventory.endStocktake(stocktake.number, isKept: true).missing)
    #expect(list.count == 30 && list.items.count == 20 && list.kind == .missing)
  }
}
