// A homeserver's response to /sync, Client-server API v1.11, §6.4.

import TappetCore
import TappetJSON

/// The rooms in a response to /sync, and the lines that users wrote there.
struct SyncAnswer {
  /// One room in the response.
  struct Room {
    var id: String
    /// Whether the kiosk has left or was removed from the room.
    var isLeft: Bool
    /// Whether an event marks the room as encrypted.
    var isEncrypted = false
    /// Whether members may have joined or left.
    var changesMembers = false
    /// Whether a new room has replaced this room.
    var isReplaced = false
    /// The changes in order, so that each line is passed on with its sender's power level at that time.
    var changes: [Change] = []
    /// Id of the newest event of another user; `nil` if there is none.
    var newest: String?
    /// Whether an event with too many values was omitted, which may have changed the room's state.
    var lacksEvents = false
  }

  /// One change in a room.
  enum Change {
    /// A new line; corrections of earlier lines are omitted.
    case line(RoomLine)
    /// An encrypted event, as JSON.
    case encrypted(user: String, [UInt8])
    case levels(RoomPowers.Levels)
    /// A reaction to an event that represents a yes-or-no answer to a question.
    case reaction(to: String, user: String, isYes: Bool)
  }

  /// Position from which the next request continues.
  let next: String
  private(set) var rooms: [Room] = []
  private(set) var news = SyncNews()
  /// The invitations of the user, in any order.
  private(set) var invitations: [RoomInvitation] = []

  /// Parses a response to /sync of this user, without other rooms; `nil` if it is malformed.
  ///
  /// Passes the valid response to `read`.
  init?(_ bytes: [UInt8], of user: String?, in rooms: Set<String>, also read: (JSONNode) -> Void = { _ in }) {
    let answer = JSONNode.read(bytes, omitting: .elements) { answer in
      let found = SyncAnswer(answer, user, rooms)
      if found != nil { read(answer) }
      return found
    }
    guard let answer else { return nil }
    self = answer
  }

  private init?(_ answer: JSONNode, _ user: String?, _ ids: Set<String>) {
    guard let next = answer["next_batch"]?.text, (1...Limits.roomPositionSizeMax).contains(next.utf8.count) else {
      return nil
    }
    self.next = next
    readNews(answer)
    if let user { invitations = answer["rooms"].elements("invite").compactMap { Self.invitation($0, user) } }
    for (word, isLeft) in [("join", false), ("leave", true)] {
      for room in answer["rooms"].elements(word) {
        guard let id = room.name, ids.contains(id) else { continue }
        var found = Room(id: id, isLeft: isLeft)
        found.changesMembers = room["timeline"]?["limited"]?.isTrue == true
        for part in ["state", "timeline"] { for event in room[part].elements("events") { found.read(event, of: user) } }
        found.newest = room["timeline"].elements("events").last { $0["sender"]?.text != user }?["event_id"]?.text
        rooms.append(found)
      }
    }
  }

  /// Returns the invitation of the user to a room; `nil` if its sender is not certain.
  ///
  /// The other events are from the inviter's homeserver, which could have made up a second invitation.
  private static func invitation(_ room: JSONNode, _ user: String) -> RoomInvitation? {
    let events = room["invite_state"].elements("events").filter {
      $0["type"]?.text == "m.room.member" && $0["state_key"]?.text == user
        && $0["content"]?["membership"]?.text == "invite"
    }
    guard let id = room.name, id.begins(with: "!"), RoomAddress.isValid(id),
      let sender = events.last?["sender"]?.text, sender.utf8.count <= Limits.roomNameSizeMax,
      events.allSatisfy({ $0["sender"]?.text == sender })
    else { return nil }
    let event = events.last?["event_id"]?.text ?? ""
    return RoomInvitation(
      room: id, user: sender, event: event.utf8.count <= Limits.roomEventSizeMax ? event : "")
  }

  /// Parses the list of a room's members; `nil` if it is malformed.
  static func members(_ bytes: [UInt8]) -> [String]? {
    JSONNode.read(bytes) { answer in
      answer["joined"]?.isObject == true ? JSONNode?.some(answer).elements("joined").compactMap { $0.name } : nil
    }
  }

  /// Parses a room's `m.room.create` event, which is requested separately; `nil` if it is malformed.
  static func creation(_ bytes: [UInt8]) -> RoomPowers.Creation? {
    JSONNode.read(bytes) { event in
      guard let sender = event["sender"]?.text, let content = event["content"] else { return nil }
      return RoomPowers.Creation(
        version: content["room_version"]?.text, sender: sender,
        others: JSONNode?.some(content).elements("additional_creators").compactMap { $0.text })
    }
  }

