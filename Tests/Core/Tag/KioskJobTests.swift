// Jobs at the shelf, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskJobTests {
  private let shelf = ShelfScript()

  @Test func `each tap of an item adds or removes one piece, until the job's own button ends the job`() {
    #expect(shelf.press(.add).contains("report started add") && shelf.light == .holding)
    #expect(shelf.scan("m4").contains("report put m4") && shelf.scan("m4").contains("light accepted"))
    #expect(shelf.quantity("m4") == 7)
    #expect(shelf.press(.add).contains("report ended add") && shelf.light != .holding)
    #expect(shelf.scan("m4").contains("report shown m4") && shelf.quantity("m4") == 7)
    // Another job's button ends the job and starts that one; nothing is held any longer.
    shelf.press(.add)
    let words = shelf.press(.remove)
    #expect(words.contains("report ended add") && words.contains("report started remove"), "\(words)")
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 6 && shelf.press(.cancel).contains("report cancelled remove"))
    #expect(shelf.light != .holding)
    shelf.scan("rack")
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 6 && shelf.changes.count == 3)
  }

  @Test func `a job ends after a minute without a tap, and each tap restarts the time`() {
    shelf.press(.add)
    for _ in 0..<3 {
      shelf.wait(milliseconds: 58_000)
      #expect(shelf.scan("m4").contains("report put m4"))
    }
    shelf.wait(milliseconds: 59_999)
    #expect(shelf.light == .holding)
    #expect(shelf.story.sleep(until: shelf.time + 1).contains("report time-up add") && shelf.light != .holding)
    shelf.time += 1
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 8)
  }

  @Test func `a job accepts only items, and neither moves nor lends them`() {
    shelf.scan("screws")
    shelf.press(.remove)
    #expect(shelf.scan("shelf").contains("light refused") && shelf.scan("nails").contains("light refused"))
    shelf.scan("m4")
    #expect(shelf.light == .holding && shelf.changes == ["-1 m4 by kiosk"])
    // A person's tag says whose the changes are from then on.
    #expect(!shelf.tapAda().contains("light refused"))
    shelf.scan("m4")
    #expect(shelf.changes == ["-1 m4 by kiosk", "-1 m4 by Ada"])
  }

  @Test func `a piece is counted once if its response is lost, and so are further pieces`() {
    shelf.press(.remove)
    shelf.isKilledNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 4)
    shelf.restart()
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 4)
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 3)
    // The end of the job ends that, too.
    shelf.isKilledNext = true
    shelf.scan("m4")
    shelf.restart()
    for _ in 0..<2 { shelf.press(.remove) }
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 1)
  }

  @Test func `a job does not start without tappet-inventory, and ends with its action`() {
    shelf.press(.add)
    shelf.story.kiosk.settings.actions.removeAll { $0.job == .add }
    shelf.time += 1_000
    #expect(shelf.story.at(shelf.time, .timerFired).contains("report removed add") && shelf.light != .holding)
    shelf.at(.inventory(.ended(.signaled(9))))
    #expect(shelf.press(.remove).contains("light refused") && shelf.light != .holding)
  }
}
