// The jobs `count` and `audit`, with the test in the place of tappet-inventory.

import Testing

@testable import TappetCore

@Suite struct KioskStocktakeTests {
  private let shelf = ShelfScript()

  @Test func `counted pieces become the quantity when the job ends, and not before`() {
    #expect(shelf.press(.count).contains("report started count") && shelf.light == .holding)
    for _ in 0..<3 { #expect(shelf.scan("m4").contains("report counted m4")) }
    #expect(shelf.quantity("m4") == 5)
    let words = shelf.press(.count)
    #expect(words.contains("report ended count") && words.contains("report written count"), "\(words)")
    #expect(words.contains("light accepted") && shelf.quantity("m4") == 3 && shelf.light != .holding)
    #expect(shelf.tallies.isEmpty)
  }

  @Test func `a different job or the timeout also ends a count and writes it`() {
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

  @Test func `a job's end is shown only once it is on disk, and retried until then`() {
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

  @Test func `a count survives the end of tappet-inventory, and no piece is counted twice`() {
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

  @Test func `a count continues after a restart of the kiosk, with its pieces and its person`() {
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

  @Test func `a count is written even if its action was removed or another job has started`() {
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

  @Test func `an audit stays an audit even if its action was removed or has a different job`() {
    shelf.press(.audit)
    for name in ["rack", "screws"] { shelf.scan(name) }
    for job in [InventoryJob.count, nil] {
      let next = ShelfScript()
      next.story.kiosk.settings.actions.removeAll { $0.job == .audit }
      if let job { next.story.kiosk.settings.actions.append(.job(job, named: InventoryJob.audit.rawValue)) }
      let words = next.tellStocktakes(shelf.tallies, in: shelf.checked)
      #expect(words.contains(#"report written audit without ["nails"]"#), "\(words)")
      #expect(next.light != .holding && next.quantity("m4") == 5)
    }
  }

  @Test func `an end whose response was lost is repeated, and reports the same missing things`() {
    shelf.press(.audit)
    for name in ["rack", "screws"] { shelf.scan(name) }
    shelf.isKilledNext = true
    #expect(!shelf.press(.audit).contains { $0.contains("written") } && shelf.tallies.isEmpty)
    let words = shelf.restart()
    #expect(words.contains(#"report written audit without ["nails"]"#) && words.contains("light accepted"), "\(words)")
  }

  @Test func `an audit of boxes alone does not report their contents as missing`() {
    for names in [["screws"], ["screws", "nails"]] {
      shelf.press(.audit)
      for name in names { #expect(shelf.scan(name).contains("report seen \(name)")) }
      #expect(shelf.press(.audit).contains("report written audit"))
    }
  }

  @Test func `a count includes only items, and does not move boxes`() {
    shelf.press(.count)
    #expect(shelf.scan("cellar").contains("light refused") && shelf.tallies.isEmpty && shelf.changes.isEmpty)
    for name in ["screws", "rack"] { #expect(shelf.scan(name).contains("report counting \(name)")) }
    #expect(shelf.light == .holding && shelf.changes == ["screws seen by kiosk", "rack seen by kiosk"])
  }

  @Test func `an uncounted item in a box or on a spot is missing, and keeps its quantity`() {
    for (place, isEmpty) in [("screws", false), ("rack", false), ("nails", true)] {
      let shelf = ShelfScript()
      shelf.press(.count)
      #expect(shelf.scan(place).contains("light accepted"))
      let words = shelf.press(.count)
      #expect(words.contains("report written count without \(isEmpty ? [] : ["m4"])"), "\(words)")
      #expect(shelf.quantity("m4") == 5)
    }
    // Everything is there; without a place, nothing can be missing.
    shelf.press(.count)
    for name in ["screws", "m4"] { shelf.scan(name) }
    #expect(shelf.press(.count).contains("report written count without []") && shelf.quantity("m4") == 1)
    shelf.press(.count)
    shelf.scan("m4")
    #expect(shelf.press(.count).contains("report written count"))
    shelf.press(.count)
    shelf.scan("screws")
    let cancelled = shelf.press(.cancel)
    #expect(cancelled.contains("report discarded count"), "\(cancelled)")
  }

  @Test func `an item counted in the wrong place is reported and counted`() {
    shelf.press(.count)
    #expect(shelf.scan("m4").contains("report counted m4"))
    for place in ["screws", "rack"] {
      shelf.scan(place)
      #expect(shelf.scan("m4").contains("report counted m4"))
    }
    for place in ["nails", "shelf"] {
      shelf.scan(place)
      #expect(shelf.scan("m4").contains("report counted m4 from elsewhere"))
    }
    shelf.press(.count)
    #expect(shelf.quantity("m4") == 5 && !shelf.scan("m4").contains("report shown m4 from elsewhere"))
  }

  @Test func `a place whose response was lost is requested again`() {
    shelf.press(.count)
    shelf.isKilledNext = true
    #expect(shelf.scan("nails").contains("light refused"))
    shelf.restart()
    #expect(shelf.scan("m4").contains("report counted m4") && shelf.scan("nails").contains("report counting nails"))
    #expect(shelf.scan("m4").contains("report counted m4 from elsewhere"))
  }

  @Test func `a stocktake of a place continues in the same place after a restart of the kiosk`() {
    shelf.press(.count)
    shelf.scan("nails")
    let next = ShelfScript()
    #expect(next.tellStocktakes(shelf.tallies, in: shelf.checked).contains("report resumed count"))
    #expect(next.scan("m4").contains("report counted m4 from elsewhere"))
    #expect(next.press(.count).contains("report written count without []"))
    let audit = ShelfScript()
    audit.press(.audit)
    audit.scan("rack")
    let last = ShelfScript()
    #expect(last.tellStocktakes(audit.tallies, in: audit.checked).contains("report resumed audit"))
    #expect(last.scan("screws").contains("report seen screws"))
    let words = last.wait(milliseconds: 60_000)
    let missing = #"report written audit without ["nails"]"#
    #expect(words.contains("report time-up audit") && words.contains(missing), "\(words)")
  }

  @Test func `an audit of a spot reports its unseen boxes, and boxes that belong elsewhere`() {
    shelf.press(.audit)
    #expect(shelf.scan("shelf").contains("report seen shelf"))
    // The box does not become the place: the spot contains boxes.
    #expect(shelf.scan("screws").contains("report seen screws from elsewhere"))
    #expect(shelf.scan("rack").contains("report seen rack") && shelf.scan("screws").contains("report seen screws"))
    shelf.isBusyNext = true
    #expect(shelf.press(.audit).contains("report delayed audit"))
    let words = shelf.wait(milliseconds: 5_000)
    #expect(words.contains(#"report written audit without ["nails"]"#) && words.contains("light accepted"), "\(words)")
    // Nothing is missing from the next one, and a cancelled one names nothing.
    shelf.press(.audit)
    for name in ["screws", "m4"] { shelf.scan(name) }
    #expect(shelf.press(.audit).contains("report written audit without []"))
    shelf.press(.audit)
    shelf.scan("screws")
    #expect(!shelf.press(.cancel).contains { $0.contains("without") } && shelf.tallies.isEmpty)
  }

  @Test func `an audit records tapped things of any kind, and moves nothing`() {
    shelf.scan("screws")
    #expect(shelf.press(.audit).contains("report started audit"))
    for name in ["rack", "screws", "m4"] { #expect(shelf.scan(name).contains("report seen \(name)")) }
    shelf.tapAda()
    #expect(shelf.scan("shelf").contains("light accepted") && shelf.light == .holding)
    #expect(shelf.scan("nothing").contains("light refused"))
    #expect(
      shelf.changes == [
        "rack seen by kiosk", "screws seen by kiosk", "m4 seen by kiosk", "shelf seen by Ada",
      ])
    #expect(shelf.press(.cancel).contains("report cancelled audit") && shelf.light != .holding)
  }
}
