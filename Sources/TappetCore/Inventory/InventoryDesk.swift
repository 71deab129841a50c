// The state of touches at the shelf: the first tap, the requests to tappet-inventory, and the meaning of the second
// tap. Pure decision logic.
//
// A tapped thing is held for a while. When a second thing is tapped, one of the two is moved into the other, depending
// on which can contain the other; tapping an item or a box and a person's tag checks it out or in. Tapping the held
// thing again releases it. Any other second thing, or a thing that is already in its place, is held instead of the
// first.
//
// During a job, nothing is held: each tap of an item changes its quantity or its tally, each tap of a box or spot in a
// stocktake makes it the place being counted, and each tap in an audit records that the thing was seen. A change of a
// quantity or a tally whose response was lost is requested again, with the same ticket, at the next tap of the item, so
// that the two taps are counted once.
//
// A number of pieces is for the item that was tapped immediately before it, within the time for a second tap, unless
// that item already has a number; otherwise for the next item in the job that is not refused. After an item and a tap
// that was refused or did not come here, a number is refused, because it may be meant for either. A number is never
// added to anything: the movement has this number of pieces from the start, or has it instead of one.

/// The pending requests and the held subject.
struct InventoryDesk: Sendable {
  /// The first of two touches.
  enum Subject: Sendable {
    case thing(InventoryThing)
    case person(String)
  }

  /// A subject that is waiting for a second tap.
  struct Holding: Sendable {
    var subject: Subject
    var until: Instant
  }

  /// The request whose response a touch is waiting for.
  private enum Step: Sendable {
    case lookUp
    case change(TouchResult, who: String, Adjustment?)
  }

  private struct Question: Sendable {
    var number: UInt32
    var touch: InventoryTouch
    var step: Step
    /// The number of the tap or scan that is the touch.
    var tap: UInt32
    /// The job that was in progress when the touch was made.
    var job: ActiveJob?
    /// Whether a number states how many pieces are moved or counted.
    var isNumbered = false
    /// The time of the request; `nil` while an earlier request is pending.
    var askedAt: Instant?

    /// Returns the number of pieces that the touch stands for; `nil` if it stands for an entry or a person.
    ///
    /// Digits are a number only during a job that moves or counts pieces, and if they are not an entry's code.
    func pieces(_ answer: Result<InventoryThing, InventoryFault>) -> Int64? {
      if let pieces = touch.key.pieces { return pieces }
      guard case .failure(.unknown) = answer, let job, job.job.pieces != 0 else { return nil }
      return LabelCode.pieces(typed: touch.key.code)
    }
  }

  private var questions: [Question] = []
  private var lastNumber: UInt32 = 0
  /// The number of the last tap or scan at the kiosk, and its tag.
  private var lastTap: UInt32 = 0
  private var lastUID: TagUID?
  private(set) var holding: Holding?
  private(set) var job: ActiveJob?
  /// The changes of the job to which there was no response, or none that tells whether they were made.
  private var unsettled: [Adjustment] = []
  /// The ends of stocktakes, each requested when all touches of its job are answered.
  var ends = StocktakeEnds()

  /// Time at which a response is overdue or the time for a second tap expires, whichever is earlier.
  var deadline: Instant? {
    let answer = askedAt.map { $0 + Limits.inventoryAnswerMax }
    return .earliest(answer, holding?.until, job?.until, questions.isEmpty ? ends.retryAt : nil)
  }

  /// Whether a response is overdue.
  func isOverdue(at now: Instant) -> Bool {
    askedAt.map { $0 + Limits.inventoryAnswerMax <= now } ?? false
  }

  /// Time of the pending request; `nil` if there is none.
  private var askedAt: Instant? { questions.first?.askedAt ?? ends.askedAt }

  /// Whether no touch is pending, and nothing was requested of the process.
  var hasNone: Bool { questions.isEmpty && ends.askedAt == nil && ends.retryAt == nil }

  /// Whether there is room for one more touch.
  var hasRoom: Bool { questions.count < Limits.inventoryTouchesMax }

  mutating func release() { holding = nil }

  mutating func releaseIfOver(at now: Instant) {
    if let holding, holding.until <= now { self.holding = nil }
  }

  mutating func start(_ job: ActiveJob) {
    lastNumber &+= 1
    self.job = job
    self.job?.serial = lastNumber
  }

