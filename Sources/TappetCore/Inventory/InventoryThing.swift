// The kiosk's picture of a thing, and the results of touching it at the reader.

/// A building, room, spot, box or item, as tappet-inventory describes it.
package struct InventoryThing: Equatable, Sendable {
  /// Identity of the thing, which never changes.
  package var id: InventoryID
  /// The kind of thing.
  package var kind: InventoryKind
  /// Its name, a box's label.
  package var name: String
  /// The text of a box's QR code; empty for anything else.
  package var code = ""
  /// The identity of the place that it is in; `nil` for a building.
  package var container: InventoryID?
  /// The path of the place that it is in: `House → Cellar → Shelf`; empty for a building.
  package var path = ""
  /// Number of pieces of an item.
  package var quantity: Int64 = 1
  /// Number of pieces below which an item is low.
  package var minimum: Int64?
  /// The person who has the item; `nil` when it is in its box.
  package var holder: String?
  /// Number of things that are directly in it.
  package var contentCount = 0
  /// The first of them, oldest first.
  package var contents: [Content] = []

  /// A thing in a place.
  package struct Content: Equatable, Sendable {
    /// Name of the thing.
    package var name: String
    /// Number of pieces, 1 for a place.
    package var quantity: Int64

    /// Something by its name.
    package init(name: String, quantity: Int64) {
      self.name = name
      self.quantity = quantity
    }
  }

  /// A thing of which only this is known.
  package init(id: InventoryID, kind: InventoryKind, name: String) {
    self.id = id
    self.kind = kind
    self.name = name
  }

  /// Whether it is in this place, and with nobody.
  package func isIn(_ place: InventoryID) -> Bool { container == place && holder == nil }

  /// The contents in one line: `200 M4 x 20, M5 x 30 and 3 more`.
  package var contentList: String {
    var list = ""
    for content in contents {
      if !list.isEmpty { list += ", " }
      list += content.quantity == 1 ? content.name : "\(content.quantity) \(content.name)"
    }
    let rest = contentCount - contents.count
    return rest > 0 ? list + " and \(rest) more" : list
  }
}

/// The result of a tap or a scan.
package enum TouchResult: String, Sendable, CaseIterable {
  /// It was shown where it is, and what is in it.
  case shown
  /// It was moved to another place.
  case moved
  /// It was checked out to a person.
  case lent
  /// It was brought back.
  case returned
}

/// Why tappet-inventory did not do what it was asked for.
package enum InventoryFault: UInt8, Error, Sendable, CaseIterable {
  /// Nothing has this tag or code.
  case unknown = 1
  /// The thing that was to be moved, or the place, is gone.
  case gone = 2
  /// The database did not take the change, or cannot be read.
  case database = 3
  /// tappet-inventory does not run, or gave no answer in time.
  case away = 4
}
