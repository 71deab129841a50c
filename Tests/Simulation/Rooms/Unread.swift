// The unread messages of a space, as tappet-matrix counts them, and the rules.
//   - The light 'unread' is shown while something is unread in the configured space, and no longer.
//   - It is shown only after the process has counted, in whatever life, and not for another space.

import TappetCore

extension World {
  /// The process has counted; Step.swift has the numbers.
  func roomUnread(_ number: Int) {
    guard room.process == .ready else { return }
    let counts = RoomUnread.counted(rooms: 1, messages: UInt32(number), mentions: 0)
    guard number % 6 < 5, let space = settings.rooms.unread else {
      // The count of a process of the previous configuration.
      return tell(.rooms(.message(.unread(room: "#former:h", counts))))
    }
    let states: [RoomUnread] = [
      .counted(rooms: 0, messages: 0, mentions: 0), counts, .closed, .tooLarge,
      .counted(rooms: 2, messages: 0, mentions: 0),
    ]
    room.unread = states[number % 6]
    tell(.rooms(.message(.unread(room: space, states[number % 6]))))
  }

  func judgeUnread(_ light: Light) {
    var isLit = false
    if case .counted(let rooms, _, _)? = room.unread { isLit = rooms > 0 }
    if light == .unread, !isLit { fail("unread is shown, and nothing is unread") }
    if light == .ready || light == .locked, isLit { fail("\(light.name) is shown, and a message is unread") }
  }
}