  /// Ends the job, and returns it; `nil` if there is none.
  mutating func endJob() -> ActiveJob? {
    defer { (job, unsettled) = (nil, []) }
    return job
  }

  /// Counts a tap or scan, also one that does not become a touch; a tag that is read again is still the same tap.
  mutating func tapped(_ uid: TagUID?) {
    if uid == nil || uid != lastUID { lastTap &+= 1 }
    lastUID = uid
  }

  /// Queues a touch after the pending touches.
  mutating func touched(_ touch: InventoryTouch, at now: Instant) {
    lastNumber &+= 1
    let job = job.flatMap { $0.until > now ? $0 : nil }
    questions.append(Question(number: lastNumber, touch: touch, step: .lookUp, tap: lastTap, job: job))
  }

  /// Returns the request for the first touch, or for the end of a stocktake before it, unless one was already sent.
  mutating func nextOrder(at now: Instant) -> InventoryOrder? {
    guard ends.askedAt == nil else { return nil }
    if questions.first?.askedAt == nil, let stocktake = ends.next(at: now),
      !questions.contains(where: { $0.job?.stocktake == stocktake })
    {
      lastNumber &+= 1
      return ends.request(lastNumber, at: now)
    }
    guard let question = questions.first, question.askedAt == nil else { return nil }
    questions[0].askedAt = now
    return .lookUp(question.number, question.touch.key)
  }

  /// Cancels all pending touches, and returns them.
  mutating func giveUp() -> [InventoryTouch] {
    if case .change(_, _, let adjustment?) = questions.first?.step { keep(adjustment) }
    ends.processEnded()
    defer { questions.removeAll() }
    return questions.map { $0.touch }
  }

  /// The next step of a touch.
  enum Decision {
    /// No touch is waiting for this response.
    case stale
    /// One more request must be sent first.
    case order(InventoryOrder)
    /// The touch is complete.
    case done(
      InventoryTouch, TouchResult, InventoryThing, who: String, isMisplaced: Bool = false, Adjustment? = nil)
    /// A person's tag was tapped first, or during a job.
    case person(InventoryTouch, name: String, job: InventoryJob?)
    /// The next item will be this many pieces.
    case number(InventoryTouch, Int64, who: String)
    case refused(InventoryTouch, InventoryFault)
  }

  /// Handles the response to the request with the given number.
  mutating func answered(
    _ number: UInt32, _ answer: Result<InventoryThing, InventoryFault>, kiosk: String, _ plan: InventoryPlan,
    random: inout Randomness, at now: Instant
  ) -> Decision {
    let within = plan.moveWithin
    guard let question = questions.first, question.number == number, question.askedAt != nil else { return .stale }
    releaseIfOver(at: now)
    if question.job != nil { job?.until = now + plan.jobEnds }
    if case .lookUp = question.step, let pieces = question.pieces(answer) {
      return numbered(pieces, question, kiosk, &random, at: now)
    }
    switch (question.step, answer) {
    case (.lookUp, .success(let thing)) where question.job != nil:
      return count(thing, question, kiosk, &random, at: now)
    case (.lookUp, .success(let thing)): return found(thing, question.touch, kiosk, within, at: now)
    case (.lookUp, .failure(let fault)):
      if fault == .unknown, let person = question.touch.tap.secret?.person?.name {
        return touched(by: person, question.touch, kiosk, within, at: now)
      }
      return end(.refused(question.touch, fault))
    case (.change(let result, let who, let adjustment), .success(let thing)):
      forget(adjustment)
      changeJob { $0.last = nil }
      holding?.until = now + within
      // The held thing itself was changed.
      if case .thing(let held) = holding?.subject, held.id == thing.id { holding?.subject = .thing(thing) }
      let isMisplaced = check(thing, in: question.job)
      if let adjustment, let order = settled(adjustment, who, question, within, &random, at: now) { return order }
      return end(.done(question.touch, result, thing, who: who, isMisplaced: isMisplaced, adjustment))
    case (.change(_, let who, let adjustment), .failure(let fault)):
      holding = nil
      forget(adjustment)
      if let adjustment, fault == .database || fault == .full {
        keep(adjustment)
      } else if let adjustment, let order = renumbered(adjustment, adjustment.replaced, who, question, &random, at: now)
      {
        return order
      }
      return end(.refused(question.touch, fault))
    }
  }

