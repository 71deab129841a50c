// tappet matrix list --by-space: the kiosk's spaces with their rooms and unread counts.

import TappetCommandLine
import TappetCore
import TappetJSON

/// A room that the kiosk has joined.
struct ListedRoom {
  let id: String
  let facts: RoomFacts
  /// Number of unread notifications according to the homeserver.
  var unread: Int64 = 0
  /// Number of unread messages that mention the kiosk or everyone.
  var mentions: Int64 = 0
  /// Time of the last message in milliseconds since 1970; `nil` if there is none.
  var lastMessage: Int64?

  init(_ id: String, _ client: HomeserverClient, countsUnread: Bool) throws(CommandFailure) {
    self.id = id
    facts = try RoomFacts(id, client)
    guard countsUnread else { return }
    let nothing = JSON.object(["types": .array([])])
    let filter = JSON.object([
      "presence": nothing, "account_data": nothing,
      "room": .object([
        "rooms": .array([.string(id)]), "state": nothing, "ephemeral": nothing, "account_data": nothing,
        "timeline": .object(["limit": .number(1), "types": .array([.string("m.room.message")])]),
      ]),
    ])
    let query = String(decoding: filter.encoded(), as: UTF8.self).percentEncoded
    let answer = try client.require(.get, "/_matrix/client/v3/sync?timeout=0&set_presence=offline&filter=" + query)
    let room = answer["rooms"]?["join"]?[id]
    unread = room?["unread_notifications"]?["notification_count"]?.wholeNumber ?? 0
    mentions = room?["unread_notifications"]?["highlight_count"]?.wholeNumber ?? 0
    lastMessage = room?["timeline"]?["events"]?.elements?.last?["origin_server_ts"]?.wholeNumber
  }

  /// The room as one line of text.
  var line: String {
    let words = [id, facts.alias ?? "-", facts.name ?? "-"] + (facts.isSpace ? ["space"] : [])
    return (words + (facts.isEncrypted ? ["encrypted"] : [])).map { $0.escaped }.joined(separator: "  ")
  }
}

/// A line of the list: a room, or a space with its rooms.
struct ListedEntry {
  let room: ListedRoom
  var children: [ListedRoom] = []

  /// Groups joined rooms by space; a room of a space has no separate entry, but a nested space does.
  ///
  /// Entries are sorted by their newest message, which for a space is the newest message in its rooms; entries without
  /// messages come last.
  static func entries(
    _ rooms: [ListedRoom], childrenOf children: (ListedRoom) -> [String]
  ) -> [ListedEntry] {
    var entries: [ListedEntry] = []
    var taken: [String] = []
    for space in rooms where space.facts.isSpace {
      let ids = children(space)
      let inside = rooms.filter { room in !room.facts.isSpace && ids.contains(room.id) }
      taken += inside.map { $0.id }
      entries.append(ListedEntry(room: space, children: inside.inOrder { isNewer($0.lastMessage, $1.lastMessage) }))
    }
    for room in rooms where !room.facts.isSpace && !taken.contains(room.id) { entries.append(ListedEntry(room: room)) }
    return entries.inOrder { isNewer($0.lastMessage, $1.lastMessage) }
  }

  private static func isNewer(_ one: Int64?, _ other: Int64?) -> Bool {
    guard let one else { return false }
    return other.map { one > $0 } ?? true
  }

  private var lastMessage: Int64? {
    room.facts.isSpace ? children.compactMap { $0.lastMessage }.max() : room.lastMessage
  }

  /// Number of unread messages, and of unread messages that mention the kiosk.
  private var counts: (unread: Int64, mentions: Int64) {
    room.facts.isSpace
      ? children.reduce((0, 0)) { ($0.0 + $1.unread, $0.1 + $1.mentions) } : (room.unread, room.mentions)
  }

  var lines: [String] {
    [room.line + Self.words(counts.unread, counts.mentions)]
      + children.map { "  " + $0.line + Self.words($0.unread, $0.mentions) }
  }

  private static func words(_ unread: Int64, _ mentions: Int64) -> String {
    (unread > 0 ? "  \(unread) unread" : "") + (mentions > 0 ? "  \(mentions) for the kiosk" : "")
  }
}
