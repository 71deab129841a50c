// The jobs at the shelf: cards and buttons that start and end them, and the rules.
//   - A piece is counted only in a job, and only of an item.
//   - A piece is counted once, also when the response about it was lost, and so is each further one.
//   - A job does not outlive its time.
//   - A count or audit is written as its job ends, or discarded if the job was cancelled, and neither is shown before.
//     It continues after a restart of the kiosk, in the place where it was.
//   - An audit marks what was touched. A box or spot in a count, or a place in an audit that does not belong into the
//     one before, is the place from then on; what is counted or seen in another place than its own is reported so.

import TappetCore

extension Cast {
  static let jobs: [Action] = [
    job(.add, 18), job(.remove, 19), job(.cancel, 20), job(.count, 21), job(.audit, 22),
  ]

  private static func job(_ job: InventoryJob, _ index: Int64) -> Action {
    Action(
      name: "job-" + job.rawValue, title: job.rawValue, index: index, topic: nil, message: PayloadTemplate(""),
      mode: .inventory, job: job)
  }
}

/// The job in progress, and the pieces that were counted.
struct JobBook {
  /// The job, and the last time at which it may have been extended.
  var job: (job: InventoryJob, at: Instant)?
  /// The jobs that have ended while touches were pending.
  var late: Set<InventoryJob> = []
  /// The change that was made, but whose response was lost.
  var unanswered: Adjustment?
  /// The tickets of the changes whose response arrived.
  var tickets: Set<Int64> = []
  /// The thing that was found for the last touch.
  var found: Int?
  /// The numbers of pieces.
  var pieces = PiecesBook()

  // Counts.

  /// The stocktakes on the disk that have not ended, each with its job, the pieces and things in it, and its place.
  var tallies: [Int64: (job: InventoryJob, count: Int, place: Int?)] = [:]
  /// The places that the kiosk knows, of each stocktake.
  var places: [Int64: Int] = [:]
  /// Whether the thing in the current response does not belong where it was touched.
  var isMisplaced = false
  /// The tickets with which pieces were moved or counted.
  var made: Set<Int64> = []
  /// The stocktakes that have ended, each with its job and whether it had a place, and those that the kiosk knows.
  var over: [Int64: (job: InventoryJob?, hasPlace: Bool)] = [:]
  var known: Set<Int64> = []
  /// Of each count whose job has ended, but which has not: whether it is to be written.
  var ends: [Bool] = []
  /// The job of the count whose end is in the current response.
  var endedJob: InventoryJob?
  /// Whether the current event ended the job of a count, or brought the end of a count.
  var isEnding = false
  var isEnded = false
  /// Whether the current event's order ends a count by writing it; the report of its job's end comes after the order.
  var endOrdered: Bool?

  /// Whether a touch that is answered now may have been made during a job.
  var mayCount: Bool { job != nil || !late.isEmpty }

  /// Whether pieces are counted in the job.
  var isOfPieces: Bool { job.map { [.add, .remove, .count].contains($0.job) } ?? false }

  /// Whether a touch that is answered now may have been made during a job that is for items only.
  var mayRefuse: Bool {
    late.union(job.map { [$0.job] } ?? []).contains { $0 == .add || $0 == .remove }
  }

  /// Whether no further count can begin.
  var isFull: Bool { ends.count >= Limits.inventoryTouchesMax }

  /// Forgets what another kiosk will not know; the disk keeps what was counted.
  mutating func restart() {
    let former = self
    self = JobBook()
    (tallies, made, over) = (former.tallies, former.made, former.over)
  }
}

extension Adjustment {
  /// The job in which it is requested.
  fileprivate var job: InventoryJob { stocktake != nil ? .count : pieces > 0 ? .add : .remove }
}

extension World {
  /// Somebody presses the button of a job.
  func job(_ number: Int) { tell(.panel(.asked(action: Cast.jobs[number % Cast.jobs.count].name))) }

