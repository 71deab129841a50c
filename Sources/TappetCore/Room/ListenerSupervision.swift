// tappet-matrix, and the state of its connection to the homeserver.

struct ListenerSupervision: Sendable {
  var process = HelperSupervision(.rooms)
  var duties = RoomDuties()
  var ledger = RoomLedger()
  var invitations = RoomInvitations()
  var will = RoomWillDuties()
  /// The unread messages under `unread_of`; `nil` until a process has reported them.
  var unread: RoomUnread?
}
