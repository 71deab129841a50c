// `tappet tag write` that begins when a tag has just left, with the shipped programs.

import Foundation
import TestSupport
import Testing

// How long the tag has been gone is a matter of milliseconds, which a busy machine stretches: not for the gate.
@Suite(.serialized) struct TagLeftVerifyTests {
  private func write(_ world: KioskWorld, _ action: String) throws -> Service {
    try Service(
      try Programs.built("tappet"), ["tag", "write", action, "--timeout", "120", "--config", world.configPath],
      log: world.folder + "/write-" + UUID().uuidString)
  }

  @Test(arguments: [0, 0.05, 0.15, 0.25])
  func `a write that starts just after a tag left waits for the next tag, without mentioning the old one`(
    _ delay: Double
  ) throws {
    let world = try KioskWorld()
    try world.start()
    for isExchanged in [false, true] {
      let (old, new) = (world.freshUID(), world.freshUID())
      let count = world.log.components(separatedBy: "uid=\(old)").count
      try world.tell("place ntag213 uid=\(old) url=https://example.org/old")
      #expect(eventually { world.log.components(separatedBy: "uid=\(old)").count > count })
      try world.tell(isExchanged ? "place ntag215 uid=\(new)" : "take")
      pause(seconds: delay, "how long the tag has been gone is the case")
      let lights = world.lights.count
      let writing = try write(world, "bell")
      if !isExchanged {
        try world.awaitLight("writing", after: lights)
        try world.tell("place ntag215 uid=\(new)")
      }
      #expect(eventually { !writing.isRunning })
      let text = "\(isExchanged): \(writing.text)"
      #expect(text.contains("written: bell on NTAG215 \(new)"), "\(text)")
      #expect(!text.contains("too soon") && !text.contains("two tags"), "\(text)")
      try world.takeAway()
    }
  }
}
