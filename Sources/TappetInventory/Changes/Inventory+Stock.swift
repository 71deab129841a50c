// Low items and overdue loans. Each is reported once: an item again after it was restocked, a loan again after it was
// returned or its due date was changed.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Sets the number of pieces that a stocktake found; throws if it equals the current number.
  @export(interface)
  @discardableResult
  package func count(
    _ old: InventoryEntry, found quantity: Int64, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    var values = InventoryEdit()
    values.quantity = quantity
    do throws(InventoryError) { return try edit(old, values, as: .counted, by: who) } catch {
      if case .unchanged = error { try transaction { () throws(InventoryError) in try forgetMissing(old) } }
      throw error
    }
  }

  // MARK: Low items

  /// Returns the first low item that has not been reported yet.
  @export(interface)
  package func nextLowItem() throws(InventoryError) -> InventoryEntry? {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item
        WHERE minimum IS NOT NULL AND quantity < minimum
          AND NOT EXISTS (SELECT 1 FROM announced_low WHERE announced_low.uuid = item.uuid) ORDER BY created LIMIT 1
        """)
    return try first(statement, of: .item)
  }

  /// Records that the low item has been reported, and adds the change `low`; fails immediately while another process
  /// writes.
  @export(interface)
  package func passedOnLow(_ id: InventoryID) throws(InventoryError) {
    try recorded { () throws(InventoryError) in
      let isNew = try stored { () throws(DatabaseError) in
        let statement = try database.statement("INSERT OR IGNORE INTO announced_low (uuid) VALUES (?1)")
        statement.bind(blob: id.bytes, at: 1)
        try statement.run()
        return database.changeCount > 0
      }
      if isNew, try hasRoomForStockNews(), let item = try entry(id, of: .item) {
        try recordNews(.low, item, now, by: "")
      }
    }
  }

  /// Forgets the items that are no longer low, so that they are reported again when they next become low, and adds the
  /// change `restocked` for each that still exists.
  ///
  /// Fails immediately while another process writes. If the call succeeds, all detected changes are committed: a change
  /// of the log's file is detected before the commit is visible.
  @export(interface)
  package func clearLowReportsOfRestockedItems() throws(InventoryError) {
    try recorded { () throws(InventoryError) in
      for item in try restockedItems() {
        if try hasRoomForStockNews() { try recordNews(.restocked, item, now, by: "") }
      }
      try stored { () throws(DatabaseError) in
        try database.execute(
          """
          DELETE FROM announced_low WHERE NOT EXISTS (
            SELECT 1 FROM item WHERE item.uuid = announced_low.uuid AND minimum IS NOT NULL AND quantity < minimum)
          """)
      }
    }
  }

  /// Returns whether few enough changes are waiting: an import may make any number of items low, and must not displace
  /// other changes.
  private func hasRoomForStockNews() throws(InventoryError) -> Bool {
    let waiting = try stored { () throws(DatabaseError) in
      try database.integer("SELECT max(number) - (SELECT number FROM announced) FROM news")
    }
    return waiting ?? 0 < Limits.inventoryStockNewsMax
  }

  /// Returns the reported items that are no longer low.
  ///
  /// CROSS JOIN makes SQLite begin with the few reported items (sqlite.org/lang_select.html, §2.2); it would read all
  /// items in their order otherwise, at every change and with the write lock.
  private func restockedItems() throws(InventoryError) -> [InventoryEntry] {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT item.id, item.uuid, box, name, notes, quantity, minimum, photo, photo_hash, created
        FROM announced_low CROSS JOIN item ON item.uuid = announced_low.uuid
        WHERE minimum IS NULL OR quantity >= minimum ORDER BY item.id LIMIT 1000
        """)
    var items: [InventoryEntry] = []
    try forEachRow(of: statement, .item) { (item) throws(InventoryError) in
      items.append(item)
      return true
    }
    return items
  }

  /// Returns the number of low items.
  package func lowItemCount() throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      try database.integer("SELECT count(*) FROM item WHERE minimum IS NOT NULL AND quantity < minimum") ?? 0
    }
  }

  // MARK: Overdue loans

  /// Returns the number of loans of items and boxes.
  @export(interface)
  package func loanCount() throws(InventoryError) -> Int64 {
    try stored { () throws(DatabaseError) in
      try database.integer(
        """
        SELECT count(*) FROM loan WHERE EXISTS (SELECT 1 FROM item WHERE item.uuid = loan.uuid)
          OR EXISTS (SELECT 1 FROM place WHERE place.uuid = loan.uuid)
        """) ?? 0
    }
  }

  /// Returns whether a loan is due on the given day or later, so that it may become overdue.
  @export(interface)
  package func hasLoanDue(from day: CalendarDay) throws(InventoryError) -> Bool {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT 1 FROM loan WHERE due >= ?1 LIMIT 1")
      defer { statement.reset() }
      statement.bind(day.text, at: 1)
      return try statement.step()
    }
  }

  /// Returns the first loan that was due before the given day and has not been reported yet, with its item or box.
  @export(interface)
  package func nextOverdueLoan(
    on day: CalendarDay
  ) throws(InventoryError) -> (entry: InventoryEntry, loan: InventoryLoan)? {
    let found: (id: InventoryID, person: String)? = try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        SELECT uuid, person FROM loan
        WHERE due < ?1
          AND (EXISTS (SELECT 1 FROM item WHERE item.uuid = loan.uuid)
            OR EXISTS (SELECT 1 FROM place WHERE place.uuid = loan.uuid))
          AND NOT EXISTS (
            SELECT 1 FROM announced_overdue AS told
            WHERE told.uuid = loan.uuid AND told.person = loan.person AND told.unix_ms = loan.unix_ms
              AND told.due = loan.due)
        ORDER BY due, uuid, person LIMIT 1
        """)
      defer { statement.reset() }
      statement.bind(day.text, at: 1)
      guard try statement.step(), let id = InventoryID(statement.blob(0)) else { return nil }
      return (id, statement.text(1))
    }
    guard let found else { return nil }
    var entry = try entry(found.id, of: .item)
    if entry == nil { entry = try self.entry(found.id, of: .box) }
    guard let entry, let loan = try loans(of: entry).first(where: { $0.person == found.person }) else { return nil }
    return (entry, loan)
  }

  /// Records that the loan has been reported as overdue, and forgets the ended loans; fails immediately while another
  /// process writes.
  ///
  /// A loan that was changed after it was reported counts as a different loan.
  @export(interface)
  package func passedOnOverdue(_ id: InventoryID, _ loan: InventoryLoan) throws(InventoryError) {
    try recorded { () throws(InventoryError) in
      try stored { () throws(DatabaseError) in
        let statement = try database.statement(
          "INSERT OR REPLACE INTO announced_overdue (uuid, person, unix_ms, due) VALUES (?1, ?2, ?3, ?4)")
        statement.bind(blob: id.bytes, at: 1)
        statement.bind(loan.person, at: 2)
        statement.bind(loan.unixMilliseconds, at: 3)
        statement.bind(loan.due?.text, at: 4)
        try statement.run()
        try database.execute(
          """
          DELETE FROM announced_overdue WHERE NOT EXISTS (
            SELECT 1 FROM loan WHERE loan.uuid = announced_overdue.uuid AND loan.person = announced_overdue.person)
          """)
      }
    }
  }
}
