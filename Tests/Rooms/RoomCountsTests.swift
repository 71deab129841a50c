// The sum of the unread messages of rooms.

import Testing

@testable import TappetCore
@testable import TappetRooms

@Suite struct RoomCountsTests {
  private let one = RoomUnread.counted(rooms: 1, messages: 3, mentions: 1)
  private let none = RoomUnread.counted(rooms: 0, messages: 0, mentions: 0)

  @Test func `muted rooms do not count, unless they are marked`() {
    var (heard, muted) = (RoomCounts(), RoomCounts())
    (heard.unread, heard.mentions) = (3, 1)
    (muted.unread, muted.mentions, muted.isMuted) = (5, 2, true)
    #expect(RoomUnread([heard, muted]) == one && RoomUnread([muted]) == none && RoomUnread([]) == none)
    muted.isMarkedUnread = true
    #expect(RoomUnread([muted]) == .counted(rooms: 1, messages: 0, mentions: 0))
    let many = [RoomCounts](repeating: heard, count: 4000).map { counts in
      var counts = counts
      counts.unread = Limits.roomUnreadMax
      return counts
    }
    #expect(RoomUnread(many) == .counted(rooms: 4000, messages: 4_000_000_000, mentions: 4000))
    #expect(RoomUnread(many + many) == .counted(rooms: 8000, messages: .max, mentions: 8000))
  }
}
