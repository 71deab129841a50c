// One row of an import or an export, whatever the format.

import TappetCore
import TappetSQLite

/// The facts of one thing, and the names of the places that it is in.
package struct InventoryRecord: Sendable {
  /// From the building to the item; the last that is not empty is the thing's own.
  package var names = ["", "", "", "", ""]
  /// Its identity, if it has one.
  package var id: InventoryID?
  /// The identity of the place that it is in, which counts more than the names.
  package var container: InventoryID?
  /// The text of a box's QR code: the box's own, or that of an item's box.
  package var code: String?
  /// Its other values; `nil` for those that the file does not have.
  package var values = InventoryEdit()
  /// When it was added.
  package var createdUnixMilliseconds: Int64?

  /// A row without a name.
  package init() {}

  /// The kind of thing, by its last name; `nil` when there is none.
  package var kind: InventoryKind? { InventoryKind.allCases.last { !names[Int($0.rawValue)].isEmpty } }

  /// The thing as a row.
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
  /// All things as rows, each place before what is in it, until `body` returns false.
  ///
  /// The order is that in which they were made, so that an import of the rows has the same one.
  @export(interface)
  package func forEachRecord(_ body: (InventoryRecord) throws(InventoryError) -> Bool) throws(InventoryError) {
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
        isGoingOn = try body(InventoryRecord(entry, in: place.location, container: place.id))
        return isGoingOn
      }
    }
  }
}
