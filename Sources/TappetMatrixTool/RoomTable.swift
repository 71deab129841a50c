// The rooms and invitations of the kiosk's account, read with a single request, and kept up to date with further ones.

import TappetCore
import TappetJSON
import TappetPlatform
import TappetRooms

/// The rooms of an account.
struct RoomTable {
  private(set) var rooms: [String: MatrixRoom] = [:]
  private(set) var invitations: [String: Invitation] = [:]
  /// The ids of the rooms that push rules silence.
  private var muted: Set<String> = []
  /// Position from which the next request continues; `nil` before the first response.
  private(set) var next: String?

  /// Applies a response to /sync; returns false, without any change, if it is malformed.
  mutating func read(_ bytes: [UInt8]) -> Bool {
    JSONNode.read(bytes, valuesMax: Limits.roomTableValuesMax, omitting: .elements) { answer in
      guard let next = answer["next_batch"]?.text, !next.isEmpty else { return nil }
      self.read(answer)
      self.next = next
      return true
    } ?? false
  }

  private mutating func read(_ answer: JSONNode) {
    muted = RoomTally.mutedRooms(answer) ?? muted
    for room in answer["rooms"].elements("join") {
      guard let id = room.name, RoomAddress.isValid(id) else { continue }
      rooms[id, default: MatrixRoom(id)].read(room)
      invitations[id] = nil
    }
    for room in answer["rooms"].elements("invite") {
      guard let id = room.name, RoomAddress.isValid(id) else { continue }
      invitations[id] = Invitation(id, room["invite_state"].elements("events"))
    }
    for room in answer["rooms"].elements("leave") {
      guard let id = room.name else { continue }
      rooms[id] = nil
      invitations[id] = nil
    }
    for id in Array(rooms.keys) { rooms[id]?.tally.counts.isMuted = muted.contains(id) }
  }

  /// The joined rooms, newest message first.
  var ordered: [MatrixRoom] { Array(rooms.values).inOrder { MatrixRoom.precedes($0, $1) } }

  /// The invitations by id.
  var orderedInvitations: [Invitation] { Array(invitations.values).inOrder { $0.id < $1.id } }

  /// Returns the messages that are not in an earlier table of the same account, oldest first.
  func arrivals(since earlier: RoomTable) -> [(room: MatrixRoom, message: MatrixRoom.Message)] {
    var found: [(room: MatrixRoom, message: MatrixRoom.Message)] = []
    for room in rooms.values {
      let known = earlier.rooms[room.id]?.newest
      let start = room.recent.lastIndex { $0.id == known?.id }.map { $0 + 1 } ?? 0
      // A room without a new message keeps its recent ones; they were reported when they arrived.
      guard room.newest?.id != known?.id else { continue }
      for message in room.recent[start...] { found.append((room, message)) }
    }
    return found.inOrder { ($0.message.unixMilliseconds, $0.room.id) < ($1.message.unixMilliseconds, $1.room.id) }
  }
}

/// The request for the rooms.
enum RoomTableRequest {
  private static let stateTypes = [
    "m.room.name", "m.room.canonical_alias", "m.room.encryption", "m.room.create", "m.space.child",
  ]
  /// The members of events that are read; the homeserver omits the rest, such as ciphertexts and HTML.
  private static let fields = [
    "type", "state_key", "sender", "event_id", "origin_server_ts", "redacts", "content.redacts", "content.name",
    "content.alias", "content.type", "content.via", "content.algorithm", "content.membership", "content.unread",
    "content.global", "content.m\\.relates_to",
  ]
  private static let textFields = ["content.body", "content.m\\.new_content.body"]

  /// Returns the path of a request for everything, or, with `since`, for the changes, which waits for the first change.
  static func path(since: String? = nil, withTexts: Bool) -> String {
    let query = String(decoding: filter(since == nil, withTexts).encoded(), as: UTF8.self).percentEncoded
    // Synapse caches a response for two minutes, and returns it again if the request is the same, so the timeout
    // varies. The first response is immediate, regardless of the timeout.
    let timeout =
      since == nil ? 1 + Instant.now().nanoseconds / 1000 % 1000 : Limits.roomPollMax.wholeMilliseconds
    return "/_matrix/client/v3/sync?set_presence=offline&filter=\(query)&timeout=\(timeout)"
      + (since.map { "&since=" + $0.percentEncoded } ?? "")
  }

  private static func filter(_ isFirst: Bool, _ withTexts: Bool) -> JSON {
    func types(_ names: [String]) -> JSON { .object(["types": .array(names.map { .string($0) })]) }
    // State that changed after the newest message is only in the timeline. Synapse omits a room that the kiosk has
    // left if the filter omits members, and new counts if it omits the receipt that caused them.
    let members = isFirst ? [] : ["m.room.member"]
    let timeline = ["m.room.message", "m.room.encrypted", "m.room.redaction"] + stateTypes + members
    let count = isFirst ? Limits.roomTimelineFirst : Limits.roomTimelineMax
    return .object([
      "presence": types([]), "account_data": types(["m.push_rules"]),
      "event_fields": .array((fields + (withTexts ? textFields : [])).map { .string($0) }),
      "room": .object([
        "state": types(stateTypes), "ephemeral": types(isFirst ? [] : ["m.receipt"]),
        "account_data": types(RoomTally.markTypes),
        "timeline": .object([
          "limit": .number(count), "types": .array(timeline.map { .string($0) }),
        ]),
      ]),
    ])
  }
}
