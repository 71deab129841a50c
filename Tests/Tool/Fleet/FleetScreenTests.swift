// The screen of 'fleet watch' as rows of text, and what its keys do.

import TappetCore
import Testing

@testable import TappetBroker
@testable import TappetBrokerTool

@Suite struct FleetScreenTests {
  private func screen(_ count: Int) -> FleetScreen {
    var screen = FleetScreen(place: "mqtts://broker:8883")
    for number in 0..<count {
      let payload = Array((number % 10 == 3 ? "offline" : "online").utf8)
      let topic = "tappet/k\(number < 10 ? "0" : "")\(number)/status"
      screen.take(LinkMessage(topic: topic, payload: payload, size: payload.count, qos: 0, isRetained: true))
    }
    return screen
  }

  private func names(_ screen: inout FleetScreen, rows: Int = 9) -> [String] {
    screen.rows(columns: 80, rows: rows, at: 0).dropFirst(2).dropLast(2).map { String($0.text.prefix { $0 != " " }) }
  }

  @Test func `the screen has as many rows as the terminal, and kiosks with problems are first and red`() {
    var screen = screen(20)
    let rows = screen.rows(columns: 80, rows: 9, at: 0)
    #expect(rows.count == 9 && rows[0].isReverse && rows[8].isReverse)
    #expect(rows[0].text.hasPrefix(" 20 kiosks, 2 with problems, 2 not connected  mqtts://broker:8883"))
    #expect(rows[0].text.count == 80)
    #expect(names(&screen) == ["k03", "k13", "k00", "k01", "k02"])
    #expect(rows[2].colour == .red && rows[4].colour == nil)
  }

  @Test func `arrows and page keys move within the list, and not beyond it`() {
    var screen = screen(20)
    _ = screen.press(.pageDown, page: 5)
    #expect(names(&screen) == ["k04", "k05", "k06", "k07", "k08"])
    for _ in 0..<9 { _ = screen.press(.pageDown, page: 5) }
    #expect(names(&screen).last == "k19")
    _ = screen.press(.up, page: 5)
    #expect(names(&screen).last == "k18")
    for _ in 0..<9 { _ = screen.press(.pageUp, page: 5) }
    #expect(names(&screen).first == "k03")
  }

  @Test func `n sorts by name, p shows problems only, text searches, escape clears it, and q ends`() {
    var screen = screen(20)
    _ = screen.press(.character("n"), page: 5)
    #expect(names(&screen).first == "k00")
    _ = screen.press(.character("p"), page: 5)
    #expect(names(&screen).prefix(3) == ["k03", "k13", ""])
    let ends = "/K1q".unicodeScalars.map { screen.press(.character($0), page: 5) }
    #expect(ends == [false, false, false, false])
    #expect(names(&screen).allSatisfy { $0.isEmpty } && screen.cursor(rows: 9)?.column == 9)
    _ = screen.press(.backspace, page: 5)
    #expect(names(&screen).first == "k13")
    _ = screen.press(.enter, page: 5)
    #expect(screen.cursor(rows: 9) == nil && screen.rows(columns: 80, rows: 9, at: 0)[7].text.contains("\"K1\""))
    _ = screen.press(.escape, page: 5)
    #expect(names(&screen).first == "k03")
    let isEnd = screen.press(.character("q"), page: 5)
    #expect(isEnd)
  }

  @Test(arguments: [1, 2, 5]) func `a tiny terminal shows what fits`(rows: Int) {
    var screen = screen(3)
    _ = screen.press(.character("?"), page: 1)
    #expect(!screen.rows(columns: 1, rows: rows, at: 0).isEmpty)
    _ = screen.press(.character("?"), page: 1)
    #expect(!screen.rows(columns: 1, rows: rows, at: 0).isEmpty)
  }
}
