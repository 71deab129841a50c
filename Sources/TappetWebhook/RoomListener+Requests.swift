// A room that is listened to, what the kiosk writes there, what it asks the homeserver, and what an answer means.

import TappetCore

extension RoomListener {
  /// A room with commands.
  struct Room {
    /// The address or the id, as configured.
    var name: String
    var id: String?
    /// Whether a line comes with its sender's power.
    var readsPowers: Bool
    /// Whether questions are asked in it.
    var asks: Bool
    var powers = RoomPowers()
    /// Whether the homeserver has answered who made the room, whatever it said.
    var isCreationKnown = false
    /// `nil` until the homeserver has said.
    var access: RoomAccess?
    /// Whether it is encrypted, and read all the same.
    var isDecrypted = false
  }

  /// A message of the kiosk in a room, on its way.
  struct Answer {
    var path: String
    var body: [UInt8]
    /// The number of the question that it asks.
    var question: UInt64?
    /// Whether the homeserver may have it.
    var isUnderWay = false
    private var tries = 0

    /// A reaction to an event, or a reply to it.
    init(to event: String, in room: String, isReaction: Bool, _ text: String) {
      let kind = isReaction ? "m.reaction" : "m.room.message"
      // The same answer is never given twice: the homeserver knows a transaction.
      let transaction = event + "-" + (isReaction ? Hex.encode(Array(text.utf8.prefix(4))) : "reply")
      path = "/_matrix/client/v3/rooms/\(room.percentEncoded)/send/\(kind)/\(transaction.percentEncoded)"
      let (id, words) = (event.jsonEscaped, text.jsonEscaped)
      body = Array(
        (isReaction
          ? "{\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"\(id)\",\"key\":\"\(words)\"}}"
          : "{\"msgtype\":\"m.notice\",\"m.mentions\":{},\"body\":\"\(words)\","
            + "\"m.relates_to\":{\"m.in_reply_to\":{\"event_id\":\"\(id)\"}}}").utf8)
    }

    /// The message that asks a question, whose number is unique, and with it the transaction.
    init(asking number: UInt64, in room: String, _ text: String) {
      question = number
      path = "/_matrix/client/v3/rooms/\(room.percentEncoded)/send/m.room.message/question-\(number)"
      body = Array("{\"msgtype\":\"m.notice\",\"m.mentions\":{},\"body\":\"\(text.jsonEscaped)\"}".utf8)
    }

    mutating func mayBeRepeated() -> Bool {
      tries += 1
      return tries < Limits.roomAnswerTriesMax
    }
  }

  /// The failure that an answer of a homeserver is.
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

/// Only what people write in these rooms, whether they are encrypted or replaced, and who may do what there.
struct SyncFilter {
  /// The ids of the rooms.
  var rooms: [String]
  /// Whether the power levels are wanted.
  var readsPowers: Bool
  /// Whether the answers to questions are wanted.
  var readsReactions: Bool
  /// Whether encrypted events are wanted.
  var readsCiphertexts: Bool
  /// The kiosk's own user.
  var user: String?

  /// The filter as JSON.
  var text: String {
    let ids = rooms.map { "\"\($0.jsonEscaped)\"" }.joined(separator: ",")
    let nothing = "{\"types\":[]}"
    let reactions = readsReactions ? ",\"m.reaction\"" : ""
    let ciphertexts = readsCiphertexts ? ",\"m.room.encrypted\"" : ""
    var state = "\"m.room.encryption\",\"m.room.tombstone\""
    if readsPowers { state += ",\"m.room.power_levels\"" }
    // The kiosk's own events are left out, unless it could have changed somebody's power.
    let me = readsPowers ? "" : user.map { "\"\($0.jsonEscaped)\"" } ?? ""
    // Synapse leaves out a room that removed the kiosk, if no event passes the filter: that of the member does.
    let types = "\"m.room.message\",\"m.room.member\"\(reactions)\(ciphertexts),\(state)"
    let timeline = "{\"limit\":20,\"types\":[\(types)],\"not_senders\":[\(me)]}"
    return """
      {"presence":\(nothing),"account_data":\(nothing),"room":{"rooms":[\(ids)],"ephemeral":\(nothing),\
      "account_data":\(nothing),"state":{"types":[\(state)]},"timeline":\(timeline)}}
      """
  }
}
