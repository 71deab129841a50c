// Building → Room → Spot → Box → Item: each thing is in exactly one thing of the preceding kind.

/// The kinds of things, from the outermost to the innermost.
package enum InventoryKind: Int64, CaseIterable, Sendable {
  case building
  case room
  case spot
  case box
  case item

  /// The name that is shown to people and used by programs.
  package var name: String {
    @export(interface) get {
      switch self {
      case .building: "building"
      case .room: "room"
      case .spot: "spot"
      case .box: "box"
      case .item: "item"
      }
    }
  }

  /// The name as a title: `Building`.
  package var title: String {
    @export(interface) get {
      switch self {
      case .building: "Building"
      case .room: "Room"
      case .spot: "Spot"
      case .box: "Box"
      case .item: "Item"
      }
    }
  }

  /// The plural of the name.
  package var plural: String { self == .box ? "boxes" : name + "s" }

  /// The kind that contains things of this kind; `nil` for buildings.
  package var container: InventoryKind? { InventoryKind(rawValue: rawValue - 1) }

  /// Whether things of this kind can be lent to people: items and boxes.
  package var isLendable: Bool { self == .item || self == .box }

  /// Creates the kind with the given name.
  package init?(name: String) {
    guard let kind = InventoryKind.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
