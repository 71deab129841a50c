// Invitations to Matrix rooms, through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomInvitationTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  /// A kiosk that accepts the invitations of Ann.
  private func world(commands: String = "") throws -> KioskWorld {
    try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server, commands: commands,
      outputs: "[{name: gate, line: GPIO20, pulse: 200 ms}]", matrix: ", accept_invitations_of: ['@ann:h']")
  }

  private func joins(_ room: String) -> Int {
    server.requests("/join/" + room.replacing("!", with: "%21").replacing(":", with: "%3A")).count
  }

  @Test func `an allowed user invites the kiosk to a room and commands it there, and a stranger cannot`() throws {
    let world = try world(
      commands: "commands: [{room: '!later:h', users: ['@ann:h'], outputs: [gate], expires: 120 s}]")
    try world.start()
    #expect(eventually { world.log.contains("event=room-denied code=room-closed") }, "\(world.log.suffix(1500))")
    try server.invite(to: "!strange:h", by: "@eve:h")
    try server.invite(to: "!later:h")
    #expect(
      eventually { world.log.contains("event=room-joined room=!later:h user=@ann:h") }, "\(world.log.suffix(1500))")
    try server.write("!gate on", in: "!later:h", secondsAgo: -118)
    #expect(eventually { world.log.contains("event=room-ready room=!later:h") }, "\(world.log.suffix(1500))")
    let line = try server.write("!gate pulse", in: "!later:h", secondsAgo: -118)
    #expect(eventually { server.answers(to: line) == ["\u{2705}"] }, "\(server.answers(to: line))")
    #expect(joins("!strange:h") == 0 && joins("!later:h") == 1 && !world.log.contains("!strange:h"))
  }

  @Test func `two megabytes of strangers' invitations do not prevent users from commanding or inviting the kiosk`()
    throws
  {
    let world = try world(
      commands: "commands: [{room: '!open:h', users: ['@ann:h'], outputs: [gate], expires: 120 s}]")
    for number in 1...35 { try server.invite(to: "!strange\(number):h", by: "@eve:h", nameSize: 58_000) }
    try server.invite(to: "!other:h")
    try world.start()
    #expect(eventually { world.log.contains("event=room-ready") }, "\(world.log.suffix(1500))")
    let line = try server.write("!gate pulse", secondsAgo: -118)
    #expect(eventually { server.answers(to: line) == ["\u{2705}"] }, "\(server.answers(to: line))")
    #expect(eventually { world.log.contains("event=room-joined room=!other:h") }, "\(world.log.suffix(1500))")
    for number in 36...70 { try server.invite(to: "!strange\(number):h", by: "@eve:h", nameSize: 58_000) }
    try server.invite(to: "!later:h")
    #expect(eventually { world.log.contains("event=room-joined room=!later:h") }, "\(world.log.suffix(1500))")
    #expect(!world.log.contains("event=rooms-failing") && joins("!strange1:h") == 0, "\(world.log.suffix(1500))")
  }

  @Test func `a refused invitation repeated in each response causes one attempt and one line of the log`() throws {
    let world = try world()
    try world.start()
    #expect(eventually { world.roomProcess != nil })
    try server.append(["repeat": true])
    try server.invite(to: "!closed:h")
    #expect(
      eventually { world.log.contains("event=room-not-joined code=room-closed room=!closed:h user=@ann:h") },
      "\(world.log.suffix(1500))")
    let polls = server.requests("/sync").count
    #expect(eventually { server.requests("/sync").count >= polls + 3 })
    #expect(joins("!closed:h") == 1)
    #expect(world.log.components(separatedBy: "event=room-not-joined").count == 2, "\(world.log.suffix(1500))")
  }

  @Test func `an invitation from before the kiosk's start is accepted by its next process`() throws {
    let world = try world()
    try world.start()
    #expect(eventually { server.requests("/sync").count >= 2 })
    #expect(try world.tappet("status").output.contains("rooms     good"))
    world.kiosk?.end()
    try server.invite(to: "!other:h")
    try server.invite(to: "!closed:h")
    try world.start()
    #expect(
      eventually { world.log.contains("event=room-joined room=!other:h user=@ann:h") }, "\(world.log.suffix(1500))")
    #expect(server.requests("/sync").allSatisfy { !$0.path.contains("%22room%22%3A%7B%22rooms%22") })
  }
}
