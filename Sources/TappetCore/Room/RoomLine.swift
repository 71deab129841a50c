// A room's lines: whether the kiosk has access to them, what they contain, and why one cannot be read.

/// The kiosk's access to the lines in a room.
package enum RoomAccess: UInt8, Sendable, CaseIterable {
  case open = 1
  /// The kiosk is not a member of the room.
  case closed = 2
  case encrypted = 3
  /// No room has the configured address.
  case unknown = 4
  /// The room has been replaced with a new room.
  case replaced = 5
  /// The room is not encrypted, but the configuration requires encryption.
  case plain = 6
}

/// A line that a user wrote in a room.
package struct RoomLine: Hashable, Sendable {
  /// The room's id or alias, as configured.
  package var room: String
  /// The event's id.
  package var event: String
  /// The sender, `@name:server`.
  package var user: String
  /// Time at which the sender's homeserver received the line, in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// The sender's power level at that time; `nil` if it is unknown, or was not requested.
  package var power: Int64?
  package var text: String

  @export(interface)
  package init(
    room: String, event: String, user: String, unixMilliseconds: Int64, power: Int64? = nil, text: String
  ) {
    self.room = room
    self.event = event
    self.user = user
    self.unixMilliseconds = unixMilliseconds
    self.power = power
    self.text = text
  }
}

/// The reason why something that a user wrote in an encrypted room cannot be read.
package enum UnreadableReason: UInt8, Sendable, CaseIterable {
  /// No device of the user has sent the key.
  case keyMissing = 1
  /// The homeserver has not listed the user's devices.
  case devicesUnknown = 2
  /// The device that sent the key is not one of the user's, or is not signed although that is required.
  case deviceRefused = 3
  /// The ciphertext does not match the key.
  case damaged = 4
}

/// Something that a user wrote in an encrypted room, and that cannot be read.
package struct UnreadableLine: Hashable, Sendable {
  package var room: String
  package let user: String
  package let reason: UnreadableReason

  package init(room: String, user: String, reason: UnreadableReason) {
    self.room = room
    self.user = user
    self.reason = reason
  }
}
