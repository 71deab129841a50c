// Stocktakes and audits at the shelf: what is counted, written, discarded, and seen.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory

@Suite struct InventoryStocktakeTests {
  private let world: TestInventory
  private let box: InventoryEntry
  private let screws: InventoryEntry
  private let stocktake = Stocktake(number: -7, action: "counting")

  init() throws {
    world = try TestInventory()
    box = try world.add(.box, "Screws", try world.spot())
    screws = try world.add(.item, "M4", box) { $0.quantity = 10 }
  }

  /// Counts pieces, each with the next ticket; returns the last tally.
  @discardableResult
  private func count(
    _ item: InventoryEntry, _ tickets: ClosedRange<Int64>, by who: String = "Ann", in inventory: Inventory? = nil
  ) throws -> Int64 {
    var tally: Int64 = 0
    for ticket in tickets {
      tally = try (inventory ?? world.inventory).tally(item, 1, in: stocktake, ticket: ticket, by: who)
    }
    return tally
  }

  private func quantity(_ item: InventoryEntry) throws -> Int64? { try world.inventory.entry(item.id)?.quantity }

  @Test func `a count is written once, can be undone, and is published with both quantities`() throws {
    #expect(try world.inventory.nextNews() == nil)
    #expect(try count(screws, 1...3) == 3 && quantity(screws) == 10)
    #expect(try world.inventory.endStocktake(stocktake.number, isKept: true).items == 1)
    #expect(try quantity(screws) == 3 && world.inventory.stocktakes().isEmpty)
    // The response was lost: there is nothing more to write, and the result is the same.
    #expect(try world.inventory.endStocktake(stocktake.number, isKept: true).items == 1)
    let news = try #require(try world.inventory.nextNews())
    #expect(news.verb == .counted && news.correction == StockCorrection(from: 10, to: 3) && news.who == "Ann")
    try world.inventory.passedOn(upTo: news.number)
    #expect(try world.inventory.nextNews() == nil)
    #expect(try world.inventory.undo(by: "Ann").verb == .counted)
    #expect(try quantity(screws) == 10)
  }

  @Test func `a piece whose response was lost is counted once, even by the next process`() throws {
    try count(screws, 1...2)
    let next = try world.reopened()
    #expect(try count(screws, 2...2, in: next) == 2 && count(screws, 3...3, by: "Ben", in: next) == 3)
    let open = try next.stocktakes()
    #expect(open.map { $0.stocktake } == [stocktake] && open.map { $0.who } == ["Ben"])
    #expect(try next.endStocktake(stocktake.number, isKept: true).items == 1 && quantity(screws) == 3)
  }

  @Test func `a discarded count, or a count without differences, changes nothing`() throws {
    try count(screws, 1...3)
    #expect(try world.inventory.endStocktake(stocktake.number, isKept: false).items == 1 && quantity(screws) == 10)
    let next = Stocktake(number: stocktake.number + 1, action: stocktake.action)
    for ticket: Int64 in 11...20 { _ = try world.inventory.tally(screws, 1, in: next, ticket: ticket, by: "Ann") }
    let changes = try world.inventory.changes().count
    #expect(try world.inventory.endStocktake(next.number, isKept: true).items == 1)
    #expect(try world.inventory.changes().count == changes && world.inventory.stocktakes().isEmpty)
  }

  @Test func `a count applies despite a later change, and pieces on loan are added to it`() throws {
    #expect(try world.inventory.nextNews() == nil)
    try count(screws, 1...4)
    try world.inventory.adjust(screws, by: 2, by: "Ben")
    try world.inventory.lend(screws, to: "Ada", quantity: 3, by: "Ben")
    _ = try world.inventory.endStocktake(stocktake.number, isKept: true)
    #expect(try quantity(screws) == 7)
    var corrections: [StockCorrection] = []
    while let news = try world.inventory.nextNews() {
      if let correction = news.correction { corrections.append(correction) }
      try world.inventory.passedOn(upTo: news.number)
    }
    #expect(corrections == [StockCorrection(from: 12, to: 7)])
  }

  @Test func `an item that was removed in the meantime is skipped, and the others are written`() throws {
    let nuts = try world.add(.item, "Nuts", box) { $0.quantity = 10 }
    try count(screws, 1...1)
    try count(nuts, 2...3)
    try world.inventory.remove(screws, by: "Ben")
    #expect(try world.inventory.endStocktake(stocktake.number, isKept: true).items == 2 && quantity(nuts) == 2)
    #expect(throws: InventoryError.unknown(.item, "M4")) { try count(screws, 4...4) }
    let removal = try #require(try world.inventory.changes().first { $0.verb == .removed })
    try world.inventory.undo(number: removal.number, by: "Ben")
    #expect(try quantity(screws) == 10)
  }

  @Test func `more pieces than an item can have are refused, and the counted pieces are kept`() throws {
    try count(screws, 1...1)
    for pieces in [Limits.inventoryQuantityMax, .max, -1] {
      #expect(throws: InventoryError.wrongQuantity(pieces)) {
        try world.inventory.tally(screws, pieces, in: stocktake, ticket: 2, by: "Ann")
      }
    }
    #expect(try count(screws, 2...2) == 2)
  }

  @Test func `the last sighting of an entry is kept, even if its removal was undone`() throws {
    let shelf = try #require(try world.inventory.container(of: box))
    #expect(try world.inventory.sighting(of: box) == nil && world.inventory.isUnseen(box, since: .today))
    let audit = Stocktake(number: 9, action: "audit")
    for who in ["Ann", "Ben"] { try world.inventory.see(box, .content, in: audit, by: who) }
    try world.inventory.remove(box, by: "Eve")
    #expect(throws: InventoryError.unknown(.box, "Screws")) {
      try world.inventory.see(box, .content, in: audit, by: "Ann")
    }
    try world.inventory.undo(by: "Eve")
    #expect(try world.inventory.sighting(of: box)?.who == "Ben")
    #expect(try !world.inventory.isUnseen(box, since: CalendarDay(number: CalendarDay.today.number - 1)))
    #expect(try world.inventory.isUnseen(box, since: CalendarDay(number: CalendarDay.today.number + 1)))
    // The box alone was seen, not its contents and its place.
    #expect(try world.inventory.isUnseen(screws, since: .today) && world.inventory.isUnseen(shelf, since: .today))
  }
}
