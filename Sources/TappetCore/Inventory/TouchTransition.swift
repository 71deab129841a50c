// Touches at the shelf, their outcomes, and their results as they are announced; unlike changes, these are not stored.

/// One touch: a tapped tag or a scanned code.
struct InventoryTouch: Sendable {
  var key: InventoryKey
  /// The tag that was tapped; `nil` for a scan.
  var uid: TagUID?
  var tap: VerifiedTap
  var at: Instant
}

/// The outcome of a touch, or of a change made elsewhere.
struct InventoryOutcome: Equatable, Sendable {
  /// The machine-readable name of the outcome: `moved`.
  var verb: String
  /// The current state of the thing; `nil` for a job.
  var thing: InventoryThing?
  /// The name of the person who made the change.
  var who: String
  /// The number of the change, if the change is published.
  var change: Int64?
  /// The time of the change, if it is not the current time.
  var unixMilliseconds: Int64?
  /// The due date of a loan that has become overdue.
  var due = ""
  /// The number of pieces that were moved or counted; `nil` if pieces do not matter.
  var pieces: Int64?
  /// The quantities before and after a stocktake, if it made the change.
  var correction: StockCorrection?
}

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
