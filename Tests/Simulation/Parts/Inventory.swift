// The store room: the process tappet-inventory with its things, the cards and codes that stand for them, and the rules.
//   - An order goes only to a process that is there, one at a time, and only for what was touched.
//   - Two touches in time move what fits, in either order, and nothing else does.
//   - A thing that is touched twice is held no more, and an item goes to no spot.
//   - A change is shown only after the inventory has it on its disk, and every touch is answered or refused.
//   - A change is passed on once it is on the kiosk's disk, and none is forgotten.

import TappetCore

extension Cast {
  static let shelf = Action(
    name: "shelf", title: "shelf", index: 14, topic: "home/shelf", message: PayloadTemplate("touched"), cooldown: .zero,
    mode: .inventory)

  static let inventory: InventoryPlan = {
    var plan = InventoryPlan()
    plan.moveWithin = .seconds(8)
    plan.jobEnds = .seconds(20)
    plan.scanAction = shelf.name
    plan.lowStockAction = "brief"
    plan.overdueAction = "patient"
    plan.topic = "home/inventory"
    return plan
  }()

  static let feed = inventory.feed ?? shelf

  /// The identities of two spots, two boxes and an item.
  static let things: [(id: InventoryID, kind: InventoryKind)] = {
    let kinds: [InventoryKind] = [.spot, .spot, .box, .box, .item]
    return kinds.enumerated().map { (number, kind) in
      guard let id = InventoryID([UInt8](repeating: UInt8(number + 1), count: 16)) else { fatalError("16 bytes") }
      return (id, kind)
    }
  }()

  /// The thing of a touch: of the second and third card of the shelf's secret, or of a code.
  static func thing(_ key: InventoryKey) -> Int? {
    if key.uid == uid(140) { return 2 }
    if key.uid == uid(172) { return 0 }
    return Int(key.code).flatMap { things.indices.contains($0) ? $0 : nil }
  }
}

/// The inventory, its process, and the judge's memory of both.
struct ShelfBook {
  enum Process { case none, starting, ready, ending }
  enum Subject: Equatable { case thing(Int), person(String) }

  var process = Process.none
  var lostAt: Instant?
  /// The place of each thing, and who has it.
  var places: [Int?] = [nil, nil, 0, 1, 2]
  var holders: [String?] = [nil, nil, nil, nil, nil]
  /// The order that has no answer yet.
  var question: InventoryOrder?
  /// The person of the touch that is asked about, if its card has one.
  var asking: String?
  /// Number of touches since the last answer.
  var touches = 0
  /// The last subject, and when it was touched.
  var held: (subject: Subject, at: Instant)?
  /// Whether nothing has happened that may have released it.
  var isHeldForSure = false
  /// The subject that was touched now and fits what is held: a change is to follow.
  var current: Subject?
  /// The results that the answer in the current event may have.
  var answered: [TouchResult] = []
  var refused: InventoryFault?
  /// The news that the process has told, and those that wait.
  var told: Int64?
  var lastNews: Int64 = 0
  var unsaid: [Int64] = []
  var newsEntry: EntryID?
  /// The low item, the overdue loan, and the list.
  var stock = StockBook()
  /// The entries about news that are on the disk.
  var committed: Set<EntryID> = []

  /// Another process, or none: what it was asked is gone, and what it told it tells again.
  mutating func processEnds() {
    (process, question, current, told, newsEntry) = (.none, nil, nil, nil, nil)
    stock.processEnds()
    held = nil
    touches = 0
  }

  /// Forgets what another kiosk will not know.
  mutating func restart() {
    processEnds()
    stock.restart()
    lostAt = nil
    committed = []
  }
}

extension World {
  // MARK: Steps

  func inventoryStarts() {
    guard shelf.process == .starting else { return }
    shelf.process = .ready
    shelf.lostAt = nil
    tell(.inventory(.message(.ready)))
    tellStocktakes()
    tellNews()
  }

