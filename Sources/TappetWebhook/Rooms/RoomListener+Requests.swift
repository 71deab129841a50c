// State of a monitored room, and the listener's requests to the homeserver with the handling of responses.

import TappetCore

extension RoomListener {
  /// A request of the loop that polls, one at a time.
  enum Step {
    case resolve(Int)
    /// Query for the creation event. Synapse omits it from /sync for rooms of version 12 or later, because the event
    /// does not contain a room id.
    case creation(Int)
    /// Read the invitations from before the recorded position.
    case invitations
    case sync
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

/// A /sync filter for the messages, encryption, replacement and power levels of the given rooms.
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
  /// Whether the response has to state only where the present is: earlier lines are not commands, and 20 long ones
  /// would not fit into `Limits.roomAnswerSizeMax`, now and after each further attempt.
  var isFromPresent = false
  /// Id of the kiosk's own user.
  var user: String?

  /// The filter as JSON.
  var text: String {
    let ids = rooms.map { "\"\($0.jsonEscaped)\"" }.joined(separator: ",")
    let nothing = "{\"types\":[]}"
    let reactions = readsReactions ? ",\"m.reaction\"" : ""
    let ciphertexts = readsCiphertexts ? ",\"m.room.encrypted\"" : ""
    var state = "\"m.room.encryption\",\"m.room.tombstone\""
    if readsPowers { state += ",\"m.room.power_levels\"" }
    // The kiosk's own events are excluded, unless power levels are requested, because the kiosk could have changed one.
    let me = readsPowers ? "" : user.map { "\"\($0.jsonEscaped)\"" } ?? ""
    // Synapse omits a room that removed the kiosk if no event passes the filter, so member events are requested.
    let types = "\"m.room.message\",\"m.room.member\"\(reactions)\(ciphertexts),\(state)"
    let limit = isFromPresent ? 1 : readsCiphertexts ? 100 : 20
    let own = "\"rooms\":[\(ids)],"
    let (all, events) = readsInvitations ? ("", own) : (own, "")
    let timeline = "{\(events)\"limit\":\(limit),\"types\":[\(types)],\"not_senders\":[\(me)]}"
    return """
      {"presence":\(nothing),"account_data":\(nothing),"room":{\(all)"ephemeral":\(nothing),\
      "account_data":\(nothing),"state":{\(events)"types":[\(state)]},"timeline":\(timeline)}}
      """
  }
}
