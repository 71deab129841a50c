// Queries: single entries, lists in a fixed order, and locations.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Returns the entry of the given kind with the given id.
  @export(interface)
  package func entry(_ id: InventoryID, of kind: InventoryKind) throws(InventoryError) -> InventoryEntry? {
    let statement = try statement(
      kind, place: "SELECT id, uuid, parent, kind, name, code, created FROM place WHERE uuid = ?1",
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item WHERE uuid = ?1
        """)
    statement.bind(blob: id.bytes, at: 1)
    guard let entry = try first(statement, of: kind), entry.kind == kind else { return nil }
    return entry
  }

  /// Returns the entry with the given id, of any kind.
  @export(interface)
  package func entry(_ id: InventoryID) throws(InventoryError) -> InventoryEntry? {
    if let item = try entry(id, of: .item) { return item }
    let statement = try stored { () throws(DatabaseError) in
      try database.statement("SELECT id, uuid, parent, kind, name, code, created FROM place WHERE uuid = ?1")
    }
    statement.bind(blob: id.bytes, at: 1)
    return try first(statement, of: .box)
  }

  /// Returns the box whose QR code contains exactly the given text, or the same GTIN.
  @export(interface)
  package func box(code: String) throws(InventoryError) -> InventoryEntry? {
    guard let code = code.trimmedLabel else { return nil }
    for spelling in LabelCode.spellings(of: code) {
      let statement = try stored { () throws(DatabaseError) in
        try database.statement("SELECT id, uuid, parent, kind, name, code, created FROM place WHERE code = ?1")
      }
      statement.bind(spelling, at: 1)
      if let box = try first(statement, of: .box) { return box }
    }
    return nil
  }

  /// Returns the entry whose label or package contains exactly the given text, or the same GTIN: a box's code, a
  /// barcode, or an id.
  @export(interface)
  package func thing(onLabel text: String) throws(InventoryError) -> InventoryEntry? {
    if let box = try box(code: text) { return box }
    if let entry = try entry(barcode: text) { return entry }
    return try InventoryID(text: text).flatMap { (id) throws(InventoryError) in try entry(id) }
  }

  /// Returns the entry whose label was scanned, also a label of another program.
  @export(interface)
  package func thing(scanned text: String) throws(InventoryError) -> InventoryEntry? {
    if let thing = try thing(onLabel: text) { return thing }
    for code in LabelCode.alternatives(to: text) { if let thing = try thing(onLabel: code) { return thing } }
    return nil
  }

  /// Returns the entry in the given row.
  func entry(row: InventoryRow, of kind: InventoryKind) throws(InventoryError) -> InventoryEntry? {
    let statement = try statement(
      kind, place: "SELECT id, uuid, parent, kind, name, code, created FROM place WHERE id = ?1",
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item WHERE id = ?1
        """)
    statement.bind(row, at: 1)
    return try first(statement, of: kind)
  }

  /// Calls `body` with all entries of a kind until it returns false: boxes and items newest first, others oldest first.
  @export(interface)
  package func forEach(
    _ kind: InventoryKind, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement: Statement
    switch kind {
    case .item:
      statement = try self.statement(
        .item, place: "",
        item: """
          SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item
          ORDER BY created DESC, id DESC
          """)
    case .box:
      statement = try self.statement(
        .box,
        place: """
          SELECT id, uuid, parent, kind, name, code, created FROM place WHERE kind = 3 ORDER BY created DESC, id DESC
          """, item: "")
    case .building, .room, .spot:
      statement = try self.statement(
        kind,
        place: "SELECT id, uuid, parent, kind, name, code, created FROM place WHERE kind = ?1 ORDER BY created, id",
        item: "")
      statement.bind(kind.rawValue, at: 1)
    }
    try forEachRow(of: statement, kind, body)
  }

  /// Calls `body` with the contents of a place, oldest first, until it returns false.
  @export(interface)
  package func forEach(
    in place: InventoryEntry, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    guard let kind = place.contentKind else { return }
    let statement = try statement(
      kind,
      place: """
        SELECT id, uuid, parent, kind, name, code, created FROM place WHERE parent = ?1 ORDER BY created, id
        """,
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item WHERE box = ?1
        ORDER BY created, id
        """)
    statement.bind(place.row, at: 1)
    try forEachRow(of: statement, kind, body)
  }

  /// Calls `body` with the entries of a kind inside a place at any depth, oldest first, until it returns false.
  @export(interface)
  package func forEach(
    _ kind: InventoryKind, inside place: InventoryEntry, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let statement = try statement(
      kind,
      place: """
        WITH RECURSIVE inside (id) AS
          (VALUES (?1) UNION ALL SELECT place.id FROM place JOIN inside ON place.parent = inside.id)
        SELECT id, uuid, parent, kind, name, code, created FROM place WHERE id IN inside AND kind = ?2
        ORDER BY created, id
        """,
      item: """
        WITH RECURSIVE inside (id) AS
          (VALUES (?1) UNION ALL SELECT place.id FROM place JOIN inside ON place.parent = inside.id)
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item WHERE box IN inside
        ORDER BY created, id
        """)
    statement.bind(place.row, at: 1)
    if kind != .item { statement.bind(kind.rawValue, at: 2) }
    try forEachRow(of: statement, kind, body)
  }

  /// Calls `body` with the low items, newest first, until it returns false.
  @export(interface)
  package func forEachLowItem(_ body: (InventoryEntry) throws(InventoryError) -> Bool) throws(InventoryError) {
    let statement = try statement(
      .item, place: "",
      item: """
        SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item
        WHERE minimum IS NOT NULL AND quantity < minimum ORDER BY created DESC, id DESC
        """)
    try forEachRow(of: statement, .item, body)
  }

  /// Calls `body` with the entries in a statement's rows until it returns false.
  func forEachRow(
    of statement: Statement, _ kind: InventoryKind, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    defer { statement.reset() }
    while try stored({ () throws(DatabaseError) in try statement.step() }) {
      guard let entry = kind == .item ? item(statement) : place(statement) else { continue }
      guard try body(entry) else { return }
    }
  }

  /// Returns the number of entries directly in a place; 0 for an item.
  @export(interface)
  package func contentCount(of place: InventoryEntry) throws(InventoryError) -> Int64 {
    guard let kind = place.contentKind else { return 0 }
    let statement = try statement(
      kind, place: "SELECT count(*) FROM place WHERE parent = ?1", item: "SELECT count(*) FROM item WHERE box = ?1")
    defer { statement.reset() }
    statement.bind(place.row, at: 1)
    return try stored { () throws(DatabaseError) in try statement.step() } ? statement.integer(0) : 0
  }

  /// Returns the number of entries inside a place, at all levels.
  @export(interface)
  package func wholeCount(in place: InventoryEntry) throws(InventoryError) -> Int64 {
    if place.kind == .item { return 0 }
    return try stored { () throws(DatabaseError) in
      let statement = try database.statement(
        """
        WITH RECURSIVE inside (id) AS (
          SELECT id FROM place WHERE parent = ?1 UNION ALL SELECT place.id FROM place JOIN inside ON parent = inside.id)
        SELECT (SELECT count(*) FROM inside)
          + (SELECT count(*) FROM item WHERE box = ?1 OR box IN (SELECT id FROM inside))
        """)
      defer { statement.reset() }
      statement.bind(place.row, at: 1)
      return try statement.step() ? statement.integer(0) : 0
    }
  }

  /// Returns the number of entries of a kind.
  package func count(of kind: InventoryKind) throws(InventoryError) -> Int64 {
    let statement = try statement(
      kind, place: "SELECT count(*) FROM place WHERE kind = ?1", item: "SELECT count(*) FROM item")
    defer { statement.reset() }
    if kind != .item { statement.bind(kind.rawValue, at: 1) }
    return try stored { () throws(DatabaseError) in try statement.step() } ? statement.integer(0) : 0
  }

  /// Returns the place that contains an entry; `nil` for a building.
  package func container(of entry: InventoryEntry) throws(InventoryError) -> InventoryEntry? {
    guard let row = entry.container, let kind = entry.kind.container else { return nil }
    return try self.entry(row: row, of: kind)
  }

  /// Returns the location of an entry.
  package func location(of entry: InventoryEntry) throws(InventoryError) -> InventoryLocation {
    guard let container = entry.container, let kind = entry.kind.container else { return InventoryLocation() }
    return try location(in: container, kind)
  }

  /// Returns the location down to the place in the given row.
  func location(in row: InventoryRow, _ kind: InventoryKind) throws(InventoryError) -> InventoryLocation {
    var location = InventoryLocation()
    var next: InventoryRow? = row
    var kind: InventoryKind? = kind
    while let known = kind {
      let place = try next.map { (row) throws(InventoryError) in try entry(row: row, of: known) } ?? nil
      location.names.insert(place?.name ?? "Unknown " + known.title, at: 0)
      next = place?.container
      kind = known.container
    }
    return location
  }
}

extension InventoryEntry {
  /// Text of the QR code on the entry's label, by which `thing(onLabel:)` finds the entry: a box's code, or the id.
  package var labelText: String { kind == .box ? code : id.text }

  /// Kind of the entry's contents; `nil` for an item.
  package var contentKind: InventoryKind? { InventoryKind(rawValue: kind.rawValue + 1) }
}
