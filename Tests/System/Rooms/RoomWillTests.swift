// The kiosk's last will in a Matrix room, through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomWillTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  private func world(room: String = "#door:h") throws -> KioskWorld {
    try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server,
      matrix: ", last_will: {room: '\(room)', message: The door is gone., after: 60 s}")
  }

  private func awaitWill(_ world: KioskWorld) {
    #expect(eventually { world.log.contains("event=last-will-ready room=#door:h") }, "\(world.log.suffix(1500))")
  }

  @Test func `a kiosk that stops cancels its last will, and a killed kiosk leaves it scheduled`() throws {
    let world = try world()
    try world.start()
    awaitWill(world)
    #expect(server.wills == ["!open:h 60000 The door is gone."])
    let checked = try world.tappet("check")
    #expect(checked.output.contains("last will: #door:h, without encryption"), "\(checked)")
    world.kiosk?.end()
    #expect(eventually { server.delayed.pending.isEmpty } && server.delayed.scheduled.count == 1)
    try world.start()
    #expect(eventually { server.delayed.pending.count == 1 && server.delayed.scheduled.count == 2 })
    world.kiosk?.end(SIGKILL)
    try world.start()
    #expect(eventually { server.delayed.scheduled.count == 3 && server.delayed.pending.count == 1 })
    #expect(server.delayed.pending == [server.delayed.scheduled[2]])
    #expect(server.said(in: "!open:h").isEmpty)
  }

  @Test func `after a process is killed, the next one leaves a single last will pending`() throws {
    let world = try world()
    try world.start()
    awaitWill(world)
    kill(try #require(world.roomProcess), SIGKILL)
    #expect(eventually { server.delayed.scheduled.count == 2 && server.delayed.pending.count == 1 })
    world.kiosk?.end()
    #expect(eventually { server.delayed.pending.isEmpty })
  }

  @Test func `a homeserver without support is reported once, and everything else works`() throws {
    try server.append(["delay_max": 0])
    let world = try world()
    try world.start()
    #expect(
      eventually { world.log.contains("event=last-will-failing code=last-will-unsupported") },
      "\(world.log.suffix(1500))")
    let status = try world.tappet("status")
    #expect(status.output.contains("rooms     good, but without a last will"), "\(status)")
    let checked = try world.tappet("check")
    #expect(checked.output.contains("does not support delayed messages"), "\(checked)")
    #expect(server.delayed.scheduled.isEmpty)
    #expect(world.log.components(separatedBy: "event=last-will-failing").count == 2)
  }

  @Test func `an encrypted room gets no last will, as the homeserver could post only plain text`() throws {
    let world = try world(room: "!hidden:h")
    try world.start()
    #expect(
      eventually { world.log.contains("event=last-will-failing code=room-encrypted room=!hidden:h") },
      "\(world.log.suffix(1500))")
    #expect(server.delayed.scheduled.isEmpty)
  }
}
