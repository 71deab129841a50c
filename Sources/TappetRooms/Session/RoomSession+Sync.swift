// The session's requests that poll, one at a time, and their responses.

import TappetCore

extension RoomSession {
  /// A request of the polling channel.
  enum Question {
    /// Resolve the address of the room with this index, or of the space or room whose unread messages are shown.
    case resolve(Int?)
    /// Query for the creation event. Synapse omits it from /sync for rooms of version 12 or later, because the event
    /// does not contain a room id.
    case creation(Int)
    /// List the members of the room with this index, which is encrypted.
    case members(Int)
    /// Read the invitations from before the recorded position.
    case invitations
    case sync
  }

  /// The request that has to be made before all others.
  var nextQuestion: Question {
    if let index = rooms.firstIndex(where: { $0.id == nil && $0.access == nil }) { return .resolve(index) }
    if unread?.needsID == true { return .resolve(nil) }
    if let index = rooms.firstIndex(where: { $0.readsPowers && $0.id != nil && !$0.isCreationKnown }) {
      return .creation(index)
    }
    if let cipher, let index = rooms.firstIndex(where: { $0.id.map { cipher.needsMembers(of: $0) } == true }) {
      return .members(index)
    }
    return invitations.areWanted && !invitations.areListed && position.next != nil ? .invitations : .sync
  }

  func call(for question: Question, at now: Instant) -> HTTPCall {
    var sizeMax = cipher == nil ? Limits.roomAnswerSizeMax : Limits.roomKeysAnswerSizeMax
    if case .invitations = question { sizeMax = max(sizeMax, Limits.homeserverAnswerSizeMax) }
    let path = path(of: question, at: now)
    return HTTPCall(path: path, method: .get, body: [], keepsAnswer: true, answerSizeMax: sizeMax)
  }

  private func path(of question: Question, at now: Instant) -> String {
    func id(_ index: Int) -> String { (rooms[index].id ?? "").percentEncoded }
    return switch question {
    case .resolve(let index):
      "/_matrix/client/v3/directory/room/" + (index.map { rooms[$0].name } ?? unread?.name ?? "").percentEncoded
    case .creation(let index): "/_matrix/client/v3/rooms/\(id(index))/state/m.room.create?format=event"
    case .members(let index): "/_matrix/client/v3/rooms/\(id(index))/joined_members"
    case .invitations: syncPath(question, since: nil, rooms: [], at: now)
    case .sync: syncPath(question, since: position.next, rooms: rooms.compactMap { $0.id }, at: now)
    }
  }

  private func syncPath(_ question: Question, since: String?, rooms ids: [String], at now: Instant) -> String {
    let isFirst = position.isFirst
    var filter = SyncFilter(
      rooms: ids, readsPowers: rooms.contains { $0.readsPowers },
      readsReactions: rooms.contains { $0.asks }, readsCiphertexts: cipher != nil, user: user)
    filter.readsInvitations = invitations.areWanted
    filter.startsInPresent = since == nil
    filter.isWhole = isFirst
    if case .sync = question {
      filter.readsInvitations = invitations.areWanted && !invitations.areAside
      filter.readsUnread = unread?.isWanted ?? false
    }
    let place = since.map { "&since=" + $0.percentEncoded } ?? ""
    // The first response is immediate, regardless of the timeout. Synapse caches it for two minutes, and would return
    // it again, with a position in the past, if the request were the same, so the timeout varies. Synapse omits rooms
    // without changes, unless their full state is requested.
    let timeout = isFirst ? 1 + now.nanoseconds / 1000 % 1000 : Limits.roomPollMax.wholeMilliseconds
    return "/_matrix/client/v3/sync?set_presence=offline&filter=" + filter.text.percentEncoded
      + (isFirst ? "&full_state=true" : "") + "&timeout=\(timeout)" + place
  }

  mutating func asked(_ question: Question, _ outcome: HTTPOutcome, at now: Instant) {
    switch (outcome, question) {
    case (.failed(let trouble, let code), _): failed(.trouble(trouble, code: code), at: now)
    case (.answered(200, _, let body), .resolve(let index)):
      guard let id = MatrixAnswer(body).roomID else { return failed(.trouble(.notAHomeserver, code: 200), at: now) }
      if let index { rooms[index].id = id } else { unread?.resolve(id) }
      rest(until: now)
    case (.answered(404, _, let body), .resolve(let index)) where MatrixAnswer(body).errorCode == "M_NOT_FOUND":
      if let index { note(.unknown, index) } else { unread?.resolve(nil) }
      tellUnread()
      rest(until: now)
    case (.answered(let status, _, let body), .creation(let index))
    where status == 200 && SyncAnswer.creation(body) != nil
      || (status == 403 || status == 404) && MatrixAnswer(body).errorCode != nil:
      rooms[index].isCreationKnown = true
      rooms[index].powers.creation = SyncAnswer.creation(body)
      favorCommanders()
      rest(until: now)
    case (.answered(let status, _, let body), .members(let index))
    where status == 200 && SyncAnswer.members(body) != nil
      || (status == 403 || status == 404) && MatrixAnswer(body).errorCode != nil:
      cipher?.setMembers(SyncAnswer.members(body) ?? [], of: rooms[index].id ?? "")
      passOnDeciphered()
      endBatch()
      rest(until: now)
    case (.answered(200, _, let body), .invitations):
      let answer = SyncAnswer(body, of: user, in: [])
      // Anything but a page of an intermediary would be as large or damaged the next time.
      invitations.areListed = answer != nil || body.first != UInt8(ascii: "<")
      guard let answer else { return failed(.trouble(.notAHomeserver, code: 200), at: now) }
      pass(answer.invitations)
      rest(until: now)
    case (.answered(200, _, let body), .sync): synchronized(body, at: now)
    case (.answered(let status, let pause, let body), _):
      let answer = MatrixAnswer(body)
      let fault = answer.fault(status)
      // The homeserver does not know the position: an intermediary's page has no error code.
      if case .trouble(.notAHomeserver, _) = fault, answer.errorCode != nil { position.startFromPresent() }
      failed(fault, retryAfter: answer.retryAfter ?? pause, at: now)
    }
  }

