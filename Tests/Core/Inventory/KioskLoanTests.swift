// Loans at the shelf, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskLoanTests {
  private let shelf = ShelfScript()

  @Test func `a suspended person cannot borrow or return, but others can return that person's items`() {
    shelf.scan("m4")
    #expect(shelf.tapAda().contains("report lent m4"))
    shelf.suspendAda()
    for _ in 0..<2 {
      let refused = shelf.tapAda()
      #expect(refused.contains("light refused") && refused.contains { $0.contains("suspended Ada") }, "\(refused)")
    }
    #expect(shelf.changes == ["m4 to Ada"])
    shelf.wait(milliseconds: 11_000)
    #expect(shelf.scan("m4").contains("report shown m4") && shelf.light == .holding)
    #expect(shelf.scan("screws").contains("report moved m4") && shelf.changes == ["m4 to Ada", "m4 to screws"])
    #expect(shelf.tapAda().contains("light refused") && shelf.changes.count == 2)
  }
}