  private mutating func end(_ decision: Decision) -> Decision {
    questions.removeFirst()
    return decision
  }

  private mutating func ask(
    _ result: TouchResult, by who: String, _ order: InventoryOrder, _ adjustment: Adjustment? = nil, at now: Instant
  ) -> Decision {
    questions[0].step = .change(result, who: who, adjustment)
    questions[0].askedAt = now
    return .order(order)
  }

  private mutating func found(
    _ thing: InventoryThing, _ touch: InventoryTouch, _ kiosk: String, _ within: Duration, at now: Instant
  ) -> Decision {
    let number = questions[0].number
    let who = touch.tap.secret?.person?.name ?? kiosk
    switch holding?.subject {
    case .thing(let held):
      if held.id == thing.id {
        holding = nil
        return end(.done(touch, .released, thing, who: who))
      }
      if held.kind == .item, thing.kind == .spot {
        holding = nil
        return end(.refused(touch, .needsBox))
      }
      if thing.kind == held.kind.container, !held.isIn(thing.id) {
        return ask(.moved, by: who, .move(number, held.id, to: thing.id, who: who), at: now)
      }
      if held.kind == thing.kind.container, !thing.isIn(held.id) {
        return ask(.moved, by: who, .move(number, thing.id, to: held.id, who: who), at: now)
      }
    case .person(let name) where thing.kind.isLendable: return hand(thing, to: name, number, at: now)
    case .person, nil: break
    }
    // The thing was tapped before a job started, in which nothing is held.
    holding = job == nil ? Holding(subject: .thing(thing), until: now + within) : nil
    return end(.done(touch, .shown, thing, who: who))
  }

  /// Changes the quantity or the tally of an item that was tapped during a job, or records that a thing was seen.
  private mutating func count(
    _ thing: InventoryThing, _ question: Question, _ kiosk: String, _ random: inout Randomness, at now: Instant
  ) -> Decision {
    let who = question.job?.who ?? question.touch.tap.secret?.person?.name ?? kiosk
    if let job = question.job, let stocktake = job.stocktake, let role = job.role(of: thing) {
      let result: TouchResult = job.job == .count ? .counting : .seen
      return ask(result, by: who, .see(question.number, thing.id, role, in: stocktake, who: who), at: now)
    }
    guard let job = question.job, thing.kind == .item else { return end(.refused(question.touch, .notItem)) }
    questions[0].isNumbered = job.number != nil
    if let former = unsettled.first(where: { $0.id == thing.id && $0.isOf(job) }) {
      return adjust(former, job, by: who, at: now)
    }
    return adjust(thing.id, job.number ?? 1, replacing: 0, job, by: who, &random, at: now)
  }

  /// Handles a number of pieces: of the item before it, which then has this many instead of one, or of the next one.
  private mutating func numbered(
    _ pieces: Int64, _ question: Question, _ kiosk: String, _ random: inout Randomness, at now: Instant
  ) -> Decision {
    guard let job = question.job, job.accepts(pieces) else { return end(.refused(question.touch, .notNumber)) }
    changeJob { $0.last = nil }
    if let last = job.last, now < last.until {
      guard question.tap == last.tap &+ 1 else { return end(.refused(question.touch, .numberUnclear)) }
      questions[0].isNumbered = true
      let former = last.adjustment
      return adjust(former.id, pieces, replacing: former.pieces, job, by: last.who, &random, at: now)
    }
    changeJob { $0.number = pieces }
    return end(.number(question.touch, pieces, who: job.who ?? kiosk))
  }

  /// Handles a change that was made; returns the request for another one instead of it, if there is one.
  private mutating func settled(
    _ adjustment: Adjustment, _ who: String, _ question: Question, _ within: Duration, _ random: inout Randomness,
    at now: Instant
  ) -> Decision? {
    if let order = renumbered(adjustment, adjustment.pieces, who, question, &random, at: now) { return order }
    let isOfOne = !question.isNumbered && adjustment.pieces == question.job?.job.pieces
    let last = ActiveJob.Movement(adjustment: adjustment, tap: question.tap, who: who, until: now + within)
    changeJob { ($0.number, $0.last) = (nil, isOfOne ? last : nil) }
    return nil
  }

