// Provisioning when the disk fills up at any of its writes: what was there before is whole and works, what is new is
// whole or not there at all.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FaultTests {
  @Test func `a full disk at any write is reported, and leaves everything unchanged`() throws {
    let home = try FurnishedWorld(withBroker: true)
    for command in home.commands {
      try home.bringBack()
      let count = try Faults.count(command.words).writes
      var refusals = 0
      for number in command.trials(count) {
        try home.bringBack()
        let done = try Faults.run(command.words, .fullDisk(number))
        // The copy of the secrets may be late: the change itself is in the database.
        if done.status == 0 { continue }
        refusals += 1
        let place = "\(command.words) \(number) of \(count): \(done)"
        #expect(done.status == 4, "\(place)")
        #expect(done.errors.contains("no space is left") || done.errors.contains("No space left"), "\(place)")
        #expect(try home.news().isEmpty && home.ownIsThere, "\(place)")
        let list = try home.world.tappet("secret", "list")
        #expect(list.status == 0 && list.output == home.listed && list.errors.isEmpty, "\(place) \(list)")
        #expect(home.stateIsTidy, "\(place)")
      }
      #expect(refusals > 0, "\(command.words)")
    }
    try home.world.start()
    try home.world.goodTap()
  }
}
