// Tags of a kiosk whose actions are moved, renamed and given other indexes.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct ActionIndexTests {
  private func edit(file: String, _ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacingOccurrences(of: old, with: new).write(toFile: file, atomically: true, encoding: .utf8)
  }

  private func edit(_ world: KioskWorld, _ old: String, _ new: String) throws {
    try edit(file: world.configPath, old, new)
    let before = world.log.components(separatedBy: "event=reloaded").count
    world.kiosk?.signal(SIGHUP)
    guard eventually({ world.log.components(separatedBy: "event=reloaded").count > before }) else {
      throw TestFault("not reloaded: \(world.log.suffix(1000))")
    }
  }

  @Test func `tags keep working when actions are inserted or renamed`() throws {
    let world = try KioskWorld()
    try world.start()
    try edit(world, "actions:\n", "actions:\n  - {name: first, topic: home/first, message: m}\n")
    try world.goodTap()
    let written = try world.tappet("secret", "new", "first")
    #expect(written.status == 0, "\(written)")
    #expect(try world.tappet("secret", "list").output.contains("first  idx=4"))
    let check = try world.tappet("check").output
    #expect(check.contains("light: 1\n") && !check.contains("has index"), "\(check)")

    try edit(world, "name: light,", "name: lamp,")
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "refused")
    #expect(refused.log.contains("the tag belongs to 'light', which is not configured"), "\(refused.log)")
    let renamed = try world.tappet("action", "rename", "light", "lamp")
    #expect(renamed.status == 0 && renamed.errors == "1 secret of light now belongs to lamp.\n", "\(renamed)")
    try world.goodTap()
    #expect(try world.tappet("audit").output.contains("action-renamed  light, now lamp"))

    try edit(world, "name: lamp,", "name: lamp, index: 7,")
    let moved = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "refused")
    #expect(moved.log.contains("set 'index: 1' there, or remove that line"), "\(moved.log)")
    #expect(try world.tappet("check").output.contains("lamp has index 7, but its tags have index 1"))

    let none = try world.tappet("action", "rename", "light", "lamp")
    #expect(none.status == 1 && none.errors.contains("'light' has no secrets and no learned tags"), "\(none)")
    let early = try world.tappet("action", "rename", "lamp", "later")
    #expect(early.errors.contains("'later' is not configured yet"), "\(early)")
  }

  @Test func `removing a card whose action was renamed meanwhile still stops the music`() throws {
    let world = try KioskWorld(
      .init(
        more: """
            - {name: play, topic: home/music, message: play, on_remove: {message: 'stop %{action}'}}
            - {name: door, topic: home/door, message: open, unlock: true}
          """))
    try world.start()
    func learn(_ card: String) throws -> Finished {
      try world.tell("place " + card)
      defer { try? world.takeAway() }
      return try world.tappet("tag", "learn", "play", "--timeout", "60")
    }
    #expect(try learn("classic uid=01020304").status == 0)
    // A kiosk that has not noticed yet that the card is gone learns it once more.
    let isLearned = try eventually {
      try learn("classic uid=01020305").status == 0
        && world.tappet("tag", "learned").output.contains("uid 01020305  play")
    }
    #expect(isLearned, "\(world.log)")
    func payloads() -> [String] { world.received.filter { $0.topic == "home/music" }.map { $0.payload } }
    try world.tell("place classic uid=01020304")
    #expect(eventually { payloads() == ["play"] }, "\(world.log)")

    let door = try world.tappet("action", "rename", "play", "door")
    #expect(door.status == 1 && door.errors.contains("play has learned tags, but door"), "\(door)")
    try edit(world, "name: play,", "name: music,")
    let renamed = try world.tappet("action", "rename", "play", "music")
    #expect(renamed.errors == "2 learned tags of play now belong to music.\n", "\(renamed)")
    try world.takeAway()
    #expect(eventually { payloads() == ["play", "stop music"] }, "\(payloads())")
    try world.tell("place classic uid=01020305")
    #expect(eventually { payloads() == ["play", "stop music", "play"] }, "\(world.log)")
    #expect(try world.tappet("tag", "learned").output.contains("uid 01020304  music"))

    // The same without a kiosk: the removal that is owed over a restart.
    #expect(world.kiosk?.end(SIGKILL) == true)
    try edit(file: world.configPath, "name: music,", "name: radio,")
    let offline = try world.tappet("action", "rename", "music", "radio")
    #expect(offline.errors == "2 learned tags of music now belong to radio.\n", "\(offline)")
    _ = try? world.tell("take")
    try world.start()
    #expect(eventually { payloads().last == "stop radio" }, "\(payloads())")
    _ = try world.settled()
    #expect(payloads().count == 4)
  }
}
