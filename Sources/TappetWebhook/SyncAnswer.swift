// A homeserver's answer to /sync, read with cJSON. Client-server API v1.11, §6.4.

import CJSON
import TappetCore

/// The rooms, and the lines that people wrote there.
struct SyncAnswer {
  /// One room in it.
  struct Room {
    var id: String
    /// Whether the kiosk has left it, or was removed.
    var isLeft: Bool
    /// Whether an event in it says that it is encrypted.
    var isEncrypted = false
    /// Whether another room has taken its place.
    var isReplaced = false
    /// In their order, so that a line has the power that its sender had then.
    var changes: [Change] = []
  }

  /// One thing that happened in a room.
  enum Change {
    /// Somebody wrote a line; corrections of earlier ones are left out.
    case line(RoomLine)
    /// Somebody sent an encrypted event, as JSON.
    case encrypted(user: String, [UInt8])
    case levels(RoomPowers.Levels)
    /// Somebody reacted to an event with one of the answers to a question.
    case reaction(to: String, user: String, isYes: Bool)
  }

  /// The place from which the next answer continues.
  let next: String
  private(set) var rooms: [Room] = []
  private(set) var news = SyncNews()

  /// `nil` for anything but such an answer.
  init?(_ bytes: [UInt8]) {
    guard let tree = SyncAnswer.tree(bytes) else { return nil }
    defer { cJSON_Delete(tree) }
    guard let next = SyncAnswer.text(tree, "next_batch"), !next.isEmpty else { return nil }
    self.next = next
    readNews(tree)
    guard let rooms = SyncAnswer.member(tree, "rooms") else { return }
    for (word, isLeft) in [("join", false), ("leave", true)] {
      SyncAnswer.forEach(SyncAnswer.member(rooms, word)) { room in
        guard let name = room.pointee.string else { return }
        var found = Room(id: String(cString: name), isLeft: isLeft)
        for part in ["state", "timeline"] {
          SyncAnswer.forEach(SyncAnswer.member(room, part).flatMap { SyncAnswer.member($0, "events") }) { event in
            found.read(event)
          }
        }
        self.rooms.append(found)
      }
    }
  }

  /// The event `m.room.create` of a room, asked for by itself; `nil` for anything else.
  static func creation(_ bytes: [UInt8]) -> RoomPowers.Creation? {
    guard let event = tree(bytes) else { return nil }
    defer { cJSON_Delete(event) }
    guard let sender = text(event, "sender"), let content = member(event, "content") else { return nil }
    var others: [String] = []
    forEach(member(content, "additional_creators")) { item in
      if cJSON_IsString(item) != 0, let text = item.pointee.valuestring, let name = String(validatingCString: text) {
        others.append(name)
      }
    }
    return RoomPowers.Creation(version: text(content, "room_version"), sender: sender, others: others)
  }

  /// The caller deletes it.
  static func tree(_ bytes: [UInt8]) -> UnsafeMutablePointer<cJSON>? {
    bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap { start in
        start.withMemoryRebound(to: CChar.self, capacity: buffer.count) { cJSON_ParseWithLength($0, buffer.count) }
      }
    }
  }

  /// The text of a member with this name.
  static func text(_ object: UnsafePointer<cJSON>, _ name: String) -> String? {
    guard let item = member(object, name), cJSON_IsString(item) != 0, let text = item.pointee.valuestring else {
      return nil
    }
    return String(validatingCString: text)
  }

  /// The object or array with this name.
  static func member(_ object: UnsafePointer<cJSON>, _ name: String) -> UnsafePointer<cJSON>? {
    cJSON_GetObjectItemCaseSensitive(object, name).map { UnsafePointer($0) }
  }

  private mutating func readNews(_ tree: UnsafePointer<cJSON>) {
    SyncAnswer.forEach(SyncAnswer.member(tree, "to_device").flatMap { SyncAnswer.member($0, "events") }) { event in
      news.toDevice.append(SyncAnswer.encoded(event))
    }
    if let lists = SyncAnswer.member(tree, "device_lists") {
      news.changed = SyncAnswer.texts(SyncAnswer.member(lists, "changed"))
      news.left = SyncAnswer.texts(SyncAnswer.member(lists, "left"))
    }
    if let counts = SyncAnswer.member(tree, "device_one_time_keys_count") {
      let count = SyncAnswer.member(counts, "signed_curve25519")?.pointee.valuedouble ?? 0
      news.keyCount = Int64(exactly: count.rounded(.down)) ?? 0
    }
    if let types = SyncAnswer.member(tree, "device_unused_fallback_key_types") {
      news.hasFallback = SyncAnswer.texts(types).contains("signed_curve25519")
    }
  }

  /// An object as it came; empty when memory ran out.
  fileprivate static func encoded(_ item: UnsafePointer<cJSON>) -> [UInt8] {
    guard let text = cJSON_PrintUnformatted(item) else { return [] }
    defer { cJSON_free(text) }
    return Array(String(cString: text).utf8)
  }

  private static func texts(_ array: UnsafePointer<cJSON>?) -> [String] {
    var texts: [String] = []
    forEach(array) { item in
      if cJSON_IsString(item) != 0, let text = item.pointee.valuestring { texts.append(String(cString: text)) }
    }
    return texts
  }

  fileprivate static func forEach(_ parent: UnsafePointer<cJSON>?, _ body: (UnsafePointer<cJSON>) -> Void) {
    var child = parent?.pointee.child
    while let item = child {
      body(item)
      child = item.pointee.next
    }
  }
}

