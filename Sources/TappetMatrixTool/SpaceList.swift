// The kiosk's rooms grouped by space, with unread counts by the rules of current Matrix clients.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetRooms

/// An entry of the list: a room, or a space with its rooms.
struct ListedEntry {
  let room: MatrixRoom
  /// The joined rooms of a space, newest message first.
  var children: [MatrixRoom] = []
  /// The other rooms of a space.
  var others: [HomeserverClient.Child] = []

  /// Groups joined rooms by space; a room of a space has no separate entry, but a nested space does.
  ///
  /// Entries are sorted by their newest message, which for a space is the newest message in its rooms; entries without
  /// messages come last.
  static func entries(_ rooms: [MatrixRoom]) -> [ListedEntry] {
    var entries: [ListedEntry] = []
    var taken: Set<String> = []
    for space in rooms where space.isSpace {
      let inside = rooms.filter { room in !room.isSpace && space.children.contains(room.id) }
      for room in inside { taken.insert(room.id) }
      entries.append(ListedEntry(room: space, children: inside.inOrder { MatrixRoom.precedes($0, $1) }))
    }
    for room in rooms where !room.isSpace && !taken.contains(room.id) { entries.append(ListedEntry(room: room)) }
    return entries.inOrder { MatrixRoom.precedes(($0.newest?.time, $0.room.id), ($1.newest?.time, $1.room.id)) }
  }

  /// The newest message of a room, or of a space's rooms; `room` is the room that it is in.
  var newest: (time: Int64, room: MatrixRoom)? {
    let newest = room.isSpace ? children.first : room
    guard let newest, let message = newest.newest else { return nil }
    return (message.unixMilliseconds, newest)
  }

  /// The counts of the room; those of a space are the sums over its rooms.
  var counts: RoomCounts { room.isSpace ? RoomCounts(of: children.map { $0.counts }, in: room.counts) : room.counts }

  var lines: [String] {
    [room.line + counts.words] + children.map { "  " + $0.line + $0.counts.words }
      + others.map { "  " + $0.line }
  }

  var json: [JSON] {
    [json(room, counts, parent: nil)] + children.map { json($0, $0.counts, parent: room.id) }
      + others.map { $0.json(parent: room.id) }
  }

  private func json(_ room: MatrixRoom, _ counts: RoomCounts, parent: String?) -> JSON {
    let time = room.isSpace ? newest?.time : room.newest?.unixMilliseconds
    return .object([
      "id": .string(room.id), "address": .optional(room.alias), "name": .optional(room.name),
      "type": .string(room.isSpace ? "space" : "room"), "parent": .optional(parent), "joined": .bool(true),
      "encrypted": .bool(room.isEncrypted), "unread": .number(counts.unread), "mentions": .number(counts.mentions),
      "marked_unread": .bool(counts.isMarkedUnread), "muted": .bool(counts.isMuted),
      "highlighted": .bool(counts.isHighlighted), "newest_at": time.map { JSON.time(unixMilliseconds: $0) } ?? .null,
      "members": .null,
    ])
  }
}

extension RoomCounts {
  var words: String {
    (unread > 0 ? "  \(unread) unread" : "") + (showsMentions ? "  \(mentions) for the kiosk" : "")
      + (isMarkedUnread ? "  marked unread" : "") + (isMuted ? "  muted" : "")
  }
}

extension HomeserverClient.Child {
  /// The room, which the kiosk has not joined, as one line of text.
  fileprivate var line: String {
    let count = members.map { ["\(plural($0, "member"))"] } ?? []
    return ([id, alias ?? "-", name ?? "-", "not joined"] + count).map { $0.escaped }.joined(separator: "  ")
  }

  fileprivate func json(parent: String) -> JSON {
    .object([
      "id": .string(id), "address": .optional(alias), "name": .optional(name), "type": .string("room"),
      "parent": .string(parent), "joined": .bool(false), "encrypted": .null, "unread": .null, "mentions": .null,
      "marked_unread": .null, "muted": .null, "highlighted": .null, "newest_at": .null,
      "members": members.map { .number($0) } ?? .null,
    ])
  }
}
