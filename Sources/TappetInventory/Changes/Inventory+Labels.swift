// The journal of loans, reservations, barcodes and tags. They refer to entries by UUID and are stored outside the rows
// of the entries, so a change keeps their previous state separately. It also keeps the row of the entry, unchanged: a
// later change of the same entry thus prevents the undo.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Stores the loans of an entry before they are changed.
  func keepLoans(of entry: InventoryEntry, in change: Int64) throws(InventoryError) {
    try keep(entry.id.bytes, in: change) { () throws(DatabaseError) in
      try database.statement(
        """
        INSERT OR IGNORE INTO undo_loan (change, uuid, person, unix_ms, due, quantity)
        SELECT ?1, ?2, ifnull(person, ''), unix_ms, due, quantity FROM (SELECT 1) LEFT JOIN loan ON uuid = ?2
        """)
    }
  }

  /// Stores the reservations of an entry, and its row, before they are changed.
  func keepReservations(of entry: InventoryEntry, in change: Int64) throws(InventoryError) {
    try keep(entry, in: change)
    try keep(entry.id.bytes, in: change) { () throws(DatabaseError) in
      try database.statement(
        """
        INSERT OR IGNORE INTO undo_reservation (change, uuid, person, first, last, quantity)
        SELECT ?1, ?2, ifnull(person, ''), ifnull(first, ''), last, quantity
        FROM (SELECT 1) LEFT JOIN reservation ON uuid = ?2
        """)
    }
  }

  /// Stores which entry has a tag before it is assigned to another.
  func keep(tag uid: TagUID, in change: Int64) throws(InventoryError) {
    try keep(uid.bytes, in: change) { () throws(DatabaseError) in
      try database.statement(
        "INSERT OR IGNORE INTO undo_tag (change, uid, uuid) SELECT ?1, ?2, (SELECT uuid FROM tag WHERE uid = ?2)")
    }
  }

  /// Stores which entry has a barcode before it is added or removed.
  func keep(barcode code: String, in change: Int64) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        INSERT OR IGNORE INTO undo_barcode (change, code, uuid)
        SELECT ?1, ?2, (SELECT uuid FROM barcode WHERE code = ?2)
        """)
      statement.bind(change, at: 1)
      statement.bind(code, at: 2)
      try statement.run()
    }
  }

  private func keep(
    _ key: [UInt8], in change: Int64, _ prepare: () throws(DatabaseError) -> Statement
  ) throws(InventoryError) {
    try stored { () throws(DatabaseError) in
      let statement = try prepare()
      statement.bind(change, at: 1)
      statement.bind(blob: key, at: 2)
      try statement.run()
    }
  }

  /// Statements that restore the loans, reservations, barcodes and tags of a change.
  static let restoringLabels: [StaticString] = [
    "DELETE FROM loan WHERE uuid IN (SELECT uuid FROM undo_loan WHERE change = ?1)",
    """
    INSERT INTO loan (uuid, person, unix_ms, due, quantity)
    SELECT uuid, person, unix_ms, due, quantity FROM undo_loan WHERE change = ?1 AND person <> ''
    """,
    "DELETE FROM reservation WHERE uuid IN (SELECT uuid FROM undo_reservation WHERE change = ?1)",
    """
    INSERT INTO reservation (uuid, person, first, last, quantity)
    SELECT uuid, person, first, last, quantity FROM undo_reservation WHERE change = ?1 AND person <> ''
    """,
    "DELETE FROM barcode WHERE code IN (SELECT code FROM undo_barcode WHERE change = ?1)",
    "INSERT INTO barcode (code, uuid) SELECT code, uuid FROM undo_barcode WHERE change = ?1 AND uuid IS NOT NULL",
    "DELETE FROM tag WHERE uid IN (SELECT uid FROM undo_tag WHERE change = ?1)",
    "INSERT INTO tag (uid, uuid) SELECT uid, uuid FROM undo_tag WHERE change = ?1 AND uuid IS NOT NULL",
  ]

  /// Statements that store the current loans, reservations, barcodes and tags of a change before it is undone.
  static let reversingLabels: [StaticString] = [
    """
    INSERT INTO undo_loan (change, uuid, person, unix_ms, due, quantity)
    SELECT DISTINCT ?2, old.uuid, ifnull(loan.person, ''), loan.unix_ms, loan.due, loan.quantity
    FROM undo_loan AS old LEFT JOIN loan ON loan.uuid = old.uuid WHERE change = ?1
    """,
    """
    INSERT INTO undo_reservation (change, uuid, person, first, last, quantity)
    SELECT DISTINCT ?2, old.uuid, ifnull(now.person, ''), ifnull(now.first, ''), now.last, now.quantity
    FROM undo_reservation AS old LEFT JOIN reservation AS now ON now.uuid = old.uuid WHERE change = ?1
    """,
    """
    INSERT INTO undo_barcode (change, code, uuid)
    SELECT ?2, code, (SELECT uuid FROM barcode WHERE barcode.code = old.code) FROM undo_barcode AS old WHERE change = ?1
    """,
    """
    INSERT INTO undo_tag (change, uid, uuid)
    SELECT ?2, uid, (SELECT uuid FROM tag WHERE tag.uid = old.uid) FROM undo_tag AS old WHERE change = ?1
    """,
  ]
}
