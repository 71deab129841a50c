// A room as the kiosk's account sees it, assembled from responses to /sync (client-server API v1.11, §6.4).

import TappetCore
import TappetJSON
import TappetRooms

/// A room or space that the kiosk has joined.
struct MatrixRoom {
  /// A message in the room.
  struct Message: Equatable {
    enum Content: Equatable {
      case text(String)
      case encrypted
      case removed
    }

    var id: String
    var sender: String
    /// Time according to the sender's homeserver.
    var unixMilliseconds: Int64
    var content: Content
  }

  let id: String
  private(set) var name: String?
  private(set) var alias: String?
  private(set) var isEncrypted = false
  /// The unread messages, and the rooms of a space.
  var tally = RoomTally()
  /// The messages of the last response, oldest first.
  private(set) var recent: [Message] = []
  /// The newest message; `nil` if none is known.
  private(set) var newest: Message?

  init(_ id: String) { self.id = id }

  /// Applies the room's part of a response.
  mutating func read(_ room: JSONNode) {
    recent = []
    tally.read(room)
    // Some state is only in the timeline, where it follows the other state.
    for part in ["state", "timeline"] { for event in room[part].elements("events") { read(event: event) } }
    if let last = recent.last { newest = last }
  }

  private mutating func read(event: JSONNode) {
    let content = event["content"]
    switch event["type"]?.text {
    case "m.room.message", "m.room.encrypted": readMessage(event, content)
    case "m.room.redaction": remove(event["redacts"]?.text ?? content?["redacts"]?.text)
    case let type?:
      // Without an empty state key, the event is not the room's state, whatever its type.
      if event["state_key"]?.text == "" { readState(type, content) }
    case nil: break
    }
  }

  private mutating func readState(_ type: String, _ content: JSONNode?) {
    switch type {
    case "m.room.name": name = content?["name"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    case "m.room.canonical_alias": alias = content?["alias"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    case "m.room.encryption": isEncrypted = true
    case _: break
    }
  }

  private mutating func readMessage(_ event: JSONNode, _ content: JSONNode?) {
    guard let id = event["event_id"]?.text, let sender = event["sender"]?.text else { return }
    let isEncrypted = event["type"]?.text == "m.room.encrypted"
    let relation = content?["m.relates_to"]
    if relation?["rel_type"]?.text == "m.replace" {
      // A correction is not a new message.
      guard !isEncrypted, let target = relation?["event_id"]?.text,
        let text = content?["m.new_content"]?["body"]?.text
      else { return }
      return change(target, to: .text(text.preview))
    }
    let text = content?["body"]?.text.map { Message.Content.text($0.preview) }
    let time = event["origin_server_ts"]?.count ?? 0
    recent.append(
      Message(id: id, sender: sender, unixMilliseconds: time, content: isEncrypted ? .encrypted : text ?? .removed))
  }

  private mutating func remove(_ target: String?) { if let target { change(target, to: .removed) } }

  private mutating func change(_ target: String, to content: Message.Content) {
    for place in recent.indices where recent[place].id == target { recent[place].content = content }
    if newest?.id == target { newest?.content = content }
  }
}

extension MatrixRoom {
  var isSpace: Bool { tally.isSpace }

  /// Ids of the rooms of a space.
  var children: Set<String> { tally.children }

  var counts: RoomCounts { tally.counts }

  /// Name of the room for people: its name, its address or its id.
  var title: String { (name ?? alias ?? id).escaped }

  /// The room as one line of text: its id, address, name and kind.
  var line: String {
    let words = [id, alias ?? "-", name ?? "-"] + (isSpace ? ["space"] : [])
    return (words + (isEncrypted ? ["encrypted"] : [])).map { $0.escaped }.joined(separator: "  ")
  }

  /// Returns whether this room is listed before the other: the newest message comes first.
  static func precedes(_ one: MatrixRoom, _ other: MatrixRoom) -> Bool {
    precedes((one.newest?.unixMilliseconds, one.id), (other.newest?.unixMilliseconds, other.id))
  }

  /// Compares times, of which the newest comes first and `nil` last, and ids.
  static func precedes(_ one: (time: Int64?, id: String), _ other: (time: Int64?, id: String)) -> Bool {
    if one.time == other.time { return one.id < other.id }
    guard let time = one.time else { return false }
    return other.time.map { time > $0 } ?? true
  }
}

extension MatrixRoom.Message {
  /// The message for people, on one line.
  var text: String {
    switch content {
    case .text(let text): text.escaped
    case .encrypted: "(encrypted)"
    case .removed: "(removed)"
    }
  }
}

extension String {
  /// The start of the text on one line.
  fileprivate var preview: String {
    var start = String.UnicodeScalarView(unicodeScalars.prefix(Limits.roomPreviewMax).map { $0 == "\n" ? " " : $0 })
    if start.count < unicodeScalars.count { start.append("…") }
    return String(start)
  }
}
