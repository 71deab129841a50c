// Loans of items to people. A lent item keeps its place, to which it will be returned.

import TappetCore
import TappetSQLite

/// The loan of an item to a person.
package struct InventoryLoan: Hashable, Sendable {
  /// Name of the person.
  package var person: String
  /// Start of the loan in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// Due date of the loan; `nil` if none was set.
  package var due: CalendarDay?
}

extension Inventory {
  /// Lends an item to a person, optionally until a due date, and ends any earlier loan of the item.
  ///
  /// - Throws: `InventoryError.reserved` if another person has reserved the item for a day of the loan.
  @export(interface)
  package func lend(
    _ item: InventoryEntry, to person: String, until due: CalendarDay? = nil, by who: String
  ) throws(InventoryError) {
    let person = person.trimmedLabel ?? ""
    try Inventory.check(person, "person's name", sizeMax: Limits.secretLabelSizeMax)
    try changeLoan(of: item, .lent, by: who) { (now) throws(InventoryError) in
      let former = try loan(of: item)
      let isLonger = former?.person == person
      if isLonger, former?.due == due { throw .unchanged(.item) }
      try requireUnreserved(item, for: person, until: due)
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          "INSERT OR REPLACE INTO loan (uuid, person, unix_ms, due) VALUES (?1, ?2, ?3, ?4)")
        statement.bind(blob: item.id.bytes, at: 1)
        statement.bind(person, at: 2)
        statement.bind(isLonger ? former?.unixMilliseconds ?? now : now, at: 3)
        if let due { statement.bind(due.text, at: 4) }
        try statement.run()
      }
    }
  }

  /// Ends the loan of an item; throws if the item is not lent.
  package func takeBack(_ item: InventoryEntry, by who: String) throws(InventoryError) {
    try changeLoan(of: item, .returned, by: who) { (_) throws(InventoryError) in
      if try loan(of: item) == nil { throw .unchanged(.item) }
      try endLoan(of: item)
    }
  }

  /// Returns the loan of the item; `nil` if the item is not lent.
  @export(interface)
  package func loan(of item: InventoryEntry) throws(InventoryError) -> InventoryLoan? {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT person, unix_ms, due FROM loan WHERE uuid = ?1")
      defer { statement.reset() }
      statement.bind(blob: item.id.bytes, at: 1)
      return try statement.step()
        ? InventoryLoan(
          person: statement.text(0), unixMilliseconds: statement.integer(1), due: CalendarDay(statement.text(2))) : nil
    }
  }

  /// Calls `body` with the lent items, longest-running loan first, until it returns false.
  @export(interface)
  package func forEachLentItem(_ body: (InventoryEntry) throws(InventoryError) -> Bool) throws(InventoryError) {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT item.id, item.uuid, box, name, notes, quantity, minimum, photo, photo_hash, created
        FROM loan JOIN item ON item.uuid = loan.uuid ORDER BY loan.unix_ms, item.id
        """)
    try forEachRow(of: statement, .item, body)
  }

  /// Calls `body` with the items due before the given day, longest overdue first, until it returns false.
  @export(interface)
  package func forEachItem(
    dueBefore day: CalendarDay, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT item.id, item.uuid, box, name, notes, quantity, minimum, photo, photo_hash, created
        FROM loan JOIN item ON item.uuid = loan.uuid WHERE loan.due < ?1 ORDER BY loan.due, item.id
        """)
    statement.bind(day.text, at: 1)
    try forEachRow(of: statement, .item, body)
  }

  /// Ends the loan of an item within a transaction.
  func endLoan(of item: InventoryEntry) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("DELETE FROM loan WHERE uuid = ?1")
      statement.bind(blob: item.id.bytes, at: 1)
      try statement.run()
    }
  }

  /// Changes the loan of an item, and records it in the history of moves as a move to or from a person.
  private func changeLoan(
    of item: InventoryEntry, _ verb: InventoryVerb, by who: String, _ change: (Int64) throws(InventoryError) -> Void
  ) throws(InventoryError) {
    guard item.kind == .item else { throw .wrongContainer(item.kind, nil) }
    try transaction { () throws(InventoryError) in
      guard let current = try entry(item.id, of: .item) else { throw .unknown(.item, item.name) }
      let (now, origin) = (now, try whereabouts(of: current))
      try change(now)
      let destination = try whereabouts(of: current)
      if destination != origin { try recordMove(of: current, from: origin, to: destination, now, by: who) }
      try recordNews(verb, current, now, by: who)
    }
  }

  /// Returns the borrower of a lent item, or otherwise the path of the entry's place.
  func whereabouts(of entry: InventoryEntry) throws(InventoryError) -> String {
    if entry.kind == .item, let loan = try loan(of: entry) { return loan.person }
    return try location(of: entry).path
  }
}
