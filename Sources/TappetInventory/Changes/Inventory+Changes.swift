// Adding, editing, moving and removing entries. Each change stores the rows that it replaces, so that it can be undone.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Adds an entry to the place `container`, or adds a building; generates a code for a box that has none.
  @export(interface)
  @discardableResult
  package func add(
    _ kind: InventoryKind, to container: InventoryEntry?, _ values: InventoryEdit, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    let now = now
    var entry = InventoryEntry(
      kind, id: InventoryID(unixMilliseconds: now), name: "", in: container?.row, createdUnixMilliseconds: now)
    if kind == .box { entry.code = InventoryCode.random() }
    entry = values.applied(to: entry)
    return try transaction { () throws(InventoryError) in
      entry.container = try require(container, for: kind)
      try check(&entry)
      entry.row = try stored { () throws(DatabaseError) in
        entry.row = try freeRow(kind)
        return try insert(entry)
      }
      let change = try note(.added, entry, now, by: who)
      try recordAdded(kind, entry.row...entry.row, in: change)
      try changeLabels(of: entry, values, in: change)
      return entry
    }
  }

  /// Changes the values of an entry; throws if the new values equal the current values.
  @export(interface)
  @discardableResult
  package func edit(
    _ old: InventoryEntry, _ edit: InventoryEdit, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try self.edit(old, edit, as: .edited, by: who)
  }

  func edit(
    _ old: InventoryEntry, _ edit: InventoryEdit, as verb: InventoryVerb, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try transaction { () throws(InventoryError) in try edited(old, edit, as: verb, by: who) }
  }

  /// Changes the values of an entry within a transaction.
  func edited(
    _ old: InventoryEntry, _ edit: InventoryEdit, as verb: InventoryVerb, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    let current = try require(old)
    var changed = edit.applied(to: current)
    try check(&changed)
    let isRelabelled = try isLabelChange(of: current, edit)
    guard isRelabelled || changed != current else {
      if edit.changesLabels { return current }
      throw .unchanged(old.kind)
    }
    let correction =
      verb == .counted ? StockCorrection(from: current.quantity, to: changed.quantity) : nil
    let change = try note(verb, current, now, by: who, isNews: changed != current, correction)
    try keep(current, in: change)
    try changeLabels(of: current, edit, in: change)
    if changed != current { try stored { () throws(DatabaseError) in try update(changed) } }
    return changed
  }

  /// Adds pieces to an item or removes pieces from it, so that changes by several people add up.
  @export(interface)
  @discardableResult
  package func adjust(
    _ old: InventoryEntry, by pieces: Int64, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try transaction { () throws(InventoryError) in try adjusted(old, by: pieces, by: who) }
  }

  /// Adds pieces to an item or removes pieces from it, within a transaction.
  func adjusted(_ old: InventoryEntry, by pieces: Int64, by who: String) throws(InventoryError) -> InventoryEntry {
    guard (-Limits.inventoryQuantityMax...Limits.inventoryQuantityMax).contains(pieces) else {
      throw .wrongQuantity(pieces)
    }
    if pieces == 0 { throw .unchanged(old.kind) }
    let current = try require(old)
    var changed = current
    changed.quantity += pieces
    if changed.quantity < 0 { throw .tooFew(name: current.name, quantity: current.quantity) }
    let lent = try loans(of: current).reduce(0) { $0 + ($1.quantity ?? 0) }
    if pieces < 0, changed.quantity < lent {
      throw .tooFewHere(name: current.name, here: max(0, current.quantity - lent))
    }
    try checkTexts(&changed)
    try keep(current, in: try note(.edited, current, now, by: who))
    try stored { () throws(DatabaseError) in try update(changed) }
    return changed
  }

  /// Moves an entry with its contents to a different place; ends the loan of a lent item.
  @export(interface)
  @discardableResult
  package func move(
    _ old: InventoryEntry, to container: InventoryEntry, by who: String
  ) throws(InventoryError) -> InventoryEntry {
    try transaction { () throws(InventoryError) in
      let current = try require(old)
      var moved = current
      moved.container = try require(container, for: old.kind)
      // Only a whole entry is put back by being put somewhere; pieces that people have remain with them.
      let isLent = try loan(of: current) != nil
      guard isLent || moved.container != current.container else { throw .unchanged(old.kind) }
      let (now, origin) = (now, try whereabouts(of: current))
      let change = try note(.moved, current, now, by: who)
      try keep(current, in: change)
      try stored { () throws(DatabaseError) in try update(moved) }
      if isLent {
        try keepLoans(of: moved, in: change)
        try endLoan(of: moved)
      }
      try recordMove(of: moved, from: origin, to: try location(of: moved).path, now, by: who)
      return moved
    }
  }

  /// Removes an entry and its contents.
  @export(interface)
  package func remove(_ old: InventoryEntry, by who: String) throws(InventoryError) {
    try transaction { () throws(InventoryError) in
      let current = try require(old)
      let change = try note(.removed, current, now, by: who)
      try keepAll(of: current, in: change)
      let deletion = try statement(
        old.kind, place: "DELETE FROM place WHERE id = ?1", item: "DELETE FROM item WHERE id = ?1")
      deletion.bind(current.row, at: 1)
      try stored { () throws(DatabaseError) in try deletion.run() }
    }
  }

  // MARK: Rules

  /// Returns the current state of an entry; throws if another process has removed the entry in the meantime.
  func require(_ old: InventoryEntry) throws(InventoryError) -> InventoryEntry {
    guard let current = try entry(old.id, of: old.kind) else { throw .unknown(old.kind, old.name) }
    return current
  }

  /// Returns the row of the place that is to contain an entry of the given kind; `nil` for a building.
  private func require(
    _ container: InventoryEntry?, for kind: InventoryKind
  ) throws(InventoryError) -> InventoryRow? {
    guard container?.kind == kind.container else { throw .wrongContainer(kind, container?.kind) }
    return try container.map { (place) throws(InventoryError) in try require(place).row }
  }

  /// Trims the texts, and throws if a value must not be stored.
  func check(_ entry: inout InventoryEntry) throws(InventoryError) {
    try checkTexts(&entry)
    guard entry.kind == .box else { return }
    if let other = try box(code: entry.code), other.id != entry.id {
      throw .codeTaken(code: entry.code, path: try location(of: other).path + " \u{2192} " + other.name)
    }
    if let other = try self.entry(barcode: entry.code), other.id != entry.id {
      throw .barcodeTaken(code: entry.code, kind: other.kind, name: other.name)
    }
  }

  /// Trims and checks the texts, but does not compare the codes of other boxes.
  func checkTexts(_ entry: inout InventoryEntry) throws(InventoryError) {
    let isBox = entry.kind == .box
    entry.name = entry.name.trimmedLabel ?? ""
    if entry.name.isEmpty { throw .emptyName(entry.kind) }
    try Inventory.check(entry.name, isBox ? "label" : "name", sizeMax: Limits.inventoryNameSizeMax)
    if isBox {
      entry.code = entry.code.trimmedLabel ?? ""
      if entry.code.isEmpty { throw .emptyCode }
      try Inventory.check(code: entry.code, "QR code")
    }
    entry.notes = entry.notes.composed
    let notesSize = entry.notes.utf8.count
    if notesSize > Limits.inventoryNotesSizeMax {
      throw .tooLong(what: "notes", size: notesSize, max: Limits.inventoryNotesSizeMax)
    }
    if entry.notes.utf8.contains(0) { throw .notesWithNUL }
    for quantity in [entry.quantity, entry.minimum ?? 0] {
      guard (0...Limits.inventoryQuantityMax).contains(quantity) else { throw .wrongQuantity(quantity) }
    }
  }

  static func check(_ text: String, _ what: String, sizeMax: Int) throws(InventoryError) {
    if let fault = text.nameFault(sizeMax: sizeMax) { throw .name(what: what, fault) }
  }

  /// Checks a code, which must not be a link: a label with a number of pieces would never be found.
  static func check(code: String, _ what: String) throws(InventoryError) {
    try check(code, what, sizeMax: Limits.inventoryCodeSizeMax)
    if code.begins(with: "smp://") { throw .reservedCode(code) }
  }
}

/// Generates codes for boxes that have none.
enum InventoryCode {
  /// Digits and letters that are not easily confused (Crockford's base 32).
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Returns `B-` and ten random digits: 50 bits.
  static func random() -> String {
    var source = SystemRandomNumberGenerator()
    var bits = source.next()
    var code = Array("B-".utf8)
    for _ in 0..<10 {
      code.append(digits[Int(bits & 31)])
      bits >>= 5
    }
    return String(decoding: code, as: UTF8.self)
  }
}
