// The right to command by one's power in a room: the levels of each version; an unreadable level allows nothing.

import Testing

@testable import TappetCore

@Suite struct RoomPowersTests {
  private func powers(_ version: String?, _ levels: RoomPowers.Levels?) -> RoomPowers {
    var powers = RoomPowers()
    powers.creation = RoomPowers.Creation(version: version, sender: "@maker:h", others: ["@second:h"])
    powers.levels = levels
    return powers
  }

  @Test(arguments: [nil, "1", "9", "11"])
  func `before version 12 the levels apply, and a creator is a user like any other`(_ version: String?) {
    let levels = RoomPowers.Levels(users: ["@ann:h": 50, "@maker:h": 10], usersDefault: 5)
    let powers = powers(version, levels)
    #expect(powers.level(of: "@ann:h") == 50 && powers.level(of: "@eve:h") == 5)
    #expect(powers.level(of: "@maker:h") == 10 && powers.level(of: "@second:h") == 5)
  }

  @Test(arguments: ["12", "13"])
  func `since version 12 creators are above every level`(_ version: String) {
    let powers = powers(version, RoomPowers.Levels(users: ["@ann:h": 100, "@maker:h": 0], usersDefault: 0))
    #expect(powers.level(of: "@maker:h") == RoomPowers.creator && powers.level(of: "@second:h") == RoomPowers.creator)
    #expect(powers.level(of: "@ann:h") == 100 && powers.level(of: "@eve:h") == 0)
  }

  @Test func `in an unknown version, creators are not above the levels`() {
    let powers = powers("org.example.12", RoomPowers.Levels(users: [:], usersDefault: 0))
    #expect(powers.level(of: "@maker:h") == 0)
  }

  @Test func `without power levels, only the room's creator has power`() {
    #expect(powers("11", nil).level(of: "@maker:h") == 100 && powers("11", nil).level(of: "@ann:h") == 0)
    #expect(powers("12", nil).level(of: "@second:h") == RoomPowers.creator)
  }

  @Test func `users above ordinary members, including creators above all levels, are listed`() {
    let levels = RoomPowers.Levels(users: ["@ann:h": 50, "@eve:h": 0, "@text:h": nil], usersDefault: 0)
    #expect(powers("9", levels).raised == ["@ann:h"])
    #expect(Set(powers("12", levels).raised) == ["@maker:h", "@second:h", "@ann:h"])
    #expect(powers("9", nil).raised == ["@maker:h", "@second:h"] && RoomPowers().raised.isEmpty)
  }

  @Test func `an unknown or unreadable power level allows nothing`() {
    let level = RoomCommanders(users: ["@ann:h"], powerLevel: 1)
    #expect(RoomPowers().level(of: "@ann:h") == nil)
    let powers = powers("9", RoomPowers.Levels(users: ["@text:h": nil], usersDefault: 100))
    #expect(powers.level(of: "@text:h") == nil && powers.level(of: "@eve:h") == 100)
    #expect(self.powers("9", RoomPowers.Levels(users: [:], usersDefault: nil)).level(of: "@eve:h") == nil)
    #expect(!level.include(RoomSender(user: "@text:h", event: "$1", power: nil)))
    #expect(level.include(RoomSender(user: "@ann:h", event: "$1", power: nil)))
    #expect(!RoomCommanders(users: []).include(RoomSender(user: "@eve:h", event: "$1", power: RoomPowers.creator)))
  }
}
