// Invitations to rooms: those of the users who may invite the kiosk, and those of strangers.
//   - The kiosk joins a room only if somebody who may has invited it there, once for each invitation, or again if the
//     homeserver did not decide.
//   - It joins one room at a time, and not more often than the limit says.

import TappetCore

/// The invitations, as the world has them.
struct InvitationBook {
  /// Invitations of users who may invite the kiosk, without a final answer, oldest first.
  var open: [RoomInvitation] = []
  var last: RoomInvitation?
  /// The room that the process is joining.
  var joining: String?
  /// Number of responses to the first invitation that decided nothing.
  var tries = 0
  var joinedAt: Instant?

  /// The process ends, or others may invite the kiosk.
  mutating func restart() { (open, last, joining, tries) = ([], nil, nil, 0) }
}

extension World {
  /// Somebody invites the kiosk, or the homeserver responds to an attempt to join; Step.swift has the numbers.
  func roomInvites(_ number: Int) {
    guard room.process == .ready else { return }
    switch number % 8 {
    case 5:
      guard let last = invitations.last else { return }
      tell(.rooms(.message(.invited(last))))
    case 6: answerJoin(.trouble(.roomClosed, code: 403))
    case 7: answerJoin(.status(502))
    case let kind:
      let user = kind == 4 ? "@eve:h" : "@ann:h"
      let invitation = RoomInvitation(room: "!\(number / 8 % 3):h", user: user, event: "$\(random.next())")
      if settings.rooms.inviters.contains(user), invitations.open.count < Limits.roomInvitationsMax {
        invitations.open.append(invitation)
      }
      invitations.last = invitation
      tell(.rooms(.message(.invited(invitation))))
    }
  }

  /// The homeserver responds to the attempt to join a room; without a fault, the kiosk is in the room.
  func answerJoin(_ fault: WebhookFault?) {
    guard let joining = invitations.joining else { return }
    invitations.joining = nil
    invitations.tries += 1
    if fault != .status(502) || invitations.tries == Limits.roomJoinTriesMax {
      invitations.tries = 0
      if let place = invitations.open.firstIndex(where: { $0.room == joining }) { invitations.open.remove(at: place) }
    }
    tell(.rooms(.message(.joined(room: joining, fault))))
  }

  func judgeJoin(_ id: String) {
    if room.process != .ready { fail("a room is to be joined, and nobody listens") }
    if invitations.joining != nil { fail("two rooms are joined at a time") }
    if !invitations.open.contains(where: { $0.room == id }) { fail("\(id) is joined, and nobody who may has invited") }
    if let joinedAt = invitations.joinedAt, now.instant < joinedAt + Limits.roomJoinInterval {
      fail("rooms are joined too often")
    }
    (invitations.joining, invitations.joinedAt) = (id, now.instant)
  }
}
