// The jobs at the shelf: the effect of a tap until the job ends.

/// The effect of the taps and scans.
package enum InventoryJob: String, CaseIterable, Sendable {
  /// The item is shown, and a second tap may move it.
  case show
  /// One piece is added, or as many as a number states.
  case add
  /// One piece is taken, or as many as a number states.
  case remove
  /// One piece is counted, or as many as a number states.
  ///
  /// At the end of the job, the pieces counted are the quantities of their items.
  case count
  /// The thing is recorded as seen.
  case audit
  /// The current job ends, and nothing is held any longer.
  case cancel

  /// Whether what was tapped is on the disk until the end of the job: a stocktake or an audit.
  var isStocktake: Bool { self == .count || self == .audit }

  /// The number of pieces by which a tap without a number changes the quantity of an item, or the tally.
  package var pieces: Int64 {
    switch self {
    case .add, .count: 1
    case .remove: -1
    case .show, .audit, .cancel: 0
    }
  }
}

/// The job in progress.
struct ActiveJob: Sendable {
  var job: InventoryJob
  /// The name of the action whose card or button started the job.
  var action: String
  /// The name of the person who does the job; `nil` if the person is not known.
  var who: String?
  /// The time at which the job ends, unless there is another tap.
  var until: Instant
  /// The stocktake of a job `count` or `audit`.
  var stocktake: Stocktake?
  /// The place whose contents are being counted or audited; `nil` before the first one.
  var place: CheckedPlace?
  /// The number of pieces of the next item; `nil` means one.
  var number: Int64?
  /// The last movement of one piece, which a number replaces in time and as the next tap; `nil` after another touch
  /// that was not refused.
  var last: Movement?
  /// Distinguishes the job from all others.
  var serial: UInt32 = 0

  /// A movement of pieces that a number may still replace.
  struct Movement: Sendable {
    var adjustment: Adjustment
    /// The number of the tap.
    var tap: UInt32
    var who: String
    var until: Instant
  }

  /// Whether the pieces can be moved or counted during the job; a count of zero pieces is a result.
  func accepts(_ pieces: Int64) -> Bool { job.pieces != 0 && (pieces > 0 || job == .count) }

  /// Returns how the stocktake records a thing; `nil` if the thing is counted, or cannot be.
  ///
  /// In an audit, a thing of a kind that the place can contain is one of its contents, even if it belongs elsewhere.
  func role(of thing: InventoryThing) -> CheckedRole? {
    switch job {
    case .count: thing.kind == .box || thing.kind == .spot ? .countedPlace : nil
    case .audit:
      thing.kind == .item || place.map { thing.kind.rawValue > $0.kind.rawValue } ?? false ? .content : .auditedPlace
    case .show, .add, .remove, .cancel: nil
    }
  }

  /// Whether a thing does not belong in the place whose contents are being counted or audited.
  func isMisplaced(_ thing: InventoryThing) -> Bool {
    place.map { !thing.containers.contains($0.id) } ?? false
  }
}

/// A change of an item's quantity or its tally that was requested for a tap.
package struct Adjustment: Equatable, Sendable {
  /// The identity of the item.
  package var id: InventoryID
  /// The number of pieces to add; negative if they are taken.
  package var pieces: Int64
  /// The pieces of an earlier change that this change replaces; 0 if it replaces none.
  package var replaced: Int64
  /// Identifies the change, which is made only once even if it is requested again.
  package var ticket: Int64
  /// The stocktake in whose tally the pieces are counted; `nil` if the item's quantity changes.
  package var stocktake: Stocktake?

  package init(
    id: InventoryID, pieces: Int64, replacing replaced: Int64 = 0, ticket: Int64, in stocktake: Stocktake? = nil
  ) {
    (self.id, self.pieces, self.replaced, self.ticket, self.stocktake) = (id, pieces, replaced, ticket, stocktake)
  }
}

/// The start or the end of a job, for the log, the live view and programs.
package struct InventoryJobReport: Sendable {
  /// The reason for the report.
  package enum Change: String, Sendable {
    case started
    /// The job was ended by its own card or button, or by those of another job.
    case ended
    /// The job was ended by a card or button of the job `cancel`.
    case cancelled
    /// No tap occurred within the time limit.
    case timeUp = "time-up"
    /// The configuration no longer contains the job.
    case removed
    /// The stocktake of an earlier run of the kiosk continues.
    case resumed
    /// The pieces that were counted are the quantities of their items; or the audit is complete.
    case written
    /// The pieces that were counted are not used.
    case discarded
    /// The database has not accepted the end of the stocktake yet.
    case delayed
  }

  /// The name of the job's action.
  package var action: String
  package var job: InventoryJob
  package var change: Change
  /// The name of the person who does the job; `nil` if the person is not known.
  package var who: String?
  /// The trigger of the change; `nil` if there was none.
  package var trigger: Trigger?
  /// The tag that was tapped; `nil` if there was none.
  package var uid: TagUID?
  /// The number of items whose counts were written or discarded, or of entries seen in an audit.
  package var items: Int64 = 0
  /// The contents of the counted or audited places that were not seen; `nil` if there was no place.
  package var missing: InventoryList?
}
