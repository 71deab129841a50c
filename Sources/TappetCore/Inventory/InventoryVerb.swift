/// The kinds of inventory changes; the raw values are stored in the database.
package enum InventoryVerb: Int64, Sendable {
  case added
  case edited
  case moved
  case removed
  case imported
  /// A change was undone.
  case undone
  /// An item or a box was checked out to a person.
  case lent
  /// An item or a box was checked in.
  case returned
  /// An item was reserved for a person.
  case reserved
  /// A reservation was cancelled.
  case unreserved
  /// A stocktake corrected the quantity of an item.
  case counted
  /// The quantity of an item fell below its minimum.
  case low
  /// The quantity of a low item is back at its minimum or above.
  case restocked
  /// The oldest changes were dropped, because no kiosk had passed them on.
  case gap

  /// The name that is shown to people and used by programs.
  package var name: String {
    @export(interface) get {
      switch self {
      case .added: "added"
      case .edited: "edited"
      case .moved: "moved"
      case .removed: "removed"
      case .imported: "imported"
      case .undone: "undone"
      case .lent: "lent"
      case .returned: "returned"
      case .reserved: "reserved"
      case .unreserved: "unreserved"
      case .counted: "counted"
      case .low: "low"
      case .restocked: "restocked"
      case .gap: "gap"
      }
    }
  }
}
