// Reservations of items for people, by day. A loan must not overlap another person's reservation.

import TappetCore
import TappetPlatform
import TappetSQLite

/// Reservation of an item for a person, from the first to the last day.
package struct InventoryReservation: Hashable, Sendable {
  /// Name of the person.
  package var person: String
  /// First day of the reservation.
  package var first: CalendarDay
  /// Last day of the reservation, inclusive.
  package var last: CalendarDay

  /// Creates a reservation.
  package init(person: String, first: CalendarDay, last: CalendarDay) {
    self.person = person
    self.first = first
    self.last = last
  }
}

extension CalendarDay {
  /// The current date in the machine's time zone.
  package static var today: CalendarDay {
    let now = SystemClock().now().unixSeconds
    return CalendarDay(number: (now + WallTime.secondsEastOfUTC(unixSeconds: now)) / 86_400)
  }
}

extension Inventory {
  /// Reserves an item; throws if the days overlap another reservation, or another person's loan that has a due date.
  @export(interface)
  package func reserve(_ item: InventoryEntry, _ wanted: InventoryReservation) throws(InventoryError) {
    guard item.kind == .item else { throw .wrongContainer(item.kind, nil) }
    var wanted = wanted
    wanted.person = wanted.person.trimmedLabel ?? ""
    try Inventory.check(wanted.person, "person's name", sizeMax: Limits.secretLabelSizeMax)
    if wanted.last < wanted.first { throw .endsBeforeStart(wanted.first, wanted.last) }
    try transaction { () throws(InventoryError) in
      guard try entry(item.id, of: .item) != nil else { throw .unknown(.item, item.name) }
      if let other = try reservations(of: item).first(where: { $0.overlaps(wanted) }) { throw .reserved(other) }
      if let loan = try loan(of: item), let due = loan.due, loan.person != wanted.person, due >= wanted.first {
        throw .lent(loan)
      }
      try stored { () throws(DatabaseError) in
        let past = try database.statement("DELETE FROM reservation WHERE last < ?1")
        past.bind(CalendarDay.today.text, at: 1)
        try past.run()
        let statement = try database.statement(
          "INSERT INTO reservation (uuid, first, last, person) VALUES (?1, ?2, ?3, ?4)")
        statement.bind(blob: item.id.bytes, at: 1)
        statement.bind(wanted.first.text, at: 2)
        statement.bind(wanted.last.text, at: 3)
        statement.bind(wanted.person, at: 4)
        try statement.run()
      }
    }
  }

  /// Removes the reservation of an item that starts on the given day; throws if there is none.
  @export(interface)
  package func unreserve(_ item: InventoryEntry, from first: CalendarDay) throws(InventoryError) {
    try transaction { () throws(InventoryError) in
      guard try reservations(of: item).contains(where: { $0.first == first }) else { throw .unchanged(.item) }
      try stored { () throws(DatabaseError) in
        let statement = try database.statement("DELETE FROM reservation WHERE uuid = ?1 AND first = ?2")
        statement.bind(blob: item.id.bytes, at: 1)
        statement.bind(first.text, at: 2)
        try statement.run()
      }
    }
  }

  /// Returns the current and future reservations of an item, in chronological order.
  @export(interface)
  package func reservations(of item: InventoryEntry) throws(InventoryError) -> [InventoryReservation] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        "SELECT first, last, person FROM reservation WHERE uuid = ?1 AND last >= ?2 ORDER BY first")
      defer { statement.reset() }
      statement.bind(blob: item.id.bytes, at: 1)
      statement.bind(CalendarDay.today.text, at: 2)
      var found: [InventoryReservation] = []
      while try statement.step() {
        guard let first = CalendarDay(statement.text(0)), let last = CalendarDay(statement.text(1)) else { continue }
        found.append(InventoryReservation(person: statement.text(2), first: first, last: last))
      }
      return found
    }
  }

  /// Throws if a loan that starts today would overlap another person's reservation.
  ///
  /// A loan without a due date is refused only if the item is reserved today.
  func requireUnreserved(
    _ item: InventoryEntry, for person: String, until due: CalendarDay?
  ) throws(InventoryError) {
    let today = CalendarDay.today
    let loan = InventoryReservation(person: person, first: today, last: max(today, due ?? today))
    if let other = try reservations(of: item).first(where: { $0.person != person && $0.overlaps(loan) }) {
      throw .reserved(other)
    }
  }
}

extension InventoryReservation {
  /// Whether the two reservations have a day in common.
  fileprivate func overlaps(_ other: InventoryReservation) -> Bool { first <= other.last && other.first <= last }
}
