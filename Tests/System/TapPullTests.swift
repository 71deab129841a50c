// Tags that are pulled away while they are read, through the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct TapPullTests {
  @Test(arguments: [("ntag215", 4), ("ultralight-ev1-128", 4), ("type4", 9)])
  func `a tag pulled away after any number of exchanges is refused or not seen, and works the next time`(
    model: String, exchangesMax: Int
  ) throws {
    let world = try KioskWorld()
    try world.start()
    for exchanges in 0...exchangesMax {
      let (lights, received) = (world.lights.count, world.received.count)
      try world.tell("place \(model) uid=\(world.freshUID()) url=\(try world.url(1))")
      try world.tell("take after \(exchanges)")
      let looked = try world.commandCount()
      #expect(try eventually { try world.commandCount() >= looked + 6 })
      let seen = Array(world.lights.dropFirst(lights))
      // Every accepted tap was delivered, and nothing else.
      #expect(
        eventually {
          world.received.count - received == world.lights.dropFirst(lights).filter { $0 == "accepted" }.count
        }, "\(exchanges): \(seen)")
      try world.takeAway()
      try world.goodTap()
    }
  }
}
