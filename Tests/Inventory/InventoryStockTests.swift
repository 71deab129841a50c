// Low items and overdue loans: the kiosk reports each once in each dip and each loan, whatever happens in between.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetStore

@Suite struct InventoryStockTests {
  private let world: TestInventory
  private var inventory: Inventory { world.inventory }

  init() throws { world = try TestInventory() }

  private func item(_ name: String = "M4", quantity: Int64 = 10) throws -> InventoryEntry {
    try world.add(.item, name, try world.add(.box, "Screws", try world.spot())) {
      ($0.quantity, $0.minimum) = (quantity, 5)
    }
  }

  /// Passes on all changes; returns their verbs.
  private func verbs() throws -> [String] {
    var verbs: [String] = []
    while let news = try inventory.nextNews() {
      verbs.append(news.verb.name)
      try inventory.passedOn(upTo: news.number)
    }
    return verbs
  }

  private func set(_ item: InventoryEntry, _ quantity: Int64) throws {
    var edit = InventoryEdit()
    edit.quantity = quantity
    try inventory.edit(item, edit, by: "Ann")
  }

  @Test func `becoming low, being restocked and a stocktake are recorded as changes`() throws {
    let screws = try item()
    #expect(try verbs() == [])
    try inventory.count(screws, found: 3, by: "Ann")
    try inventory.clearLowReportsOfRestockedItems()
    #expect(try verbs() == ["counted"])
    let low = try #require(try inventory.nextLowItem())
    try inventory.passedOnLow(low.id)
    try inventory.passedOnLow(low.id)
    #expect(try verbs() == ["low"])
    try inventory.adjust(screws, by: 1, by: "Ann")
    try inventory.clearLowReportsOfRestockedItems()
    #expect(try verbs() == ["edited"])
    try inventory.adjust(screws, by: 1, by: "Ann")
    try inventory.clearLowReportsOfRestockedItems()
    try inventory.clearLowReportsOfRestockedItems()
    #expect(try verbs() == ["edited", "restocked"])
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.count(screws, found: 5, by: "Ann") }
    #expect(try inventory.changes().map { $0.verb.name }.prefix(3) == ["edited", "edited", "counted"])
  }

  @Test func `a removed item is no longer low, and does not count as restocked`() throws {
    let screws = try item(quantity: 1)
    #expect(try verbs() == [])
    try inventory.passedOnLow(screws.id)
    try inventory.remove(screws, by: "Ann")
    try inventory.clearLowReportsOfRestockedItems()
    #expect(try verbs() == ["low", "removed"])
    #expect(try world.sqlite("SELECT count(*) FROM announced_low") == "0\n")
  }

  @Test func `low items do not displace pending changes`() throws {
    let screws = try item(quantity: 1)
    #expect(try verbs() == [])
    _ = try world.sqlite("UPDATE sqlite_sequence SET seq = seq + \(Limits.inventoryStockNewsMax) WHERE name = 'news'")
    try set(screws, 2)
    try inventory.passedOnLow(screws.id)
    #expect(try verbs() == ["gap", "edited"])
    // It is low all the same, and said again after it was restocked.
    #expect(try inventory.nextLowItem() == nil)
    try set(screws, 9)
    try inventory.clearLowReportsOfRestockedItems()
    try set(screws, 1)
    #expect(try inventory.nextLowItem()?.id == screws.id)
  }

  @Test func `a loan is overdue once, from the day after its end, and again after it is renewed`() throws {
    let drill = try item("Drill")
    let (due, later) = (CalendarDay(number: 20_000), CalendarDay(number: 20_010))
    try inventory.lend(drill, to: "Ann", until: due, by: "Ben")
    #expect(try inventory.nextOverdueLoan(on: due)?.entry == nil && inventory.hasLoanDue(from: due))
    let next = CalendarDay(number: due.number + 1)
    #expect(try !inventory.hasLoanDue(from: next))
    func say(_ day: CalendarDay) throws -> Bool {
      guard let (item, loan) = try inventory.nextOverdueLoan(on: day) else { return false }
      // Not recorded, it comes again, also to another process.
      #expect(try world.reopened().nextOverdueLoan(on: day)?.entry == item)
      try inventory.passedOnOverdue(item.id, loan)
      return true
    }
    #expect(try say(next) && !say(next))
    #expect(try world.reopened().nextOverdueLoan(on: next)?.entry == nil)
    try inventory.lend(drill, to: "Ann", until: later, by: "Ben")
    #expect(try !say(later) && say(CalendarDay(number: later.number + 1)))
    try inventory.takeBack(drill, by: "Ann")
    #expect(try !say(CalendarDay(number: later.number + 1)) && inventory.loanCount() == 0)
    // The clock stands still, and the loan is another one all the same.
    _ = try world.sqlite("UPDATE announced_overdue SET unix_ms = unix_ms - 1")
    try inventory.lend(drill, to: "Ann", until: later, by: "Ben")
    #expect(try say(CalendarDay(number: later.number + 1)) && inventory.loanCount() == 1)
  }

  @Test func `a loan that is returned while being reported does not hide the next loan`() throws {
    let drill = try item("Drill")
    let due = CalendarDay(number: 20_000)
    try inventory.lend(drill, to: "Ann", until: due, by: "Ben")
    let loan = try #require(try inventory.loan(of: drill))
    try inventory.takeBack(drill, by: "Ann")
    try inventory.lend(drill, to: "Eve", until: CalendarDay(number: 20_001), by: "Ben")
    try inventory.passedOnOverdue(drill.id, loan)
    #expect(try inventory.nextOverdueLoan(on: CalendarDay(number: 20_005))?.entry.id == drill.id)
  }

  @Test func `an overdue loan is reported once for each person with pieces, and for a box`() throws {
    let (screws, due) = (try item("Screws", quantity: 10), CalendarDay(number: 20_000))
    for person in ["Ann", "Ben"] { try inventory.lend(screws, to: person, quantity: 2, until: due, by: "Eve") }
    let box = try #require(try inventory.container(of: screws))
    try inventory.lend(box, to: "Cleo", until: due, by: "Eve")
    #expect(try inventory.loanCount() == 3)
    var people: [String] = []
    while people.count < 9, let (entry, loan) = try inventory.nextOverdueLoan(on: .today) {
      people.append(loan.person)
      try inventory.passedOnOverdue(entry.id, loan)
    }
    #expect(people.sorted() == ["Ann", "Ben", "Cleo"])
  }

  // MARK: Any order of events

  /// A mistake of a kiosk, or of the inventory, that the judge must find.
  enum Mistake: String, CaseIterable, Sendable {
    case none
    case saidTwice = "said twice"
    case notArmedAgain = "not said again after a restock"
    case lostInACrash = "lost in a crash"
  }

  /// Takes, puts, undoes, reports and crashes at random; returns what the judge found.
  private func play(_ mistake: Mistake, seed: UInt64) throws -> String? {
    var random = Randomness(seed: (seed, 1, 2, 3))
    let world = try TestInventory()
    var inventory = world.inventory
    let box = try world.add(.box, "Screws", try world.spot())
    let items = try ["M4", "M5", "M6"].map { name in
      try world.add(.item, name, box) { ($0.quantity, $0.minimum) = (10, 5) }
    }
    // For each item: whether it is in a dip, and how often a kiosk that survived has reported that dip.
    var (isLow, said) = ([false, false, false], [0, 0, 0])
    func look() throws {
      for (index, item) in items.enumerated() {
        let now = try inventory.entry(item.id, of: .item)?.isLow ?? false
        if now != isLow[index] { (isLow[index], said[index]) = (now, 0) }
      }
    }
    /// One turn of tappet-inventory and the kiosk; with `crashes`, both end before the report is recorded.
    func report(crashes: Bool) throws -> String? {
      if mistake != .notArmedAgain { try inventory.clearLowReportsOfRestockedItems() }
      guard let item = try inventory.nextLowItem(), let index = items.firstIndex(where: { $0.id == item.id }) else {
        return nil
      }
      if crashes {
        if mistake == .lostInACrash { try inventory.passedOnLow(item.id) }
        inventory = try world.reopened()
        return nil
      }
      said[index] += mistake == .saidTwice ? 2 : 1
      try inventory.passedOnLow(item.id)
      return said[index] > 1 ? "said twice" : nil
    }
    for _ in 0..<60 {
      let index = Int.random(in: items.indices, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: _ = try? inventory.adjust(items[index], by: -Int64.random(in: 1...9, using: &random), by: "Ann")
      case 2: try inventory.adjust(items[index], by: Int64.random(in: 1...9, using: &random), by: "Ann")
      case 3: _ = try? inventory.count(items[index], found: Int64.random(in: 0...9, using: &random), by: "Ann")
      case 4:
        guard let last = try inventory.changes().first, last.verb == .edited, !last.isTakenBack else { continue }
        try inventory.undo(by: "Ann")
      case 5: if let found = try report(crashes: true) { return found }
      default: if let found = try report(crashes: false) { return found }
      }
      // tappet-inventory is woken by each change.
      try look()
      if mistake != .notArmedAgain { try inventory.clearLowReportsOfRestockedItems() }
    }
    for _ in 0...items.count { if let found = try report(crashes: false) { return found } }
    for (index, isLow) in isLow.enumerated() where isLow && said[index] == 0 { return "never said" }
    return nil
  }

  @Test func `each shortage is reported once, in any order of changes, reports and crashes`() throws {
    for seed: UInt64 in 1...20 { #expect(try play(.none, seed: seed) == nil, "seed \(seed)") }
  }

  @Test(arguments: Mistake.allCases.dropFirst())
  func `the check of low reports detects each planted bug`(_ mistake: Mistake) throws {
    let found = try (1...20).contains { try play(mistake, seed: $0) != nil }
    #expect(found, "\(mistake.rawValue)")
  }
}
