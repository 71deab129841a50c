// Lines in a room that ask the store, for the tap log or about people, through the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomPeopleTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  private func world(people: Bool, more: String = "") throws -> KioskWorld {
    let world = try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server,
      commands: "commands: [{room: '#door:h', users: ['@ann:h'], actions: [ring], people: \(people), expires: 120 s}]"
        + more)
    try start(world)
    return world
  }

  /// Starts the kiosk and waits until it listens.
  private func start(_ world: KioskWorld) throws {
    // A kiosk that was started before has said it in the same log.
    func times() -> Int { world.log.components(separatedBy: "event=room-ready").count }
    let before = times()
    try world.start()
    #expect(eventually { times() > before }, "\(world.log.suffix(1500))")
  }

  private func answer(to text: String, count: Int = 1) throws -> [String] {
    // As far ahead as a line may be, so that on a slow machine it is not too old.
    let event = try server.write(text, secondsAgo: -118)
    _ = eventually { server.answers(to: event).count >= count }
    return server.answers(to: event)
  }

  private func isSuspended(_ name: String, _ world: KioskWorld) throws -> Bool {
    let line = try world.tappet("person", "list").output.split(separator: "\n").first { $0.contains(name) }
    return line?.contains("suspended") == true
  }

  @Test func `a person is suspended from the room, even after a kill, and resumed`() throws {
    let world = try world(people: true)
    #expect(try world.tappet("person", "add", "Ben Smith").status == 0)
    #expect(try answer(to: "!suspend Ben Smith") == ["\u{2705}"])
    #expect(
      eventually { world.log.contains("event=person-suspended") && world.log.contains("by_program=@ann:h") },
      "\(world.log)")
    world.kiosk?.end(SIGKILL)
    #expect(try isSuspended("Ben Smith", world))
    try start(world)
    #expect(try answer(to: "!resume  Ben  Smith") == ["\u{2705}"])
    #expect(try !isSuspended("Ben Smith", world))
    #expect(try answer(to: "!suspend Nobody").first?.hasPrefix("Refused: ") == true)
    #expect(try answer(to: "!suspend").first?.hasPrefix("Refused: it is not a command") == true)
    let audit = try world.tappet("audit").output
    #expect(audit.contains("person-suspended") && audit.contains("@ann:h"), "\(audit)")
  }

  @Test func `a room without permission suspends no one, and shows the last taps with their outcome`() throws {
    let world = try world(people: false)
    #expect(try world.tappet("person", "add", "Ben").status == 0)
    #expect(
      try answer(to: "!suspend Ben") == [
        "Refused: not permitted here; see 'actions', 'outputs', 'people' and 'check' under 'commands'."
      ])
    #expect(try !isSuspended("Ben", world))
    #expect(try answer(to: "!history") == ["The log is empty."])
    for _ in 0..<6 { #expect(try answer(to: "!ring", count: 2) == ["\u{23F3}", "\u{2705}"]) }
    let lines = try #require(try answer(to: "!history").first).split(separator: "\n")
    let shown = try world.tappet("history").output.split(separator: "\n")
    #expect(lines.count == 10 && shown.count == 12 && lines.elementsEqual(shown.suffix(10)), "\(lines) \(shown)")
    #expect(lines.allSatisfy { $0.hasSuffix("ring  @ann:h") }, "\(lines)")
  }

  @Test func `a kiosk without a tap log reports that`() throws {
    let world = try world(people: false, more: "\nhistory: none")
    defer { withExtendedLifetime(world) {} }
    #expect(try answer(to: "!history").first?.contains("history: none") == true)
  }
}
