// 'tappet matrix list', against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomListTests: JSONSuite {
  let schema: JSONSchema
  private let server: Homeserver
  private let world: KioskWorld

  init() throws {
    schema = try JSONSchema()
    server = try Homeserver()
    world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
  }

  private func join(_ rooms: String...) throws {
    for room in rooms { #expect(try world.tappet("matrix", "join", room).status == 0, "\(room)") }
  }

  @Test func `rooms are listed under their spaces, newest first, with the sums of unread messages`() throws {
    try join("!late:h", "!alone:h", "!space:h")
    try server.append(["room": "!alone:h", "marked": true])
    try server.append(["room": "!late:h", "silenced": true])
    let before = server.requests("/_matrix").count
    let list = try world.tappet("matrix", "list", "--by-space").output.split(separator: "\n").map(String.init)
    let paths = server.requests("/_matrix").dropFirst(before).map(\.path)
    #expect(paths.filter { $0.contains("/sync") }.count == 1, "one request for all rooms: \(paths)")
    #expect(paths.allSatisfy { $0.contains("/sync") || $0.contains("/hierarchy") }, "\(paths)")
    #expect(
      list == [
        "!space:h  -  -  space  5 unread  1 for the kiosk", "  !late:h  -  -  2 unread  muted",
        #"  !open:h  #door:h  Front \u{1b}\u{a}door  3 unread  1 for the kiosk"#,
        "  !closed:h  -  -  not joined", "!alone:h  -  -  marked unread", "!hidden:h  -  -  encrypted",
        #"!invited:h  Back\u{1b} door  invited by @ann:h"#,
      ], "\(list)")
  }

  @Test func `with --json the list matches the schema`() throws {
    try join("!space:h", "!sealed:h")
    let done = try run(world, "matrix list", ["--by-space"])
    let data = try #require(try judge(done, "matrix list").first)
    let rooms = try #require(data["rooms"] as? [[String: Any]])
    func room(_ id: String) throws -> [String: Any] { try #require(rooms.first { $0["id"] as? String == id }) }
    #expect(try room("!open:h")["name"] as? String == "Front \u{1B}\ndoor")
    #expect(try room("!open:h")["parent"] as? String == "!space:h" && room("!open:h")["mentions"] as? Int == 1)
    #expect(try room("!open:h")["newest_at"] as? String == "1970-01-01T00:00:02.000Z")
    #expect(try room("!space:h")["type"] as? String == "space" && room("!hidden:h")["encrypted"] as? Bool == true)
    let late = try room("!late:h")
    #expect(late["joined"] as? Bool == false && late["members"] as? Int == 3 && late["unread"] is NSNull)
    let failures = try #require(data["failures"] as? [[String: Any]])
    #expect(done.status == 1 && failures.compactMap { $0["id"] as? String } == ["!sealed:h"], "\(done)")
    let plain = try run(world, "matrix list", [])
    let all = try #require(try judge(plain, "matrix list").first?["rooms"] as? [[String: Any]])
    #expect(plain.status == 0 && all.count == 4 && all.allSatisfy { $0["parent"] is NSNull }, "\(plain)")
  }

  @Test func `an unreadable space is reported on one line, and long names are read completely`() throws {
    try join("!sealed:h", "!torn:h")
    let list = try world.tappet("matrix", "list", "--by-space")
    #expect(list.status == 1 && list.errors.contains("the rooms of 1 space could not be read"), "\(list.errors)")
    let lines = list.output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("failed  !sealed:h  ") && $0.contains("M_FORBIDDEN") })
    #expect(lines.contains { $0.hasPrefix("!torn:h  -  xxx") && $0.count > 200_000 })
    #expect(lines.contains { $0.hasPrefix("!open:h") })
    try join("!flooded:h")
    let flooded = try world.tappet("matrix", "list")
    #expect(flooded.status == 4 && flooded.errors.contains("larger than 4 MB"), "\(flooded.errors)")
  }

  @Test(.needsTmux) func `while a homeserver is slow a terminal shows progress, and then only the list`() throws {
    try server.append(["pause": 3])
    let terminal = try Terminal(
      try Programs.built("tappet"), ["matrix", "list", "--config", world.configPath], in: server.folder.path)
    #expect(eventually { textSoFar(server.folder.path + "/written").contains("Reading the rooms … ") })
    #expect(eventually { textSoFar(server.folder.path + "/written").contains("!open:h  #door:h") })
    _ = terminal
    let done = try world.tappet("matrix", "list")
    #expect(done.status == 0 && !done.errors.contains("Reading"), "\(done)")
  }
}
