// The process that listens in rooms, and what is owed to them.

struct ListenerSupervision: Sendable {
  var process = HelperSupervision(.rooms)
  var duties = RoomDuties()
}
