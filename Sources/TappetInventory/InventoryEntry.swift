// A thing with its values, an edit of them, and where it is.

import TappetCore

/// The number of a thing's row in its table.
package typealias InventoryRow = Int64

/// A picture of an item: a file of the user's, and what was in it.
package struct InventoryPhoto: Hashable, Sendable {
  /// The file's path.
  package var path: String
  /// SHA-256 of its content when it was added.
  package var hash: [UInt8]

  /// A photo with this content.
  package init(path: String, hash: [UInt8]) {
    self.path = path
    self.hash = hash
  }
}

/// A building, room, spot, box or item.
package struct InventoryEntry: Hashable, Sendable {
  /// Its row, among places or among items.
  package var row: InventoryRow
  /// Its identity on every machine.
  package var id: InventoryID
  /// Building, room, spot, box or item.
  package var kind: InventoryKind
  /// The row of the place that it is in; `nil` for a building.
  package var container: InventoryRow?
  /// The name, a box's label.
  package var name: String
  /// The text of a box's QR code; empty for anything else.
  package var code = ""
  /// An item's notes.
  package var notes = ""
  /// Number of pieces of an item.
  package var quantity: Int64 = 1
  /// Number of pieces below which an item is low.
  package var minimum: Int64?
  /// An item's picture.
  package var photo: InventoryPhoto?
  /// When it was made.
  package var createdUnixMilliseconds: Int64

  /// Something new that has no row yet.
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

  /// Whether there is less of it than there should be.
  package var isLow: Bool { minimum.map { quantity < $0 } ?? false }
}

/// New values of a thing; `nil` leaves the old one.
package struct InventoryEdit: Sendable {
  /// Another name or label.
  package var name: String?
  /// Another text of a box's QR code.
  package var code: String?
  /// Other notes of an item.
  package var notes: String?
  /// Another number of pieces.
  package var quantity: Int64?
  /// Another minimum, or none.
  package var minimum: Int64??
  /// Another photo, or none.
  package var photo: InventoryPhoto??

  /// An edit that changes nothing.
  package init() {}

  /// Whether it changes nothing.
  package var isEmpty: Bool {
    name == nil && code == nil && notes == nil && quantity == nil && minimum == nil && photo == nil
  }

  /// The thing with the new values.
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

/// The names of the places that something is in.
package struct InventoryLocation: Hashable, Sendable {
  /// From the building on.
  package var names: [String] = []

  /// `Building → Room → Spot → Box`, as far as it is in them.
  package var path: String { names.joined(separator: " \u{2192} ") }

  /// The name of the place of this kind; `nil` when it is not in one.
  package func name(of kind: InventoryKind) -> String? {
    let index = Int(kind.rawValue)
    return names.indices.contains(index) ? names[index] : nil
  }
}
