// A scripted homeserver, and a kiosk that says something in its rooms.

import Foundation
import TestSupport

/// Tests/System/Faults/homeserver.py, which answers by the room.
final class Homeserver {
  /// The folder of its files, which is removed with it.
  let folder = TemporaryFolder()
  private let service: Service
  private let lines: String
  private var lineCount = 0
  let port: Int

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    lines = folder.path + "/lines"
    let words = [
      Repository.path("Tests/System/Faults/homeserver.py"), try Certificates.path("server.pem"),
      try Certificates.path("server.key"), lines,
    ]
    let service = try Service(
      try Programs.installed("python3"), words, log: folder.path + "/homeserver.log")
    self.service = service
    guard eventually({ service.text.contains("\n") }), let port = Int(service.text.prefix { $0 != "\n" }) else {
      throw TestFault("no homeserver: \(service.text)")
    }
    self.port = port
  }

  deinit { service.end(SIGKILL) }

  var user: String { "@kiosk:localhost:\(port)" }

  private var facts: [[String: Any]] {
    service.text.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// The texts of the events in a room, in order.
  func said(in room: String) -> [String] {
    facts.filter { $0["event"] != nil && $0["room"] as? String == room }
      .compactMap { ($0["content"] as? [String: Any])?["body"] as? String }
  }

  /// The messages in a room, each with the texts that its edits give it.
  func messages(in room: String = "!open:h") -> [(text: String, edits: [String])] {
    var order: [String] = []
    var found: [String: (text: String, edits: [String])] = [:]
    for fact in facts where fact["room"] as? String == room {
      guard let event = fact["event"] as? String, let content = fact["content"] as? [String: Any] else { continue }
      let relation = content["m.relates_to"] as? [String: Any]
      if relation?["rel_type"] as? String == "m.replace" {
        let new = content["m.new_content"] as? [String: Any]
        found[relation?["event_id"] as? String ?? ""]?.edits.append(new?["body"] as? String ?? "none")
      } else {
        order.append(event)
        found[event] = (content["body"] as? String ?? "none", [])
      }
    }
    return order.compactMap { found[$0] }
  }

  /// The id of the last event in a room whose text has `word` in it, once there is another one than these.
  func event(of word: String, in room: String = "!open:h", besides known: [String] = []) -> String? {
    var found: String?
    _ = eventually {
      found =
        facts.last { fact in
          let text = (fact["content"] as? [String: Any])?["body"] as? String
          return fact["room"] as? String == room && text?.contains(word) == true
        }?["event"] as? String
      return found.map { !known.contains($0) } ?? false
    }
    return found
  }

  /// Somebody reacts to an event.
  func react(_ key: String, to event: String, by user: String = "@ann:h", in room: String = "!open:h") throws {
    lineCount += 1
    let relation = ["rel_type": "m.annotation", "event_id": event, "key": key]
    try append([
      "type": "m.reaction", "room": room, "sender": user, "event_id": "$reaction\(lineCount)",
      "origin_server_ts": Int64(Date().timeIntervalSince1970 * 1000), "content": ["m.relates_to": relation],
    ])
  }

  /// Somebody writes a line in a room; returns its event's id.
  @discardableResult
  func write(
    _ text: String, by user: String = "@ann:h", in room: String = "!open:h", secondsAgo: Int64 = 0,
    content more: [String: Any] = [:]
  ) throws -> String {
    lineCount += 1
    let id = "$line/\(lineCount)"
    let content = ["msgtype": "m.text", "body": text].merging(more) { $1 }
    let milliseconds = Int64(Date().timeIntervalSince1970 * 1000) - secondsAgo * 1000
    try append([
      "type": "m.room.message", "room": room, "sender": user, "event_id": id, "origin_server_ts": milliseconds,
      "content": content,
    ])
    return id
  }

  /// Somebody changes the state of a room.
  func set(_ type: String, _ content: [String: Any], by user: String = "@owner:h", in room: String = "!open:h") throws {
    try append(["type": type, "state_key": "", "room": room, "sender": user, "event_id": "$s", "content": content])
  }

  /// Somebody invites the kiosk.
  func invite(to room: String, by user: String = "@ann:h", nameSize: Int = 1) throws {
    try append(["invite": room, "by": user, "size": nameSize])
  }

  /// The next answer to who listens is this fault, or the kiosk is removed from a room.
  func append(_ line: [String: Any]) throws {
    var data = try JSONSerialization.data(withJSONObject: line)
    data.append(UInt8(ascii: "\n"))
    if !FileManager.default.fileExists(atPath: lines) {
      _ = FileManager.default.createFile(atPath: lines, contents: nil)
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: lines))
    try file.seekToEnd()
    try file.write(contentsOf: data)
    try file.close()
  }

  /// The reactions to an event and the replies to it, in order.
  func answers(to event: String) -> [String] {
    facts.compactMap { fact in
      guard fact["event"] != nil, let content = fact["content"] as? [String: Any],
        let relation = content["m.relates_to"] as? [String: Any]
      else { return nil }
      if relation["event_id"] as? String == event { return relation["key"] as? String }
      let reply = relation["m.in_reply_to"] as? [String: Any]
      return reply?["event_id"] as? String == event ? content["body"] as? String : nil
    }
  }

  /// The requests whose path has `word` in it.
  func requests(_ word: String) -> [(path: String, token: String)] {
    facts.compactMap { fact in
      guard fact["request"] != nil, let path = fact["path"] as? String, path.contains(word) else { return nil }
      return (path, fact["token"] as? String ?? "")
    }
  }

  /// The delayed messages that were scheduled, and those that are still pending, by id.
  var delayed: (scheduled: [String], pending: Set<String>) {
    let scheduled = facts.compactMap { $0["delayed"] as? String }
    let cancelled = facts.compactMap { $0["action"] as? String == "cancel" ? $0["changed"] as? String : nil }
    return (scheduled, Set(scheduled).subtracting(cancelled))
  }

  /// The texts of the delayed messages, and their delays.
  var wills: [String] {
    facts.compactMap { fact in
      guard fact["delayed"] != nil, let content = fact["content"] as? [String: Any] else { return nil }
      return "\(fact["room"] ?? "") \(fact["delay"] ?? "") \(content["body"] ?? "")"
    }
  }

  /// The state that was set: the type, the room, the key and the number of the content's members.
  var states: [String] {
    facts.compactMap { fact in
      (fact["state"] as? String).map {
        "\($0) \(fact["room"] ?? "") \(fact["key"] ?? "") \((fact["content"] as? [String: Any])?.count ?? -1)"
      }
    }
  }

  /// The rooms that were made, as they were asked for.
  var creations: [[String: Any]] { facts.compactMap { $0["created"] as? [String: Any] } }

  /// The events that were removed: the room, the id and the reason.
  var redactions: [String] {
    facts.compactMap { fact in
      (fact["redacted"] as? String).map { "\(fact["room"] ?? "") \($0) \(fact["reason"] as? String ?? "-")" }
    }
  }

  /// The changes of members: the word, the room and the user.
  var memberships: [String] {
    facts.compactMap { fact in
      (fact["membership"] as? String).map { "\($0) \(fact["room"] ?? "") \(fact["user"] as? String ?? "-")" }
    }
  }
}

extension KioskWorld {
  /// A kiosk that has logged in, with a button for each room; the first one's is GPIO5, the next one's GPIO6.
  static func inRooms(
    _ rooms: [(action: String, rest: String)], _ server: Homeserver, commands: String = "", outputs: String? = nil,
    matrix: String = ""
  ) throws -> KioskWorld {
    var more = ""
    for (action, rest) in rooms { more += "  - {name: \(action), cooldown: 0 s, \(rest)}\n" }
    more += "matrix: {session: matrix.session, ca: \(try Certificates.path("ca.pem"))\(matrix)}\n\(commands)\n"
    more += "panel:\n  simulator: panel\n  leds: {status: GPIO17}\n"
    if let outputs { more += "  outputs: \(outputs)\n" }
    more += "  buttons:\n"
    for (number, room) in rooms.enumerated() { more += "    - {line: GPIO\(5 + number), press: \(room.action)}\n" }
    let world = try KioskWorld(KioskWorld.KioskConfiguration(more: more))
    let done = try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n")
    guard done.status == 0 else { throw TestFault("\(done)") }
    return world
  }
}
