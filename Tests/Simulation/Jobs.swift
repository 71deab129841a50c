// The jobs at the shelf: cards and buttons that start and end them, and the rules.
//   - A piece is counted only in a job, and only of an item.
//   - A piece is counted once, also when the response about it was lost, and so is each further one.
//   - A job does not outlive its time.

import TappetCore

extension Cast {
  static let jobs: [Action] = [job(.add, 18), job(.remove, 19), job(.cancel, 20)]

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

  /// Whether a touch that is answered now may have been made during a job.
  var mayCount: Bool { job != nil || !late.isEmpty }
}

extension World {
  /// Somebody presses the button of a job.
  func job(_ number: Int) { tell(.panel(.asked(action: Cast.jobs[number % Cast.jobs.count].name))) }

  /// The inventory has counted a piece, and answers (or dies with 5).
  func answerAdjustment(_ question: InventoryOrder, _ adjustment: Adjustment, _ number: Int) {
    if number % 16 == 5 {
      if jobs.job?.job.pieces == adjustment.pieces { jobs.unanswered = adjustment }
      return inventoryEnds(1)
    }
    jobs.tickets.insert(adjustment.ticket)
    jobs.unanswered = nil
    found(question, 4, adjustment.pieces > 0 ? .put : .taken)
  }

  // MARK: Rules

  func judgeAdjustment(_ adjustment: Adjustment) {
    let isMeant = jobs.job?.job.pieces == adjustment.pieces || jobs.late.contains { $0.pieces == adjustment.pieces }
    if !isMeant {
      fail("a piece was counted, and no such job is under way")
    }
    if number(of: adjustment.id) != 4 { fail("a piece was counted of something that has none") }
    if jobs.tickets.contains(adjustment.ticket) { fail("a further piece was not counted") }
    if let lost = jobs.unanswered, lost.pieces == adjustment.pieces, lost.ticket != adjustment.ticket {
      fail("a piece was counted twice")
    }
    shelf.current = nil
  }

  func judgeJob(_ report: InventoryJobReport) {
    jobs.unanswered = nil
    shelf.held = nil
    if report.change == .started {
      if shelf.process != .ready { fail("a job has started without tappet-inventory") }
      return jobs.job = (report.job, now.instant)
    }
    if jobs.job?.job != report.job { fail("a job has ended that nobody started") }
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
    if shelf.touches == 0, shelf.question == nil { jobs.late = [] }
  }

  func judgeJobTime() {
    guard let job = jobs.job, isBegun, !isStopping else { return }
    if job.at + Cast.inventory.jobEnds < now.instant { fail("a job outlives its time") }
  }
}