  private mutating func readNews(_ answer: JSONNode) {
    news.toDevice = answer["to_device"].elements("events").map { $0.encoded }
    news.changed = answer["device_lists"].elements("changed").compactMap { $0.text }
    news.left = answer["device_lists"].elements("left").compactMap { $0.text }
    if let counts = answer["device_one_time_keys_count"] {
      news.keyCount = Int64(exactly: (counts["signed_curve25519"]?.number ?? 0).rounded(.down)) ?? 0
    }
    if let types = answer["device_unused_fallback_key_types"] {
      news.hasFallback = types.children.contains { $0.text == "signed_curve25519" }
    }
  }
}

extension SyncAnswer.Room {
  fileprivate mutating func read(_ event: JSONNode, of user: String?) {
    let type = event["type"]?.text
    if !event.isObject { lacksEvents = true }
    guard let type, let content = event["content"] else { return }
    switch type {
    case "m.room.encrypted":
      guard let user = event["sender"]?.text else { return }
      changes.append(.encrypted(user: user, event.encoded))
    case "m.room.message": readLine(event, content)
    case "m.reaction": readReaction(event, content)
    // The homeserver also returns what was written before the user joined.
    case "m.room.member":
      changesMembers = changesMembers || isMove(event, content)
      guard user != nil, event["state_key"]?.text == user, isJoin(event, content) else { return }
      changes.removeAll { if case .levels = $0 { false } else { true } }
    // Without an empty state key, the event is not the room's state, whatever its type: any member may send it.
    case _ where event["state_key"]?.text != "": break
    case "m.room.encryption": isEncrypted = true
    case "m.room.tombstone": isReplaced = content["replacement_room"]?.text != nil
    case "m.room.power_levels": changes.append(.levels(levels(content)))
    case _: break
    }
  }

  /// Whether the event lets a user into the room; a changed name is no such event.
  private func isJoin(_ event: JSONNode, _ content: JSONNode) -> Bool {
    content["membership"]?.text == "join" && isMove(event, content)
  }

  /// Whether the event changes a user's membership.
  private func isMove(_ event: JSONNode, _ content: JSONNode) -> Bool {
    content["membership"]?.text != event["unsigned"]?["prev_content"]?["membership"]?.text
  }

  private mutating func readLine(_ event: JSONNode, _ content: JSONNode) {
    guard content["msgtype"]?.text == "m.text", let text = content["body"]?.text,
      text.utf8.first == UInt8(ascii: "!"), text.utf8.count <= Limits.roomLineSizeMax,
      content["m.new_content"] == nil, !isCorrection(content),
      let user = event["sender"]?.text, let id = event["event_id"]?.text,
      max(user.utf8.count, id.utf8.count) <= Limits.roomNameSizeMax,
      let time = event["origin_server_ts"]?.number
    else { return }
    let milliseconds = Int64(exactly: time.rounded(.down)) ?? 0
    changes.append(
      .line(RoomLine(room: self.id, event: id, user: user, unixMilliseconds: milliseconds, text: text)))
  }

  private mutating func readReaction(_ event: JSONNode, _ content: JSONNode) {
    guard let relation = content["m.relates_to"],
      relation["rel_type"]?.text == "m.annotation", let target = relation["event_id"]?.text,
      let key = relation["key"]?.text, let isYes = Self.answer(key),
      let user = event["sender"]?.text, max(user.utf8.count, target.utf8.count) <= Limits.roomNameSizeMax
    else { return }
    changes.append(.reaction(to: target, user: user, isYes: isYes))
  }

  /// Returns the answer that a reaction represents; ignores the variation selector that some clients add for a colour
  /// image.
  private static func answer(_ key: String) -> Bool? {
    switch String(String.UnicodeScalarView(key.unicodeScalars.filter { $0 != "\u{FE0F}" })) {
    case "\u{2705}": true
    case "\u{274C}": false
    case _: nil
    }
  }

  private func levels(_ content: JSONNode) -> RoomPowers.Levels {
    var users: [String: Int64?] = [:]
    for item in JSONNode?.some(content).elements("users") {
      if let user = item.name { users.updateValue(level(item), forKey: user) }
    }
    let usual = content["users_default"]
    return RoomPowers.Levels(users: users, usersDefault: usual.map { level($0) } ?? 0)
  }

  /// Returns a power level; `nil` if it is not a whole number, such as text in an old room, which grants nothing here.
  private func level(_ item: JSONNode) -> Int64? {
    item.number.flatMap { Int64(exactly: $0) }
  }

  private func isCorrection(_ content: JSONNode) -> Bool {
    content["m.relates_to"]?["rel_type"]?.text == "m.replace"
  }
}