  /// The inventory has moved or counted pieces, and answers (or dies with 5), or cannot (7), unless it has already.
  func answerAdjustment(_ question: InventoryOrder, _ adjustment: Adjustment, _ number: Int) {
    if number % 16 == 7, !jobs.made.contains(adjustment.ticket) {
      return answer(question, adjustment.pieces < 0 ? .noneLeft : .tooMany)
    }
    if jobs.made.insert(adjustment.ticket).inserted, let stocktake = adjustment.stocktake {
      jobs.tallies[stocktake.number, default: (.count, 0, nil)].count += 1
    }
    if number % 16 == 5 {
      if jobs.job?.job == adjustment.job { jobs.unanswered = adjustment }
      return inventoryEnds(1)
    }
    jobs.tickets.insert(adjustment.ticket)
    jobs.unanswered = nil
    jobs.isMisplaced = adjustment.stocktake.map { isMisplaced(4, $0) } ?? false
    found(question, 4, adjustment.stocktake != nil ? .counted : adjustment.pieces > 0 ? .put : .taken)
  }

  /// The inventory has recorded a thing in a stocktake, and answers (or dies with 5).
  func answerSighting(
    _ question: InventoryOrder, _ thing: Int, _ role: CheckedRole, _ stocktake: Stocktake, _ number: Int
  ) {
    let job: InventoryJob = role == .countedPlace ? .count : .audit
    jobs.tallies[stocktake.number, default: (job, 0, nil)].count += 1
    if role != .content { jobs.tallies[stocktake.number]?.place = thing }
    if number % 16 == 5 { return inventoryEnds(1) }
    if role != .content { jobs.places[stocktake.number] = thing }
    jobs.isMisplaced = role == .content && isMisplaced(thing, stocktake)
    found(question, thing, job == .count ? .counting : .seen)
  }

  private func isMisplaced(_ thing: Int, _ stocktake: Stocktake) -> Bool {
    jobs.places[stocktake.number].map { !containers(of: thing).contains($0) } ?? false
  }

  /// The inventory has ended a stocktake, and answers (or dies with 5), or its database fails (4).
  func answerEnd(_ request: UInt32, _ stocktake: Int64, _ number: Int) {
    if number % 16 == 4 {
      tell(.inventory(.message(.failed(request, .database))))
    } else {
      let tally = jobs.tallies.removeValue(forKey: stocktake)
      let end = jobs.over[stocktake] ?? (tally?.job, tally?.place != nil)
      jobs.over[stocktake] = end
      if number % 16 == 5 { return inventoryEnds(1) }
      if !jobs.ends.isEmpty { jobs.ends.removeFirst() }
      jobs.isEnded = true
      jobs.endedJob = end.job
      let missing = end.hasPlace ? InventoryList(.missing, count: 1) : nil
      tell(.inventory(.message(.ended(request, items: end.job == nil ? 0 : 1, missing: missing))))
    }
    recordTouchesAnswered()
    tellNews()
  }

  /// Another process tells of the counts that have not ended: one that the kiosk does not know continues, or ends now.
  func tellStocktakes() {
    for (number, tally) in jobs.tallies.sorted(by: { $0.key < $1.key }) where shelf.process == .ready {
      let action = Cast.jobs[tally.job == .count ? 3 : 4]
      let isKnown = !jobs.known.insert(number).inserted
      let goesOn = !isKnown && jobs.job == nil && settings.actions.contains(action)
      if !isKnown, !goesOn { jobs.ends.append(true) }
      let place = tally.place.map { CheckedPlace(id: Cast.things[$0].id, kind: Cast.things[$0].kind) }
      if goesOn { jobs.places[number] = tally.place }
      let stocktake = Stocktake(number: number, action: action.name)
      tell(.inventory(.message(.stocktake(stocktake, isAudit: tally.job == .audit, who: "Ann", place))))
      if goesOn, jobs.job?.job != tally.job { fail("a count did not go on after a restart") }
    }
  }

  /// Whether a count has not ended that nothing holds up.
  var owesCount: Bool { settings.inventory != nil && !(jobs.tallies.isEmpty && jobs.ends.isEmpty) }

  // MARK: Rules

