// Taps of an action with `mode: inventory`, scanned codes, and the changes that are published. Pure decision logic.

extension Kiosk {
  // MARK: Touches

  /// Handles the tap of a tag that represents a thing or a person.
  mutating func touchInventory(_ uid: TagUID, _ tap: VerifiedTap, at now: Moment) -> [Effect] {
    if tap.action.job != .show { return jobChosen(tap.action, by: tap.by, uid, tap, at: now) }
    let key = InventoryKey(uid: uid, code: tap.text.isEmpty ? tap.uri : tap.text)
    return touchInventory(InventoryTouch(key: key, uid: uid, tap: tap, at: now.instant), at: now)
  }

  private mutating func touchInventory(_ touch: InventoryTouch, at now: Moment) -> [Effect] {
    let action = touch.tap.action
    guard stock.process.isRunning, stock.desk.hasRoom else {
      return refuseTouch(touch, .notInInventory(action: action.name, .away), at: now)
    }
    if let refusal = refusal(of: action) { return refuseTouch(touch, refusal, at: now) }
    stock.desk.touched(touch, at: now.instant)
    return nextInventoryOrder(at: now)
  }

  /// Handles a scanned code, or a code that cannot be used.
  private mutating func scanned(_ scan: Scan, at now: Moment) -> [Effect] {
    stock.desk.tapped(nil)
    guard isTaking, let name = settings.inventory?.scanAction, let action = tapPolicy.indexes.action(named: name) else {
      return []
    }
    let tap: VerifiedTap
    do throws(TapRefusal) { tap = VerifiedTap(action: try action.triggeredWithoutProof()) } catch {
      return refuse(.tag, nil, error, at: now)
    }
    if let refusal = conditionRefusal(of: tap, at: now) { return refuse(.tag, nil, refusal, at: now) }
    let code: String
    switch scan {
    case .success(let text): code = text
    case .failure(let fault):
      // The code will be scanned again, so what is held stays held.
      return refuseStillHolding(.tag, nil, .notInInventory(action: name, fault), nil, at: now)
    }
    if let wait = tapPolicy.rates.takeScan(at: now.instant) {
      return refuseStillHolding(.tag, nil, .tooMany(wait: wait, ofScans: true), nil, at: now)
    }
    return [.light(.reading)]
      + touchInventory(InventoryTouch(key: InventoryKey(code: code), uid: nil, tap: tap, at: now.instant), at: now)
  }

  mutating func nextInventoryOrder(at now: Moment) -> [Effect] {
    guard stock.process.isRunning else { return [] }
    return stock.desk.nextOrder(at: now.instant).map { [.orderInventory($0)] } ?? []
  }

  /// Refuses a touch, which may be repeated immediately.
  private mutating func refuseTouch(_ touch: InventoryTouch, _ refusal: TapRefusal, at now: Moment) -> [Effect] {
    if let uid = touch.uid { tapPolicy.taps.notAccepted(uid, action: touch.tap.action.name) }
    return refuse(touch.tap.by, touch.uid, refusal, touch.tap.owner, at: now)
  }

  // MARK: Answers

  mutating func inventoryChanged(_ change: InventoryEvent, at now: Moment) -> [Effect] {
    switch change {
    case .message(.ready):
      stock.followed = nil
      return stock.process.ready() + nextInventoryOrder(at: now)
    case .message(.found(let number, let thing)): return inventoryAnswered(number, .success(thing), at: now)
    case .message(.failed(let number, let fault)): return inventoryAnswered(number, .failure(fault), at: now)
    case .message(.news(let number, let verb, let milliseconds, let who, let thing, let correction)):
      stock.news.outcome = InventoryOutcome(
        verb: verb.name, thing: thing, who: who, change: number, unixMilliseconds: milliseconds, correction: correction)
      return []
    case .message(.low(let thing)):
      stock.news.alerts[.low] = InventoryAlert(thing: thing)
      return []
    case .message(.overdue(let due, let thing)):
      stock.news.alerts[.overdue] = InventoryAlert(thing: thing, due: due)
      return []
    case .message(.list(let list)):
      if settings.announcesInventory { selfReport.lists.update(list) }
      return []
    case .message(.lowCount(let count)):
      stock.news.lowCount = count
      return []
    case .message(.stocktake(let stocktake, let isAudit, let who, let place)):
      return stocktakeFound(stocktake, isAudit ? .audit : .count, who, place, at: now)
    case .message(.ended(let number, let items, let missing)):
      return stocktakeEnded(number, items: items, missing: missing, at: now)
    case .message(.scanned(let code)): return scanned(.success(code), at: now)
    case .message(.misread(let fault)): return scanned(.failure(fault), at: now)
    case .message(.scanner(let code)):
      defer { stock.news.scannerErrno = code }
      return code == stock.news.scannerErrno ?? 0 ? [] : [.report(.scanner(errno: code))]
    case .malformed: return inventoryLost(stock.process.lose(.malformed, at: now.instant), at: now)
    case .ended(let end): return inventoryLost(stock.process.ended(end, at: now.instant, random: &random), at: now)
    case .notStarted(let code): return stock.process.notStarted(code: code, at: now.instant, random: &random)
    }
  }

