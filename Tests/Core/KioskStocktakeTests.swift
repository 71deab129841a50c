// The jobs `count` and `audit`, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskStocktakeTests {
  private let shelf = ShelfScript()

  @Test func `the pieces that were counted are the quantity when the job ends, and not before`() {
    #expect(shelf.press(.count).contains("report started count") && shelf.light == .holding)
    for _ in 0..<3 { #expect(shelf.scan("m4").contains("report counted m4")) }
    #expect(shelf.quantity("m4") == 5)
    let words = shelf.press(.count)
    #expect(words.contains("report ended count") && words.contains("report written count"), "\(words)")
    #expect(words.contains("light accepted") && shelf.quantity("m4") == 3 && shelf.light != .holding)
    #expect(shelf.tallies.isEmpty)
  }

  @Test func `another job and the time end a count, too, and each writes it`() {
    shelf.press(.count)
    shelf.scan("m4")
    let words = shelf.press(.remove)
    #expect(words.contains("report written count") && shelf.quantity("m4") == 1, "\(words)")
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 0)
    shelf.press(.count)
    for _ in 0..<2 { shelf.scan("m4") }
    #expect(shelf.wait(milliseconds: 60_000).contains("report written count") && shelf.quantity("m4") == 2)
  }

  @Test func `a cancelled count changes nothing`() {
    shelf.press(.count)
    shelf.scan("m4")
    let words = shelf.press(.cancel)
    #expect(words.contains("report cancelled count") && words.contains("report discarded count"), "\(words)")
    #expect(words.contains("light accepted") && shelf.quantity("m4") == 5 && shelf.tallies.isEmpty)
  }

  @Test func `the end is shown only when it is on the disk, which is tried until it is`() {
    shelf.press(.count)
    shelf.scan("m4")
    shelf.isBusyNext = true
    let words = shelf.press(.count)
    #expect(words.contains("report delayed count") && !words.contains("light accepted"), "\(words)")
    #expect(shelf.quantity("m4") == 5 && shelf.light != .holding)
    let later = shelf.wait(milliseconds: 5_000)
    #expect(later.contains("report written count") && later.contains("light accepted"), "\(later)")
    #expect(shelf.quantity("m4") == 1)
  }

  @Test func `a count outlives tappet-inventory, and no piece is counted twice`() {
    shelf.press(.count)
    shelf.scan("m4")
    shelf.isKilledNext = true
    #expect(shelf.scan("m4").contains("light refused"))
    shelf.restart()
    #expect(shelf.scan("m4").contains("light accepted") && shelf.scan("m4").contains("light accepted"))
    // The process dies with the end on the disk: the next one has nothing to write, and it is shown.
    shelf.isKilledNext = true
    #expect(!shelf.press(.count).contains("light accepted") && shelf.quantity("m4") == 3)
    let words = shelf.restart()
    #expect(words.contains("report written count") && words.contains("light accepted"), "\(words)")
    #expect(shelf.quantity("m4") == 3)
  }

  @Test func `a count continues after a restart of the kiosk, with the pieces and the person that it had`() {
    shelf.press(.count)
    for _ in 0..<2 { shelf.scan("m4") }
    let next = ShelfScript()
    #expect(next.tellStocktakes(shelf.tallies, by: "Ada").contains("report resumed count") && next.light == .holding)
    next.scan("m4")
    #expect(next.press(.count).contains("report written count") && next.quantity("m4") == 3)
    // Nobody is there: it is written after a minute.
    let last = ShelfScript()
    last.tellStocktakes(shelf.tallies)
    #expect(last.wait(milliseconds: 60_000).contains("report time-up count") && last.quantity("m4") == 2)
  }

  @Test func `a count whose action is gone, or while another job is under way, is written`() {
    shelf.press(.count)
    shelf.scan("m4")
    let next = ShelfScript()
    next.story.kiosk.settings.actions.removeAll { $0.job == .count }
    #expect(next.tellStocktakes(shelf.tallies).contains("report written count") && next.quantity("m4") == 1)
    let other = ShelfScript()
    other.press(.add)
    #expect(other.tellStocktakes(shelf.tallies).contains("report written count") && other.quantity("m4") == 1)
    #expect(other.scan("m4").contains("report put m4") && other.quantity("m4") == 2)
  }

  @Test func `only items are counted`() {
    shelf.press(.count)
    #expect(shelf.scan("screws").contains("light refused") && shelf.scan("rack").contains("light refused"))
    #expect(shelf.tallies.isEmpty && shelf.changes.isEmpty)
  }

  @Test func `an audit records what was tapped, of any kind, and moves nothing`() {
    shelf.scan("screws")
    #expect(shelf.press(.audit).contains("report started audit"))
    for name in ["shelf", "screws", "m4"] { #expect(shelf.scan(name).contains("report seen \(name)")) }
    shelf.tapAda()
    #expect(shelf.scan("rack").contains("light accepted") && shelf.light == .holding)
    #expect(shelf.scan("nothing").contains("light refused"))
    #expect(
      shelf.changes == [
        "shelf seen by kiosk", "screws seen by kiosk", "m4 seen by kiosk", "rack seen by Ada",
      ])
    #expect(shelf.press(.cancel).contains("report cancelled audit") && shelf.light != .holding)
  }
}