  /// The process is not started (0), ends (1), or sends nonsense (2).
  func inventoryEnds(_ number: Int) {
    let before = shelf.process
    guard before != .none else { return }
    if number % 3 == 2 {
      if before == .ready { tell(.inventory(.malformed)) }
      return
    }
    recordUnanswered(shelf.question)
    shelf.processEnds()
    if before != .ending || shelf.lostAt != nil { shelf.lostAt = now.instant }
    tell(.inventory(before == .starting && number % 3 == 0 ? .notStarted(code: 2) : .ended(.signaled(9))))
  }

  func scan(_ number: Int) {
    // Mostly items are scanned while pieces are counted.
    scan(code: "\(jobs.isOfPieces && number < 3 ? 4 : number)")
  }

  /// The inventory answers, in four of five cases as it should; else its database fails (4), it dies having done it (5)
  /// or not (6), or it has too few or too many pieces for a change (7).
  func inventoryAnswers(_ number: Int) {
    guard shelf.process == .ready, let question = shelf.question else { return }
    if number % 16 == 6 { return inventoryEnds(1) }
    if [4, 5].contains(number % 16) { recordUnanswered(question) }
    shelf.question = nil
    if case .endStocktake(let request, let stocktake, _) = question { return answerEnd(request, stocktake, number) }
    if number % 16 == 4 { return answer(question, number % 32 == 4 ? .database : .full) }
    switch question {
    case .lookUp(_, let key):
      guard let thing = Cast.thing(key) else { return answer(question, .unknown) }
      return found(question, thing, .shown)
    case .move(_, let id, let place, _):
      guard let thing = self.number(of: id), let place = self.number(of: place) else { return }
      shelf.places[thing] = place
      shelf.holders[thing] = nil
      if number % 16 == 5 { return inventoryEnds(1) }
      found(question, thing, .moved)
    case .lend(_, let id, let person, _):
      guard let thing = self.number(of: id) else { return }
      shelf.holders[thing] = person
      if number % 16 == 5 { return inventoryEnds(1) }
      found(question, thing, .lent)
    case .takeBack(_, let id, _):
      guard let thing = self.number(of: id) else { return }
      shelf.holders[thing] = nil
      if number % 16 == 5 { return inventoryEnds(1) }
      found(question, thing, .returned)
    case .adjust(_, let adjustment, _): answerAdjustment(question, adjustment, number)
    case .see(_, let id, let role, let stocktake, _):
      if let thing = self.number(of: id) { answerSighting(question, thing, role, stocktake, number) }
    case .begin, .endStocktake, .passedOn, .passedLow, .passedOverdue, .follow: break
    }
  }

  /// Something happens to the stock (0 to 3), or somebody changes something else.
  func inventoryChanges(_ number: Int) {
    if number < 4 {
      stockChanges(number)
    } else if shelf.unsaid.count < 20 {
      shelf.lastNews += 1
      shelf.unsaid.append(shelf.lastNews)
    }
    tellNews()
  }

  func tellNews() {
    guard shelf.process == .ready else { return }
    if shelf.told == nil, let next = shelf.unsaid.first {
      shelf.told = next
      tell(.inventory(.message(.news(next, .moved, unixMilliseconds: 1, who: "Ann", thing(2)))))
    }
    tellStock(thing(4))
  }

  func number(of id: InventoryID) -> Int? { Cast.things.firstIndex { $0.id == id } }

  private func thing(_ number: Int) -> InventoryThing {
    var thing = InventoryThing(id: Cast.things[number].id, kind: Cast.things[number].kind, name: "\(number)")
    thing.path = shelf.places[number].map { "\($0)" } ?? ""
    thing.containers = containers(of: number).map { Cast.things[$0].id }
    thing.holder = shelf.holders[number]
    return thing
  }

  /// The places that contain a thing, the innermost first.
  func containers(of thing: Int) -> [Int] {
    shelf.places[thing].map { [$0] + containers(of: $0) } ?? []
  }

  func found(_ question: InventoryOrder, _ number: Int, _ result: TouchResult) {
    guard let order = question.number else { return }
    shelf.answered = [result]
    jobs.found = number
    if result == .shown { answerInTurn(number) }
    settle(question, found: .thing(number))
    tell(.inventory(.message(.found(order, thing(number)))))
    judgeAnswered()
  }

