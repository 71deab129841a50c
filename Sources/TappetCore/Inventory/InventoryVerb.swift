/// The kinds of changes, as they are stored.
package enum InventoryVerb: Int64, Sendable {
  case added
  case edited
  case moved
  case removed
  case imported
  /// A change was taken back.
  case undone
  /// An item was checked out to a person.
  case lent
  /// It was brought back.
  case returned

  /// The word for people and programs.
  package var name: String {
    switch self {
    case .added: "added"
    case .edited: "edited"
    case .moved: "moved"
    case .removed: "removed"
    case .imported: "imported"
    case .undone: "undone"
    case .lent: "lent"
    case .returned: "returned"
    }
  }
}
