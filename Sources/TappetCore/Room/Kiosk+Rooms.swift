// Commands from rooms: the process that listens there, and the lines that it reads. Decides only; Kiosk+Commands.swift
// does what a line asks for.

/// The homeserver's condition.
struct RoomDuties: Sendable {
  /// Why it did not answer last time.
  var fault: WebhookFault?
  /// When the process gave its last sign of life.
  var signAt: Instant?
}

/// The events of the process that listens in rooms.
package enum RoomEvent: Sendable {
  case message(RoomMessage)
  /// It sent bytes that are not a message.
  case malformed
  case ended(ProcessEnd)
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}

/// The rooms that actions write to.
package struct RoomPlan: Sendable {
  /// The names of these actions; all of them use the same homeserver.
  package var actions: Set<String> = []
  /// Whether the kiosk takes part in encrypted rooms.
  package var areEncrypted = false
}

extension KioskSettings {
  /// Whether a room has commands, or is encrypted: then the process that listens writes, too.
  var hearsRooms: Bool { rooms.areEncrypted || commands.contains { $0.isRoom } }
}

extension Kiosk {
  mutating func roomsChanged(_ change: RoomEvent, at now: Moment) -> [Effect] {
    switch change {
    case .message(let message):
      listening.duties.signAt = now.instant
      return roomsSaid(message, at: now)
    case .malformed: return listening.process.lose(.malformed, at: now.instant)
    case .ended(let end):
      intake.gate.roomsClosed()
      let effects = questionLost()
      // It reads the session's file once: another one may find another session there.
      if case .trouble(.tokenRefused, _) = listening.duties.fault, end == .exited(ProcessEnd.sessionRefused) {
        return effects + listening.process.endedToBeginAgain(at: now.instant)
      }
      return effects + listening.process.ended(end, at: now.instant, random: &random)
    case .notStarted(let code): return listening.process.notStarted(code: code, at: now.instant, random: &random)
    }
  }

  private mutating func roomsSaid(_ message: RoomMessage, at now: Moment) -> [Effect] {
    switch message {
    case .ready: return listening.process.ready()
    case .listening:
      defer { listening.duties.fault = nil }
      return listening.duties.fault == nil ? [] : [.report(.room(.listening))]
    case .failed(let fault):
      defer { listening.duties.fault = fault }
      return listening.duties.fault == fault ? [] : [.report(.room(.failing(fault)))]
    case .access(let room, let access):
      guard let index = intake.gate.index(of: room), intake.gate.plan(index).isRoom,
        intake.gate.subscribed(index, isGranted: access == .open)
      else { return [] }
      return [.report(.room(.access(room: room, access)))] + (access == .open ? [] : questionLost(in: room))
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
      return commandArrived(arrival, at: now)
    case .posted(let id, let status, let seconds):
      return webhookChanged(
        .answered(id, status: Int(status), retryAfter: seconds.map { .seconds(Int64($0)) }), at: now)
    case .undelivered(let id, let trouble, let code): return webhookChanged(.failed(id, trouble, code: code), at: now)
    }
  }

  /// When the process has been silent for too long; each answer of the homeserver, and each fault, is a sign.
  var roomDeadline: Instant? {
    listening.process.isRunning ? listening.duties.signAt.map { $0 + Limits.roomSignMax } : listening.process.deadline
  }

  /// Has the process run as long as a room has commands, and ends one that hangs.
  mutating func roomsDue(at now: Moment) -> [Effect] {
    guard let deadline = roomDeadline, deadline <= now.instant else { return [] }
    return listening.process.isRunning
      ? listening.process.lose(.silent, at: now.instant)
      : listening.process.timerFired(at: now.instant, random: &random)
  }
}

extension ProcessEnd {
  /// The exit status of a process whose session the homeserver does not accept any more.
  package static let sessionRefused: Int32 = 3
}
