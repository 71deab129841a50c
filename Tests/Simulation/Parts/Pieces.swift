// Numbers of pieces, as scanned before or after an item in a job, and the rules.
//   - An item is moved by one piece, or by the number that was scanned before it; the number waits for an item that is
//     not refused, is for no further item, and is not lost if an earlier change of the item is requested again.
//   - A number right after an item, in time, is instead of its one piece, and never of anything else; nor is it if any
//     tag was tapped in between.
//   - A change that is requested again is the same change.

import TappetCore

/// The number that waits for an item, and the movement that a number may replace.
struct PiecesBook {
  /// The number that the next item has; it is judged only while it is known for sure.
  var number: Int64?
  var isSure = true
  /// The number that was touched now.
  var touched: Int64?
  /// The last movement of one piece without a number, when it was answered, and whether it is surely one of this job.
  var last: (adjustment: Adjustment, at: Instant, isSure: Bool)?
  /// The movement that the current touch may replace, and whether a number surely does.
  var replaceable: Adjustment?
  var isReplacedForSure = false
  /// The held thing or person before the current touch; a number does not release it.
  var held: (subject: ShelfBook.Subject, at: Instant)?
  /// The tag of the last touch.
  var uid: TagUID?
  /// All changes that were requested, by their tickets.
  var asked: [Int64: Adjustment] = [:]
  /// Whether touches were pending as the job started: they are not part of it.
  var hasEarly = false

  /// The codes of numbers: labels, and one that was typed.
  static let codes = [LabelCode.number(25), LabelCode.number(5), LabelCode.number(0), "77"]

  static func number(_ key: InventoryKey) -> Int64? {
    LabelCode.pieces(inLink: key.code) ?? (key.code == "77" || key.code == "5" ? Int64(key.code) : nil)
  }
}

extension World {
  /// A number of pieces is scanned.
  func scanPieces(_ number: Int) { scan(code: PiecesBook.codes[number % PiecesBook.codes.count]) }

  /// A code is scanned.
  func scan(code: String) {
    guard shelf.process == .ready, settings.inventory?.scanAction != nil, settings.actions.contains(Cast.shelf) else {
      return
    }
    shelf.touches += 1
    jobs.pieces.uid = nil
    tell(.inventory(.message(.scanned(code))))
  }

  private var isSureOfJob: Bool { jobs.job != nil && jobs.late.isEmpty && !jobs.pieces.hasEarly }

  /// Before an answer: notes what the touch is, and what it may replace.
  func notePieces(_ question: InventoryOrder) {
    (jobs.pieces.touched, jobs.pieces.held) = (nil, shelf.held)
    switch question {
    case .lookUp(_, let key):
      jobs.pieces.touched = PiecesBook.number(key)
      let last = jobs.pieces.last.flatMap { now.instant < $0.at + Cast.inventory.moveWithin ? $0 : nil }
      (jobs.pieces.replaceable, jobs.pieces.isReplacedForSure) = (last?.adjustment, last?.isSure ?? false)
      jobs.pieces.last = nil
    case .adjust(_, let adjustment, _): jobs.pieces.replaceable = adjustment
    case _: jobs.pieces.replaceable = nil
    }
  }

  /// A tag is tapped: no number is for the item before it, unless touches are pending.
  func recordTapped(_ uid: TagUID) {
    if uid != jobs.pieces.uid, shelf.touches == 0, shelf.question == nil { jobs.pieces.last = nil }
    jobs.pieces.uid = uid
  }

  /// A change may have been made: no further item has its number.
  func recordUnanswered(_ question: InventoryOrder?) {
    guard case .adjust(_, let adjustment, _)? = question else { return }
    if !isSureOfJob { jobs.pieces.isSure = false }
    if jobs.pieces.number == abs(adjustment.pieces) { jobs.pieces.number = nil }
  }

  func recordJobStart() {
    jobs.pieces.hasEarly = shelf.touches > 0 || shelf.question != nil
    (jobs.pieces.number, jobs.pieces.isSure) = (nil, true)
    // A number that is pending is for the item before it in the former job.
    jobs.pieces.last?.isSure = false
    if !jobs.pieces.hasEarly { jobs.pieces.last = nil }
  }

  /// After an answer: once no touch is pending, all further ones are part of the job in progress.
  func recordTouchesAnswered() {
    if shelf.touches == 0, shelf.question == nil { (jobs.late, jobs.pieces.hasEarly) = ([], false) }
  }

  /// A number is kept for the next item.
  func judgeNumber(_ pieces: Int64) {
    if jobs.pieces.touched != pieces { fail("\(pieces) pieces were understood, and not scanned") }
    shelf.held = jobs.pieces.held
    if isSureOfJob, jobs.pieces.isReplacedForSure { fail("a number is not for the item before it") }
    (jobs.pieces.number, jobs.pieces.isSure) = (pieces, isSureOfJob)
  }

  func judgePieces(_ adjustment: Adjustment) {
    if let former = jobs.pieces.asked.updateValue(adjustment, forKey: adjustment.ticket) {
      if former != adjustment { fail("a change was requested again as another one") }
      return
    }
    if adjustment.replaced != 0 {
      guard let former = jobs.pieces.replaceable, [former.pieces, former.replaced].contains(adjustment.replaced)
      else {
        return fail("a number replaced something that was not tapped before it")
      }
    }
    if jobs.pieces.touched != nil, adjustment.replaced == 0 { fail("a number was added to what was tapped before it") }
    if isSureOfJob, jobs.pieces.isSure {
      let meant = jobs.pieces.touched ?? jobs.pieces.number ?? 1
      if abs(adjustment.pieces) != meant { fail("\(adjustment.pieces) pieces were moved, and \(meant) are meant") }
    }
  }

  /// A movement was reported: no number waits for it any more, and the next one may be for it.
  func recordMovement() {
    guard let adjustment = jobs.pieces.replaceable else { return }
    if isSureOfJob {
      if jobs.pieces.isSure, let meant = jobs.pieces.number, abs(adjustment.pieces) != meant {
        fail("\(adjustment.pieces) pieces were shown as moved, and \(meant) are meant")
      }
      (jobs.pieces.number, jobs.pieces.isSure) = (nil, true)
    }
    let isOfOne = abs(adjustment.pieces) == 1 && adjustment.replaced == 0
    jobs.pieces.last = isOfOne ? (adjustment, now.instant, isSureOfJob) : nil
  }
}
