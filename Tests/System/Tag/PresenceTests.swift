// A jukebox: external cards, and the removal that stops the music, with the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PresenceTests {
  private func world() throws -> KioskWorld {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
        - {name: play, topic: home/music, message: 'play %{tag} %{count}', cooldown: 0 s,
           on_remove: {message: 'stop %{tag}'}}
      tags:

      """
    for card in 1...80 {
      let uid = "010203" + String(card + 16, radix: 16)
      configuration.more += "  - {uid: '\(uid)', action: play, label: Album \(card), trust: uid}\n"
    }
    return try KioskWorld(configuration)
  }

  private func card(_ number: Int) -> String { "classic uid=010203\(String(number + 16, radix: 16))" }

  private func payloads(_ world: KioskWorld) -> [String] {
    world.received.filter { $0.topic == "home/music" }.map { $0.payload }
  }

  @Test func `each of eighty cards plays, and stops when it is removed`() throws {
    let world = try world()
    try world.start()
    var expected: [String] = []
    for number in [1, 40, 80, 1] {
      try world.tell("place " + card(number))
      expected.append("play Album \(number) \(expected.contains("play Album \(number) 1") ? 2 : 1)")
      #expect(eventually { payloads(world) == expected }, "\(payloads(world))")
      try world.takeAway()
      expected.append("stop Album \(number)")
      #expect(eventually { payloads(world) == expected }, "\(payloads(world))")
    }
  }

  @Test func `a card removed while the kiosk is down stops the music at the next start, once`() throws {
    let world = try world()
    try world.start()
    try world.tell("place " + card(7))
    #expect(eventually { payloads(world) == ["play Album 7 1"] }, "\(payloads(world))")
    // Until the broker's acknowledgement is on the disk a kiosk that is killed sends the message again, as QoS 1 may.
    #expect(try eventually { try world.tappet("outbox", "list").output == "" })
    #expect(world.kiosk?.end(SIGKILL) == true)
    _ = try? world.tell("take")
    try world.start()
    #expect(eventually { payloads(world) == ["play Album 7 1", "stop Album 7"] }, "\(payloads(world))")
    try world.goodTap()
    #expect(try world.settled().filter { $0.topic == "home/music" }.count == 2)
  }
}