extension SyncAnswer.Room {
  fileprivate mutating func read(_ event: UnsafePointer<cJSON>) {
    let type = SyncAnswer.text(event, "type")
    guard let type, let content = SyncAnswer.member(event, "content") else { return }
    switch type {
    case "m.room.encryption": isEncrypted = true
    case "m.room.encrypted":
      guard let user = SyncAnswer.text(event, "sender") else { return }
      changes.append(.encrypted(user: user, SyncAnswer.encoded(event)))
    case "m.room.message": readLine(event, content)
    case "m.reaction": readReaction(event, content)
    case _ where SyncAnswer.text(event, "state_key") != "": break
    case "m.room.tombstone": isReplaced = SyncAnswer.text(content, "replacement_room") != nil
    case "m.room.power_levels": changes.append(.levels(levels(content)))
    case _: break
    }
  }

  private mutating func readLine(_ event: UnsafePointer<cJSON>, _ content: UnsafePointer<cJSON>) {
    guard SyncAnswer.text(content, "msgtype") == "m.text", let text = SyncAnswer.text(content, "body"),
      text.utf8.first == UInt8(ascii: "!"), text.utf8.count <= Limits.roomLineSizeMax,
      SyncAnswer.member(content, "m.new_content") == nil, !isCorrection(content),
      let user = SyncAnswer.text(event, "sender"), let id = SyncAnswer.text(event, "event_id"),
      max(user.utf8.count, id.utf8.count) <= Limits.roomNameSizeMax,
      let time = SyncAnswer.member(event, "origin_server_ts"), cJSON_IsNumber(time) != 0
    else { return }
    let milliseconds = Int64(exactly: time.pointee.valuedouble.rounded(.down)) ?? 0
    changes.append(
      .line(RoomLine(room: self.id, event: id, user: user, unixMilliseconds: milliseconds, text: text)))
  }

  private mutating func readReaction(_ event: UnsafePointer<cJSON>, _ content: UnsafePointer<cJSON>) {
    guard let relation = SyncAnswer.member(content, "m.relates_to"),
      SyncAnswer.text(relation, "rel_type") == "m.annotation", let target = SyncAnswer.text(relation, "event_id"),
      let key = SyncAnswer.text(relation, "key"), let isYes = Self.answer(key),
      let user = SyncAnswer.text(event, "sender"), max(user.utf8.count, target.utf8.count) <= Limits.roomNameSizeMax
    else { return }
    changes.append(.reaction(to: target, user: user, isYes: isYes))
  }

  /// The answer that a reaction is; some clients add the character that asks for a coloured picture.
  private static func answer(_ key: String) -> Bool? {
    switch String(String.UnicodeScalarView(key.unicodeScalars.filter { $0 != "\u{FE0F}" })) {
    case "\u{2705}": true
    case "\u{274C}": false
    case _: nil
    }
  }

  private func levels(_ content: UnsafePointer<cJSON>) -> RoomPowers.Levels {
    var users: [String: Int64?] = [:]
    SyncAnswer.forEach(SyncAnswer.member(content, "users")) { item in
      if let name = item.pointee.string, let user = String(validatingCString: name) {
        users.updateValue(level(item), forKey: user)
      }
    }
    let usual = SyncAnswer.member(content, "users_default")
    return RoomPowers.Levels(users: users, usersDefault: usual.map { level($0) } ?? 0)
  }

  /// A whole number; old rooms may have texts as well, which allow nothing here.
  private func level(_ item: UnsafePointer<cJSON>) -> Int64? {
    cJSON_IsNumber(item) != 0 ? Int64(exactly: item.pointee.valuedouble) : nil
  }

  private func isCorrection(_ content: UnsafePointer<cJSON>) -> Bool {
    SyncAnswer.member(content, "m.relates_to").flatMap { SyncAnswer.text($0, "rel_type") } == "m.replace"
  }
}