  /// Handles a response to /sync.
  private mutating func synchronized(_ body: [UInt8], at now: Instant) {
    let isFirst = position.isFirst
    let answer = SyncAnswer(body, of: user, in: Set(rooms.compactMap { $0.id })) { unread?.read($0, isWhole: isFirst) }
    if let answer { return heard(answer, at: now) }
    // Anything but a page of an intermediary was too large, and would be so again.
    if body.first != UInt8(ascii: "<") {
      // Strangers choose the number and size of invitations.
      if invitations.setAside() { return rest(until: now) }
      if unread?.overflow() != true { position.startFromPresent() }
    }
    tellUnread()
    failed(.trouble(.notAHomeserver, code: 200), at: now)
  }

  private mutating func heard(_ answer: SyncAnswer, at now: Instant) {
    let isFirst = position.isFirst
    let isResumed = isFirst && position.next != nil
    for room in answer.rooms { recordChanges(room, isFirst: isFirst) }
    // The homeserver stores events for this device until /sync is requested from the next position.
    guard learn(answer.news, isFirst: isFirst) else {
      return failed(.trouble(.fileUnusable, code: RoomSession.inputOutputError), at: now)
    }
    position.advance(to: answer.next)
    invitations.resume()
    for index in rooms.indices where rooms[index].id != nil {
      guard let room = answer.rooms.last(where: { $0.id == rooms[index].id }) else {
        if isFirst { note(.closed, index) }
        continue
      }
      let wasOpen = rooms[index].access == .open && !isFirst
      note(access(room, index), index)
      // A line from before the kiosk joined is not a command. A room configured under two names passes on a line once.
      let isHeard = (wasOpen || isResumed) && rooms.firstIndex(where: { $0.id == room.id }) == index
      for change in room.changes { handle(change, index, isHeard: isHeard) }
      if rooms[index].access == .open, let event = room.newest {
        outbox.append(.receipt(of: event), to: room.id, at: now)
      }
    }
    passOnDeciphered()
    pass(answer.invitations)
    tellUnread()
    send(.listening)
    endBatch()
    let lacksEvents = answer.rooms.contains { $0.lacksEvents }
    // The next response then contains the state of all rooms.
    if unread?.resume() == true || lacksEvents { position.isSynchronized = false }
    let isFull = answer.news.toDevice.count >= Limits.roomPageCount
    let isEmpty = answer.rooms.isEmpty && !isFull
    rest(
      until: polling.answered(
        isEmpty: isEmpty || lacksEvents, isFirst: isFirst && !lacksEvents, isFull: isFull, at: now))
  }

  /// The errno for a failed write.
  private static let inputOutputError: Int32 = 5

  private mutating func handle(_ change: SyncAnswer.Change, _ index: Int, isHeard: Bool) {
    let room = rooms[index]
    switch change {
    case .levels(let levels):
      rooms[index].powers.levels = levels
      favorCommanders()
    case .reaction(let event, let user, let isYes):
      guard isHeard, room.access == .open, user != self.user else { return }
      let answer = RoomAnswer(question: 0, user: user, power: room.power(of: user), isYes: isYes)
      if let answer = questions.reacted(to: event, in: room.id ?? "", answer) { send(.answered(answer)) }
    case .line(let line):
      if isHeard, !room.isDecrypted { pass(line, in: room) }
    case .encrypted(let user, let event):
      guard isHeard, room.isDecrypted, room.access == .open, user != self.user else { return }
      cipher?.hear(event, in: room.id ?? "")
    }
  }

  /// Reports what is unread, if it has changed.
  private mutating func tellUnread() {
    if let name = unread?.name, let news = unread?.takeNews() { send(.unread(room: name, news)) }
  }

  /// Retries after a pause.
  private mutating func failed(_ fault: WebhookFault, retryAfter: Duration? = nil, at now: Instant) {
    rest(until: polling.failed(fault, retryAfter: retryAfter, at: now))
    send(.failed(fault))
  }
}
