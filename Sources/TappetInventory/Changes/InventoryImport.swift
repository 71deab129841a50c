// Imports: all rows of a file are applied in one change and one transaction, or none. A row that matches an existing
// entry changes the entry, any other row adds an entry, and nothing is removed. An import can be undone like any other
// change.

import TappetCore
import TappetSQLite

/// Numbers of entries that an import added, changed and left unchanged.
package struct InventoryImportCounts: Hashable, Sendable {
  /// Number of entries that did not exist before.
  package var added = 0
  /// Number of entries with new values or a new place.
  package var changed = 0
  /// Number of entries that already had the values in the file.
  package var unchanged = 0
}

/// Result of importing one row.
package enum InventoryImportResult: Sendable {
  case added(InventoryEntry)
  case changed(from: InventoryEntry, to: InventoryEntry)
  case unchanged
}

/// An import in progress, within its transaction.
package final class InventoryImport {
  private let inventory: Inventory
  private let who: String
  private let now: Int64
  private let change: Int64
  /// Whether the inventory was empty; the indexes are then created at the end, which takes a fifth of the time.
  private let isBulk: Bool
  /// Row of the last item that existed before the import; later rows were added by the import.
  private let lastItem: InventoryRow
  private var addedPlaces: ClosedRange<InventoryRow>?
  private var addedItems: ClosedRange<InventoryRow>?
  /// Place used by the previous row, and its path.
  private var last: (place: InventoryEntry, path: [String])?
  /// Boxes that rows of the file specify by their code: a row with another code is about another box.
  private var coded: Set<InventoryRow> = []
  /// One bit for each existing item: whether the item was matched by a row without an id.
  ///
  /// Items with the same name are matched in order.
  private var meant: [UInt8]
  /// Items that a row changed while several items with the same name were still unmatched.
  private var choices: [(name: String, box: InventoryEntry, count: Int)] = []
  /// Places that were created for the most recent row.
  package private(set) var madePlaces: [InventoryEntry] = []
  private var rowCount = 0
  /// Counts for the rows imported so far.
  package private(set) var counts = InventoryImportCounts()

  fileprivate init(_ inventory: Inventory, _ name: String, by who: String) throws(InventoryError) {
    self.inventory = inventory
    self.who = who
    now = inventory.now
    let subject = InventoryEntry(
      .item, id: InventoryID(unixMilliseconds: now), name: name, in: nil, createdUnixMilliseconds: now)
    change = try inventory.note(.imported, subject, now, by: who)
    let database = inventory.database
    lastItem = try stored { () throws(DatabaseError) in try database.integer("SELECT max(id) FROM item") ?? 0 }
    isBulk = lastItem == 0
    meant = [UInt8](repeating: 0, count: Int(lastItem / 8) + 1)
    if isBulk { try stored { () throws(DatabaseError) in try database.execute(InventorySchema.beforeBulk) } }
  }

  fileprivate func finish() throws(InventoryError) {
    if isBulk { try stored { () throws(DatabaseError) in try inventory.database.execute(InventorySchema.afterBulk) } }
    if let addedPlaces { try inventory.recordAdded(.box, addedPlaces, in: change) }
    if let addedItems { try inventory.recordAdded(.item, addedItems, in: change) }
    try inventory.requireRoom()
  }

  /// Adds or changes the entry specified by a row, and creates the missing places on its path.
  @export(interface)
  @discardableResult
  package func add(_ record: InventoryRecord) throws(InventoryError) -> InventoryImportResult {
    guard let kind = record.kind else { throw .emptyRow }
    rowCount += 1
    if rowCount.isMultiple(of: 1024) { try inventory.requireRoom() }
    if !madePlaces.isEmpty { madePlaces = [] }
    let container = try container(of: record, kind)
    let old = try existing(record, kind, in: container)
    if old == nil, kind != .building, container == nil { throw .noContainer(kind) }
    var result = try write(record, kind, old, container?.row ?? old?.container)
    for barcode in record.barcodes { try add(barcode, to: &result, old) }
    switch result {
    case .added: counts.added += 1
    case .changed: counts.changed += 1
    case .unchanged: counts.unchanged += 1
    }
    return result
  }

  /// Adds a barcode to the entry of a row; an added barcode counts as a change of the entry.
  private func add(
    _ barcode: String, to result: inout InventoryImportResult, _ old: InventoryEntry?
  ) throws(InventoryError) {
    switch result {
    case .added(let entry), .changed(_, let entry): try inventory.add(barcode: barcode, to: entry, in: change)
    case .unchanged:
      guard let old, try inventory.add(barcode: barcode, to: old, in: change) else { return }
      try inventory.keep(old, in: change)
      result = .changed(from: old, to: old)
    }
  }

  private func write(
    _ record: InventoryRecord, _ kind: InventoryKind, _ old: InventoryEntry?, _ container: InventoryRow?
  ) throws(InventoryError) -> InventoryImportResult {
    // The ids rise from row to row; otherwise, the index of a large import would be written all over.
    var entry =
      old
      ?? InventoryEntry(
        kind, id: record.id ?? InventoryID(unixMilliseconds: inventory.now), name: "", in: container,
        createdUnixMilliseconds: record.createdUnixMilliseconds ?? now)
    entry.container = container
    entry.name = record.names[Int(kind.rawValue)]
    if kind == .item { entry = record.values.applied(to: entry) }
    if kind == .box {
      if let code = record.code {
        if old.map({ LabelCode.spellings(of: $0.code).contains(code) }) != true { entry.code = code }
      } else if old == nil {
        entry.code = InventoryCode.random()
      }
    }
    if kind == .box, entry.code == old?.code {
      try inventory.checkTexts(&entry)
    } else {
      try inventory.check(&entry)
    }
    if let old, kind == .box, record.code != nil { coded.insert(old.row) }
    guard let old else {
      let added = try insert(entry)
      if kind == .box, record.code != nil { coded.insert(added.row) }
      return .added(added)
    }
    if entry == old { return .unchanged }
    try inventory.keep(old, in: change)
    let origin = try inventory.location(of: old).path
    try stored { () throws(DatabaseError) in try inventory.update(entry) }
    if entry.container != old.container {
      let destination = try inventory.location(of: entry).path
      try inventory.recordMove(of: entry, from: origin, to: destination, now, by: who)
    }
    last = nil
    return .changed(from: old, to: entry)
  }

  private func insert(_ entry: InventoryEntry) throws(InventoryError) -> InventoryEntry {
    var entry = entry
    let isFirst = (entry.kind == .item ? addedItems : addedPlaces) == nil
    entry.row = try stored { () throws(DatabaseError) in
      // SQLite gives the others the rows after this one.
      if isFirst { entry.row = try inventory.freeRow(entry.kind) }
      return try inventory.insert(entry)
    }
    if entry.kind == .item {
      addedItems = (addedItems?.lowerBound ?? entry.row)...entry.row
    } else {
      addedPlaces = (addedPlaces?.lowerBound ?? entry.row)...entry.row
    }
    return entry
  }

  // MARK: Existing entries

  /// Returns the entry that a row refers to: matched by id, box code, or name and location.
  private func existing(
    _ record: InventoryRecord, _ kind: InventoryKind, in container: InventoryEntry?
  ) throws(InventoryError) -> InventoryEntry? {
    if let id = record.id {
      // The id may belong to an entry of a different kind in the same table.
      for other in InventoryKind.allCases where other != kind && kind != .item && other != .item {
        if try inventory.entry(id, of: other) != nil { throw .wrongContainer(kind, other) }
      }
      return try inventory.entry(id, of: kind)
    }
    if kind == .box, let code = record.code, let box = try inventory.box(code: code) {
      // A moved box must keep its label. A relabelled box must stay in its place, and no other box there may have the
      // new label.
      let label = record.names[Int(kind.rawValue)].trimmedLabel ?? ""
      let namesake = try inventory.child(of: container, label, .box)
      let isElsewhere = container != nil && container?.row != box.container
      if namesake != nil || isElsewhere { try require(box, named: record, code) }
      // A box that an earlier row added cannot also be a second box.
      if isElsewhere || !label.isEmpty && label != box.name, coded.contains(box.row),
        addedPlaces?.contains(box.row) == true
      {
        throw try elsewhere(box, record, code)
      }
      return box
    }
    let name = record.names[Int(kind.rawValue)].trimmedLabel ?? ""
    if kind == .box, record.code != nil {
      return try inventory.children(of: container, name, kind).first { !coded.contains($0.row) }
    }
    if kind != .item { return try inventory.child(of: container, name, kind) }
    guard let container, lastItem > 0 else { return nil }
    let same = try inventory.items(named: name, in: container, upTo: lastItem)
    let left = same.filter { !isMeant($0) }
    guard let old = left.first(where: { record.values.applied(to: $0) == $0 }) ?? left.first else { return nil }
    meant[Int(old.row / 8)] |= 1 << UInt8(old.row % 8)
    if left.count > 1, record.values.applied(to: old) != old { choices.append((name, container, same.count)) }
    return old
  }

  private func isMeant(_ item: InventoryEntry) -> Bool { meant[Int(item.row / 8)] >> UInt8(item.row % 8) & 1 == 1 }

  /// Throws if a row changes one of several items with the same name, and the file has fewer rows than such items.
  fileprivate func settle() throws(InventoryError) {
    for choice in choices {
      let same = try inventory.items(named: choice.name, in: choice.box, upTo: lastItem)
      if same.contains(where: { !isMeant($0) }) { throw .ambiguous(.item, choice.name, count: choice.count) }
    }
  }

  /// Returns the place of a row's entry; `nil` if the row does not specify the place.
  ///
  /// A missing place is created if its full path is known.
  private func container(of record: InventoryRecord, _ kind: InventoryKind) throws(InventoryError) -> InventoryEntry? {
    guard let needed = kind.container else { return nil }
    if let id = record.container {
      if let last, last.place.id == id, last.place.kind == needed { return last.place }
      guard let place = try inventory.entry(id, of: needed) else { throw .unknown(needed, id.text) }
      last = (place, [])
      return place
    }
    let path = record.names[..<Int(kind.rawValue)].map { $0.trimmedLabel ?? "" }
    let code = kind == .item ? record.code : nil
    if let code, let box = try inventory.box(code: code) {
      try require(box, named: record, code)
      coded.insert(box.row)
      let names = try inventory.location(of: box).names
      guard zip(path, names).allSatisfy({ $0.isEmpty || $0 == $1 }) else { throw try elsewhere(box, record, code) }
      return box
    }
    if path.allSatisfy({ $0.isEmpty }) { return nil }
    // No box has the code, so the place of the previous row is another one.
    if code == nil, let last, path == last.path { return last.place }
    try requireNoGap(in: path, kind)
    guard path.contains(where: { $0.isEmpty }) else {
      let place = try made(path, code: code)
      last = place.map { ($0, path) }
      return place
    }
    let place = try inventory.resolve(names: path, needed)
    if let code { throw try differs(place, code) }
    last = (place, path)
    return place
  }

  /// Throws if a place is missing between the names of a path, or between the path and the entry.
  private func requireNoGap(in path: [String], _ kind: InventoryKind) throws(InventoryError) {
    guard let outermost = path.firstIndex(where: { !$0.isEmpty }) else { return }
    guard let gap = path[outermost...].lastIndex(of: "") else { return }
    throw .noContainer(InventoryKind(rawValue: Int64(gap) + 1) ?? kind)
  }

  private func differs(_ box: InventoryEntry, _ code: String) throws(InventoryError) -> InventoryError {
    let path = InventoryLocation(names: try inventory.location(of: box).names + [box.name]).path
    let isGenerated = addedPlaces?.contains(box.row) == true && !coded.contains(box.row)
    return .codeDiffers(path: path, code: isGenerated ? nil : box.code, row: code)
  }

  /// Throws if a row contains the code of one box and the label of another, because one of the two must be wrong.
  private func require(
    _ box: InventoryEntry, named record: InventoryRecord, _ code: String
  ) throws(InventoryError) {
    let name = record.names[Int(InventoryKind.box.rawValue)].trimmedLabel ?? ""
    guard name.isEmpty || name == box.name else { throw try elsewhere(box, record, code) }
  }

  private func elsewhere(
    _ box: InventoryEntry, _ record: InventoryRecord, _ code: String
  ) throws(InventoryError) -> InventoryError {
    let known = InventoryLocation(names: try inventory.location(of: box).names + [box.name])
    return .codeElsewhere(
      code: code, path: known.path, row: InventoryLocation(names: record.names.prefix(4).filter { !$0.isEmpty }).path)
  }

  /// Returns the place at the end of a full path; creates missing places, and assigns `code` to a created box.
  private func made(_ path: [String], code: String?) throws(InventoryError) -> InventoryEntry? {
    var place: InventoryEntry?
    for (index, name) in path.enumerated() {
      guard let kind = InventoryKind(rawValue: Int64(index)) else { break }
      let known = try inventory.children(of: place, name, kind)
      if kind == .box, let code {
        // All boxes of that name have codes of their own in the file: this one is a further box.
        if let other = known.first(where: { !coded.contains($0.row) }) { throw try differs(other, code) }
      } else if let first = known.first {
        place = first
        continue
      }
      var step = InventoryRecord()
      step.names[index] = name
      if kind == .box { step.code = code }
      guard case .added(let entry) = try write(step, kind, nil, place?.row) else { break }
      counts.added += 1
      madePlaces.append(entry)
      place = entry
    }
    return place
  }
}

