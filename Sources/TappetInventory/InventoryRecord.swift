// One row of an import or export, independent of the file format.

import TappetCore
import TappetSQLite

/// The values of one entry, and the names of its places.
package struct InventoryRecord: Sendable {
  /// Names from the building to the item; the last non-empty name is the name of the entry itself.
  package var names = ["", "", "", "", ""]
  /// Id of the entry, if specified.
  package var id: InventoryID?
  /// Id of the place that contains the entry, which takes precedence over the names.
  package var container: InventoryID?
  /// Text of a box's QR code: of the box itself, or of the box that contains the item.
  package var code: String?
  /// Barcodes of the entry; an import adds them to the existing barcodes.
  package var barcodes: [String] = []
  /// Other values of the entry; `nil` for values that the file does not contain.
  package var values = InventoryEdit()
  /// Creation time in milliseconds since 1970.
  package var createdUnixMilliseconds: Int64?

  package init() {}

  /// Kind of the entry, derived from its last name; `nil` if all names are empty.
  package var kind: InventoryKind? { InventoryKind.allCases.last { !names[Int($0.rawValue)].isEmpty } }

  init(_ entry: InventoryEntry, in location: InventoryLocation, container: InventoryID?) {
    for (index, name) in (location.names + [entry.name]).enumerated() { names[index] = name }
    id = entry.id
    self.container = container
    createdUnixMilliseconds = entry.createdUnixMilliseconds
    if entry.kind == .box { code = entry.code }
    guard entry.kind == .item else { return }
    values.notes = entry.notes
    values.quantity = entry.quantity
    values.minimum = .some(entry.minimum)
    values.photo = .some(entry.photo)
  }
}

extension Inventory {
  /// Calls `body` with a row for each entry, places before their contents, until it returns false.
  ///
  /// The rows are in the order of creation, which is preserved when they are imported.
  @export(interface)
  package func forEachRecord(_ body: (InventoryRecord) throws(InventoryError) -> Bool) throws(InventoryError) {
    let hasBarcodes =
      try stored { () throws(DatabaseError) in try database.integer("SELECT 1 FROM barcode LIMIT 1") } != nil
    var isGoingOn = true
    for kind in InventoryKind.allCases where isGoingOn {
      let statement = try statement(
        kind, place: "SELECT id, uuid, parent, kind, name, code, created FROM place WHERE kind = ?1 ORDER BY id",
        item: """
          SELECT id, uuid, box, name, notes, quantity, minimum, photo, photo_hash, created FROM item ORDER BY id
          """)
      if kind != .item { statement.bind(kind.rawValue, at: 1) }
      var place: (row: InventoryRow?, id: InventoryID?, location: InventoryLocation) = (nil, nil, InventoryLocation())
      try forEachRow(of: statement, kind) { (entry) throws(InventoryError) in
        if let row = entry.container, row != place.row, let kind = kind.container {
          place = (row, try self.entry(row: row, of: kind)?.id, try location(in: row, kind))
        }
        var record = InventoryRecord(entry, in: place.location, container: place.id)
        if hasBarcodes { record.barcodes = try barcodes(of: entry) }
        isGoingOn = try body(record)
        return isGoingOn
      }
    }
  }
}
