// A scripted homeserver, and a kiosk that says something in its rooms.

import Foundation
import TestSupport

/// Tests/System/Faults/homeserver.py, which answers by the room.
final class Homeserver {
  private let service: Service
  let port: Int

  init(in folder: String) throws {
    let words = [
      Repository.path("Tests/System/Faults/homeserver.py"), try Certificates.path("server.pem"),
      try Certificates.path("server.key"),
    ]
    let service = try Service(
      try Programs.installed("python3"), words, log: folder + "/homeserver-\(UUID().uuidString.prefix(4)).log")
    self.service = service
    guard eventually(10, { service.text.contains("\n") }), let port = Int(service.text.prefix { $0 != "\n" }) else {
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

  /// The requests whose path has `word` in it.
  func requests(_ word: String) -> [(path: String, token: String)] {
    facts.compactMap { fact in
      guard fact["request"] != nil, let path = fact["path"] as? String, path.contains(word) else { return nil }
      return (path, fact["token"] as? String ?? "")
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

  /// The changes of members: the word, the room and the user.
  var memberships: [String] {
    facts.compactMap { fact in
      (fact["membership"] as? String).map { "\($0) \(fact["room"] ?? "") \(fact["user"] as? String ?? "-")" }
    }
  }
}

extension KioskWorld {
  /// A kiosk that has logged in, with a button for each room; the first one's is GPIO5, the next one's GPIO6.
  static func inRooms(_ rooms: [(action: String, rest: String)], _ server: Homeserver) throws -> KioskWorld {
    var more = ""
    for (action, rest) in rooms { more += "  - {name: \(action), cooldown: 0 s, \(rest)}\n" }
    more += "matrix: {session: matrix.session, ca: \(try Certificates.path("ca.pem"))}\n"
    more += "panel:\n  simulator: panel\n  leds: {status: GPIO17}\n  buttons:\n"
    for (number, room) in rooms.enumerated() { more += "    - {line: GPIO\(5 + number), press: \(room.action)}\n" }
    let world = try KioskWorld(KioskWorld.KioskConfiguration(more: more))
    let done = try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n")
    guard done.status == 0 else { throw TestFault("\(done)") }
    return world
  }
}
