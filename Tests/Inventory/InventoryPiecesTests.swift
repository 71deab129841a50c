// Loans and reservations of some pieces of an item, and loans of boxes.

import TappetCore
import TestSupport
import Testing

@testable import TappetInventory
@testable import TappetMessages

@Suite struct InventoryPiecesTests {
  private let world: TestInventory
  private let box: InventoryEntry
  private let screws: InventoryEntry
  private var inventory: Inventory { world.inventory }

  init() throws {
    world = try TestInventory()
    box = try world.add(.box, "Screws", try world.spot())
    screws = try world.add(.item, "M4", box) { $0.quantity = 10 }
  }

  private func day(_ number: Int64) -> CalendarDay { CalendarDay(number: CalendarDay.today.number + number) }

  private func reserve(_ quantity: Int64?, _ first: Int64, _ last: Int64, _ person: String) throws {
    try inventory.reserve(
      screws, InventoryReservation(person: person, first: day(first), last: day(last), quantity: quantity), by: "Eve")
  }

  private func loans() throws -> [String] {
    try inventory.loans(of: screws).map { "\($0.person) \($0.quantity.map { "\($0)" } ?? "all")" }.sorted()
  }

  private func tooFew(_ here: Int64) -> InventoryError { .tooFewHere(name: "M4", here: here) }

  @Test func `a later day is suggested only if the conflicting loan has an end`() throws {
    var loan = InventoryLoan(person: "Ada", unixMilliseconds: 0, due: CalendarDay("2026-12-24"), quantity: 2)
    let later = "until 2026-12-24; choose a later day, a smaller quantity, or return it first"
    #expect(InventoryError.lent(loan).sentence == "2 of it are checked out to Ada " + later)
    loan = InventoryLoan(person: "Ada", unixMilliseconds: 0, quantity: 1)
    let never = "without a last day; choose a smaller quantity, or return it first"
    #expect(InventoryError.lent(loan).sentence == "1 of it is checked out to Ada " + never)
  }

