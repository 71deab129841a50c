// The power levels of a room's members, according to the room's version. Pure decision logic. Client-server API v1.16,
// m.room.create and m.room.power_levels; room versions 1 to 12.

/// The senders whose lines in a room count as commands.
package struct RoomCommanders: Hashable, Sendable {
  /// The user ids of senders, `@name:server`.
  package var users: [String]
  /// The minimum power level of other senders that are included; `nil` means no other senders.
  package var powerLevel: Int64?

  package init(users: [String], powerLevel: Int64? = nil) {
    self.users = users
    self.powerLevel = powerLevel
  }

  /// Returns whether the sender's lines count as commands.
  func include(_ sender: RoomSender) -> Bool {
    if users.contains(sender.user) { return true }
    guard let powerLevel, let power = sender.power else { return false }
    return power >= powerLevel
  }
}

/// The part of a room's state that defines the permissions of its members.
package struct RoomPowers: Hashable, Sendable {
  /// `m.room.create`: the room's version and its creators.
  package struct Creation: Hashable, Sendable {
    /// The room's version; `nil` means version 1.
    package var version: String?
    package var sender: String
    /// `additional_creators`, which apply as of room version 12.
    package var others: [String]

    package init(version: String?, sender: String, others: [String]) {
      self.version = version
      self.sender = sender
      self.others = others
    }
  }

  /// `m.room.power_levels`; a level that cannot be parsed is `nil`, and permits nothing.
  package struct Levels: Hashable, Sendable {
    package var users: [String: Int64?]
    package var usersDefault: Int64?

    package init(users: [String: Int64?], usersDefault: Int64?) {
      self.users = users
      self.usersDefault = usersDefault
    }
  }

  /// The power level of a creator as of room version 12, above all others.
  package static let creator = Int64.max

  package var creation: Creation?
  package var levels: Levels?

  package init() {}

  /// The users with a higher level than an ordinary member.
  package var raised: [String] {
    guard let levels else { return creation.map { [$0.sender] + $0.others } ?? [] }
    let creators = creation.map { $0.isAboveLevels ? [$0.sender] + $0.others : [] } ?? []
    return creators + levels.users.filter { ($0.value ?? .min) > levels.usersDefault ?? .min }.map { $0.key }
  }

  /// Returns the power level of a user; `nil` while the room's state is unknown.
  package func level(of user: String) -> Int64? {
    guard let creation else { return nil }
    if creation.isAboveLevels, user == creation.sender || creation.others.contains(user) { return RoomPowers.creator }
    guard let levels else { return user == creation.sender ? 100 : 0 }
    return levels.users[user] ?? levels.usersDefault
  }
}

extension RoomPowers.Creation {
  /// Whether creators have all permissions regardless of their level.
  ///
  /// The versions in the specification are numbers; in any other version, only the levels count.
  fileprivate var isAboveLevels: Bool { version.flatMap { Int64(decimal: $0.utf8) }.map { $0 >= 12 } ?? false }
}
