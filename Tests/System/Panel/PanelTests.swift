// The panel through the shipped programs: buttons pressed and lights seen at a virtual panel. How exactly they keep
// their time is in PanelTimeVerifyTests.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct PanelTests {
  @Test func `a press is delivered, and its LED flashes once as documented`() throws {
    let world = try KioskWorld.withPanel()
    try world.start()
    #expect(try eventually { try world.tell("leds").contains("status 1") })
    var levels: [(output: String, isOn: Bool, time: Int64)] = []
    // A machine that stands still for the whole flash shows nothing of it: then once more.
    for _ in 1...5 where levels.filter({ $0.output == "buzzer" }).count < 2 {
      try world.tell("levels clear")
      let before = world.lights.count
      try world.play("GPIO5")
      try world.awaitLight("delivered-by-button", after: before)
      _ = try eventually(within: 5) {
        levels = try world.levels()
        return levels.filter { $0.output == "buzzer" }.count == 2
      }
    }
    #expect(try Set(world.received(1).map(\.topic)) == ["home/light"])
    // Dark for 200 ms, lit with the buzzer for 100: delivered by button. The light before it is displaced.
    let shown = world.trace.last { $0.what == "delivered-by-button" }?.time ?? 0
    for output in ["result", "buzzer"] {
      let flash = levels.filter { $0.output == output && $0.time >= shown }
      #expect(flash.map(\.isOn) == [true, false], "\(levels)")
      guard flash.count == 2 else { continue }
      // Never before its time; after it a busy machine may be.
      #expect(flash[0].time - shown >= 190_000_000, "\(flash[0].time - shown)")
      #expect(flash[1].time - shown >= 290_000_000, "\(flash[1].time - shown)")
    }
    // Two LEDs: the status light stays as it was.
    #expect(!levels.contains { $0.output == "status" })
  }

  @Test func `a hold, a double press and a single press are distinguished`() throws {
    let world = try KioskWorld.withPanel()
    try world.start()
    // Held until it counts.
    try world.tell("press side door")
    #expect(try world.received(1).map(\.topic) == ["home/light"])
    try world.tell("release side door")
    // Its rest; a press before that would be a bounce.
    pause(seconds: 0.2, "the contact rests")
    try world.play("side door")
    #expect(try world.received(2).map(\.topic) == ["home/light", "home/bell"])
    let before = world.lights.count
    try world.play("side door", milliseconds: [60, 200, 60, 200])
    // The double's action asks first.
    try world.awaitLight("confirming", after: before)
    try world.play("GPIO5")
    try world.awaitLight("ready", after: before)
    #expect(eventually { world.log.contains("alarm was not confirmed: another tag or button was used") })
    let again = world.lights.count
    try world.play("GPIO13")
    try world.awaitLight("confirming", after: again)
    try world.play("GPIO13")
    #expect(try world.received(3).map(\.topic) == ["home/light", "home/bell", "home/alarm"])
  }

  @Test func `locked buttons do nothing until a tag or the code unlocks them, and can be locked again`() throws {
    // How they lock by themselves is in Core's PanelLockTests.
    let world = try KioskWorld.withPanel("  lock_after: 1 h\n  unlock_code: [GPIO5, GPIO5, GPIO13]")
    try world.importSecret(index: 3, key: world.keys[1])
    try world.start(until: "locked")
    var before = world.lights.count
    // An unfinished code starts again with another press.
    for _ in 1...3 { try world.play("GPIO13") }
    try world.awaitLight("refused", after: before)
    #expect(eventually { world.log.contains("wrong code") })
    before = world.lights.count
    for button in ["GPIO5", "GPIO5", "GPIO13"] { try world.play(button) }
    try world.awaitLight("ready", after: before)
    try world.play("GPIO5")
    #expect(try world.received(1).map(\.topic) == ["home/light"])
    #expect(try world.tappet("panel", "lock").status == 0)
    try world.awaitLight("locked", after: before)
    before = world.lights.count
    let url = try Signing.url(index: "3", key: world.keys[1])
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(url)")
    try world.awaitLight("ready", after: before)
    try world.takeAway()
    #expect(try world.received(2).map(\.topic) == ["home/light", "home/key"])
    #expect(try world.settled().count == 2)
    let status = try world.tappet("status", "--json").data
    #expect(
      (status["taps"] as? [[String: Any]])?.contains { $0["event"] as? String == "unlocked" } == true, "\(status)")
  }

  @Test func `a power cut does not end the delay after wrong codes`() throws {
    let world = try KioskWorld.withPanel("  lock_after: 1 h\n  unlock_code: [GPIO5, GPIO13]")
    try world.start(until: "locked")
    for _ in 1...6 { try world.play("GPIO13") }
    #expect(eventually { world.log.contains("try again in 30 s") }, "\(world.log.suffix(900))")
    // It has its answer after what the store's thread was asked for before.
    #expect(try world.tappet("secret", "list").status == 0)
    world.kiosk?.end(SIGKILL)
    let before = world.lights.count
    try world.start(until: "locked")
    for button in ["GPIO5", "GPIO13"] { try world.play(button) }
    try world.awaitLight("refused", after: before)
    #expect(!world.log.contains("event=unlocked"), "\(world.log.suffix(900))")
  }

  @Test func `a person at the machine can lock the buttons immediately`() throws {
    let world = try KioskWorld.withPanel("  lock_after: 1 h\n  unlock_code: [GPIO5, GPIO13]")
    #expect(try world.tappet("panel", "lock").status == 4)
    try world.start(until: "locked")
    let before = world.lights.count
    // A stray press before the code does no harm.
    for button in ["GPIO13", "GPIO5", "GPIO13"] { try world.play(button) }
    try world.awaitLight("ready", after: before)
    #expect(eventually { world.log.contains("event=unlocked") })
    #expect(try world.tappet("panel", "lock").status == 0)
    try world.awaitLight("locked", after: before)
    #expect(try world.tappet("panel", "lock").status == 0)
    let free = try KioskWorld.withPanel("")
    try free.start()
    let refused = try free.tappet("panel", "lock")
    #expect(refused.status == 1 && refused.errors.contains("has no lock"), "\(refused)")
  }

  /// The broker's name does not resolve, then a TLS handshake fails, again and again.
  @Test(arguments: [("no-such-name.invalid", "ca.pem"), ("localhost", "other-ca.pem")])
  func `the light keeps alternating during connection attempts and disk syncs`(host: String, ca: String) throws {
    let world = try KioskWorld.withPanel(host: host, ca: ca)
    try world.start(until: "offline")
    let before = world.trace.count
    func levels() -> [String] { world.trace.dropFirst(before).map(\.what).filter { $0.hasPrefix("status=") } }
    // Each press is a commit to the disk.
    for _ in 1...5 { try world.play("GPIO5") }
    #expect(eventually { levels().count >= 8 })
    let seen = levels()
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 }, "\(seen)")
  }

  @Test func `a vanished virtual panel is reconnected, and shows the current state`() throws {
    let world = try KioskWorld.withPanel()
    try world.start()
    world.sim?.end(SIGKILL)
    #expect(eventually { world.log.contains("the virtual panel at") })
    #expect(eventually { world.lights.last == "fault" || world.lights.contains("fault") })
    try world.startSimulator()
    let before = world.lights.count
    try world.awaitLight("ready", after: before - 1)
    #expect(try eventually { try world.tell("leds").contains("status 1") })
    let lights = world.lights.count
    try world.play("GPIO5")
    try world.awaitLight("delivered-by-button", after: lights)
  }

  @Test func `the LEDs go dark at the end`() throws {
    let world = try KioskWorld.withPanel()
    try world.start()
    #expect(try eventually { try world.tell("leds").contains("status 1") })
    #expect(world.kiosk?.end(SIGTERM) == true)
    let last = Dictionary(
      world.trace.filter { $0.what.contains("=") }.map { $0.what.split(separator: "=") }.map { ($0[0], $0[1]) },
      uniquingKeysWith: { _, new in new })
    #expect(last["status"] == "0" && !last.values.contains("1"), "\(last)")
    #expect(try eventually { try world.levels().last { $0.output == "status" }?.isOn == false })
  }

  @Test func `endless edges are one press, then a broken button, and the others work`() throws {
    // It rests after half a second only, so a machine that stops for a moment does not make a rest.
    // While its question lasts, the light is the question's.
    let world = try KioskWorld.withPanel(third: ", debounce: 500 ms", confirm: "3 s")
    try world.start()
    let before = world.lights.count
    try world.play("GPIO13", milliseconds: Array(repeating: 5, count: 400))
    try world.awaitLight("fault", after: before)
    #expect(eventually { world.log.contains("button GPIO13 keeps bouncing") })
    #expect(world.lights.dropFirst(before).filter { $0 == "confirming" }.count == 1)
    let lights = world.lights.count
    try world.play("GPIO5")
    try world.awaitLight("delivered-by-button", after: lights)
  }
}
