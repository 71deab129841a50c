// Reservations of items for people, by day. On each day, the pieces that people have or have reserved must not be more
// than there are.

import TappetCore
import TappetPlatform
import TappetSQLite

/// Reservation of an item, or of some pieces of it, for a person, from the first to the last day.
package struct InventoryReservation: Hashable, Sendable {
  /// Name of the person.
  package var person: String
  /// First day of the reservation.
  package var first: CalendarDay
  /// Last day of the reservation, inclusive.
  package var last: CalendarDay
  /// Number of pieces; `nil` for the whole item.
  package var quantity: Int64?

  package init(person: String, first: CalendarDay, last: CalendarDay, quantity: Int64? = nil) {
    self.person = person
    self.first = first
    self.last = last
    self.quantity = quantity
  }
}

/// The pieces of an entry that people have, or have reserved.
struct InventoryDemand {
  /// Number of pieces that exist; 1 for an entry that is not counted.
  let whole: Int64
  let loans: [InventoryLoan]
  /// Reservations in chronological order.
  var reservations: [InventoryReservation]
  fileprivate let today = CalendarDay.today

  init(of entry: InventoryEntry, _ loans: [InventoryLoan], _ reservations: [InventoryReservation]) {
    whole = max(1, entry.quantity)
    self.loans = loans
    self.reservations = reservations
  }

  /// Returns the largest number of pieces in use on one of the days.
  func most(from first: CalendarDay, to last: CalendarDay) -> Int64 {
    // The number rises only when a reservation starts, or today, when the loans are known.
    let starts = reservations.map { $0.first } + [today]
    let days = [first] + starts.filter { first < $0 && $0 <= last }
    return days.map { pieces(on: $0) }.max() ?? 0
  }

  private func pieces(on day: CalendarDay) -> Int64 {
    Set(loans.map { $0.person } + reservations.map { $0.person }).reduce(0) { $0 + pieces(of: $1, on: day) }
  }

  /// A person who has what they reserved needs it once.
  private func pieces(of person: String, on day: CalendarDay) -> Int64 {
    let lent = loans.filter { $0.person == person && $0.overlaps(day, day, today: today) }
    let reserved = reservations.filter { $0.person == person && $0.first <= day && day <= $0.last }
    return max(
      lent.reduce(0) { $0 + ($1.quantity ?? whole) }, reserved.reduce(0) { $0 + ($1.quantity ?? whole) })
  }
}

extension InventoryLoan {
  /// Whether the loan lasts on one of the days; without a due date, only today is known.
  fileprivate func overlaps(_ first: CalendarDay, _ last: CalendarDay, today: CalendarDay) -> Bool {
    today <= last && first <= max(today, due ?? today)
  }
}

extension CalendarDay {
  /// The current date in the machine's time zone.
  package static var today: CalendarDay { CalendarDay(unixSeconds: SystemClock().now().unixSeconds) }

  /// Creates the date of a time in the machine's time zone.
  init(unixSeconds: Int64) {
    self.init(number: (unixSeconds + WallTime.secondsEastOfUTC(unixSeconds: unixSeconds)) / 86_400)
  }
}

