// The unread messages of a room or a space, by the rules of current Matrix clients. Pure decision logic.

import TappetCore

/// Unread messages, and what they mean for the display.
package struct RoomCounts: Hashable, Sendable {
  /// Number of unread notifications according to the homeserver.
  package var unread: Int64 = 0
  /// Number of unread messages that mention the kiosk or everyone.
  package var mentions: Int64 = 0
  /// Whether the room was marked as unread for the kiosk's account.
  package var isMarkedUnread = false
  /// Whether a push rule of the kiosk's account silences the room.
  package var isMuted = false

  package init() {}

  /// Sums up the rooms of a space, which is muted if all of its rooms are; `space` contains the space's own mark.
  package init(of rooms: [RoomCounts], in space: RoomCounts) {
    unread = rooms.reduce(0) { $0 + $1.unread }
    mentions = rooms.reduce(0) { $0 + $1.mentions }
    isMarkedUnread = space.isMarkedUnread || rooms.contains { $0.isMarkedUnread }
    isMuted = !rooms.isEmpty && rooms.allSatisfy { $0.isMuted }
  }

  package var isHighlighted: Bool { isMarkedUnread || !isMuted && (unread > 0 || mentions > 0) }
  /// Whether a mention is displayed.
  package var showsMentions: Bool { mentions > 0 && !isMuted }
}

extension RoomUnread {
  /// Counts the rooms with something new; messages in muted rooms do not count.
  package init(_ rooms: [RoomCounts]) {
    let heard = rooms.filter { !$0.isMuted }
    self = .counted(
      rooms: UInt32(clamping: rooms.count { $0.isHighlighted }),
      messages: UInt32(clamping: heard.reduce(0) { $0 + $1.unread }),
      mentions: UInt32(clamping: heard.reduce(0) { $0 + $1.mentions }))
  }
}
