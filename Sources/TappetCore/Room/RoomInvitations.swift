// Accepts the invitations to rooms from the users under `accept_invitations_of`. Pure decision logic.

/// An invitation to a room, as the homeserver reports it.
package struct RoomInvitation: Hashable, Sendable {
  /// The room's id.
  package var room: String
  /// The user who invited the kiosk, `@name:server`.
  package var user: String
  /// The event's id, which distinguishes a new invitation to the same room; empty if it is not known.
  package var event: String

  @export(interface)
  package init(room: String, user: String, event: String = "") {
    self.room = room
    self.user = user
    self.event = event
  }
}

/// The invitations that are being accepted, one at a time.
struct RoomInvitations: Sendable {
  /// The accepted invitations without a final answer, oldest first.
  private var waiting: [RoomInvitation] = []
  /// Invitations that the homeserver may report again; each is answered only once.
  private var known: [RoomInvitation] = []
  private var isAsked = false
  /// Number of attempts for the first invitation that the homeserver did not answer.
  private var failures = 0
  /// Time of the next attempt.
  private var nextAt: Instant?

  /// Time at which the kiosk joins the next room; `nil` if there is none.
  var deadline: Instant? { isAsked || waiting.isEmpty ? nil : nextAt }

  /// Accepts an invitation, unless it is already known.
  mutating func accept(_ invitation: RoomInvitation, at now: Instant) {
    if known.contains(invitation) { return }
    if known.count >= Limits.roomInvitationsMax { known.removeFirst() }
    known.append(invitation)
    guard waiting.count < Limits.roomInvitationsMax else { return }
    waiting.append(invitation)
    nextAt = nextAt ?? now
  }

  /// Returns the room to join now.
  mutating func next(at now: Instant) -> String? {
    guard let deadline, deadline <= now, let first = waiting.first else { return nil }
    isAsked = true
    nextAt = now + Limits.roomJoinInterval
    return first.room
  }

  /// Handles the outcome of an attempt; returns the invitation if this was its last attempt.
  mutating func answered(_ room: String, _ fault: WebhookFault?, at now: Instant) -> RoomInvitation? {
    guard isAsked, let first = waiting.first, first.room == room else { return nil }
    isAsked = false
    failures += 1
    if fault?.mayPass == true, failures < Limits.roomJoinTriesMax {
      nextAt = now + Limits.roomRetry.last
      return nil
    }
    failures = 0
    waiting.removeFirst()
    return first
  }

  /// Forgets the invitations, which the next process reports again, but not when the next attempt is allowed.
  mutating func processEnded() {
    let nextAt = self.nextAt
    self = RoomInvitations()
    self.nextAt = nextAt
  }
}

extension WebhookFault {
  /// Whether the homeserver did not decide about a request, so that the request may succeed later.
  fileprivate var mayPass: Bool {
    switch self {
    case .trouble(.roomClosed, _): false
    case .status, .trouble: true
    }
  }
}

extension Kiosk {
  /// Accepts an invitation from a user who may invite the kiosk; all others stay pending.
  mutating func invited(_ invitation: RoomInvitation, at now: Moment) -> [Effect] {
    guard settings.rooms.inviters.contains(invitation.user), listening.process.isRunning else { return [] }
    listening.invitations.accept(invitation, at: now.instant)
    return joinsDue(at: now)
  }

  mutating func joinsDue(at now: Moment) -> [Effect] {
    guard listening.process.isRunning, let room = listening.invitations.next(at: now.instant) else { return [] }
    return [.joinRoom(room)]
  }

  /// Handles the homeserver's response to an attempt to join a room.
  mutating func roomJoined(_ room: String, _ fault: WebhookFault?, at now: Moment) -> [Effect] {
    guard let invitation = listening.invitations.answered(room, fault, at: now.instant) else { return [] }
    return [.report(.room(.joined(invitation, fault)))]
  }
}