extension Inventory {
  /// Runs `body` as one import; with `isTrial`, all changes are rolled back at the end.
  ///
  /// An import that changes nothing is not added to the journal.
  @export(interface)
  package func runImport(
    named name: String, by who: String, isTrial: Bool,
    _ body: (InventoryImport) throws(InventoryError) -> Void
  ) throws(InventoryError) -> InventoryImportCounts {
    var counts = InventoryImportCounts()
    let isFirst = try count(of: .building) == 0
    if isFirst { database.useRollbackJournal(true) }
    defer { if isFirst { database.useRollbackJournal(false) } }
    do throws(InventoryError) {
      try transaction { () throws(InventoryError) in
        let job = try InventoryImport(self, name, by: who)
        try body(job)
        try job.settle()
        counts = job.counts
        if isTrial || counts.added + counts.changed == 0 { throw .trialOver }
        try job.finish()
      }
    } catch {
      guard case .trialOver = error else { throw error }
    }
    return counts
  }

  /// Throws if the import would not leave enough disk space for the kiosk's taps.
  fileprivate func requireRoom() throws(InventoryError) {
    guard let room = database.room, room < Limits.inventoryReserve else { return }
    throw .noRoom(path: database.path)
  }

  /// Query that runs for each import row whose place differs from the place of the previous row.
  static let childQuery: StaticString = """
    SELECT id, uuid, parent, kind, name, code, created FROM place
    WHERE name = ?2 AND parent IS ?1 AND kind = ?3 ORDER BY id
    """

