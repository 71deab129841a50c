// The screen of 'matrix watch' as rows of text.

import Testing

@testable import TappetMatrixTool

@Suite struct RoomScreenTests {
  private func screen(of count: Int) -> RoomScreen {
    let rooms = (0..<count).map { number in
      """
      "!r\(number):h": {"state": {"events": [
        {"type": "m.room.name", "state_key": "", "content": {"name": "Room \(number)"}}]},
      "unread_notifications": {"notification_count": \(number), "highlight_count": \(number == 2 ? 1 : 0)},
      "timeline": {"events": [{"type": "m.room.message", "sender": "@ann:h", "event_id": "$\(number)",
        "origin_server_ts": \(1000 + number), "content": {"body": "text \(number)"}}]}}
      """
    }
    var table = RoomTable()
    _ = table.read(Array(#"{"next_batch": "s", "rooms": {"join": {\#(rooms.joined(separator: ","))}}}"#.utf8))
    var screen = RoomScreen(place: "example.org")
    screen.show(table)
    return screen
  }

  @Test func `the screen fills any terminal, with the newest room on top, and colours only unread rooms`() {
    var screen = screen(of: 3)
    let rows = screen.rows(columns: 100, rows: 10, now: 5000)
    #expect(rows.count == 10 && rows[0].text.hasPrefix(" 3 rooms, 0 spaces, 3 unread  example.org "))
    #expect(rows[0].isReverse && rows[0].text.unicodeScalars.count == 100)
    #expect(rows[2].text.hasPrefix("*Room 2 ") && rows[2].text.hasSuffix(" @ann:h: text 2") && rows[2].colour == .red)
    #expect(rows[3].text.hasPrefix("*Room 1 ") && rows[3].colour == .yellow)
    #expect(rows[4].text.hasPrefix(" Room 0 ") && rows[4].colour == nil)
    for (columns, count) in [(1, 1), (3, 2), (80, 4), (200, 60)] {
      #expect(screen.rows(columns: columns, rows: count, now: 0).count == max(5, count))
    }
  }

  @Test func `keys scroll within the list, and quit`() {
    var screen = screen(of: 30)
    func first() -> String { screen.rows(columns: 80, rows: 14, now: 0)[2].text }
    #expect(first().hasPrefix("*Room 29"))
    #expect(!screen.press(.pageDown, page: 10) && first().hasPrefix("*Room 19"))
    for _ in 0..<5 { _ = screen.press(.pageDown, page: 10) }
    #expect(first().hasPrefix("*Room 9"))
    #expect(!screen.press(.up, page: 10) && first().hasPrefix("*Room 10"))
    for _ in 0..<30 { _ = screen.press(.up, page: 10) }
    #expect(first().hasPrefix("*Room 29") && screen.press(.character("q"), page: 10))
  }

  @Test func `a fault is shown above the keys, and cannot move the cursor`() {
    var screen = screen(of: 1)
    screen.notice = "trying again in 2 s: \u{1B}[2J"
    let rows = screen.rows(columns: 80, rows: 8, now: 0)
    #expect(rows[6].text == #" trying again in 2 s: \u{1b}[2J"# && rows[6].colour == .red && rows[7].isReverse)
  }
}
