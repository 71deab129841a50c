// The session's encrypted rooms, and the lines that can be read there.

import TappetCore

extension RoomSession {
  /// Records what the cipher has to know of a room before it handles keys and events.
  func recordChanges(_ room: SyncAnswer.Room, isFirst: Bool) {
    guard let cipher else { return }
    if room.isEncrypted { cipher.recordEncrypted(room.id) }
    // Keys may have been sent to this device as soon as the room was encrypted, or admitted the kiosk.
    let wasRead = rooms.contains { $0.id == room.id && $0.isDecrypted && $0.access == .open }
    if cipher.isEncrypted(room.id), room.changesMembers || isFirst || !wasRead { cipher.membersChanged(in: room.id) }
  }

  func learn(_ news: SyncNews, isFirst: Bool) -> Bool {
    var news = news
    news.isFirst = isFirst
    return cipher?.learn(news) ?? true
  }

  /// Whether the room with this id is known to be encrypted.
  func isEncrypted(_ room: String) -> Bool {
    cipher?.isEncrypted(room) ?? rooms.contains { $0.id == room && $0.access == .encrypted }
  }

  /// Tells the cipher whose lines matter most.
  func favorCommanders() {
    var users = ciphering.commanders
    for room in rooms where room.readsPowers { users.formUnion(room.powers.raised) }
    cipher?.favor(users)
  }

  /// Returns the room's state after a response; encryption and replacement are permanent.
  mutating func access(_ room: SyncAnswer.Room, _ index: Int) -> RoomAccess {
    let before = rooms[index].access
    if room.isLeft { return .closed }
    if room.isReplaced || before == .replaced { return .replaced }
    guard let cipher else { return room.isEncrypted || before == .encrypted ? .encrypted : .open }
    rooms[index].isDecrypted = cipher.isEncrypted(room.id)
    // Reactions are not encrypted, so the homeserver could forge answers to the kiosk's questions.
    if rooms[index].isDecrypted { return rooms[index].asks ? .encrypted : .open }
    return ciphering.settings.allowsPlain ? .open : .plain
  }

  mutating func callForCipher(at now: Instant) {
    guard let cipher, device != nil, !ciphering.isUnderWay else { return }
    if let call = cipher.nextCall() {
      ciphering.isUnderWay = true
      request(.ciphering, call, at: now)
    }
  }

  /// Passes on the lines whose keys have arrived, and those that cannot be read.
  mutating func passOnDeciphered() {
    guard let cipher else { return }
    for line in cipher.takeLines() {
      if let room = rooms.first(where: { $0.id == line.room }) { pass(line, in: room) }
    }
    for line in cipher.takeUnreadable() {
      var line = line
      line.room = rooms.first { $0.id == line.room }?.name ?? line.room
      send(.unreadable(line))
    }
  }

  /// Passes on a line, with its sender's power level, if the room is open.
  mutating func pass(_ line: RoomLine, in room: Room) {
    guard room.access == .open, line.user != user else { return }
    var line = line
    line.room = room.name
    line.power = room.power(of: line.user)
    send(.heard(line))
    position.hasPassed = true
  }
}
