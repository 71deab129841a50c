// The reader unplugged, tappet-reader killed, again and again: nothing is lost and nothing grows.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct EnduranceTests {
  @Test(.timeLimit(.minutes(60))) func `the kiosk recovers whenever the reader is unplugged and plugged in again`()
    throws
  {
    try Endurance.endure(Endurance.times(100)) { world in
      let before = world.lights.count
      try world.tell("unplug")
      try world.awaitLight("reader-lost", after: before)
      let lost = world.lights.count
      try world.tell("plug")
      try world.awaitLight("ready", after: lost)
    }
  }

  @Test(.timeLimit(.minutes(60))) func `taps are delivered even if tappet-reader is killed`() throws {
    try Endurance.endure(Endurance.times(50)) { world in
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