  func answer(_ question: InventoryOrder, _ fault: InventoryFault) {
    guard let order = question.number else { return }
    settle(question, found: fault == .unknown ? shelf.asking.map { .person($0) } : nil)
    shelf.refused = fault
    tell(.inventory(.message(.failed(order, fault))))
    judgeAnswered()
  }

  private func judgeAnswered() {
    if let current = shelf.current {
      if shelf.isHeldForSure, shelf.process == .ready { fail("\(current) was touched in time, and nothing was moved") }
      hold(current)
      recordRelease()
    }
    // A change belongs to the touch that it is for.
    if shelf.question.map({ $0.isLookUp }) ?? true { shelf.touches = max(0, shelf.touches - 1) }
    shelf.answered = []
    (shelf.refused, jobs.isMisplaced) = (nil, false)
    recordJobAnswered()
    tellNews()
  }

  /// The thing that is held, touched again, is held no more; nor is an item before a spot, which is refused.
  private func answerInTurn(_ number: Int) {
    guard let held = shelf.held, now.instant < held.at + Cast.inventory.moveWithin else { return }
    let isSame = held.subject == .thing(number)
    let isMisplaced = held.subject == .thing(4) && Cast.things[number].kind == .spot
    guard isSame || isMisplaced else { return }
    if jobs.mayCount { shelf.isHeldForSure = false }
    if shelf.isHeldForSure { shelf.answered = [] }
    if isSame { shelf.answered.append(.released) }
    if isMisplaced { shelf.refused = .needsBox }
  }

  /// Notes what the touch that is answered means: a change that must follow, or something that is held.
  private func settle(_ question: InventoryOrder, found: ShelfBook.Subject?) {
    notePieces(question)
    guard case .lookUp = question else {
      shelf.held = shelf.held.map { ($0.subject, now.instant) }
      return
    }
    let isInTime = shelf.held.map { now.instant < $0.at + Cast.inventory.moveWithin } ?? false
    if let found, isInTime, let held = shelf.held?.subject, fits(held, found) { return shelf.current = found }
    shelf.held = nil
    if let found { hold(found) }
  }

  private func hold(_ subject: ShelfBook.Subject) {
    shelf.current = nil
    shelf.held = (subject, now.instant)
    shelf.isHeldForSure = true
  }

  /// Whether one of the two moves the other, which is not there yet, or is lent to the other.
  private func fits(_ one: ShelfBook.Subject, _ other: ShelfBook.Subject) -> Bool {
    switch (one, other) {
    case (.thing(let one), .thing(let other)):
      canMove(one, to: other) || canMove(other, to: one)
    case (.thing(let thing), .person), (.person, .thing(let thing)): Cast.things[thing].kind.isLendable
    case _: false
    }
  }

  private func canMove(_ thing: Int, to place: Int) -> Bool {
    let isThere = shelf.places[thing] == place && shelf.holders[thing] == nil
    return Cast.things[thing].kind.container == Cast.things[place].kind && !isThere
  }

  // MARK: Orders

  func performInventory(_ effect: Effect) {
    switch effect {
    case .start(.inventory):
      if shelf.process != .none { fail("a second tappet-inventory was started") }
      if settings.inventory == nil { fail("tappet-inventory was started, and none is configured") }
      shelf.process = .starting
    case .stop(.inventory), .kill(.inventory):
      if shelf.process == .none { fail("tappet-inventory was to end although none runs") }
      if !isStopping, settings.inventory != nil, shelf.process != .ending { shelf.lostAt = now.instant }
      recordUnanswered(shelf.question)
      shelf.processEnds()
      shelf.process = .ending
    case .orderInventory(let order): judgeOrder(order)
    case _: break
    }
  }