  private mutating func inventoryAnswered(
    _ number: UInt32, _ answer: Result<InventoryThing, InventoryFault>, at now: Moment
  ) -> [Effect] {
    if case .failure = answer, let effects = stocktakeNotEnded(number, at: now) { return effects }
    let plan = settings.inventory ?? InventoryPlan()
    let decision = stock.desk.answered(
      number, answer, kiosk: settings.kioskName, plan, random: &random, at: now.instant)
    switch decision {
    case .stale: return []
    case .order(let order): return [.orderInventory(order)]
    case .done(let touch, let result, let thing, let who, let isMisplaced, let adjustment):
      var report = InventoryReport(
        action: touch.tap.action.name, uid: touch.uid, result: result, thing: thing, who: who)
      report.isMisplaced = isMisplaced
      report.pieces = adjustment.map { Int64(clamping: $0.pieces.magnitude) }
      report.replaced = Int64(clamping: adjustment?.replaced.magnitude ?? 0)
      return done(touch, result, thing, report, at: now) + nextInventoryOrder(at: now)
    case .person(let touch, let name, let job):
      let report = InventoryReport(
        action: touch.tap.action.name, uid: touch.uid, result: nil, thing: nil, who: name, job: job)
      counters.accepted += 1
      return [.report(.inventory(report))] + nextInventoryOrder(at: now)
    case .number(let touch, let pieces, let who):
      var report = InventoryReport(action: touch.tap.action.name, uid: touch.uid, result: nil, thing: nil, who: who)
      report.pieces = pieces
      counters.accepted += 1
      return [.report(.inventory(report))] + nextInventoryOrder(at: now)
    case .refused(let touch, let fault):
      let code = touch.uid == nil && fault == .unknown ? touch.key.code : nil
      let refusal = TapRefusal.notInInventory(action: touch.tap.action.name, fault, code: code)
      return refuseTouch(touch, refusal, at: now) + nextInventoryOrder(at: now)
    }
  }

  /// Reports the result and performs the action; a move is already on the disk, even if the outbox has no room left for
  /// the message about the move.
  private mutating func done(
    _ touch: InventoryTouch, _ result: TouchResult, _ thing: InventoryThing, _ report: InventoryReport, at now: Moment
  ) -> [Effect] {
    var tap = touch.tap
    tap.outcome = InventoryOutcome(verb: result.rawValue, thing: thing, who: report.who, pieces: report.pieces)
    if tap.action.needsProof, let age = age(of: touch.at, at: now) {
      return [.report(.inventory(report))] + refuse(tap.by, touch.uid, .tooLate(age: age), tap.owner, at: now)
    }
    let refusal = refusal(of: tap.action)
    return [.report(.inventory(report))] + touched(tap.action, by: tap.by, touch.uid, tap, refusal, at: now)
  }

  private mutating func inventoryLost(_ effects: [Effect], at now: Moment) -> [Effect] {
    guard !stock.process.isRunning else { return effects }
    stock.desk.release()
    stock.news.forgetUnsaid()
    return effects
      + stock.desk.giveUp().flatMap { refuseTouch($0, .notInInventory(action: $0.tap.action.name, .away), at: now) }
  }

  /// Keeps tappet-inventory running while the inventory is configured; kills the process if a request is overdue.
  mutating func inventoryDue(hasHeardAll: Bool, at now: Moment) -> [Effect] {
    stock.desk.releaseIfOver(at: now.instant)
    var effects = jobDue(at: now)
    effects += stock.process.timerFired(at: now.instant, hasHeardAll: hasHeardAll)
    if hasHeardAll, stock.desk.isOverdue(at: now.instant) { effects += stock.process.lose(.silent, at: now.instant) }
    if !stock.process.isRunning, !stock.desk.hasNone || stock.desk.holding != nil {
      effects = inventoryLost(effects, at: now)
    }
    return effects + nextInventoryOrder(at: now) + follow() + passOnNews(at: now)
  }

  /// Tells tappet-inventory what to send, when that has changed.
  private mutating func follow() -> [Effect] {
    guard stock.process.isRunning else { return [] }
    let order = InventoryOrder.follow(
      lists: settings.announcesInventory, overdue: settings.inventory?.overdueAction != nil, clockIsGood: clockIsGood)
    guard order != stock.followed else { return [] }
    stock.followed = order
    return [.orderInventory(order)]
  }

  // MARK: News

