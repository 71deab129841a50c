// The light 'unread', through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomUnreadTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  /// A kiosk that shows what is unread in a space or room, and has joined these rooms.
  private func world(of room: String = "!space:h", in rooms: [String] = ["!space:h", "!late:h", "!alone:h"]) throws
    -> KioskWorld
  {
    let world = try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server, matrix: ", unread_of: '\(room)'")
    for room in rooms { #expect(try world.tappet("matrix", "join", room).status == 0, "\(room)") }
    return world
  }

  private func shows(_ text: String, light: String, _ world: KioskWorld) throws -> Bool {
    try eventually {
      let status = try world.tappet("status").output
      return status.contains("unread    \(text)\n") && status.contains("light     \(light)\n")
    }
  }

  @Test func `the light shows unread messages in the space, with no request for individual rooms`() throws {
    let world = try world()
    let checked = try world.tappet("check")
    #expect(checked.output.contains("!space:h, a space"), "\(checked)")
    let before = server.requests("/_matrix").count
    try world.start(until: "unread")
    #expect(try shows("5 messages in 2 rooms, 1 for the kiosk", light: "unread", world), "\(world.log.suffix(1500))")
    try server.append(["room": "!open:h", "counts": [0, 0]])
    #expect(try shows("2 messages in 1 room", light: "unread", world))
    try server.append(["room": "!late:h", "silenced": true])
    #expect(try shows("nothing", light: "ready", world))
    try server.append(["room": "!alone:h", "counts": [4, 1]])
    try server.append(["room": "!open:h", "marked": true])
    #expect(try shows("1 room marked as unread", light: "unread", world))
    let paths = server.requests("/_matrix").dropFirst(before).map(\.path)
    #expect(paths.allSatisfy { $0.contains("/sync") }, "\(paths)")
    #expect(paths.allSatisfy { !$0.contains("content.body") })
  }

  @Test func `the unread light stays when the process is killed, and follows later changes`() throws {
    let world = try world()
    try world.start(until: "unread")
    #expect(try shows("5 messages in 2 rooms, 1 for the kiosk", light: "unread", world))
    kill(try #require(world.roomProcess), SIGKILL)
    #expect(try world.tappet("status").output.contains("unread    5 messages in 2 rooms, 1 for the kiosk\n"))
    try server.append(["room": "!open:h", "counts": [0, 0]])
    #expect(try shows("2 messages in 1 room", light: "unread", world), "\(world.log.suffix(1500))")
    world.kiosk?.end(SIGKILL)
    try server.append(["room": "!late:h", "counts": [0, 0]])
    try world.start()
    #expect(try shows("nothing", light: "ready", world), "\(world.log.suffix(1500))")
  }

  @Test func `an oversized response is skipped, and the next one counts`() throws {
    let world = try world()
    try world.start(until: "unread")
    #expect(try shows("5 messages in 2 rooms, 1 for the kiosk", light: "unread", world))
    try server.append(["fault": "flood"])
    try server.append(["room": "!open:h", "counts": [7, 0]])
    #expect(try shows("9 messages in 2 rooms", light: "unread", world), "\(world.log.suffix(1500))")
    #expect(!world.log.contains("event=unread-failing"))
  }

  @Test func `without the space, or with an unknown address, the log and check state the remedy`() throws {
    for (room, code, word) in [
      ("!space:h", "room-closed", "tappet matrix join"), ("#none:h", "room-unknown", "no room"),
    ] {
      let world = try world(of: room, in: [])
      let checked = try world.tappet("check")
      #expect(checked.status != 0 && checked.output.contains(word), "\(checked)")
      try world.start()
      #expect(
        eventually { world.log.contains("event=unread-failing code=\(code) room=\(room)") },
        "\(world.log.suffix(1500))")
      let status = try world.tappet("status").output
      #expect(status.contains("rooms     good, but unread messages are not counted: "), "\(status)")
      #expect(!status.contains("light     unread") && !status.contains("\nunread "))
      world.kiosk?.end()
    }
  }
}
