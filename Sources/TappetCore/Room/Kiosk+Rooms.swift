// The process that serves rooms, tappet-matrix, and the lines that it reports. Pure decision logic;
// Kiosk+Webhooks.swift posts the messages, and Kiosk+Commands.swift executes the commands.

/// The state of the connection to the homeserver.
struct RoomDuties: Sendable {
  /// The reason why the last request to the homeserver failed; `nil` if it succeeded.
  var fault: WebhookFault?
  /// Time of the last message from the process.
  var signAt = Instant(nanoseconds: 0)
}

/// Events from the process that serves rooms.
package enum RoomEvent: Sendable {
  case message(RoomMessage)
  /// The process sent an invalid message.
  case malformed
  case ended(ProcessEnd)
  /// The process could not be started; `code` is the errno.
  case notStarted(code: Int32)
}

/// The rooms to which actions post messages, the users who may invite the kiosk, its last will, and its light `unread`.
package struct RoomPlan: Sendable {
  /// The rooms to which actions post, by the names of the actions; all of them use the same homeserver.
  package var actions: [String: String] = [:]
  /// The names of the actions whose messages are edited to report the outcome.
  package var reporting: Set<String> = []
  /// Whether the kiosk takes part in encrypted rooms.
  package var areEncrypted = false
  /// The users whose invitations are accepted.
  package var inviters: [String] = []
  /// The message that the homeserver posts if the kiosk is gone.
  package var will: RoomWill?
  /// The address or id of the space or room whose unread messages are shown.
  package var unread: String?

  /// Whether the process listens, even if no room has commands.
  var areHeard: Bool { areEncrypted || !inviters.isEmpty || will != nil || unread != nil }
}

extension KioskSettings {
  /// Whether the process listens, and is needed all the time, not only while messages are due.
  ///
  /// A room accepts commands, or is encrypted, invitations are accepted, there is a last will, or unread messages are
  /// shown.
  var hearsRooms: Bool { rooms.areHeard || commands.contains { $0.isRoom } }
}

extension Kiosk {
  mutating func roomsChanged(_ change: RoomEvent, at now: Moment) -> [Effect] {
    switch change {
    case .message(let message):
      listening.duties.signAt = now.instant
      return roomsSaid(message, at: now)
    case .malformed: return listening.process.lose(.malformed, at: now.instant)
    case .ended(let end):
      putBack(from: .rooms)
      intake.gate.roomsClosed()
      let isDeath = if case .signaled = end { listening.process.isRunning } else { false }
      listening.ledger.processEnded(byDeath: isDeath)
      listening.invitations.processEnded()
      listening.will.processEnded()
      let effects = questionLost()
      // The process reads its files only once; a new process may find a new session, or space on the disk.
      if listening.duties.fault?.mayBeOfFiles == true, end == .exited(ProcessEnd.needsSuccessor) {
        return effects + listening.process.endedToBeginAgain(at: now.instant)
      }
      return effects + listening.process.ended(end, at: now.instant, random: &random)
    case .notStarted(let code): return listening.process.notStarted(code: code, at: now.instant, random: &random)
    }
  }

  private mutating func roomsSaid(_ message: RoomMessage, at now: Moment) -> [Effect] {
    switch message {
    // During a stop, the process may have scheduled the last will already.
    case .ready: return listening.process.ready() + (isStopping ? cancelWill(settings.rooms.will) : [])
    case .listening:
      listening.ledger.processHandled()
      defer { listening.duties.fault = nil }
      return (listening.duties.fault == nil ? [] : [.report(.room(.listening))])
        + listening.ledger.lateAnswers(at: now.instant).map { .reply($0) }
    case .failed(let fault):
      listening.ledger.processHandled()
      defer { listening.duties.fault = fault }
      return listening.duties.fault == fault ? [] : [.report(.room(.failing(fault)))]
    case .access(let room, let access):
      guard let index = intake.gate.index(of: room), intake.gate.plan(index).isRoom,
        intake.gate.subscribed(index, isGranted: access == .open)
      else { return [] }
      let report = Effect.report(.room(.access(room: room, access)))
      guard access == .open else { return [report] + questionLost(in: room) }
      return [report] + listening.ledger.answers(in: room).map { .reply($0) }
    case .answered(let answer): return roomAnswered(answer, at: now)
    case .heard(let line):
      guard let index = intake.gate.index(of: line.room), intake.gate.plan(index).isRoom,
        let content = intake.gate.plan(index).content(of: line.text)
      else { return [] }
      var arrival = CommandArrival(topic: line.room, size: line.text.utf8.count, content: content)
      if case .request(var request) = content {
        request.unixSeconds = line.unixMilliseconds / 1000
        arrival.content = .request(request)
      }
      arrival.sender = RoomSender(user: line.user, event: line.event, power: line.power)
      listening.ledger.hear(arrival, line)
      return []
    case .batch(let position): return roomBatchEnded(position, at: now)
    case .settled(let event): return roomCommandSettled(event)
    case .posted(let id, let status, let pause):
      return webhookChanged(.answered(id, status: Int(status), retryAfter: pause), at: now)
    case .created(let id, let event): return webhookChanged(.created(id, event: event), at: now)
    case .undelivered(let id, let trouble, let code): return webhookChanged(.failed(id, trouble, code: code), at: now)
    case .invited(let invitation): return invited(invitation, at: now)
    case .joined(let room, let fault): return roomJoined(room, fault, at: now)
    case .will(let state): return willReported(state)
    case .unread(let room, let unread): return unreadReported(unread, of: room)
    case .unreadable(let line): return [.report(.room(.unreadable(line)))]
    }
  }

  /// Whether a message of the process is expected: the homeserver's responses and faults, or the outcome of a request.
  private var expectsSigns: Bool { settings.hearsRooms || delivery.webhookProcess.hasPosted(to: .rooms) }

  /// Time at which the process counts as hung, or, if nothing is expected of it, as idle.
  private var listenerDeadline: Instant? {
    guard listening.process.isRunning else { return listening.process.deadline }
    if delivery.webhookProcess.hasPosted(to: .rooms) { return listening.duties.signAt + Limits.webhookAnswerMax }
    return listening.duties.signAt + (settings.hearsRooms ? Limits.roomSignMax : Limits.webhookIdleMax)
  }

  /// Time of the next attempt to join a room, or of `listenerDeadline`, if it is earlier.
  var roomDeadline: Instant? {
    .earliest(listenerDeadline, listening.process.isRunning ? listening.invitations.deadline : nil)
  }

  /// Joins the next room, and handles the deadline of the process: kills one that hangs, ends one that is idle, or
  /// restarts an exited one.
  mutating func roomsDue(hasHeardAll: Bool, at now: Moment) -> [Effect] {
    guard let deadline = listenerDeadline, deadline <= now.instant else { return joinsDue(at: now) }
    guard listening.process.isRunning else {
      return listening.process.timerFired(at: now.instant, hasHeardAll: hasHeardAll)
    }
    guard expectsSigns else { return listening.process.want(false, at: now.instant) }
    return hasHeardAll ? listening.process.lose(.silent, at: now.instant) : joinsDue(at: now)
  }
}

extension ProcessEnd {
  /// The exit status of a process whose session, or another file that it reads at its start, was unusable.
  package static let needsSuccessor: Int32 = 3
}
