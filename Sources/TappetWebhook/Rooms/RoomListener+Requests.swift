// State of a monitored room, and the listener's requests to the homeserver with the handling of responses.

import TappetCore
import TappetJSON
import TappetRooms

extension RoomListener {
  /// A request of the loop that polls, one at a time.
  enum Step {
    /// Resolve the address of the room with this index, or of the space or room whose unread messages are shown.
    case resolve(Int?)
    /// Query for the creation event. Synapse omits it from /sync for rooms of version 12 or later, because the event
    /// does not contain a room id.
    case creation(Int)
    /// List the members of the room with this index, which is encrypted.
    case members(Int)
    /// Read the invitations from before the recorded position.
    case invitations
    case sync
  }

  /// The state of encryption.
  struct Ciphering {
    var settings = RoomEncryption()
    /// Whether a request of the cipher is in flight.
    var isUnderWay = false
    /// Reason why the keys could not be loaded, as an errno.
    var keyTrouble: Int32 = 0
    /// The users who may send commands, except by their power levels.
    var commanders: Set<String> = []
    /// Position after all lines that were passed on; `nil` if it is before a line that may be read again.
    var settling: String?
  }

  /// A room with commands.
  struct Room {
    /// The room's address or id, as configured.
    var name: String
    var id: String?
    /// Whether lines are passed on with their senders' power levels.
    var readsPowers: Bool
    /// Whether the kiosk asks questions in the room.
    var asks: Bool
    var powers = RoomPowers()
    /// Whether the homeserver has responded to the query for the room's creator, with any result.
    var isCreationKnown = false
    /// State of the room; `nil` until the homeserver has reported it.
    var access: RoomAccess?
    /// Whether the room is encrypted and its messages are decrypted.
    var isDecrypted = false
  }

  /// Returns the failure that a homeserver's response indicates.
  static func fault(_ status: UInt16, _ answer: MatrixAnswer) -> WebhookFault {
    switch (status, answer.errorCode) {
    case (429, _), (_, "M_LIMIT_EXCEEDED"): .status(429)
    case (408, _), (425, _), (500...599, _): .status(Int(status))
    case (401, .some), (_, "M_UNKNOWN_TOKEN"), (_, "M_USER_DEACTIVATED"), (_, "M_USER_LOCKED"):
      .trouble(.tokenRefused, code: Int32(status))
    case _: .trouble(.notAHomeserver, code: Int32(status))
    }
  }
}

/// A /sync filter for the messages, encryption, replacement and power levels of the given rooms, and for what is unread
/// in all rooms.
struct SyncFilter {
  /// The ids of the rooms.
  var rooms: [String]
  /// Whether power levels are requested.
  var readsPowers: Bool
  /// Whether answers to questions are requested.
  var readsReactions: Bool
  /// Whether encrypted events are requested.
  var readsCiphertexts: Bool
  /// Whether invitations are requested, which no filter by room lets pass.
  var readsInvitations = false
  /// Whether what is unread is requested.
  var readsUnread = false
  /// Whether the response has to state only where the present is: earlier lines are not commands, and 20 long ones
  /// would not fit into `Limits.roomAnswerSizeMax`, now and after each further attempt.
  var startsInPresent = false
  /// Whether the response contains all rooms.
  var isWhole = false
  /// Id of the kiosk's own user.
  var user: String?

  /// The filter as JSON.
  var text: String {
    let ids = rooms.map { "\"\($0.jsonEscaped)\"" }.joined(separator: ",")
    let nothing = "{\"types\":[]}"
    let reactions = readsReactions ? ",\"m.reaction\"" : ""
    let redactions = readsUnread ? ",\"m.room.redaction\"" : ""
    let ciphertexts = readsCiphertexts || readsUnread ? ",\"m.room.encrypted\"" : ""
    var state = "\"m.room.encryption\",\"m.room.tombstone\""
    if readsPowers { state += ",\"m.room.power_levels\"" }
    if readsUnread { state += ",\"m.room.create\",\"m.space.child\"" }
    // The kiosk's own events are excluded, except its join, after a restart, and those that can change power levels or
    // what is unread.
    let me = isWhole || readsPowers || readsUnread ? "" : user.map { "\"\($0.jsonEscaped)\"" } ?? ""
    // Synapse omits a room that removed the kiosk if no event passes the filter, so member events are requested.
    let types = "\"m.room.message\",\"m.room.member\"\(reactions)\(redactions)\(ciphertexts),\(state)"
    // Of a room without commands, a single event shows that the counts have changed.
    let limit = startsInPresent || readsUnread && rooms.isEmpty ? 1 : readsCiphertexts ? 100 : 20
    // The rooms of a space change; and Synapse omits marks if the filter lists rooms, because they contain no room id.
    let own = readsUnread ? "" : "\"rooms\":[\(ids)],"
    let (all, events) = readsInvitations ? ("", own) : (own, "")
    let timeline = "{\(events)\"limit\":\(limit),\"types\":[\(types)],\"not_senders\":[\(me)]}"
    let rules = readsUnread ? "{\"types\":[\"m.push_rules\"]}" : nothing
    let marks = readsUnread ? "{\"types\":[\"\(RoomTally.markTypes.joined(separator: "\",\""))\"]}" : nothing
    // Synapse omits new counts if it omits the receipt that caused them.
    let receipts = readsUnread && !isWhole ? "{\"types\":[\"m.receipt\"]}" : nothing
    // Without rooms to listen to, the homeserver need not send texts.
    let fields = readsUnread && rooms.isEmpty && !readsCiphertexts ? SyncFilter.fields : ""
    return """
      {\(fields)"presence":\(nothing),"account_data":\(rules),"room":{\(all)"ephemeral":\(receipts),\
      "account_data":\(marks),"state":{\(events)"types":[\(state)]},"timeline":\(timeline)}}
      """
  }

  /// The members of events that are read if no room has commands.
  private static var fields: String {
    let names =
      ["type", "state_key", "sender", "event_id"]
      + ["type", "via", "unread", "global", "membership"].map { "content." + $0 }
    return "\"event_fields\":[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "],"
  }
}
