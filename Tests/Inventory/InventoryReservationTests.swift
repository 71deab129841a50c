import TappetCore
import TestSupport
import Testing

@testable import TappetInventory

@Suite struct InventoryReservationTests {
  private let world: TestInventory
  private let drill: InventoryEntry
  private var inventory: Inventory { world.inventory }

  init() throws {
    world = try TestInventory()
    drill = try world.add(.item, "Drill", try world.add(.box, "Tools", try world.spot()))
  }

  /// A reservation by days from today.
  private func days(_ first: Int64, _ last: Int64, _ person: String = "Ada") -> InventoryReservation {
    let today = CalendarDay.today.number
    return InventoryReservation(
      person: person, first: CalendarDay(number: today + first), last: CalendarDay(number: today + last))
  }

  @Test func `overlapping reservations are refused with the person's name, and others are sorted`() throws {
    let later = days(10, 12)
    try inventory.reserve(drill, later, by: "Ann")
    for (first, last) in [(8, 10), (12, 12), (11, 11), (9, 13)] as [(Int64, Int64)] {
      #expect(throws: InventoryError.reserved(later)) {
        try inventory.reserve(drill, days(first, last, "Ben"), by: "Ann")
      }
    }
    let sooner = days(8, 9, "Ben")
    try inventory.reserve(drill, sooner, by: "Ann")
    #expect(try world.reopened().reservations(of: drill) == [sooner, later])
    #expect(throws: InventoryError.endsBeforeStart(days(4, 3).first, days(4, 3).last)) {
      try inventory.reserve(drill, days(4, 3), by: "Ann")
    }
    #expect(throws: InventoryError.self) { try inventory.reserve(drill, days(20, 21, "\u{1B}"), by: "Ann") }
    try inventory.unreserve(drill, from: sooner.first, by: "Ann")
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.unreserve(drill, from: sooner.first, by: "Ann") }
    #expect(try inventory.reservations(of: drill) == [later])
  }

  @Test func `a loan cannot overlap another person's reservation, and a reservation cannot overlap a loan`() throws {
    let tomorrow = days(1, 2)
    try inventory.reserve(drill, tomorrow, by: "Ann")
    #expect(throws: InventoryError.reserved(tomorrow)) {
      try inventory.lend(drill, to: "Ben", until: days(0, 5).last, by: "Ben")
    }
    try inventory.lend(drill, to: "Ben", until: days(0, 0).last, by: "Ben")
    #expect(throws: InventoryError.reserved(tomorrow)) {
      try inventory.lend(drill, to: "Ben", until: tomorrow.first, by: "Ben")
    }
    let loan = try #require(try inventory.loan(of: drill))
    #expect(throws: InventoryError.lent(loan)) { try inventory.reserve(drill, days(0, 0, "Eve"), by: "Ann") }
    try inventory.takeBack(drill, by: "Ben")
    try inventory.lend(drill, to: "Ada", until: tomorrow.last, by: "Ada")
    #expect(try inventory.loan(of: drill)?.person == "Ada")
  }

  @Test func `a loan without a last day is refused only on a reserved day`() throws {
    try inventory.reserve(drill, days(1, 1), by: "Ann")
    try inventory.lend(drill, to: "Ben", by: "Ben")
    try inventory.takeBack(drill, by: "Ben")
    let today = days(0, 0)
    try inventory.reserve(drill, today, by: "Ann")
    #expect(throws: InventoryError.reserved(today)) { try inventory.lend(drill, to: "Ben", by: "Ben") }
    try inventory.lend(drill, to: "Ada", by: "Ada")
    try inventory.reserve(drill, days(-3, -1, "Eve"), by: "Ann")
    #expect(try inventory.reservations(of: drill) == [today, days(1, 1)])
  }
}
