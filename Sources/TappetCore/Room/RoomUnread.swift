// The unread messages of a space or room, for the light `unread`. tappet-matrix counts them; the kiosk decides
// what is shown. Pure decision logic.

/// The unread messages of the rooms of a space, or of a single room, for the kiosk's account.
package enum RoomUnread: Hashable, Sendable {
  /// The rooms with something new; a space that is itself marked as unread is one of them.
  case counted(rooms: UInt32, messages: UInt32, mentions: UInt32)
  /// The kiosk is not in the space or room.
  case closed
  /// No room has the configured address.
  case unknown
  /// The homeserver's response about all rooms exceeds the limit.
  case tooLarge

  /// Whether something is unread.
  var isLit: Bool { if case .counted(let rooms, _, _) = self { rooms > 0 } else { false } }

  /// The reason why nothing is counted; `nil` if the messages are counted.
  var lack: RoomUnread? {
    switch self {
    case .counted: nil
    case .closed, .unknown, .tooLarge: self
    }
  }
}

extension Kiosk {
  /// Records what is unread; reports only that the messages cannot be counted, or can be counted again.
  mutating func unreadReported(_ unread: RoomUnread, of room: String) -> [Effect] {
    guard room == settings.rooms.unread else { return [] }
    let before = listening.unread
    listening.unread = unread
    return unread.lack == before?.lack ? [] : [.report(.room(.unread(unread)))]
  }
}
