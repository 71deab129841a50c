// The process that listens in rooms, and the condition of its homeserver.

struct ListenerSupervision: Sendable {
  var process = HelperSupervision(.rooms)
  var duties = RoomDuties()
}
