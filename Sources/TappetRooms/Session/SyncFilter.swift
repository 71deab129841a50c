// The filter of requests to /sync, Client-server API v1.11, §5.5.

import TappetCore

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
