// Messages in rooms that report the outcome of their taps, through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomReportTests {
  /// The broker of the tests has no subscriber to `t/bell`.
  private static let outcome = "\u{26A0} delivered, but the topic has no subscriber"
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  private func world(_ rooms: [String] = ["open"], _ rest: String = "") throws -> KioskWorld {
    let world = try KioskWorld.inRooms(
      rooms.map { ("in-\($0)", "topic: t/bell, message: ring, room: '!\($0):h', report: true\(rest)") }, server)
    try world.start()
    return world
  }

  private func isEdited(in room: String = "!open:h") -> Bool {
    eventually { server.messages(in: room).first?.edits.isEmpty == false }
  }

  @Test func `a message is edited once the broker has the tap, and causes no second notification`() throws {
    let world = try world(["open"], ", mention: ['@ann:h'], html: '<b>ring</b>'")
    try world.press(0)
    #expect(isEdited(), "\(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("event=room-edited action=in-open") }, "\(world.log.suffix(900))")
    let messages = server.messages()
    #expect(messages.map(\.text) == ["ring"] && messages.map(\.edits) == [["ring\n\(RoomReportTests.outcome)"]])
    #expect(server.said(in: "!open:h").last == "* ring\n\(RoomReportTests.outcome)")
    let sent = server.requests("/send/")
    #expect(sent.count == 2 && Set(sent.map(\.path)).count == 2)
  }

  @Test func `a tap that expires is reported in its message`() throws {
    let world = try world(["open"], ", expires: 2 s")
    world.broker.stop()
    #expect(eventually { world.log.contains("event=broker-lost") }, "\(world.log.suffix(900))")
    try world.press(0)
    #expect(isEdited(), "\(world.log.suffix(1500))")
    #expect(server.messages().map(\.edits) == [["ring\n\u{274C} not delivered in time"]])
  }

  @Test func `a kiosk killed before the outcome edits the same message, and posts nothing twice`() throws {
    let world = try world()
    world.broker.stop()
    #expect(eventually { world.log.contains("event=broker-lost") }, "\(world.log.suffix(900))")
    try world.press(0)
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(1500))")
    world.kiosk?.end(SIGKILL)
    #expect(server.messages().map(\.edits) == [[]])
    try world.restartBroker()
    try world.start()
    #expect(isEdited(), "\(world.log.suffix(1500))")
    #expect(server.messages().map(\.edits) == [["ring\n\(RoomReportTests.outcome)"]])
  }

  @Test func `an edit whose response is lost, or that is limited briefly, is sent again`() throws {
    let world = try world(["lost-edits", "limit-edits"])
    for (number, name) in ["lost-edits", "limit-edits"].enumerated() {
      try world.press(number)
      #expect(eventually { world.log.contains("event=room-edited action=in-\(name)") }, "\(world.log.suffix(1500))")
      #expect(server.messages(in: "!\(name):h").map(\.edits) == [["ring\n\(RoomReportTests.outcome)"]])
      // The message, and its edit twice under one name.
      let sent = server.requests("/rooms/%21\(name)%3Ah/send/").map(\.path)
      #expect(sent.count == 3 && Set(sent).count == 2)
    }
    #expect(!world.log.contains("event=room-edit-dropped"), "\(world.log.suffix(900))")
  }

  @Test func `an edit that is limited for an hour is dropped, and this is logged`() throws {
    let world = try world(["limit-edits3600"])
    try world.press(0)
    #expect(eventually { world.log.contains("event=room-edit-dropped") }, "\(world.log.suffix(1500))")
    #expect(world.log.contains("event=room-edit-dropped code=webhook-too-many"), "\(world.log.suffix(900))")
    #expect(server.messages(in: "!limit-edits3600:h").map(\.edits) == [[]])
  }
}
