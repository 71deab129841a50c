// The screen of 'matrix watch' as rows of text. Sends no requests and draws nothing.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform
import TappetRooms

/// The screen of `tappet matrix watch`.
struct RoomScreen {
  /// Number of rows above and below the list of rooms.
  static let frame = 4

  private static let keys = " q quit  arrows, page up and down"
  private static let unreadWidth = 6
  private static let mentionWidth = 8
  private static let stateWidth = 7
  private static let timeWidth = 16

  private let place: String
  private var entries: [ListedEntry] = []
  private var invitations: [Invitation] = []
  /// The fault of the connection, as a sentence; empty if there is none.
  var notice = ""
  /// Number of rows scrolled off the top.
  private var above = 0

  /// Creates the screen for the homeserver with the given name.
  init(place: String) { self.place = place }

  mutating func show(_ table: RoomTable) {
    entries = ListedEntry.entries(table.ordered)
    invitations = table.orderedInvitations
  }

  /// Handles a key press, with `page` rows per page; returns true if the key quits the program.
  mutating func press(_ key: TerminalKey, page: Int) -> Bool {
    switch key {
    case .character("q"): return true
    case .up: above = max(0, above - 1)
    case .down: above += 1
    case .pageUp: above = max(0, above - page)
    case .pageDown: above += page
    case .character, .enter, .backspace, .escape, .tab: break
    }
    return false
  }

  /// Returns all rows of a screen of the given size.
  mutating func rows(columns: Int, rows: Int, now: Int64) -> [ScreenRow] {
    func full(_ text: String) -> String { text.cell(max(columns, text.unicodeScalars.count)) }
    let space = max(1, rows - Self.frame)
    let width = min(32, max(12, columns * 3 / 10))
    let lines = entries.flatMap { Self.lines($0, width, now) } + invitations.map { ScreenRow(text: " " + $0.line) }
    above = min(above, max(0, lines.count - space))
    let shown = lines[above..<min(lines.count, above + space)]
    let header = " " + "room".cell(width) + " unread mentions state   newest message"
    let blank = [ScreenRow](repeating: ScreenRow(text: ""), count: space - shown.count)
    return [ScreenRow(text: full(summary), isReverse: true), ScreenRow(text: header)] + Array(shown) + blank + [
      ScreenRow(text: notice.isEmpty ? "" : " " + notice.escaped, colour: .red),
      ScreenRow(text: full(Self.keys), isReverse: true),
    ]
  }

  private var summary: String {
    let rooms = entries.flatMap { $0.room.isSpace ? $0.children : [$0.room] }
    let spaces = entries.filter { $0.room.isSpace }.count
    // A room of two spaces is listed under both, and counted once.
    var (counted, unread): (Set<String>, Int64) = ([], 0)
    for room in rooms where counted.insert(room.id).inserted { unread += room.counts.unread }
    let parts = [plural(counted.count, "room"), plural(spaces, "space"), "\(unread) unread"]
    let invited = invitations.isEmpty ? [] : [plural(invitations.count, "invitation")]
    return " " + (parts + invited).joined(separator: ", ") + "  " + place.escaped
  }

  private static func lines(_ entry: ListedEntry, _ width: Int, _ now: Int64) -> [ScreenRow] {
    let newest = entry.newest?.room
    var lines = [row(entry.room.title, entry.counts, newest, inSpace: entry.room.isSpace, width, now)]
    for child in entry.children { lines.append(row("  " + child.title, child.counts, child, width, now)) }
    return lines
  }

  /// Returns the row of a room or, with `inSpace`, of a space whose newest message is in the given room.
  private static func row(
    _ title: String, _ counts: RoomCounts, _ newest: MatrixRoom?, inSpace: Bool = false, _ width: Int, _ now: Int64
  ) -> ScreenRow {
    let unread = counts.unread > 0 ? String(counts.unread) : ""
    let mentions = counts.showsMentions ? String(counts.mentions) : ""
    let state = counts.isMarkedUnread ? "marked" : counts.isMuted ? "muted" : ""
    var text = (counts.isHighlighted ? "*" : " ") + title.cell(width) + " " + unread.cellRight(unreadWidth)
    text += " " + mentions.cellRight(mentionWidth) + " " + state.cell(stateWidth) + " "
    if let newest, let message = newest.newest {
      let time = WallTime.brief(unixMilliseconds: message.unixMilliseconds, now: now)
      text += time.cell(timeWidth) + " " + (inSpace ? "[\(newest.title)] " : "")
      text += message.sender.escaped + ": " + message.text
    }
    return ScreenRow(text: text, colour: counts.showsMentions ? .red : counts.isHighlighted ? .yellow : nil)
  }
}

extension String {
  /// The text in a column of this width, truncated if necessary.
  fileprivate func cell(_ width: Int) -> String {
    let count = unicodeScalars.count
    if count <= width { return self + String(repeating: " ", count: width - count) }
    return String(String.UnicodeScalarView(unicodeScalars.prefix(max(0, width - 1)))) + "…"
  }

  fileprivate func cellRight(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - unicodeScalars.count)) + self
  }
}
