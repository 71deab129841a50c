// Barcodes of entries, in addition to the codes on their labels: EANs, and numbers assigned by other programs.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Whether the edit changes the tags or barcodes of the entry, or is to be refused.
  func isLabelChange(of entry: InventoryEntry, _ edit: InventoryEdit) throws(InventoryError) -> Bool {
    if edit.removedBarcode != nil { return true }
    if let uid = edit.tag, try self.entry(tag: uid)?.id != entry.id { return true }
    if let code = edit.barcode, try self.entry(barcode: code)?.id != entry.id { return true }
    return false
  }

  /// Assigns the tag and changes the barcodes of an edit, as part of a change.
  func changeLabels(
    of entry: InventoryEntry, _ edit: InventoryEdit, in change: Int64
  ) throws(InventoryError) {
    if let uid = edit.tag { try record(uid, of: entry, in: change) }
    if let code = edit.barcode { try add(barcode: code, to: entry, in: change) }
    guard let code = edit.removedBarcode else { return }
    guard let (code, owner) = try owned(barcode: code), owner.id == entry.id else { throw .unchanged(entry.kind) }
    try discard(barcode: code, in: change)
  }

  /// Removes a barcode as part of a change, if an entry has it.
  private func discard(barcode code: String, in change: Int64) throws(InventoryError) {
    let isStored = try stored { () throws(DatabaseError) -> Bool in
      let statement = try database.statement("SELECT 1 FROM barcode WHERE code = ?1")
      defer { statement.reset() }
      statement.bind(code, at: 1)
      return try statement.step()
    }
    guard isStored else { return }
    try keep(barcode: code, in: change)
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("DELETE FROM barcode WHERE code = ?1")
      statement.bind(code, at: 1)
      try statement.run()
    }
  }

  /// Returns the entry with the given barcode.
  func entry(barcode: String) throws(InventoryError) -> InventoryEntry? { try owned(barcode: barcode)?.owner }

  /// Returns the barcode as it is stored, which may be another spelling of the same GTIN, and its entry.
  private func owned(barcode: String) throws(InventoryError) -> (code: String, owner: InventoryEntry)? {
    guard let barcode = barcode.barcodeForm else { return nil }
    for code in LabelCode.spellings(of: barcode) {
      let id = try stored { () throws(DatabaseError) -> InventoryID? in
        let statement = try database.statement("SELECT uuid FROM barcode WHERE code = ?1")
        defer { statement.reset() }
        statement.bind(code, at: 1)
        return try statement.step() ? InventoryID(statement.blob(0)) : nil
      }
      if let id, let owner = try entry(id) { return (code, owner) }
    }
    return nil
  }

  /// Returns the barcodes of an entry, sorted.
  @export(interface)
  package func barcodes(of entry: InventoryEntry) throws(InventoryError) -> [String] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT code FROM barcode WHERE uuid = ?1 ORDER BY code")
      defer { statement.reset() }
      statement.bind(blob: entry.id.bytes, at: 1)
      var codes: [String] = []
      while try statement.step() { codes.append(statement.text(0)) }
      return codes
    }
  }

  /// Adds a barcode to an entry as part of a change; returns false if the entry already has the barcode.
  ///
  /// The barcode of a removed entry can be assigned to another entry.
  @discardableResult
  func add(barcode: String, to entry: InventoryEntry, in change: Int64) throws(InventoryError) -> Bool {
    let code = barcode.barcodeForm ?? ""
    guard !code.isEmpty, !code.utf8.contains(UInt8(ascii: " ")) else { throw .wrongBarcode(code) }
    try Inventory.check(code: code, "barcode")
    if let owner = try thing(onLabel: code) {
      if owner.id == entry.id, try self.entry(barcode: code) != nil { return false }
      throw .barcodeTaken(code: code, kind: owner.kind, name: owner.name)
    }
    try keep(barcode: code, in: change)
    // Another spelling of it may be left of an entry that was removed.
    for spelling in LabelCode.spellings(of: code).dropFirst() { try discard(barcode: spelling, in: change) }
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("INSERT OR REPLACE INTO barcode (code, uuid) VALUES (?1, ?2)")
      statement.bind(code, at: 1)
      statement.bind(blob: entry.id.bytes, at: 2)
      try statement.run()
    }
    return true
  }
}

extension String {
  /// The text as a barcode; `nil` if it is empty.
  ///
  /// InvenTree's codes in JSON, such as `{"part": 5}`, are stored without spaces, because spaces separate the barcodes
  /// of an export.
  fileprivate var barcodeForm: String? {
    guard let text = trimmedLabel, text.begins(with: "{") else { return trimmedLabel }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar != " " { kept.append(scalar) }
    return String(kept)
  }
}
