// The state of 'fleet watch', its key bindings, and its screen as rows of text. Reads no clock and draws nothing.

import TappetBroker
import TappetCommandLine
import TappetCore

/// The screen of 'fleet watch'.
struct FleetScreen {
  /// Number of rows above and below the list of kiosks.
  static let frame = 4

  private static let keys = " q quit  ? help  / find  p problems  n by name  arrows, page up and down"
  private static let prompt = "find> "
  private static let help = [
    "", "  q         quit, like Ctrl-C", "  ?         show the kiosks again",
    "  /         search by name, light, version or problem; Esc ends the search",
    "  p         show only kiosks with problems, or all kiosks", "  n         sort by name, or by problem",
    "", "  light     light shown at the kiosk, or 'online' if the kiosk does not publish its state",
    "  seen      time since its last state message", "  queue     pending messages",
    "  cert      days until its first certificate expires",
    "  clock     unset: not synchronized, but not needed",
    "", "  Red: not connected, silent or broken. Yellow: needs attention soon.",
  ]

  private let place: String
  private(set) var fleet = Fleet()
  /// The most recent event of the connection, as a sentence.
  var notice = ""
  private var isHelp = false
  private var isTroubleOnly = false
  private var isByName = false
  /// The search text; empty means none.
  private var wanted = ""
  /// Whether `wanted` is being typed.
  private var isTyping = false
  /// Number of kiosks scrolled off the top.
  private var above = 0

  /// Creates the screen for the broker at the given address.
  init(place: String) { self.place = place }

  mutating func take(_ message: LinkMessage) { fleet.take(message) }

  // MARK: Keys

  /// Handles a key press, with `page` rows per page; returns true if the key quits the program.
  mutating func press(_ key: TerminalKey, page: Int) -> Bool {
    if isTyping {
      type(key)
      return false
    }
    switch key {
    case .character("q"): return true
    case .character("?"): isHelp.toggle()
    case .character("/"): (isTyping, isHelp) = (true, false)
    case .character("p"): isTroubleOnly.toggle()
    case .character("n"): isByName.toggle()
    case .up: above = max(0, above - 1)
    case .down: above += 1
    case .pageUp: above = max(0, above - page)
    case .pageDown: above += page
    case .escape: (wanted, isHelp) = ("", false)
    case .enter, .tab, .backspace, .character: break
    }
    return false
  }

  private mutating func type(_ key: TerminalKey) {
    switch key {
    case .escape: (wanted, isTyping) = ("", false)
    case .enter: isTyping = false
    case .backspace: if !wanted.isEmpty { wanted.unicodeScalars.removeLast() }
    case .character(let scalar):
      let isShort = wanted.utf8.count < Limits.clientIDSizeMax
      if isShort, String(scalar).isPrintable { wanted.unicodeScalars.append(scalar) }
    case .up, .down, .pageUp, .pageDown, .tab: break
    }
    above = 0
  }

  /// Returns the position of the cursor; `nil` if no text is being typed.
  func cursor(rows: Int) -> (row: Int, column: Int)? {
    isTyping ? (row: rows - 2, column: Self.prompt.utf8.count + wanted.escaped.unicodeScalars.count) : nil
  }

  // MARK: Rows

  /// Returns all rows of a screen of the given size.
  mutating func rows(columns: Int, rows: Int, at unixMilliseconds: Int64) -> [ScreenRow] {
    let room = max(1, rows - Self.frame)
    let summary = " \(fleet.summary(at: unixMilliseconds))  \(place.escaped)"
    let middle =
      isHelp
      ? Self.help.map { ScreenRow(text: $0) } : kiosks(room, columns, at: unixMilliseconds)
    var screen = [ScreenRow(text: Self.padded(summary, columns), isReverse: true)] + middle.prefix(room + 1)
    screen += [ScreenRow](repeating: ScreenRow(text: ""), count: max(0, room + 1 - middle.count))
    let found = wanted.isEmpty ? notice : "only kiosks with \(wanted.quoted)  " + notice
    screen.append(ScreenRow(text: isTyping ? Self.prompt + wanted.escaped : found))
    screen.append(ScreenRow(text: Self.padded(Self.keys, columns), isReverse: true))
    return screen
  }

  /// Returns the table header, and the kiosks that fit on the screen.
  private mutating func kiosks(_ room: Int, _ columns: Int, at now: Int64) -> [ScreenRow] {
    var ranked = isByName ? fleet.named(at: now) : fleet.ranked(at: now)
    if isTroubleOnly { ranked.removeAll { $0.rank == FleetAlert.rankOfNone } }
    if !wanted.isEmpty { ranked.removeAll { !fits($0.place, at: now) } }
    above = min(above, max(0, ranked.count - room))
    let shown = ranked[above..<min(ranked.count, above + room)]
    let lines = FleetTable(shown.map { fleet.row($0.place, at: now) }, at: now, columns: columns).lines()
    let colours = [ScreenRow.Colour?.none] + shown.map { Self.colour($0.rank) }
    return zip(lines, colours).map { ScreenRow(text: $0, colour: $1) }
  }

  /// Whether a kiosk's name, light, version or alert contains the search text.
  private func fits(_ place: Int, at now: Int64) -> Bool {
    let row = fleet.row(place, at: now)
    let texts = [row.board.clientID, row.board.state?.light, row.board.state?.version, row.trouble?.sentence]
    return texts.contains { $0?.asciiLowercased.contains(part: wanted.asciiLowercased) ?? false }
  }

  private static func colour(_ rank: Int) -> ScreenRow.Colour? {
    rank < FleetAlert.certificate(days: 0).rank ? .red : rank < FleetAlert.rankOfNone ? .yellow : nil
  }

  private static func padded(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - text.unicodeScalars.count))
  }
}

extension String {
  /// Whether the string contains `part`, compared bytewise.
  fileprivate func contains(part: String) -> Bool {
    let (all, part) = (Array(utf8), Array(part.utf8))
    guard !part.isEmpty, all.count >= part.count else { return part.isEmpty }
    return (0...all.count - part.count).contains { all[$0..<$0 + part.count].elementsEqual(part) }
  }
}