  /// Returns the request for a change that replaces an earlier one, which was requested again, if a different number
  /// was scanned since; `former` is the number of pieces to replace.
  private mutating func renumbered(
    _ adjustment: Adjustment, _ former: Int64, _ who: String, _ question: Question, _ random: inout Randomness,
    at now: Instant
  ) -> Decision? {
    guard let job = question.job, let number = job.number, number * job.job.pieces != adjustment.pieces else {
      return nil
    }
    return adjust(adjustment.id, number, replacing: former, job, by: who, &random, at: now)
  }

  /// Requests a new change by a number of pieces.
  private mutating func adjust(
    _ id: InventoryID, _ number: Int64, replacing former: Int64, _ job: ActiveJob, by who: String,
    _ random: inout Randomness, at now: Instant
  ) -> Decision {
    let ticket = Int64(truncatingIfNeeded: random.next())
    let adjustment = Adjustment(
      id: id, pieces: number * job.job.pieces, replacing: former, ticket: ticket, in: job.stocktake)
    return adjust(adjustment, job, by: who, at: now)
  }

  private mutating func adjust(
    _ adjustment: Adjustment, _ job: ActiveJob, by who: String, at now: Instant
  ) -> Decision {
    let result: TouchResult = job.stocktake != nil ? .counted : adjustment.pieces > 0 ? .put : .taken
    return ask(result, by: who, .adjust(questions[0].number, adjustment, who: who), adjustment, at: now)
  }

  /// Changes the job of the first touch and of those after it.
  private mutating func changeJob(_ body: (inout ActiveJob) -> Void) {
    guard let serial = questions.first?.job?.serial else { return }
    if var job, job.serial == serial {
      body(&job)
      self.job = job
    }
    for index in questions.indices {
      guard var job = questions[index].job, job.serial == serial else { continue }
      body(&job)
      questions[index].job = job
    }
  }

  /// Makes a tapped place the one being counted or audited, including for pending touches; returns whether a thing does
  /// not belong in that place.
  private mutating func check(_ thing: InventoryThing, in job: ActiveJob?) -> Bool {
    guard let job, job.stocktake != nil else { return false }
    guard let role = job.role(of: thing), role != .content else { return job.isMisplaced(thing) }
    changeJob { $0.place = CheckedPlace(id: thing.id, kind: thing.kind) }
    return false
  }

  private mutating func forget(_ adjustment: Adjustment?) { unsettled.removeAll { $0 == adjustment } }

  /// Keeps a change that may have been made already, so that the next tap of the item does not make it again, and no
  /// other item has its number.
  private mutating func keep(_ adjustment: Adjustment) {
    changeJob { if $0.number == abs(adjustment.pieces) { $0.number = nil } }
    guard let job, adjustment.isOf(job), !unsettled.contains(adjustment) else { return }
    if unsettled.count >= Limits.inventoryTouchesMax { unsettled.removeFirst() }
    unsettled.append(adjustment)
  }

  private mutating func touched(
    by person: String, _ touch: InventoryTouch, _ kiosk: String, _ within: Duration, at now: Instant
  ) -> Decision {
    if let job = questions[0].job {
      changeJob { ($0.who, $0.last) = (person, nil) }
      return end(.person(touch, name: person, job: job.job))
    }
    if case .thing(let held) = holding?.subject, held.kind.isLendable {
      return hand(held, to: person, questions[0].number, at: now)
    }
    holding = job == nil ? Holding(subject: .person(person), until: now + within) : nil
    return end(.person(touch, name: person, job: nil))
  }

  /// Checks the item or box out to the person, or in if the person has it.
  private mutating func hand(
    _ thing: InventoryThing, to person: String, _ number: UInt32, at now: Instant
  ) -> Decision {
    thing.holder == person
      ? ask(.returned, by: person, .takeBack(number, thing.id, who: person), at: now)
      : ask(.lent, by: person, .lend(number, thing.id, to: person, who: person), at: now)
  }
}

extension Adjustment {
  /// Whether the change can be one of the job.
  fileprivate func isOf(_ job: ActiveJob) -> Bool {
    stocktake == job.stocktake && (stocktake != nil || (pieces > 0) == (job.job.pieces > 0))
  }
}
