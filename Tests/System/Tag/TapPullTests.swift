// Tags that are pulled away while they are read, through the shipped programs.

import Foundation
import TestSupport
import Testing

extension KioskWorld {
  /// Taps tags that are pulled away after 0, 1, 2 … exchanges, each followed by one that is left alone.
  fileprivate func pullAway(_ model: String, _ exchangesMax: Int) throws {
    try start()
    for exchanges in 0...exchangesMax {
      let (lights, received) = (self.lights.count, self.received.count)
      try tell("place \(model) uid=\(freshUID()) url=\(try url(1))")
      try tell("take after \(exchanges)")
      let looked = try commandCount()
      #expect(try eventually { try commandCount() >= looked + 6 })
      let seen = Array(self.lights.dropFirst(lights))
      // Every accepted tap was delivered, and nothing else.
      #expect(
        eventually {
          self.received.count - received == self.lights.dropFirst(lights).filter { $0 == "accepted" }.count
        }, "\(exchanges): \(seen)")
      try takeAway()
      try goodTap()
    }
  }
}

@Suite struct TapPullTests {
  @Test func `a tag pulled away after any number of exchanges is refused or not seen, and works the next time`() throws
  {
    try KioskWorld().pullAway("ntag215", 4)
  }
}

// Not in the gate: it repeats the same with other tags.
@Suite(.serialized) struct TapPullVerifyTests {
  @Test(arguments: [("ultralight-ev1-128", 4), ("type4", 9)])
  func `other tags pulled away after any number of exchanges are refused or not seen, and work the next time`(
    model: String, exchangesMax: Int
  ) throws {
    try KioskWorld().pullAway(model, exchangesMax)
  }
}