  @Test func `several people can borrow pieces of an item, up to its quantity, and return them`() throws {
    try inventory.lend(screws, to: "Ann", quantity: 5, by: "Eve")
    try inventory.lend(screws, to: "Ben", quantity: 2, until: day(3), by: "Eve")
    #expect(throws: tooFew(3)) { try inventory.lend(screws, to: "Ben", quantity: 4, by: "Eve") }
    try inventory.lend(screws, to: "Ann", quantity: 3, by: "Eve")
    #expect(try loans() == ["Ann 8", "Ben 2"] && inventory.loan(of: screws) == nil)
    #expect(throws: tooFew(0)) { try inventory.lend(screws, to: "Cy", quantity: 1, by: "Eve") }
    // All of it cannot be handed over while another has some.
    let others = try inventory.loans(of: screws)
    #expect(throws: InventoryError.self) { try inventory.lend(screws, to: "Cy", by: "Eve") }
    #expect(throws: InventoryError.severalPeople(name: "M4", others.map { $0.person })) {
      try inventory.takeBack(screws, by: "Eve")
    }
    #expect(throws: InventoryError.tooFewLent(person: "Ben", quantity: 2)) {
      try inventory.takeBack(screws, from: "Ben", quantity: 3, by: "Eve")
    }
    try inventory.takeBack(screws, from: "Ann", quantity: 6, by: "Eve")
    try inventory.takeBack(screws, from: "Ben", by: "Eve")
    #expect(try loans() == ["Ann 2"])
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.takeBack(screws, from: "Ben", by: "Eve") }
    try inventory.takeBack(screws, by: "Eve")
    #expect(try loans() == [])
    for wrong in [0, -1, .max] as [Int64] {
      #expect(throws: InventoryError.wrongQuantity(wrong)) {
        try inventory.lend(screws, to: "Ann", quantity: wrong, by: "Eve")
      }
    }
  }

  @Test func `a number that replaces an undone piece counts in full`() throws {
    _ = try inventory.adjust(screws, by: 1, ticket: 1, by: "kiosk")
    try inventory.undo(by: "Eve")
    #expect(try inventory.adjust(screws, by: 25, replacing: 1, ticket: 2, by: "kiosk").quantity == 35)
    // Redone, and changed by another person since: the piece is there, and the number replaces it.
    _ = try inventory.adjust(screws, by: -1, ticket: 3, by: "kiosk")
    try inventory.undo(by: "Eve")
    try inventory.redo(by: "Eve")
    try inventory.adjust(screws, by: 2, by: "Eve")
    #expect(try inventory.adjust(screws, by: -4, replacing: -1, ticket: 4, by: "kiosk").quantity == 33)
  }

  @Test func `loans and reservations are listed in order until the caller stops`() throws {
    try inventory.lend(screws, to: "Ann", quantity: 2, by: "Eve")
    try inventory.lend(screws, to: "Ben", quantity: 3, until: day(3), by: "Eve")
    try inventory.lend(box, to: "Cy", until: day(-1), by: "Eve")
    try reserve(4, 9, 9, "Dan")
    try reserve(2, 8, 9, "Eve")
    func listed(_ count: Int) throws -> [String] {
      var found: [String] = []
      try inventory.forEachLoan { entry, loan in
        found.append("\(entry.name) \(loan.person)\(loan.isOverdue ? ", overdue" : "")")
        return found.count < count
      }
      return found
    }
    let loans = ["M4 Ann", "M4 Ben", "Screws Cy, overdue"]
    for count in 1...3 { #expect(try listed(count) == Array(loans.prefix(count))) }
    var reservations: [String] = []
    try inventory.forEachReservation { item, reservation in
      reservations.append("\(item.name) \(reservation.person) \(reservation.quantity ?? 0)")
      return true
    }
    #expect(reservations == ["M4 Eve 2", "M4 Dan 4"])
    try inventory.remove(box, by: "Eve")
    #expect(try listed(9).isEmpty)
  }

  @Test func `a loan without a person, and a change by zero or beyond the maximum, are refused`() throws {
    #expect(throws: InventoryError.emptyPerson) { try inventory.lend(screws, to: " ", by: "Eve") }
    #expect(throws: InventoryError.emptyPerson) { try reserve(1, 1, 1, "") }
    #expect(throws: InventoryError.unchanged(.item)) { try inventory.adjust(screws, by: 0, by: "Eve") }
    for wrong in [Int64.min, .max] {
      #expect(throws: InventoryError.wrongQuantity(wrong)) { try inventory.adjust(screws, by: wrong, by: "Eve") }
    }
    #expect(try loans() == [] && inventory.changes().count == 5)
  }

  @Test func `the first eight people with pieces are named, and the others are counted`() throws {
    #expect(try inventory.loans(of: screws).people == "")
    for number in 0...7 { try inventory.lend(screws, to: "P\(number)", quantity: 1, by: "Eve") }
    #expect(try inventory.loans(of: screws).people == "P0, P1, P2, P3, P4, P5, P6, P7")
    for number in 8...9 { try inventory.lend(screws, to: "P\(number)", quantity: 1, by: "Eve") }
    #expect(try inventory.loans(of: screws).people == "P0, P1, P2, P3, P4, P5, P6, P7 and 2 more")
  }

  @Test func `borrowing the last pieces turns the loan into one of the whole item`() throws {
    try inventory.lend(screws, to: "Ann", quantity: 4, by: "Eve")
    try inventory.lend(screws, to: "Ann", quantity: 6, by: "Eve")
    #expect(try loans() == ["Ann all"] && inventory.loan(of: screws)?.person == "Ann")
    #expect(throws: tooFew(0)) { try inventory.lend(screws, to: "Ann", quantity: 1, by: "Eve") }
    let all = try #require(try inventory.loan(of: screws))
    #expect(throws: InventoryError.lent(all)) { try inventory.lend(screws, to: "Ben", quantity: 1, by: "Eve") }
    try inventory.takeBack(screws, quantity: 7, by: "Eve")
    #expect(try loans() == ["Ann 3"])
    // A person who has pieces can get all of it, and hand all of it over.
    try inventory.lend(screws, to: "Ann", by: "Eve")
    try inventory.lend(screws, to: "Ben", by: "Eve")
    #expect(try loans() == ["Ben all"])
  }

  @Test func `pieces on loan cannot be removed, and survive a move of the item`() throws {
    try inventory.lend(screws, to: "Ann", quantity: 6, by: "Eve")
    #expect(throws: tooFew(4)) { try inventory.adjust(screws, by: -5, by: "Eve") }
    #expect(try inventory.adjust(screws, by: -4, by: "Eve").quantity == 6)
    let other = try world.add(.box, "Other", try inventory.resolve("Shelf", .spot))
    try inventory.move(screws, to: other, by: "Eve")
    #expect(try loans() == ["Ann 6"])
  }

  @Test func `each loan and return of pieces is undone and redone`() throws {
    let changes: [() throws -> Void] = [
      { try self.inventory.lend(self.screws, to: "Ann", quantity: 5, by: "Eve") },
      { try self.inventory.lend(self.screws, to: "Ben", quantity: 2, until: self.day(3), by: "Eve") },
      { try self.inventory.takeBack(self.screws, from: "Ann", quantity: 2, by: "Eve") },
      { try self.reserve(4, 4, 6, "Cy") }, { try self.reserve(6, 4, 4, "Ann") },
      { try self.inventory.unreserve(self.screws, from: self.day(4), for: "Cy", by: "Eve") },
      { try self.inventory.takeBack(self.screws, from: "Ben", by: "Eve") },
    ]
    for change in changes {
      let before = try world.dump("loan reservation")
      try change()
      let after = try world.dump("loan reservation")
      #expect(before != after)
      try inventory.undo(by: "Eve")
      #expect(try world.dump("loan reservation") == before)
      try inventory.redo(by: "Eve")
      #expect(try world.dump("loan reservation") == after)
    }
  }

  @Test func `reservations share the pieces, and are refused only if a day has too few`() throws {
    try reserve(6, 1, 5, "Ann")
    try reserve(4, 3, 8, "Ben")
    let (ann, ben) = (try inventory.reservations(of: screws)[0], try inventory.reservations(of: screws)[1])
    #expect(throws: InventoryError.reserved(ann)) { try reserve(1, 5, 5, "Cy") }
    #expect(throws: InventoryError.reserved(ann)) { try reserve(nil, 2, 2, "Cy") }
    // The fullest of these days is in the middle.
    #expect(throws: InventoryError.reserved(ann)) { try reserve(4, 1, 9, "Cy") }
    #expect(throws: InventoryError.reserved(ben)) { try reserve(7, 6, 9, "Cy") }
    try reserve(6, 6, 9, "Cy")
    try reserve(4, 1, 2, "Cy")
    #expect(throws: tooFew(10)) { try reserve(11, 20, 20, "Cy") }
    #expect(throws: InventoryError.reserved(ann)) { try reserve(1, 1, 1, "Ann") }
    try reserve(3, 30, 31, "Ann")
    try reserve(3, 30, 30, "Ben")
    #expect(throws: InventoryError.severalPeople(name: "M4", ["Ann", "Ben"])) {
      try inventory.unreserve(screws, from: day(30), by: "Eve")
    }
    try inventory.unreserve(screws, from: day(30), for: "Ben", by: "Eve")
    #expect(try inventory.reservations(of: screws).last?.person == "Ann")
  }

  @Test func `a loan leaves the pieces reserved by others, and a reservation the pieces on loan`() throws {
    try reserve(4, 0, 2, "Ann")
    let ann = try inventory.reservations(of: screws)[0]
    #expect(throws: InventoryError.reserved(ann)) { try inventory.lend(screws, to: "Ben", quantity: 7, by: "Eve") }
    #expect(throws: InventoryError.reserved(ann)) { try inventory.lend(screws, to: "Ben", by: "Eve") }
    try inventory.lend(screws, to: "Ben", quantity: 6, until: day(4), by: "Eve")
    // Ann's reserved pieces are not counted twice once she has them.
    try inventory.lend(screws, to: "Ann", quantity: 4, until: day(2), by: "Eve")
    #expect(try loans() == ["Ann 4", "Ben 6"])
    try reserve(4, 3, 4, "Cy")
    let ben = try #require(try inventory.loans(of: screws).first { $0.person == "Ben" })
    try inventory.unreserve(screws, from: day(3), by: "Eve")
    #expect(throws: InventoryError.lent(ben)) { try reserve(5, 3, 4, "Cy") }
    try reserve(10, 5, 5, "Cy")
  }

  @Test func `a box is lent and returned, and also counts as returned when it is put somewhere`() throws {
    try inventory.lend(box, to: "Ann", until: day(-1), by: "Eve")
    var lent: [String] = []
    try inventory.forEachLent(.box, dueBefore: .today) { entry in
      lent.append(entry.name)
      return true
    }
    try inventory.forEachLent(.item) { entry in
      lent.append(entry.name)
      return true
    }
    #expect(lent == ["Screws"])
    let barn = try world.spot(["Barn", "Loft", "Corner"])
    try inventory.move(box, to: barn, by: "Ann")
    #expect(try inventory.loans(of: box) == [])
    try inventory.undo(by: "Ann")
    #expect(try inventory.loan(of: box)?.person == "Ann")
    try inventory.takeBack(box, by: "Ann")
    #expect(try inventory.loan(of: box) == nil)
    var moves: [String] = []
    try inventory.forEachMove(of: box.id) { move in
      moves.append(move.destination)
      return true
    }
    let shelf = "House → Cellar → Shelf"
    #expect(moves.reversed() == ["Ann", "Barn → Loft → Corner", "Ann", shelf])
  }

  @Test func `an item is listed once, however many people have pieces of it`() throws {
    for person in ["Ann", "Ben", "Cy"] {
      try inventory.lend(screws, to: person, quantity: 1, until: day(-2), by: "Eve")
    }
    var count = 0
    try inventory.forEachLent(.item) { _ in
      count += 1
      return true
    }
    try inventory.forEachLent(.item, dueBefore: .today) { _ in
      count += 1
      return true
    }
    #expect(count == 2)
  }
}
