// An inventory entry, an edit of its values, and its location.

import TappetCore

/// Row number of an entry in its table.
package typealias InventoryRow = Int64

/// A photo of an item: the path of a user's file, and the hash of its content.
package struct InventoryPhoto: Hashable, Sendable {
  /// Path of the photo file.
  package var path: String
  /// SHA-256 of the content when the photo was added.
  package var hash: [UInt8]

  package init(path: String, hash: [UInt8]) {
    self.path = path
    self.hash = hash
  }
}

/// A building, room, spot, box or item.
package struct InventoryEntry: Hashable, Sendable {
  /// Row of the entry in the table of places or of items.
  package var row: InventoryRow
  /// Id of the entry, which is the same on every machine.
  package var id: InventoryID
  /// Kind of the entry: building, room, spot, box or item.
  package var kind: InventoryKind
  /// Row of the place that contains the entry; `nil` for a building.
  package var container: InventoryRow?
  /// Name of the entry, or label of a box.
  package var name: String
  /// Text of a box's QR code; empty for other kinds.
  package var code = ""
  /// An item's notes.
  package var notes = ""
  /// Number of pieces of an item.
  package var quantity: Int64 = 1
  /// Minimum number of pieces; an item with fewer pieces is low.
  package var minimum: Int64?
  /// Photo of an item, if any.
  package var photo: InventoryPhoto?
  /// Creation time in milliseconds since 1970.
  package var createdUnixMilliseconds: Int64

  /// Creates an entry that is not yet stored in a row.
  @export(interface)
  package init(
    _ kind: InventoryKind, id: InventoryID, name: String, in container: InventoryRow?, createdUnixMilliseconds: Int64
  ) {
    row = 0
    self.id = id
    self.kind = kind
    self.container = container
    self.name = name
    self.createdUnixMilliseconds = createdUnixMilliseconds
  }

  /// Whether the quantity is below the minimum.
  package var isLow: Bool { minimum.map { quantity < $0 } ?? false }
}

/// New values of an entry; `nil` keeps the old value.
package struct InventoryEdit: Sendable {
  /// New name or label.
  package var name: String?
  /// New text of a box's QR code.
  package var code: String?
  /// New notes of an item.
  package var notes: String?
  /// New number of pieces.
  package var quantity: Int64?
  /// New minimum of the item; `.some(nil)` removes the current minimum.
  package var minimum: Int64??
  /// New photo of the item; `.some(nil)` removes the current photo.
  package var photo: InventoryPhoto??

  /// UID of a tag to assign; an earlier assignment of the tag ends.
  package var tag: TagUID?
  /// Barcode to add.
  package var barcode: String?
  /// Barcode to remove.
  package var removedBarcode: String?

  package init() {}

  /// Whether tags or barcodes change.
  var changesLabels: Bool { tag != nil || barcode != nil || removedBarcode != nil }

  /// Returns a copy of the entry with the new values.
  func applied(to entry: InventoryEntry) -> InventoryEntry {
    var changed = entry
    if let name { changed.name = name }
    if let code { changed.code = code }
    if let notes { changed.notes = notes }
    if let quantity { changed.quantity = quantity }
    if let minimum { changed.minimum = minimum }
    if let photo { changed.photo = photo }
    return changed
  }
}

/// Location of an entry, as the names of its places.
package struct InventoryLocation: Hashable, Sendable {
  /// Names of the places, starting with the building.
  package var names: [String] = []

  /// `Building → Room → Spot → Box`, down to the innermost place.
  package var path: String { names.joined(separator: " \u{2192} ") }

  /// Returns the name of the place of the given kind; `nil` if the location does not include one.
  package func name(of kind: InventoryKind) -> String? {
    let index = Int(kind.rawValue)
    return names.indices.contains(index) ? names[index] : nil
  }
}
