// The kiosk's view of a thing in the inventory, and the results of touching it at the reader.

/// A building, room, spot, box or item, as described by tappet-inventory.
package struct InventoryThing: Equatable, Sendable {
  /// Identity of the thing, which never changes.
  package var id: InventoryID
  /// The kind of thing.
  package var kind: InventoryKind
  /// The name of the thing, or a box's label.
  package var name: String
  /// The text of a box's QR code; empty for other kinds.
  package var code = ""
  /// The identities of the places that contain the thing, the innermost first; none for a building.
  package var containers: [InventoryID] = []
  /// The path of the place that contains the thing: `House → Cellar → Shelf`; empty for a building.
  package var path = ""
  /// Number of pieces of an item.
  package var quantity: Int64 = 1
  /// Number of pieces below which the stock of an item is low.
  package var minimum: Int64?
  /// The person who has borrowed the box or all of the item; `nil` if it is in its place.
  package var holder: String?
  /// The people who have borrowed only pieces of the item: `Ada, Ben`; empty if there are none.
  package var pieceHolders = ""
  /// Number of things directly inside this thing.
  package var contentCount = 0
  /// The first few things directly inside this thing, oldest first.
  package var contents: [Content] = []

  /// A thing in a place.
  package struct Content: Equatable, Sendable {
    /// Name of the thing.
    package var name: String
    /// Number of pieces, 1 for a place.
    package var quantity: Int64

    package init(name: String, quantity: Int64) {
      self.name = name
      self.quantity = quantity
    }
  }

  /// Creates a thing with default values for all other properties.
  package init(id: InventoryID, kind: InventoryKind, name: String) {
    self.id = id
    self.kind = kind
    self.name = name
  }

  /// The identity of the place that directly contains the thing; `nil` for a building.
  package var container: InventoryID? { containers.first }

  /// Everyone who has the thing, or pieces of it; `nil` if no one has.
  package var holders: String? { holder ?? (pieceHolders.isEmpty ? nil : pieceHolders) }

  /// Whether the thing is in the given place and not checked out.
  package func isIn(_ place: InventoryID) -> Bool { container == place && holder == nil }

  /// The contents in one line: `200 M4 x 20, M5 x 30 and 3 more`.
  package var contentList: String {
    @export(interface) get {
      var list = ""
      for content in contents {
        if !list.isEmpty { list += ", " }
        list += content.quantity == 1 ? content.name : "\(content.quantity) \(content.name)"
      }
      let rest = contentCount - contents.count
      return rest > 0 ? list + " and \(rest) more" : list
    }
  }
}

/// The result of a tap or a scan.
package enum TouchResult: String, Sendable, CaseIterable {
  /// The thing's location and contents were shown.
  case shown
  /// The thing was moved to a new place.
  case moved
  /// The item or box was checked out to a person.
  case lent
  /// The item or box was checked in.
  case returned
  /// The thing was tapped a second time, and is no longer held.
  case released
  /// Pieces were added.
  case put
  /// Pieces were taken.
  case taken
  /// The items in the box or spot are being counted from now on.
  case counting
  /// Pieces were counted; the thing's quantity is the number of pieces counted so far.
  case counted
  /// The thing was recorded as seen.
  case seen
}

/// The reason why tappet-inventory refused a request.
package enum InventoryFault: UInt8, Error, Sendable, CaseIterable {
  /// No thing has the given tag or code.
  case unknown = 1
  /// The thing to be moved, or its new place, no longer exists.
  case gone = 2
  /// The database rejected the change, or cannot be read.
  case database = 3
  /// The process tappet-inventory is not running, or did not respond in time.
  case away = 4
  /// Another person has reserved the item for today.
  case reserved = 5
  /// An item was tapped before a spot, but an item can only be in a box.
  case needsBox = 6
  /// No piece of the item is left.
  case noneLeft = 7
  /// The item already has the largest quantity.
  case tooMany = 8
  /// Something that the job in progress does not count was tapped.
  case notItem = 9
  /// The disk of the database is full; nothing was changed.
  case full = 10
  /// A number of pieces arrived, but no job that moves or counts this many.
  case notNumber = 11
  /// A number of pieces arrived, but after the last item something else was tapped.
  case numberUnclear = 12
  /// The scanned code is longer than any code of a thing.
  case scanTooLong = 32
  /// The end of the scanned code did not arrive, or parts of it were lost.
  case scanIncomplete = 33
  /// The scanned code contains something that is not text.
  case scanUnreadable = 34
}
