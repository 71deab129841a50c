// A room's unread messages in responses to /sync (client-server API v1.11, §6.4, §13.12, §13.13).

import TappetCore
import TappetJSON

/// The unread messages of a joined room, and the rooms of a space.
package struct RoomTally: Sendable {
  package private(set) var isSpace = false
  /// Ids of the rooms of a space.
  package private(set) var children: Set<String> = []
  package var counts = RoomCounts()

  package init() {}

  /// Applies the room's part of a response.
  @export(interface)
  package mutating func read(_ room: JSONNode) {
    // Some state is only in the timeline, where it follows the other state.
    for part in ["state", "timeline"] { for event in room[part].elements("events") { readState(event) } }
    // Includes the counts of threads, because no filter requests them separately.
    if let unread = room["unread_notifications"] {
      counts.unread = min(unread["notification_count"]?.count ?? 0, Limits.roomUnreadMax)
      counts.mentions = min(unread["highlight_count"]?.count ?? 0, Limits.roomUnreadMax)
    }
    // Clients that predate the specification write the first type.
    for type in RoomTally.markTypes {
      for event in room["account_data"].elements("events") where event["type"]?.text == type {
        counts.isMarkedUnread = event["content"]?["unread"]?.isTrue ?? false
      }
    }
  }

  private mutating func readState(_ event: JSONNode) {
    switch event["type"]?.text {
    case "m.space.child":
      guard let child = event["state_key"]?.text, child.begins(with: "!"), RoomAddress.isValid(child) else { return }
      if event["content"].elements("via").isEmpty { children.remove(child) } else { children.insert(child) }
    case "m.room.create":
      // Without an empty state key, the event is not the room's state.
      if event["state_key"]?.text == "" { isSpace = event["content"]?["type"]?.text == "m.space" }
    case _: break
    }
  }

  /// The types of account data that mark a room as unread.
  package static var markTypes: [String] { ["com.famedly.marked_unread", "m.marked_unread"] }

  /// Returns the ids of the rooms that push rules silence; `nil` if the response contains no push rules.
  @export(interface)
  package static func mutedRooms(_ answer: JSONNode) -> Set<String>? {
    var muted: Set<String>?
    for event in answer["account_data"].elements("events") where event["type"]?.text == "m.push_rules" {
      muted = Set(event["content"]?["global"].elements("override").compactMap { mutedRoom($0) } ?? [])
    }
    return muted
  }

  /// Returns the room that a push rule silences entirely; `nil` if it silences none (client-server API §13.13.1).
  private static func mutedRoom(_ rule: JSONNode) -> String? {
    guard rule["enabled"]?.isTrue ?? false, !JSONNode?.some(rule).elements("actions").contains(where: notifies) else {
      return nil
    }
    let conditions = JSONNode?.some(rule).elements("conditions")
    // With a second condition, the rule would silence only some messages.
    guard conditions.count == 1, conditions[0]["kind"]?.text == "event_match",
      conditions[0]["key"]?.text == "room_id"
    else { return nil }
    return conditions[0]["pattern"]?.text
  }

  private static func notifies(_ action: JSONNode) -> Bool { action.text == "notify" || action.text == "coalesce" }
}
