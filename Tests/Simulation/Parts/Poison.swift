// A broker that closes the connection at some messages, and the rules about them:
//   - One of these ends at most two connections with others in flight, and then it is sent alone.
//   - After three more it is set aside, and waits behind all others.
//   - Nothing else is ever set aside: not for a broker that restarts, nor for a network that is cut.
//   - A restart of the kiosk changes nothing of that.

import TappetCore

/// The broker's mood, and what it has done.
struct PoisonBook {
  /// The course of one entry, as far as the kiosk can know it.
  struct Course {
    /// Connections that the broker ended with it in flight.
    var ends = 0
    /// Connections that it ended with it alone in flight, at once, and without being away afterwards.
    var proofs = 0
    var isAside = false
  }

  /// The broker takes every message (0), or closes the connection at one of 16 (1) or of 4 (2).
  var pickiness = 0
  /// The endpoint that is tried, or connected to.
  var endpoint = 0
  /// The endpoint that does not listen, because it is being restarted.
  var restartingEndpoint: Int?
  var courses: [EntryID: Course] = [:]
  /// The entry with which the last connection ended, until the broker is seen again.
  private var doubt: (id: EntryID, endpoint: Int)?
  var upSince = Instant(nanoseconds: 0)
  var sentAt = Instant(nanoseconds: 0)

  /// The number of connections after which an entry is sent alone, and of those after which it is set aside.
  static let (suspectAfter, asideAfter) = (2, 3)

  func refuses(_ id: EntryID) -> Bool { pickiness > 0 && id.low % (pickiness == 1 ? 16 : 4) == 0 }

  func isAside(_ id: EntryID) -> Bool { courses[id]?.isAside ?? false }

  func isSuspect(_ id: EntryID) -> Bool { courses[id]?.ends ?? 0 >= PoisonBook.suspectAfter }

  mutating func ended(with ids: [EntryID], at now: Instant) {
    for id in ids { courses[id, default: Course()].ends += 1 }
    if ids.count == 1, courses[ids[0]]?.ends ?? 0 > PoisonBook.suspectAfter, now - sentAt <= .seconds(10) {
      doubt = (ids[0], endpoint)
    }
  }

  mutating func isAway() {
    if doubt?.endpoint == endpoint { doubt = nil }
    if restartingEndpoint == endpoint { restartingEndpoint = nil }
  }

  mutating func connected(at now: Instant) {
    upSince = now
    if let doubt { courses[doubt.id]?.proofs += 1 }
    doubt = nil
  }

  /// Another process knows what is on the disk: everything, or what the rows have.
  mutating func restart(isKnown: Bool, _ rows: [Disk.Row]) {
    if isKnown {
      if let doubt { courses[doubt.id]?.proofs += 1 }
    } else {
      courses = [:]
      for row in rows where row.entry.closes > 0 {
        courses[row.id] = Course(ends: row.entry.closes, proofs: max(0, row.entry.closes - PoisonBook.suspectAfter))
      }
    }
    for (id, course) in courses where course.proofs >= PoisonBook.asideAfter { courses[id]?.isAside = true }
    doubt = nil
    restartingEndpoint = nil
  }
}

extension World {
  /// The broker is restarted: it does not listen for a while.
  func brokerRestarts() {
    poison.ended(with: outstanding, at: now.instant)
    poison.restartingEndpoint = poison.endpoint
  }

  /// The broker does not like this message.
  func closeAtMessage(_ id: EntryID) {
    poison.ended(with: outstanding, at: now.instant)
    connectionEnds()
    tell(.link(.lost(id.low & 64 == 0 ? .closedByBroker : .disconnectedByBroker(.notAuthorized))))
  }

  /// Suspects are sent alone, and not without end.
  func judgeCompany(of id: EntryID) {
    if let other = outstanding.first, poison.isSuspect(id) || poison.isSuspect(other) {
      fail("a suspect was sent together with another entry")
    }
    if poison.courses[id]?.proofs ?? 0 >= PoisonBook.asideAfter, !poison.isAside(id) {
      fail("the broker closed the connection again and again at an entry that is not set aside")
    }
    if poison.isAside(id), book.memoryOnly.isEmpty, disk.rows.contains(where: { mayGoFirst($0) }) {
      fail("an entry that was set aside was sent before others")
    }
    poison.sentAt = now.instant
  }

  private func mayGoFirst(_ row: Disk.Row) -> Bool {
    row.entry.destination == .broker && !row.isForgotten && !poison.isAside(row.id) && !isHeld(row.entry.action)
      && row.maySend(clockIsGood: clockIsGood) && !row.isOver(at: now, clockIsGood: true)
      && !book.settled.contains(row.id) && !book.answering.contains(row.id) && disk.isIdle
      && !disk.owedExpiries.contains(.broker)
      && !outstanding.contains(row.id)
  }

  func judgeSetAside(_ entry: OutboxEntry) {
    if poison.courses[entry.id]?.proofs ?? 0 < PoisonBook.asideAfter { fail("an entry was set aside too early") }
    if poison.isAside(entry.id) { fail("an entry was set aside twice") }
    poison.courses[entry.id]?.isAside = true
  }

  /// Whether an entry that could be sent may wait for a suspect, or for its own turn as one.
  func mayWait(_ row: Disk.Row) -> Bool {
    if let first = outstanding.first, poison.isSuspect(first) { return true }
    if poison.isSuspect(row.id) {
      return poison.isAside(row.id) || !outstanding.isEmpty || now.instant - poison.upSince < .seconds(2)
    }
    // An earlier one of its action goes first; and after a while all others wait until the suspects had their turn.
    return disk.rows.contains { other in
      poison.isSuspect(other.id) && !poison.isAside(other.id) && !other.isForgotten
        && (other.entry.action == row.entry.action || now.instant - poison.upSince >= .seconds(10))
    }
  }
}
