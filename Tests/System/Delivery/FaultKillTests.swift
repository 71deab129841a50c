// Provisioning that is killed at any of its changes: what was there before is whole and works, what is new is whole or
// not there at all.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FaultKillTests {
  @Test func `a command killed before any change leaves the old or the new state, and works the next time`() throws {
    let home = try FurnishedWorld(withBroker: false)
    for command in home.commands {
      try home.bringBack()
      let count = try Faults.count(command.words).changes
      for number in command.trials(count) {
        try home.bringBack()
        let done = try Faults.run(command.words, .kill(number))
        let place = "\(command.words) \(number) of \(count): \(done)"
        #expect(done.status == 128 + SIGKILL, "\(place)")
        let list = try home.world.tappet("secret", "list")
        #expect(list.status == 0 && list.output.contains(home.listed) && list.errors.isEmpty, "\(place) \(list)")
        // A file with the final name is whole.
        for name in try home.news() where !name.contains(".tappet-") {
          #expect(name == command.made, "\(place)")
          guard name == "backup" else { continue }
          let path = home.world.folder + "/backup"
          let restored = try home.world.tappet(
            "restore", path, "--passphrase-file", home.world.folder + "/pass", "--yes")
          #expect(restored.status == 0, "\(place) \(restored)")
        }
      }
      let again = try Faults.run(command.words, .none)
      let isThere = again.errors.contains("is there already") || again.errors.contains("already exists")
      #expect(again.status == 0 || isThere, "\(command.words) \(again)")
      #expect(home.stateIsTidy, "\(command.words)")
    }
  }
}
