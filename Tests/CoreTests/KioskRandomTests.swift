// Random stories against the model of the world. A failure names its seed and the last events; the same seed tells the same
// story again.

import Testing

@testable import TappetCore

@Suite struct KioskRandomTests {
  @Test(arguments: 0..<10)
  func `whatever happens, nothing is lost, sent twice or too late, and everything comes to an end`(tenth: Int) {
    var promises = 0
    for seed in tenth * 30..<(tenth + 1) * 30 {
      var world = KioskWorld(seed: UInt64(seed) + 1)
      for _ in 0..<2_000 where world.complaints.isEmpty { world.step() }
      if world.complaints.isEmpty { world.heal() }
      #expect(world.complaints.isEmpty, "seed \(seed + 1): \(world.complaints.joined(separator: "\n"))")
      let forgotten = world.promised.subtracting(world.outcomes)
      #expect(forgotten.isEmpty, "seed \(seed + 1): \(forgotten.count) promised entries have no outcome")
      promises += world.promised.count
    }
    // A world in which nobody taps would pass any test.
    #expect(promises > 30 * 20)
  }
}