  func judgeAdjustment(_ adjustment: Adjustment) {
    judgePieces(adjustment)
    if jobs.job?.job != adjustment.job, !jobs.late.contains(adjustment.job) {
      fail("a piece was counted, and no such job is under way")
    }
    if let stocktake = adjustment.stocktake {
      jobs.known.insert(stocktake.number)
      if jobs.over[stocktake.number] != nil { fail("a piece was counted after the end of its count") }
    }
    if number(of: adjustment.id) != 4 { fail("a piece was counted of something that has none") }
    if jobs.tickets.contains(adjustment.ticket) { fail("a further piece was not counted") }
    if let lost = jobs.unanswered, lost.job == adjustment.job, lost.stocktake == adjustment.stocktake,
      lost.ticket != adjustment.ticket
    {
      fail("a piece was counted twice")
    }
    shelf.current = nil
  }

  /// The first count that has not ended is written or discarded, as its job ended.
  private func judgeEndOrder() {
    guard let isKept = jobs.endOrdered else { return }
    jobs.endOrdered = nil
    guard let isMeant = jobs.ends.first else { return fail("a count was ended, and its job was not") }
    if isKept != isMeant { fail("a count was \(isKept ? "written" : "discarded") against its job") }
  }

  func judgeSighting(_ thing: Int?, _ role: CheckedRole, _ stocktake: Stocktake) {
    let job: InventoryJob = role == .countedPlace ? .count : .audit
    if jobs.job?.job != job, !jobs.late.contains(job) { fail("something was marked without an audit") }
    if thing != jobs.found { fail("something was marked that was not touched") }
    jobs.known.insert(stocktake.number)
    if jobs.over[stocktake.number] != nil { fail("something was marked after the end of its audit") }
    shelf.current = nil
    guard let thing else { return }
    let place = jobs.places[stocktake.number].map { Cast.things[$0].kind.rawValue }
    let isPart = Cast.things[thing].kind == .item || place.map { Cast.things[thing].kind.rawValue > $0 } ?? false
    if (role == .content) != (job == .audit && isPart) { fail("\(thing) was marked as \(role)") }
  }

  /// A thing that was counted or seen is reported as misplaced if it is.
  func judgePlacement(_ report: InventoryReport) {
    if report.isMisplaced != jobs.isMisplaced { fail("a thing was not reported as misplaced, or is not") }
  }

  func judgeJob(_ report: InventoryJobReport) {
    switch report.change {
    case .written, .discarded:
      if let job = jobs.endedJob, job != report.job { fail("a \(job) has ended as a \(report.job)") }
      return
    case .delayed: return
    case .started, .resumed, .ended, .cancelled, .timeUp, .removed: break
    }
    jobs.unanswered = nil
    shelf.held = nil
    if report.change == .started || report.change == .resumed {
      if shelf.process != .ready { fail("a job has started without tappet-inventory") }
      recordJobStart()
      return jobs.job = (report.job, now.instant)
    }
    if jobs.job?.job != report.job { fail("a job has ended that nobody started") }
    if report.job == .count || report.job == .audit {
      jobs.ends.append(report.change != .cancelled)
      jobs.isEnding = report.change == .ended || report.change == .cancelled
    }
    if shelf.touches > 0 || shelf.question != nil { jobs.late.insert(report.job) }
    jobs.job = nil
  }

  /// After an answer: a touch during a job holds nothing.
  func recordJobAnswered() {
    guard jobs.mayCount else { return }
    shelf.isHeldForSure = false
    if jobs.job != nil {
      jobs.job?.at = now.instant
      shelf.held = nil
    }
    recordTouchesAnswered()
  }

  func judgeJobTime() {
    if jobs.isEnding, !jobs.isEnded, seen.performed > 0 { fail("the end of a count was shown before the commit") }
    (jobs.isEnding, jobs.isEnded, jobs.endedJob) = (false, false, nil)
    judgeEndOrder()
    guard let job = jobs.job, isBegun, !isStopping else { return }
    if job.at + Cast.inventory.jobEnds < now.instant { fail("a job outlives its time") }
  }
}

extension InventoryOrder {
  var isLookUp: Bool { if case .lookUp = self { true } else { false } }

  /// The number that its answer has.
  var number: UInt32? {
    switch self {
    case .lookUp(let number, _), .move(let number, _, _, _), .lend(let number, _, _, _), .takeBack(let number, _, _),
      .adjust(let number, _, _), .endStocktake(let number, _, _),
      .see(let number, _, _, _, _):
      number
    case .begin, .passedOn, .passedLow, .passedOverdue, .follow: nil
    }
  }
}
