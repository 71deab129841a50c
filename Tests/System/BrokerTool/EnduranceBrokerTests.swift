// The broker restarted, again and again: nothing is lost and nothing grows.

import Foundation
import TestSupport
import Testing

@Suite struct EnduranceBrokerTests {
  @Test(.timeLimit(.minutes(150))) func `the kiosk recovers from every restart of the broker`() throws {
    try Endurance.endure(Endurance.times(100)) { world in
      let before = world.lights.count
      world.broker.stop()
      try world.awaitLight("offline", after: before)
      try world.restartBroker()
      // The backoff goes up to 64 s where no connection lasts for 30 s; full, this takes more than an hour.
      try world.awaitLight("ready", after: before, seconds: 150)
    }
  }
}
