// The screen of 'inventory watch' as rows of text.

import TappetCore
import TappetJSON
import Testing

@testable import TappetInventoryTool

@Suite struct InventoryScreenTests {
  private func screen(of count: Int) -> InventoryScreen {
    var screen = InventoryScreen()
    screen.facts = .init(title: "Screws  [B-17]", place: "House → Cellar → Shelf")
    screen.facts?.contents = (0..<count).map { ("M\($0)  5", $0 == 1) }
    screen.facts?.count = Int64(count)
    screen.sentence = "box Screws [B-17] is in House → Cellar → Shelf"
    return screen
  }

  @Test func `the screen fills any terminal, with the entry on top and as much of its contents as fits`() {
    #expect(InventoryScreen().rows(columns: 40, rows: 8)[0].text.hasPrefix("  Tap a tag, or scan a code"))
    let rows = screen(of: 3).rows(columns: 40, rows: 12)
    #expect(rows.count == 12 && rows[0].isReverse && rows[0].text.unicodeScalars.count == 40)
    #expect(rows[0].text.hasPrefix("  Screws  [B-17]") && rows[2].text == "  House → Cellar → Shelf")
    #expect(rows[4...6].map(\.text) == ["  M0  5", "  M1  5", "  M2  5"] && rows[5].colour == .yellow)
    let cut = screen(of: 30).rows(columns: 40, rows: 12).map(\.text)
    #expect(cut[4...7] == ["  M0  5", "  M1  5", "  M2  5", "  … and 27 more"])
    for (columns, rows) in [(1, 1), (3, 2), (80, 4), (80, 5), (200, 60)] {
      #expect(screen(of: 30).rows(columns: columns, rows: rows).count == max(4, rows))
    }
  }

  @Test func `the last lines explain the effect of a second tap, and why a tap was refused`() {
    var screen = screen(of: 1)
    #expect(screen.rows(columns: 80, rows: 12)[9].text == "  box Screws [B-17] is in House → Cellar → Shelf")
    screen.isAsking = true
    #expect(screen.rows(columns: 80, rows: 12)[9].text.contains("Tap the second tag or code"))
    (screen.isAsking, screen.isRefused, screen.sentence) = (false, true, "tap refused: why")
    let rows = screen.rows(columns: 80, rows: 12)
    #expect(rows[8].text == "  tap refused: why" && rows[8].colour == .red && rows[9].text.isEmpty)
  }

  @Test func `only records about the inventory are shown`() {
    func record(_ code: String) -> JSON { .object(["code": .string(code)]) }
    for event in ["inventory-moved", "inventory-counting", "inventory-count-ended", "inventory-audit-ended"] {
      #expect(InventoryScreen.isShown(event, .object([])))
    }
    for fault in InventoryFault.allCases { #expect(InventoryScreen.isShown("tap-refused", record(fault.code))) }
    #expect(!InventoryScreen.isShown("tap-refused", record("signature-invalid")))
    #expect(!InventoryScreen.isShown("inventory-lost", .object([])) && !InventoryScreen.isShown("queued", .object([])))
  }
}