  private func judgeOrder(_ order: InventoryOrder) {
    if shelf.process != .ready { fail("an order without a process") }
    switch order {
    case .passedOn(let number):
      if number != shelf.told { fail("a change was passed on that nobody told") }
      if settings.inventory?.feed != nil, shelf.newsEntry.map({ shelf.committed.contains($0) }) != true {
        fail("a change was passed on before it was on the disk")
      }
      shelf.unsaid.removeAll { $0 == number }
      (shelf.told, shelf.newsEntry) = (nil, nil)
      return
    case .passedLow: return judgePassed(.low)
    case .passedOverdue: return judgePassed(.overdue)
    case .follow: return shelf.stock.followed = order
    case .lookUp(_, let key):
      shelf.asking = key.uid == nil ? nil : "Cy"
    case .move(_, let id, let place, _):
      judgeChange([number(of: id), number(of: place)].compactMap { $0.map { .thing($0) } })
      if let thing = number(of: id), let place = number(of: place), !canMove(thing, to: place) {
        fail("a thing was moved to where it cannot be, or is")
      }
    case .lend(_, let id, let person, _):
      guard let thing = number(of: id) else { return }
      if shelf.holders[thing] == person { fail("a thing was checked out to who has it") }
      judgeChange([.thing(thing), .person(person)])
    case .takeBack(_, let id, let person):
      guard let thing = number(of: id) else { return }
      if shelf.holders[thing] != person { fail("a thing was brought back by somebody else") }
      judgeChange([.thing(thing), .person(person)])
    case .adjust(_, let adjustment, _): judgeAdjustment(adjustment)
    case .endStocktake(_, _, let isKept): jobs.endOrdered = isKept
    case .see(_, let id, let role, let stocktake, _): judgeSighting(number(of: id), role, stocktake)
    case .begin: break
    }
    if shelf.question != nil { fail("two questions at a time") }
    shelf.question = order
  }

  /// A change is for the two that were touched, the second in time after the first.
  private func judgeChange(_ subjects: [ShelfBook.Subject]) {
    guard let current = shelf.current, let held = shelf.held else { return fail("a move, and no two touches") }
    if !subjects.contains(current) || !subjects.contains(held.subject) { fail("a move of what was not touched") }
    shelf.current = nil
  }

  // MARK: Rules

  /// A touch was made, or its card was refused.
  func recordTouch() {
    guard lying?.action == Cast.shelf, let card = lying?.card else { return }
    book.acceptedCounts[card] += 1
    shelf.touches += 1
    seen.touches += 1
  }

  /// Another act, or a refusal, may have released what is held.
  func recordRelease() {
    if seen.refusedLights + seen.performed + seen.otherActs + seen.questions > 0 { shelf.isHeldForSure = false }
  }

  func judgeResult(_ report: InventoryReport) {
    judgePlacement(report)
    if let pieces = report.pieces { return report.result == nil ? judgeNumber(pieces) : recordMovement() }
    if report.result == nil, shelf.refused == .unknown { return }
    if !shelf.answered.contains(where: { $0 == report.result }) {
      fail("\(report.result?.rawValue ?? "a person") was shown, and not answered")
    }
    if report.result == .released { shelf.held = nil }
  }

  /// An entry of a touch comes with its answer.
  func judgeTouched(_ entry: OutboxEntry) {
    if shelf.answered.isEmpty { fail("\(entry.action) was stored, and nothing was found") }
  }

  func judgeShelfRefusal(_ fault: InventoryFault) {
    let isOfJob =
      fault == .notItem && jobs.mayRefuse || fault == .needsBox && jobs.mayCount
      || fault == .database && jobs.isFull
      || (fault == .notNumber || fault == .numberUnclear) && jobs.pieces.touched != nil
    if fault != .away, shelf.refused != fault, !isOfJob {
      fail("a touch was refused as \(fault), which nobody answered")
    }
    if fault == .needsBox { shelf.held = nil }
    if fault == .away, shelf.process == .ready, shelf.touches < Limits.inventoryTouchesMax {
      fail("a touch was refused, and the inventory is there")
    }
  }

  func judgeNews(_ entry: OutboxEntry) {
    book.newsEntries.insert(entry.id)
    if entry.action == InventoryPlan.feedName {
      if shelf.told == nil || shelf.newsEntry != nil { fail("a change was published that nobody told, or twice") }
      shelf.newsEntry = entry.id
    } else {
      judgeAlert(entry)
    }
  }

  /// Whether a change waits that nothing holds up.
  var owesNews: Bool { settings.inventory != nil && (!shelf.unsaid.isEmpty || owesAlert) }
}
