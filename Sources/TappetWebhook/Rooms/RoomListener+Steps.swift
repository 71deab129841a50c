// The listener's requests that poll, one at a time, and their responses.

import TappetCore
import TappetPlatform
import TappetRooms

extension RoomListener {
  func ask() {
    guard !polling.needsSuccessor else { return exitStatus = ExitStatus.needsSuccessor }
    polling.asked(at: now)
    let path: String
    let step: Step
    if let index = rooms.firstIndex(where: { $0.id == nil && $0.access == nil }) {
      step = .resolve(index)
      path = "/_matrix/client/v3/directory/room/" + rooms[index].name.percentEncoded
    } else if let unread, unread.needsID {
      step = .resolve(nil)
      path = "/_matrix/client/v3/directory/room/" + unread.name.percentEncoded
    } else if let index = rooms.firstIndex(where: { $0.readsPowers && $0.id != nil && !$0.isCreationKnown }) {
      step = .creation(index)
      let room = (rooms[index].id ?? "").percentEncoded
      path = "/_matrix/client/v3/rooms/\(room)/state/m.room.create?format=event"
    } else if let cipher, let index = rooms.firstIndex(where: { $0.id.map { cipher.needsMembers(of: $0) } == true }) {
      step = .members(index)
      path = "/_matrix/client/v3/rooms/\((rooms[index].id ?? "").percentEncoded)/joined_members"
    } else if invitations.areWanted, !invitations.areListed, since != nil {
      step = .invitations
      path = syncPath(step, since: nil, rooms: [])
    } else {
      step = .sync
      path = syncPath(step, since: since, rooms: rooms.compactMap { $0.id })
    }
    var sizeMax = cipher == nil ? Limits.roomAnswerSizeMax : Limits.roomKeysAnswerSizeMax
    if case .invitations = step { sizeMax = max(sizeMax, Limits.homeserverAnswerSizeMax) }
    let call = HTTPCall(path: path, method: .get, body: [], keepsAnswer: true, answerSizeMax: sizeMax)
    self.step = step
    if let outcome = begin(RoomListener.asking, call) { asked(outcome) }
  }

  private func syncPath(_ step: Step, since: String?, rooms ids: [String]) -> String {
    var filter = SyncFilter(
      rooms: ids, readsPowers: rooms.contains { $0.readsPowers },
      readsReactions: rooms.contains { $0.asks }, readsCiphertexts: cipher != nil, user: endpoint?.user)
    filter.readsInvitations = invitations.areWanted
    filter.startsInPresent = since == nil
    filter.isWhole = isFirst
    if case .sync = step {
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

  func asked(_ outcome: HTTPOutcome) {
    guard let step else { return }
    self.step = nil
    switch (outcome, step) {
    case (.failed(let trouble, let code), _): failed(.trouble(trouble, code: code), retryAfter: nil)
    case (.answered(200, _, let body), .resolve(let index)):
      guard let id = MatrixAnswer(body).roomID else {
        return failed(.trouble(.notAHomeserver, code: 200), retryAfter: nil)
      }
      if let index { rooms[index].id = id } else { unread?.resolve(id) }
      polling.askNow(now)
    case (.answered(404, _, let body), .resolve(let index)) where MatrixAnswer(body).errorCode == "M_NOT_FOUND":
      if let index { note(.unknown, index) } else { unread?.resolve(nil) }
      tellUnread()
      polling.askNow(now)
    case (.answered(let status, _, let body), .creation(let index))
    where status == 200 && SyncAnswer.creation(body) != nil
      || (status == 403 || status == 404) && MatrixAnswer(body).errorCode != nil:
      rooms[index].isCreationKnown = true
      rooms[index].powers.creation = SyncAnswer.creation(body)
      favorCommanders()
      polling.askNow(now)
    case (.answered(let status, _, let body), .members(let index))
    where status == 200 && SyncAnswer.members(body) != nil
      || (status == 403 || status == 404) && MatrixAnswer(body).errorCode != nil:
      cipher?.setMembers(SyncAnswer.members(body) ?? [], of: rooms[index].id ?? "")
      passOnDeciphered()
      endBatch()
      polling.askNow(now)
    case (.answered(200, _, let body), .invitations):
      let answer = SyncAnswer(body, of: endpoint?.user, in: [])
      // Anything but a page of an intermediary would be as large or damaged the next time.
      invitations.areListed = answer != nil || body.first != UInt8(ascii: "<")
      guard let answer else { return failed(.trouble(.notAHomeserver, code: 200), retryAfter: nil) }
      pass(answer.invitations)
      polling.askNow(now)
    case (.answered(200, _, let body), .sync):
      guard let answer = read(body) else {
        // Anything but a page of an intermediary was too large, and would be so again.
        if body.first != UInt8(ascii: "<") {
          // Strangers choose the number and size of invitations.
          if invitations.setAside() { return polling.askNow(now) }
          if unread?.overflow() != true { startFromPresent() }
        }
        tellUnread()
        return failed(.trouble(.notAHomeserver, code: 200), retryAfter: nil)
      }
      heard(answer)
    case (.answered(let status, let pause, let body), _):
      let answer = MatrixAnswer(body)
      let fault = RoomListener.fault(status, answer)
      // The homeserver does not know the position: an intermediary's page has no error code.
      if case .trouble(.notAHomeserver, _) = fault, answer.errorCode != nil { startFromPresent() }
      failed(fault, retryAfter: answer.retryAfter ?? pause)
    }
  }

  /// Parses a response to /sync; `nil` if it is malformed.
  private func read(_ body: [UInt8]) -> SyncAnswer? {
    SyncAnswer(body, of: endpoint?.user, in: Set(rooms.compactMap { $0.id })) { unread?.read($0, isWhole: isFirst) }
  }

  /// Reports what is unread, if it has changed.
  func tellUnread() {
    if let name = unread?.name, let news = unread?.takeNews() { send(.unread(room: name, news)) }
  }

  private func startFromPresent() { (since, firstUnread) = (nil, nil) }

  /// Retries after a pause.
  func failed(_ fault: WebhookFault, retryAfter: Duration?) {
    polling.failed(fault, retryAfter: retryAfter, at: now)
    send(.failed(fault))
  }
}
