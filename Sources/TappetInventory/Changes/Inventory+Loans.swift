// Loans of items and boxes to people. A lent entry keeps its place, to which it will be returned. Several people may
// have a number of pieces of an item each, or one of them all of it.

import TappetCore
import TappetSQLite

/// The loan of an entry, or of some pieces of an item, to a person.
package struct InventoryLoan: Hashable, Sendable {
  /// Name of the person.
  package var person: String
  /// Start of the loan in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Due date of the loan; `nil` if none was set.
  package var due: CalendarDay?
  /// Number of pieces; `nil` if the person has the whole entry.
  package var quantity: Int64?
}

extension Inventory {
  /// Lends an item or a box to a person, optionally until a due date.
  ///
  /// A quantity is a number of pieces of an item, in addition to those that the person has. Without a quantity, the
  /// person gets the whole entry, and its loan to another person ends.
  ///
  /// - Throws: `InventoryError.reserved` if other people have reserved the item for a day of the loan,
  ///   `InventoryError.lent` or `InventoryError.tooFewHere` if other people have too much of it.
  @export(interface)
  package func lend(
    _ entry: InventoryEntry, to person: String, quantity: Int64? = nil, until due: CalendarDay? = nil, by who: String
  ) throws(InventoryError) {
    let person = try Inventory.checkedPerson(person)
    if let quantity, !(1...Limits.inventoryQuantityMax).contains(quantity) { throw .wrongQuantity(quantity) }
    try changeLoan(of: entry, .lent, by: who) { (current, now) throws(InventoryError) in
      let loans = try loans(of: current)
      let former = loans.first { $0.person == person }
      if quantity == nil, let former, former.quantity == nil, former.due == due { throw .unchanged(entry.kind) }
      var loan = InventoryLoan(person: person, unixMilliseconds: former?.unixMilliseconds ?? now, due: due)
      loan.quantity = try lendable(quantity, of: current, to: person, loans, until: due)
      if loan.quantity == nil { try endLoan(of: current) }
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          "INSERT OR REPLACE INTO loan (uuid, person, unix_ms, due, quantity) VALUES (?1, ?2, ?3, ?4, ?5)")
        statement.bind(blob: current.id.bytes, at: 1)
        statement.bind(person, at: 2)
        statement.bind(loan.unixMilliseconds, at: 3)
        if let due { statement.bind(due.text, at: 4) }
        if let pieces = loan.quantity { statement.bind(pieces, at: 5) }
        try statement.run()
      }
    }
  }

  /// Returns the name of a person who gets something, without surrounding spaces.
  static func checkedPerson(_ name: String) throws(InventoryError) -> String {
    guard let name = name.trimmedLabel, !name.isEmpty else { throw .emptyPerson }
    try check(name, "person's name", sizeMax: Limits.secretLabelSizeMax)
    return name
  }

  /// Returns how many pieces the person has after a loan, `nil` for the whole entry; throws if it is impossible.
  private func lendable(
    _ wanted: Int64?, of entry: InventoryEntry, to person: String, _ loans: [InventoryLoan], until due: CalendarDay?
  ) throws(InventoryError) -> Int64? {
    var others = loans.filter { $0.person != person }
    // A whole item is handed over from one person to the next, but not if several people have pieces of it.
    if let other = others.first(where: { ($0.quantity == nil) != (wanted == nil) }) { throw .lent(other) }
    if wanted == nil { others = [] }
    let demand = InventoryDemand(of: entry, others, try reservations(of: entry).filter { $0.person != person })
    let owned = loans.first { $0.person == person }.map { $0.quantity ?? demand.whole } ?? 0
    let total = wanted.map { $0 + owned } ?? demand.whole
    let lent = others.reduce(0) { $0 + ($1.quantity ?? demand.whole) }
    if total + lent > demand.whole { throw .tooFewHere(name: entry.name, here: max(0, demand.whole - owned - lent)) }
    let (today, last) = (CalendarDay.today, max(.today, due ?? .today))
    if total + demand.most(from: today, to: last) > demand.whole,
      let other = demand.reservations.first(where: { $0.first <= last })
    {
      throw .reserved(other)
    }
    return total == demand.whole ? nil : total
  }

  /// Ends the loan of an entry, or the loan to one of several people, or returns some of the pieces.
  ///
  /// - Throws: `InventoryError.severalPeople` if `person` is missing and several people have pieces.
  @export(interface)
  package func takeBack(
    _ entry: InventoryEntry, from person: String? = nil, quantity: Int64? = nil, by who: String
  ) throws(InventoryError) {
    if let quantity, quantity < 1 { throw .wrongQuantity(quantity) }
    let person = person.map { $0.trimmedLabel ?? "" }
    try changeLoan(of: entry, .returned, by: who) { (current, _) throws(InventoryError) in
      let loans = try loans(of: current).filter { person == nil || $0.person == person }
      guard let loan = loans.first else { throw .unchanged(entry.kind) }
      if loans.count > 1 { throw .severalPeople(name: current.name, loans.map { $0.person }) }
      let lent = loan.quantity ?? max(1, current.quantity)
      let left = lent - (quantity ?? lent)
      if left < 0 { throw .tooFewLent(person: loan.person, quantity: lent) }
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          left == 0
            ? "DELETE FROM loan WHERE uuid = ?1 AND person = ?2"
            : "UPDATE loan SET quantity = ?3 WHERE uuid = ?1 AND person = ?2")
        statement.bind(blob: current.id.bytes, at: 1)
        statement.bind(loan.person, at: 2)
        if left > 0 { statement.bind(left, at: 3) }
        try statement.run()
      }
    }
  }

  /// Returns the loan of the whole entry; `nil` if it is not lent, or only pieces of it.
  @export(interface)
  package func loan(of entry: InventoryEntry) throws(InventoryError) -> InventoryLoan? {
    try loans(of: entry).first { $0.quantity == nil }
  }

  /// Returns the loans of an entry, the oldest first.
  @export(interface)
  package func loans(of entry: InventoryEntry) throws(InventoryError) -> [InventoryLoan] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        "SELECT person, unix_ms, due, quantity FROM loan WHERE uuid = ?1 ORDER BY unix_ms, person")
      defer { statement.reset() }
      statement.bind(blob: entry.id.bytes, at: 1)
      var loans: [InventoryLoan] = []
      while try statement.step() {
        loans.append(
          InventoryLoan(
            person: statement.text(0), unixMilliseconds: statement.integer(1), due: CalendarDay(statement.text(2)),
            quantity: statement.isNull(3) ? nil : statement.integer(3)))
      }
      return loans
    }
  }

  /// Calls `body` with all loans, items before boxes and the longest-running loan first, until it returns false.
  @export(interface)
  package func forEachLoan(
    _ body: (InventoryEntry, InventoryLoan) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    var isGoingOn = true
    for kind in [InventoryKind.item, .box] where isGoingOn {
      try forEachLent(kind) { (entry) throws(InventoryError) in
        for loan in try loans(of: entry) where isGoingOn { isGoingOn = try body(entry, loan) }
        return isGoingOn
      }
    }
  }

  /// Calls `body` with the lent entries of a kind, longest-running loan first, until it returns false.
  @export(interface)
  package func forEachLent(
    _ kind: InventoryKind, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try statement(
      kind,
      place: """
        SELECT id, place.uuid, parent, kind, name, code, created
        FROM (SELECT uuid, min(unix_ms) AS since FROM loan GROUP BY uuid) AS lent JOIN place ON place.uuid = lent.uuid
        ORDER BY since, id
        """,
      item: """
        SELECT id, item.uuid, box, name, notes, quantity, minimum, photo, photo_hash, created
        FROM (SELECT uuid, min(unix_ms) AS since FROM loan GROUP BY uuid) AS lent JOIN item ON item.uuid = lent.uuid
        ORDER BY since, id
        """)
    try forEachRow(of: statement, kind, body)
  }

  /// Calls `body` with the entries of a kind due before the given day, longest overdue first, until it returns false.
  @export(interface)
  package func forEachLent(
    _ kind: InventoryKind, dueBefore day: CalendarDay, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try statement(
      kind,
      place: """
        SELECT id, place.uuid, parent, kind, name, code, created
        FROM (SELECT uuid, min(due) AS due FROM loan WHERE due < ?1 GROUP BY uuid) AS lent
        JOIN place ON place.uuid = lent.uuid ORDER BY due, id
        """,
      item: """
        SELECT id, item.uuid, box, name, notes, quantity, minimum, photo, photo_hash, created
        FROM (SELECT uuid, min(due) AS due FROM loan WHERE due < ?1 GROUP BY uuid) AS lent
        JOIN item ON item.uuid = lent.uuid ORDER BY due, id
        """)
    statement.bind(day.text, at: 1)
    try forEachRow(of: statement, kind, body)
  }

  /// Ends all loans of an entry within a transaction.
  func endLoan(of entry: InventoryEntry) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("DELETE FROM loan WHERE uuid = ?1")
      statement.bind(blob: entry.id.bytes, at: 1)
      try statement.run()
    }
  }

  /// Changes the loans of an entry, and records the loan of a whole entry as a move to or from a person.
  private func changeLoan(
    of entry: InventoryEntry, _ verb: InventoryVerb, by who: String,
    _ change: (InventoryEntry, Int64) throws(InventoryError) -> Void
  ) throws(InventoryError) {
    guard entry.kind.isLendable else { throw .wrongContainer(entry.kind, nil) }
    try transaction { () throws(InventoryError) in
      let current = try require(entry)
      let (now, origin) = (now, try whereabouts(of: current))
      let number = try note(verb, current, now, by: who)
      try keep(current, in: number)
      try keepLoans(of: current, in: number)
      try change(current, now)
      let destination = try whereabouts(of: current)
      if destination != origin { try recordMove(of: current, from: origin, to: destination, now, by: who) }
    }
  }

  /// Returns the person who has a whole entry, or otherwise the path of the entry's place.
  func whereabouts(of entry: InventoryEntry) throws(InventoryError) -> String {
    if entry.kind.isLendable, let loan = try loan(of: entry) { return loan.person }
    return try location(of: entry).path
  }
}

extension InventoryLoan {
  /// Whether the due date has passed.
  package var isOverdue: Bool { due.map { $0 < .today } ?? false }
}

extension [InventoryLoan] {
  /// Names of the first few people, the longest loan first: `Ada, Ben and 3 more`; empty if there are none.
  package var people: String {
    let names = prefix(Limits.inventoryPeopleMax).map { $0.person }.joined(separator: ", ")
    return count > Limits.inventoryPeopleMax ? names + " and \(count - Limits.inventoryPeopleMax) more" : names
  }
}
