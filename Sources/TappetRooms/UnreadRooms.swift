// The unread messages of a space or room, kept up to date with responses to /sync. Pure logic, without I/O.

import TappetCore
import TappetJSON

struct UnreadRooms {
  /// The space's or room's address or id, as configured.
  let name: String
  /// The space's or room's id; `nil` until the homeserver has resolved the address.
  private var id: String?
  /// The rooms that the kiosk has joined, by id.
  private var rooms: [String: RoomTally] = [:]
  /// The ids of the rooms that push rules silence.
  private var muted: Set<String> = []
  /// Whether `rooms` contains all rooms.
  private var isComplete = false
  /// The final reason why nothing is counted.
  private var lack: RoomUnread?
  /// Whether the next response is requested without what is unread.
  private var isPaused = false
  /// Number of consecutive responses that were too large.
  private var overflowCount = 0
  /// The last state that was reported.
  private var reported: RoomUnread?

  init(_ name: String) {
    self.name = name
    id = name.begins(with: "!") ? name : nil
  }

  /// Whether the address has yet to be resolved.
  var needsID: Bool { id == nil && lack == nil }

  /// Whether the next response is to contain what is unread.
  var isWanted: Bool { id != nil && lack == nil && !isPaused }

  /// Records the id of the address; `nil` if there is no such address.
  mutating func resolve(_ id: String?) {
    self.id = id
    if id == nil { lack = .unknown }
  }

  /// Applies a response to /sync; `isWhole` marks a response with all rooms.
  mutating func read(_ answer: JSONNode, isWhole: Bool) {
    guard isWanted else { return }
    muted = RoomTally.mutedRooms(answer) ?? muted
    if isWhole { (rooms, isComplete) = ([:], true) }
    for room in answer["rooms"].elements("join") {
      if let id = room.name { rooms[id, default: RoomTally()].read(room) }
    }
    for room in answer["rooms"].elements("leave") { if let id = room.name { rooms[id] = nil } }
    overflowCount = 0
  }

  /// Handles a response that was too large; returns false if what is unread was not part of it.
  ///
  /// The next response is requested without it. If a second response with all rooms is too large, it would always be.
  mutating func overflow() -> Bool {
    guard isWanted else { return false }
    overflowCount += 1
    isPaused = overflowCount == 1
    if !isPaused { (lack, rooms) = (.tooLarge, [:]) }
    return true
  }

  /// Returns whether all rooms must be requested, because the last response was requested without what is unread.
  mutating func resume() -> Bool {
    defer { isPaused = false }
    return isPaused
  }

  /// Returns what is unread, if it is known and differs from the result of the last call.
  mutating func takeNews() -> RoomUnread? {
    guard let state, state != reported else { return nil }
    reported = state
    return state
  }

  private var state: RoomUnread? {
    if let lack { return lack }
    guard isComplete, let id else { return nil }
    guard let target = rooms[id] else { return .closed }
    guard target.isSpace else { return RoomUnread([counts(id, target)]) }
    var counted = rooms.filter { !$1.isSpace && target.children.contains($0) }.map { counts($0, $1) }
    // As in `tappet matrix list`, only the space's own unread mark counts, not its messages.
    var mark = RoomCounts()
    mark.isMarkedUnread = target.counts.isMarkedUnread
    counted.append(mark)
    return RoomUnread(counted)
  }

  private func counts(_ id: String, _ room: RoomTally) -> RoomCounts {
    var counts = room.counts
    counts.isMuted = muted.contains(id)
    return counts
  }
}