  /// Queues the message about a change, and performs the actions for a low and for an overdue item.
  ///
  /// The process tappet-inventory discards a change or an item only once its message is on the disk.
  private mutating func passOnNews(at now: Moment) -> [Effect] {
    guard isTaking, delivery.store.isGood, !isStopping else { return [] }
    var effects: [Effect] = []
    if let outcome = stock.news.outcome, stock.news.entry == nil {
      let feed = settings.inventory?.feed
      // Half of the outbox stays free for taps; unpublished changes are safe in the inventory.
      if let feed, refusal(of: feed) == nil, delivery.outbox.count < settings.outboxCountMax / 2 {
        let (performed, entry) = performNews(feed, outcome, at: now)
        effects += performed
        stock.news.entry = entry
      } else if feed == nil {
        effects += passedOn(outcome)
      }
    }
    for kind in InventoryAlert.Kind.allCases { effects += passOnAlert(kind, at: now) }
    return effects
  }

  /// Performs the action for an item that needs attention; an alert without an action is done.
  private mutating func passOnAlert(_ kind: InventoryAlert.Kind, at now: Moment) -> [Effect] {
    guard let alert = stock.news.alerts[kind], alert.entry == nil else { return [] }
    let name = kind == .low ? settings.inventory?.lowStockAction : settings.inventory?.overdueAction
    let action: Action
    do throws(TapRefusal) {
      let named = name.flatMap { tapPolicy.indexes.action(named: $0) }
      guard let permitted = try named?.triggeredWithoutProof() else { return passedOn(kind) }
      action = permitted
    } catch {
      let report = Report.tap(.refused(by: .kiosk, uid: nil, error))
      return throttles.refusals.report(report, at: now.instant) + passedOn(kind)
    }
    guard refusal(of: action) == nil else { return [] }
    let outcome = InventoryOutcome(verb: kind.rawValue, thing: alert.thing, who: "", due: alert.due)
    let (performed, entry) = performNews(action, outcome, at: now)
    stock.news.alerts[kind]?.entry = entry
    return entry == nil ? performed + passedOn(kind) : performed
  }

  /// Performs the action for an item of news; the commit of the entry, if any, shows that the news is on the disk.
  private mutating func performNews(
    _ action: Action, _ outcome: InventoryOutcome, at now: Moment
  ) -> (effects: [Effect], entry: EntryID?) {
    perform(action, by: .kiosk, nil, VerifiedTap(action: action, outcome: outcome), at: now)
  }

  private mutating func passedOn(_ outcome: InventoryOutcome) -> [Effect] {
    stock.news.outcome = nil
    stock.news.entry = nil
    return stock.process.isRunning ? [.orderInventory(.passedOn(outcome.change ?? 0))] : []
  }

  private mutating func passedOn(_ kind: InventoryAlert.Kind) -> [Effect] {
    guard let alert = stock.news.alerts.removeValue(forKey: kind), stock.process.isRunning else { return [] }
    switch kind {
    case .low: return [.orderInventory(.passedLow(alert.thing.id))]
    case .overdue: return [.orderInventory(.passedOverdue(alert.thing.id))]
    }
  }

  /// Handles the commit of an entry, which may be about news.
  mutating func newsStored(_ id: EntryID) -> [Effect] {
    if stock.news.entry == id, let outcome = stock.news.outcome { return passedOn(outcome) }
    for kind in InventoryAlert.Kind.allCases where stock.news.alerts[kind]?.entry == id { return passedOn(kind) }
    return []
  }

  /// Handles an entry that could not be written; the news is retried when the disk works again.
  mutating func newsNotStored(_ id: EntryID) {
    if stock.news.entry == id { stock.news.entry = nil }
    for kind in InventoryAlert.Kind.allCases where stock.news.alerts[kind]?.entry == id {
      stock.news.alerts[kind]?.entry = nil
    }
  }
}

/// An item that needs attention, and the outbox entry about it.
struct InventoryAlert: Sendable {
  /// The condition of the item; the raw value is the verb in messages.
  enum Kind: String, CaseIterable, Sendable {
    case low
    case overdue
  }

  var thing: InventoryThing
  /// The due date of an overdue item.
  var due = ""
  var entry: EntryID?
}

/// News from tappet-inventory for which no message is on the disk yet.
struct InventoryNewsDuties: Sendable {
  /// The change to be published, and its outbox entry.
  var outcome: InventoryOutcome?
  var entry: EntryID?
  /// The items whose stock has become low, or whose loan has become overdue: at most one of each.
  var alerts: [InventoryAlert.Kind: InventoryAlert] = [:]
  /// Number of items whose stock is low; `nil` until it is known.
  var lowCount: Int64?
  /// The scanner's errno; 0 while it is open, `nil` before the first attempt.
  var scannerErrno: Int32?

  /// Discards the unpublished news of an exited process; the next process sends the news again.
  ///
  /// The scanner's errno is kept, because only a different errno is reported.
  mutating func forgetUnsaid() {
    (outcome, entry) = (nil, nil)
    alerts = [:]
  }
}
