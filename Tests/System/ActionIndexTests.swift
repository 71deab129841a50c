// Tags of a kiosk whose actions are moved, renamed and given other indexes.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct ActionIndexTests {
  private func edit(_ world: KioskWorld, _ old: String, _ new: String) throws {
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacingOccurrences(of: old, with: new).write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let before = world.log.components(separatedBy: "event=reloaded").count
    world.kiosk?.signal(SIGHUP)
    guard eventually(10, { world.log.components(separatedBy: "event=reloaded").count > before }) else {
      throw TestFault("not reloaded: \(world.log.suffix(1000))")
    }
  }

  @Test func `an action inserted above others, and one that is renamed, keep their tags working`() throws {
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
    #expect(refused.log.contains("the tag is one of 'light', which is not configured"), "\(refused.log)")
    let renamed = try world.tappet("action", "rename", "light", "lamp")
    #expect(renamed.status == 0 && renamed.errors == "1 secret of light now belongs to lamp.\n", "\(renamed)")
    try world.goodTap()
    #expect(try world.tappet("audit").output.contains("action-renamed  light, now lamp"))

    try edit(world, "name: lamp,", "name: lamp, index: 7,")
    let moved = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "refused")
    #expect(moved.log.contains("set 'index: 1' there, or remove the line"), "\(moved.log)")
    #expect(try world.tappet("check").output.contains("lamp has index 7, but its tags have 1"))

    let none = try world.tappet("action", "rename", "light", "lamp")
    #expect(none.status == 1 && none.errors.contains("there are no secrets of 'light'"), "\(none)")
    let early = try world.tappet("action", "rename", "lamp", "later")
    #expect(early.errors.contains("'later' is not configured there yet"), "\(early)")
  }
}