  /// Returns the place with the given name in `place`, or the building with the given name.
  fileprivate func child(
    of place: InventoryEntry?, _ name: String, _ kind: InventoryKind
  ) throws(InventoryError) -> InventoryEntry? { try children(of: place, name, kind).first }

  /// Returns the places with the given name in `place`, or the buildings with the given name.
  func children(
    of place: InventoryEntry?, _ name: String, _ kind: InventoryKind
  ) throws(InventoryError) -> [InventoryEntry] {
    let statement = try stored { () throws(DatabaseError) in try database.statement(Inventory.childQuery) }
    if let place { statement.bind(place.row, at: 1) }
    statement.bind(name, at: 2)
    statement.bind(kind.rawValue, at: 3)
    var found: [InventoryEntry] = []
    try forEachRow(of: statement, kind) { entry in
      found.append(entry)
      return true
    }
    return found
  }

  /// Query that runs for each import row without an id.
  static let itemsQuery: StaticString = """
    SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item
    WHERE box = ?1 AND name = ?2 AND id <= ?3 ORDER BY id
    """

  /// Returns the items with the given name in a box, up to the row `last`.
  func items(
    named name: String, in box: InventoryEntry, upTo last: InventoryRow = .max
  ) throws(InventoryError) -> [InventoryEntry] {
    let statement = try stored { () throws(DatabaseError) in try database.statement(Inventory.itemsQuery) }
    statement.bind(box.row, at: 1)
    statement.bind(name, at: 2)
    statement.bind(last, at: 3)
    var found: [InventoryEntry] = []
    try forEachRow(of: statement, .item) { entry in
      found.append(entry)
      return true
    }
    return found
  }
}
