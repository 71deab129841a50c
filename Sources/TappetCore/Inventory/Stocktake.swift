// Stocktakes: the pieces that are counted during a job `count`. Each piece is in the database's tally before its tap is
// accepted, and remains there until the end of the stocktake is on the disk. Until then, the request to end it is
// repeated.
//
// A box or spot that is tapped is the place being counted: its items that were not counted are reported as missing, and
// keep their quantities. An audit is also a stocktake, in which things are seen instead of counted.

/// A stocktake or an audit at the shelf.
package struct Stocktake: Hashable, Sendable {
  /// Identifies the stocktake.
  package var number: Int64
  /// The name of the action whose job it is.
  package var action: String

  package init(number: Int64, action: String) { (self.number, self.action) = (number, action) }
}

/// A place whose contents are being counted or audited.
package struct CheckedPlace: Hashable, Sendable {
  package var id: InventoryID
  package var kind: InventoryKind

  package init(id: InventoryID, kind: InventoryKind) { (self.id, self.kind) = (id, kind) }
}

/// How a stocktake records a thing that was seen; the raw values are stored in the database, the higher one wins.
package enum CheckedRole: UInt8, Sendable {
  /// The thing is one of the contents of a place, or of none.
  case content = 1
  /// The box or spot whose items are being counted.
  case countedPlace = 2
  /// The place whose direct contents are being audited.
  case auditedPlace = 3
}

/// The quantities of an item before and after a stocktake.
package struct StockCorrection: Hashable, Sendable {
  package var from: Int64
  package var to: Int64

  package init(from: Int64, to: Int64) { (self.from, self.to) = (from, to) }
}

/// A stocktake's end.
struct StocktakeEnd: Sendable {
  /// The card or button that ended the job; its action is performed after the commit.
  struct Choice: Sendable {
    var by: Originator
    var uid: TagUID?
    var tap: VerifiedTap
  }

  var job: ActiveJob
  /// Whether the tally becomes the quantities of the items; otherwise it is discarded.
  var isKept: Bool
  var choice: Choice?
  /// Whether a failure to write the end was reported.
  var isDelayed = false
}

/// The ends that are not on the disk yet, in order.
struct StocktakeEnds: Sendable {
  private var ends: [StocktakeEnd] = []
  /// The number and the time of the request for the first end.
  private var asked: (number: UInt32, at: Instant)?
  /// Time of the next request after a failure.
  private(set) var retryAt: Instant?

  /// Time of the pending request; `nil` if there is none.
  var askedAt: Instant? { asked?.at }

  var isEmpty: Bool { ends.isEmpty }

  /// Whether there is no room for a further end.
  var isFull: Bool { ends.count >= Limits.inventoryTouchesMax }

  func contains(_ stocktake: Stocktake) -> Bool { ends.contains { $0.job.stocktake == stocktake } }

  mutating func add(_ end: StocktakeEnd) { ends.append(end) }

  /// Returns the stocktake whose end is to be requested now; `nil` if there is none.
  func next(at now: Instant) -> Stocktake? {
    if let retryAt, now < retryAt { return nil }
    return asked == nil ? ends.first?.job.stocktake : nil
  }

  /// Returns the request for the first end.
  mutating func request(_ number: UInt32, at now: Instant) -> InventoryOrder? {
    guard let end = ends.first, let stocktake = end.job.stocktake else { return nil }
    (asked, retryAt) = ((number, now), nil)
    return .endStocktake(number, stocktake.number, isKept: end.isKept)
  }

  /// Handles the commit of the first end, and returns it; `nil` if the response is for another request.
  mutating func succeeded(_ number: UInt32) -> StocktakeEnd? {
    guard asked?.number == number, !ends.isEmpty else { return nil }
    (asked, retryAt) = (nil, nil)
    return ends.removeFirst()
  }

  /// Handles a failure, after which the request is repeated; returns the end, or `nil` for another request's response.
  mutating func failed(_ number: UInt32, at now: Instant) -> StocktakeEnd? {
    guard asked?.number == number, let end = ends.first else { return nil }
    (asked, retryAt) = (nil, now + Limits.inventoryAskInterval)
    ends[0].isDelayed = true
    return end
  }

  /// Handles the exit of the process, which may have committed the end; the next process is asked again.
  mutating func processEnded() { (asked, retryAt) = (nil, nil) }
}
