// The results of touches at the shelf, as they are announced; unlike changes, they are not stored.

/// The result of one tap of an action with `mode: inventory`, or of one scan.
package struct TouchTransition: Sendable {
  package enum Kind: Sendable {
    case done(TouchResult)
    /// A person's tag, which now waits for an item or a box.
    case person
    /// A number of pieces of the next item.
    case number
    case refused(InventoryFault)
  }

  package var kind: Kind
  /// Name of the action.
  package var action: String
  /// The current state of the thing; `nil` for a person, a number and a refusal.
  package var thing: InventoryThing?
  /// The scanned code that no entry has; `nil` for every other result.
  package var unknownCode: String?
  /// Name of the person, otherwise of the kiosk; empty for a refusal.
  package var who: String
  /// Whether the thing was counted or seen in a place where it does not belong.
  package var isMisplaced = false
  /// The number of pieces that were moved or counted, or that the next item will be; `nil` if pieces do not matter.
  package var pieces: Int64?

  /// Creates the result that a report describes; `nil` if the report does not describe a result.
  init?(_ report: Report) {
    switch report {
    case .inventory(let report):
      kind = report.result.map { .done($0) } ?? (report.pieces == nil ? .person : .number)
      pieces = report.pieces
      (action, thing, who, isMisplaced) = (report.action, report.thing, report.who, report.isMisplaced)
    case .tap(.refused(_, _, .notInInventory(let action, let fault, let code), _)):
      (kind, self.action, who, unknownCode) = (.refused(fault), action, "", code)
    case _: return nil
    }
  }
}