extension Inventory {
  /// Reserves an item, or some pieces of it; throws if on one of the days other reservations and loans leave too few.
  @export(interface)
  package func reserve(
    _ item: InventoryEntry, _ wanted: InventoryReservation, by who: String
  ) throws(InventoryError) {
    guard item.kind == .item else { throw .wrongContainer(item.kind, nil) }
    var wanted = wanted
    wanted.person = try Inventory.checkedPerson(wanted.person)
    if wanted.last < wanted.first { throw .endsBeforeStart(wanted.first, wanted.last) }
    if let quantity = wanted.quantity, quantity < 1 { throw .wrongQuantity(quantity) }
    try transaction { () throws(InventoryError) in
      let current = try require(item)
      try requireFree(current, wanted)
      try stored { () throws(DatabaseError) in
        let past = try database.statement("DELETE FROM reservation WHERE last < ?1")
        past.bind(CalendarDay.today.text, at: 1)
        try past.run()
      }
      try keepReservations(of: current, in: try note(.reserved, current, now, by: who, isNews: false))
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          "INSERT INTO reservation (uuid, first, last, person, quantity) VALUES (?1, ?2, ?3, ?4, ?5)")
        statement.bind(blob: item.id.bytes, at: 1)
        statement.bind(wanted.first.text, at: 2)
        statement.bind(wanted.last.text, at: 3)
        statement.bind(wanted.person, at: 4)
        if let quantity = wanted.quantity { statement.bind(quantity, at: 5) }
        try statement.run()
      }
    }
  }

  /// Throws if too few pieces are left for a reservation, or if the person has another that starts on the same day.
  private func requireFree(_ item: InventoryEntry, _ wanted: InventoryReservation) throws(InventoryError) {
    let known = try reservations(of: item)
    if let same = known.first(where: { $0.person == wanted.person && $0.first == wanted.first }) {
      throw .reserved(same)
    }
    var demand = InventoryDemand(of: item, try loans(of: item), known)
    if let quantity = wanted.quantity, quantity > demand.whole {
      throw .tooFewHere(name: item.name, here: demand.whole)
    }
    demand.reservations.append(wanted)
    guard demand.most(from: wanted.first, to: wanted.last) > demand.whole else { return }
    if let other = known.first(where: { $0.overlaps(wanted) }) { throw .reserved(other) }
    let loan = demand.loans.first {
      $0.person != wanted.person && $0.overlaps(wanted.first, wanted.last, today: demand.today)
    }
    if let loan { throw .lent(loan) }
  }

  /// Removes the reservation of an item that starts on the given day; throws if there is none.
  ///
  /// - Throws: `InventoryError.severalPeople` if `person` is missing and several people have one.
  @export(interface)
  package func unreserve(
    _ item: InventoryEntry, from first: CalendarDay, for person: String? = nil, by who: String
  ) throws(InventoryError) {
    let person = person.map { $0.trimmedLabel ?? "" }
    try transaction { () throws(InventoryError) in
      let current = try require(item)
      let meant = try reservations(of: item).filter { $0.first == first && (person == nil || $0.person == person) }
      guard let reservation = meant.first else { throw .unchanged(.item) }
      if meant.count > 1 { throw .severalPeople(name: current.name, meant.map { $0.person }) }
      try keepReservations(of: current, in: try note(.unreserved, current, now, by: who, isNews: false))
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          "DELETE FROM reservation WHERE uuid = ?1 AND first = ?2 AND person = ?3")
        statement.bind(blob: item.id.bytes, at: 1)
        statement.bind(first.text, at: 2)
        statement.bind(reservation.person, at: 3)
        try statement.run()
      }
    }
  }

  /// Returns the current and future reservations of an item, in chronological order.
  @export(interface)
  package func reservations(of item: InventoryEntry) throws(InventoryError) -> [InventoryReservation] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        "SELECT first, last, person, quantity FROM reservation WHERE uuid = ?1 AND last >= ?2 ORDER BY first, person")
      defer { statement.reset() }
      statement.bind(blob: item.id.bytes, at: 1)
      statement.bind(CalendarDay.today.text, at: 2)
      var found: [InventoryReservation] = []
      while try statement.step() {
        if let reservation = InventoryReservation(statement, at: 0) { found.append(reservation) }
      }
      return found
    }
  }

  /// Calls `body` with the current and future reservations of all items, in chronological order, until it returns
  /// false.
  @export(interface)
  package func forEachReservation(
    _ body: (InventoryEntry, InventoryReservation) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try stored { () throws(DatabaseError) in
      try database.statement(
        """
        SELECT item.id, item.uuid, box, name, notes, item.quantity, minimum, photo, photo_hash, created,
          first, last, person, reservation.quantity
        FROM reservation JOIN item ON item.uuid = reservation.uuid WHERE last >= ?1 ORDER BY first, person, item.id
        """)
    }
    statement.bind(CalendarDay.today.text, at: 1)
    try forEachRow(of: statement, .item) { (item) throws(InventoryError) in
      guard let reservation = InventoryReservation(statement, at: 10) else { return true }
      return try body(item, reservation)
    }
  }
}

extension InventoryReservation {
  /// Reads the first day, the last day, the person and the quantity from consecutive columns of a row.
  fileprivate init?(_ row: Statement, at column: Int32) {
    guard let first = CalendarDay(row.text(column)), let last = CalendarDay(row.text(column + 1)) else { return nil }
    let quantity = row.isNull(column + 3) ? nil : row.integer(column + 3)
    self.init(person: row.text(column + 2), first: first, last: last, quantity: quantity)
  }

  /// Whether the two reservations have a day in common.
  fileprivate func overlaps(_ other: InventoryReservation) -> Bool { first <= other.last && other.first <= last }
}
