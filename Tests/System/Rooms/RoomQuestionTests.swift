// An action that somebody confirms in a Matrix room, through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomQuestionTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  private func world(within: String = "60 s", room: String = "#door:h") throws -> KioskWorld {
    let world = try KioskWorld.inRooms(
      [("open", "title: Open the door, topic: home/door, message: '%{by}', confirm: \(within), confirm_in: '\(room)'")],
      server, commands: "commands: [{room: '\(room)', users: ['@ann:h']}]")
    try world.start()
    return world
  }

  private func awaitListening(_ world: KioskWorld) {
    #expect(eventually { world.log.contains("event=room-ready") }, "\(world.log.suffix(1500))")
  }

  /// Presses the button; returns the event of the question that follows.
  private func ask(_ world: KioskWorld, besides known: [String] = []) throws -> String {
    try world.tell("press GPIO5")
    try world.tell("release GPIO5")
    return try #require(server.event(of: "Open the door?", besides: known), "\(world.log.suffix(1500))")
  }

  private func count(_ event: String, _ world: KioskWorld) -> Int {
    world.log.components(separatedBy: "event=" + event).count - 1
  }

  @Test func `a press acts once, and only after a user reacts to the question`() throws {
    let world = try world()
    awaitListening(world)
    let other = try server.write("Hello")
    let question = try ask(world)
    try server.react("\u{2705}", to: other)
    try server.react("\u{2705}", to: question, by: "@eve:h")
    try server.react("\u{1F44D}", to: question)
    #expect(eventually { world.log.contains("code=sender-unknown") }, "\(world.log.suffix(1500))")
    #expect(count("press-accepted", world) == 0)
    try server.react("\u{2705}\u{FE0F}", to: question)
    #expect(eventually { count("delivered", world) == 1 }, "\(world.log.suffix(1500))")
    try server.react("\u{2705}", to: question)
    #expect(eventually { server.answers(to: question) == ["\u{2705} confirmed by @ann:h."] })
    let line = try server.write("!status")
    #expect(eventually { !server.answers(to: line).isEmpty })
    #expect(count("press-accepted", world) == 1)
    #expect(try world.received(1).map(\.payload) == ["@ann:h"])
    func hers() throws -> [Substring] { try world.tappet("history", "--by", "@ann:h").output.split(separator: "\n") }
    #expect(try eventually { try hers().count == 2 } && hers().allSatisfy { $0.hasSuffix("  open  @ann:h") })
    #expect(try world.tappet("history", "--by", "GPIO5").output.isEmpty)
  }

  @Test func `a no or a timeout refuses the press, and the outcome is posted in the room`() throws {
    let world = try world(within: "15 s")
    awaitListening(world)
    let first = try ask(world)
    try server.react("\u{274C}", to: first)
    #expect(eventually { server.answers(to: first) == ["\u{274C} refused by @ann:h."] })
    #expect(eventually { world.log.contains("event=not-confirmed code=refused-in-room") }, "\(world.log.suffix(900))")
    #expect(eventually { world.lights.last == "ready" })
    let second = try ask(world, besides: [first])
    #expect(eventually { server.answers(to: second) == ["\u{274C} no response in time."] })
    try server.react("\u{2705}", to: second)
    try server.react("\u{2705}", to: first)
    let third = try ask(world, besides: [first, second])
    try server.react("\u{2705}", to: third)
    #expect(eventually { count("press-accepted", world) == 1 }, "\(world.log.suffix(1500))")
  }

  @Test func `check reports that a question cannot be posted in an encrypted room`() throws {
    let world = try world(room: "!hidden:h")
    let checked = try world.tappet("check")
    #expect(checked.status != 0 && checked.output.contains("set 'confirm_in' to a different room"), "\(checked)")
  }

  @Test func `a kiosk that cannot read the room asks no question, and a killed process ends the question`() throws {
    let world = try world(room: "!far:h")
    #expect(eventually { world.log.contains("event=room-denied") }, "\(world.log.suffix(900))")
    try world.tell("press GPIO5")
    #expect(eventually { world.log.contains("code=nobody-to-ask") }, "\(world.log.suffix(900))")
    world.kiosk?.end()
    let other = try self.world()
    awaitListening(other)
    let question = try ask(other)
    kill(try #require(other.roomProcess), SIGKILL)
    #expect(eventually { other.log.contains("event=not-confirmed code=panel-closed") }, "\(other.log.suffix(900))")
    #expect(eventually { other.log.components(separatedBy: "event=room-ready").count == 3 })
    try server.react("\u{2705}", to: question)
    try server.react("\u{2705}", to: try ask(other, besides: [question]))
    #expect(eventually { count("press-accepted", other) == 1 }, "\(other.log.suffix(1500))")
  }
}
