// The reader unplugged, the broker restarted, tappet-reader killed, again and again: nothing is lost and nothing grows.
// TAPPET_ENDURANCE=full does it 100, 100 and 50 times; otherwise three times each.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct EnduranceTests {
  private func times(_ full: Int) -> Int {
    ProcessInfo.processInfo.environment["TAPPET_ENDURANCE"] == "full" ? full : 3
  }

  /// Repeats `cycle`, with a good tap after each, and compares descriptors and memory.
  private func endure(_ count: Int, _ cycle: (KioskWorld) throws -> Void) throws {
    let world = try KioskWorld()
    try world.start()
    let pid = try #require(world.kiosk?.pid)
    // The first cycle allocates what later ones use again.
    try cycle(world)
    try world.goodTap()
    let (descriptors, memory) = (Kernel.descriptorCount(pid), Kernel.residentKilobytes(pid))
    for _ in 1...count {
      try cycle(world)
      try world.goodTap()
    }
    #expect(eventually { Kernel.descriptorCount(pid) == descriptors })
    // The allocator's arenas of three threads may grow by some pages; a leak of 2 KB a cycle would show in 100.
    let grown = Kernel.residentKilobytes(pid) - memory
    #expect(grown <= 256, "grown by \(grown) KB")
    let accepted = Set(
      world.log.split(separator: "\n").filter { $0.contains("event=tap-accepted") }.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("id=") }.map { String($0.dropFirst(3)) }
      })
    #expect(accepted.count >= count + 1)
    #expect(eventually { accepted.isSubset(of: Set(world.received.map(\.payload))) })
  }

  @Test(.timeLimit(.minutes(10))) func `the reader is unplugged and plugged in again`() throws {
    try endure(times(100)) { world in
      let before = world.lights.count
      try world.tell("unplug")
      try world.awaitLight("reader-lost", after: before)
      let lost = world.lights.count
      try world.tell("plug")
      try world.awaitLight("ready", after: lost)
    }
  }

  @Test(.timeLimit(.minutes(150))) func `the broker is restarted`() throws {
    try endure(times(100)) { world in
      let before = world.lights.count
      world.broker.stop()
      try world.awaitLight("offline", after: before)
      try world.restartBroker()
      // The backoff goes up to 64 s where no connection lasts for 30 s; full, this takes more than an hour.
      try world.awaitLight("ready", after: before, seconds: 150)
    }
  }

  @Test(.timeLimit(.minutes(10))) func `tappet-reader is killed under taps`() throws {
    try endure(times(50)) { world in
      let kiosk = try #require(world.kiosk?.pid)
      let reader = try #require(Kernel.children(of: kiosk).first)
      let before = world.lights.count
      try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
      kill(reader, SIGKILL)
      try world.awaitLight("delivered-by-tag", after: before)
      try world.takeAway()
    }
  }
}
