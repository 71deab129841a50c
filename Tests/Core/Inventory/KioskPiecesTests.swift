// Numbers of pieces at the shelf, from labels, tags and keys, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskPiecesTests {
  private let shelf = ShelfScript()

  @Test(arguments: ["25", "smp://number?n=25"]) func `a number before an item moves that many pieces`(
    _ code: String
  ) {
    shelf.press(.add)
    #expect(shelf.scan(code).contains("report holds 25") && shelf.light == .holding)
    #expect(shelf.scan("m4").contains("report put m4") && shelf.quantity("m4") == 30)
    shelf.scan("m4")
    #expect(shelf.changes == ["25 m4 by kiosk", "1 m4 by kiosk"])
    shelf.press(.remove)
    shelf.scan(code)
    #expect(shelf.scan("m4").contains("report taken m4") && shelf.quantity("m4") == 6)
    shelf.press(.count)
    shelf.scan(code)
    for _ in 0..<2 { shelf.scan("m4") }
    shelf.press(.count)
    #expect(shelf.quantity("m4") == 26)
  }

  @Test(arguments: ["25", "smp://number?n=25"]) func `a number after an item replaces the counted piece`(
    _ code: String
  ) {
    shelf.press(.add)
    shelf.scan("m4")
    #expect(shelf.scan(code).contains("report put m4") && shelf.quantity("m4") == 30)
    #expect(shelf.changes == ["1 m4 by kiosk", "25 m4 instead of 1 by kiosk"])
    shelf.press(.remove)
    shelf.scan("m4")
    shelf.scan(code)
    #expect(shelf.quantity("m4") == 5)
    shelf.press(.count)
    shelf.scan("m4")
    shelf.scan("m4")
    #expect(shelf.scan(code).contains("report counted m4"))
    shelf.press(.count)
    #expect(shelf.quantity("m4") == 26)
  }

  @Test func `an item keeps its number, and the next number is for the next item`() {
    shelf.press(.add)
    for code in ["25", "m4", "10", "m4", "m4", "7", "8", "3", "m4"] { shelf.scan(code) }
    #expect(
      shelf.changes == [
        "25 m4 by kiosk", "10 m4 by kiosk", "1 m4 by kiosk", "7 m4 instead of 1 by kiosk", "3 m4 by kiosk",
      ])
  }

  @Test func `a number does not apply to an item tapped long before, or before something else`() {
    shelf.press(.count)
    shelf.scan("m4")
    shelf.wait(milliseconds: 9_000)
    #expect(shelf.scan("25").contains("report holds 25"))
    shelf.scan("m4")
    for code in ["m4", "screws", "3"] { shelf.scan(code) }
    shelf.scan("m4")
    shelf.tapAda()
    shelf.press(.count)
    #expect(shelf.quantity("m4") == 30)
  }

  @Test func `a number is refused after a refused tap, an unknown code or anything but an item`() {
    func tapOther(_ number: Int) {
      switch number {
      case 0: shelf.at(.inventory(.message(.misread(.scanIncomplete))))
      case 1: shelf.scan("nothing")
      case 2: shelf.scan("screws")
      case 3: shelf.scan("0")
      case 4: shelf.tap(.of(.lightSecret))
      default:
        shelf.at(.reader(.tagArrived(.number(9))))
        shelf.at(.reader(.tagFaulted(.number(9), .mifareClassic, .unsupportedModel)))
      }
    }
    shelf.press(.add)
    for number in 0..<6 {
      let before = shelf.quantity("m4")
      shelf.scan("m4")
      tapOther(number)
      #expect(shelf.scan("25").contains { $0.contains("numberUnclear") }, "\(number)")
      #expect(shelf.quantity("m4") == before + 1, "\(number)")
      // Scanned again, it is for the next item.
      #expect(shelf.scan("25").contains("report holds 25"), "\(number)")
      shelf.scan("m4")
      #expect(shelf.quantity("m4") == before + 26, "\(number)")
    }
  }

  @Test func `a number right after an item applies to it, whatever was tapped before`() {
    shelf.press(.add)
    shelf.tapAda()
    shelf.scan("m4")
    #expect(shelf.scan("25").contains("report put m4") && shelf.quantity("m4") == 30)
    shelf.at(.inventory(.message(.misread(.scanIncomplete))))
    shelf.scan("m4")
    #expect(shelf.scan("25").contains("report put m4") && shelf.quantity("m4") == 55)
  }

  @Test func `a scanned number is kept until an item is accepted`() {
    shelf.press(.remove)
    shelf.scan("25")
    #expect(shelf.scan("m4").contains { $0.contains("noneLeft") } && shelf.light == .holding)
    #expect(shelf.scan("m4").contains { $0.contains("noneLeft") } && shelf.quantity("m4") == 5)
    shelf.scan("2")
    shelf.scan("m4")
    shelf.scan("m4")
    #expect(shelf.changes == ["-2 m4 by kiosk", "-1 m4 by kiosk"])
  }

  @Test func `a refused retry of a change keeps the number scanned in the meantime`() {
    shelf.add("m5", .item, in: "screws")
    shelf.press(.remove)
    shelf.scan("5")
    shelf.isFullNext = true
    #expect(shelf.scan("m4").contains { $0.contains("full") } && shelf.quantity("m4") == 5)
    // Its number is for no other item.
    for code in ["1", "m5"] { shelf.scan(code) }
    shelf.take(2, of: "m4")
    shelf.scan("3")
    #expect(shelf.scan("m4").contains("report taken m4") && shelf.quantity("m4") == 0)
    shelf.scan("m5")
    #expect(shelf.changes == ["-1 m5 by kiosk", "-3 m4 by kiosk", "-1 m5 by kiosk"])
  }

  @Test func `a scanned number is kept for an item until its job ends`() {
    shelf.press(.add)
    shelf.scan("25")
    #expect(shelf.scan("screws").contains("light refused") && shelf.scan("nothing").contains("light refused"))
    shelf.tapAda()
    shelf.wait(milliseconds: 50_000)
    shelf.scan("m4")
    #expect(shelf.changes == ["25 m4 by Ada"])
    for job in [InventoryJob.add, .cancel] {
      shelf.press(.cancel)
      shelf.press(.add)
      shelf.scan("25")
      shelf.press(job)
      shelf.press(.add)
      shelf.scan("m4")
    }
    shelf.wait(milliseconds: 10_000)
    shelf.scan("25")
    shelf.wait(milliseconds: 60_000)
    shelf.press(.remove)
    shelf.scan("m4")
    #expect(shelf.changes.suffix(3) == ["1 m4 by kiosk", "1 m4 by kiosk", "-1 m4 by kiosk"])
  }

  @Test func `a number outside a job with pieces is refused, and bare digits are read as a code`() {
    let refused = "report refused tag not in inventory shelf notNumber"
    #expect(shelf.scan("smp://number?n=25").contains { $0.contains("notNumber") }, "\(refused)")
    #expect(shelf.scan("25").contains { $0.contains("unknown 25") })
    shelf.press(.audit)
    #expect(shelf.scan("smp://number?n=25").contains { $0.contains("notNumber") })
    shelf.press(.add)
    for zero in ["0", "smp://number?n=0"] { #expect(shelf.scan(zero).contains { $0.contains("notNumber") }) }
    for code in ["99999", "smp://number?n=99999", "007", "-5", "+5", "2 5", "smp://number?n=", "4006381333931"] {
      #expect(shelf.scan(code).contains { $0.contains("unknown \(code)") })
    }
    shelf.scan("9999")
    shelf.scan("m4")
    #expect(shelf.changes == ["9999 m4 by kiosk"])
  }

  @Test func `a count of zero pieces is recorded`() {
    shelf.press(.count)
    shelf.scan("0")
    shelf.scan("m4")
    #expect(shelf.tallies.values.first == ["m4": 0])
    shelf.scan("m4")
    shelf.scan("0")
    #expect(shelf.tallies.values.first == ["m4": 0])
  }

  @Test func `removing more pieces than exist is refused, and removes none`() {
    shelf.press(.remove)
    shelf.scan("25")
    #expect(shelf.scan("m4").contains { $0.contains("noneLeft") } && shelf.quantity("m4") == 5)
    for _ in 0..<2 { shelf.press(.remove) }
    shelf.scan("m4")
    #expect(shelf.scan("25").contains { $0.contains("noneLeft") } && shelf.quantity("m4") == 4)
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 3)
  }

  @Test func `digits that are an entry's code select the entry`() {
    shelf.add("42", .item, in: "screws")
    shelf.press(.add)
    shelf.scan("42")
    #expect(shelf.changes == ["1 42 by kiosk"])
    shelf.scan("smp://number?n=42")
    #expect(shelf.quantity("42") == 47)
  }

  @Test func `a number whose response was lost is counted once, and a later number replaces it`() {
    shelf.press(.add)
    shelf.scan("25")
    shelf.isKilledNext = true
    #expect(shelf.scan("m4").contains("light refused") && shelf.quantity("m4") == 30)
    shelf.restart()
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 30)
    shelf.scan("10")
    shelf.isKilledNext = true
    shelf.scan("m4")
    shelf.restart()
    shelf.scan("20")
    #expect(shelf.scan("m4").contains("light accepted") && shelf.quantity("m4") == 50)
    // The piece was moved, and its number was not answered.
    shelf.scan("m4")
    shelf.isKilledNext = true
    #expect(shelf.scan("5").contains("light refused") && shelf.quantity("m4") == 55)
    shelf.restart()
    shelf.scan("m4")
    #expect(shelf.quantity("m4") == 55)
  }

  @Test func `a label or tag with a number is not looked up as an entry`() {
    for (code, pieces) in [("smp://number?n=1", 1), ("smp://number?n=9999", 9999), ("smp://number?n=0", 0)]
      as [(String, Int64)]
    {
      #expect(LabelCode.pieces(inLink: code) == pieces && LabelCode.number(pieces) == code)
      #expect(LabelCode.alternatives(to: code).isEmpty)
    }
    for code in ["smp://number?n=10000", "smp://number?n=01", "smp://number?n=-1", "smp://number?id=5", "25"] {
      #expect(LabelCode.pieces(inLink: code) == nil)
    }
  }
}
