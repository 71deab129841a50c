// Cards and buttons that start and end the jobs at the shelf. Pure decision logic.

extension Kiosk {
  /// Starts the job of an action whose card was tapped or whose button was pressed; ends the job if it is in progress.
  mutating func jobChosen(
    _ action: Action, by: Originator, _ uid: TagUID?, _ tap: VerifiedTap, at now: Moment
  ) -> [Effect] {
    // The time of a job may be over before the timer fires.
    let expired = jobDue(at: now)
    let isEnd = action.job == .cancel || stock.desk.job?.action == action.name
    let isAway = !isEnd && !stock.process.isRunning
    let isFull = action.job.isStocktake && stock.desk.ends.isFull
    let refusal =
      isAway || isFull
      ? .notInInventory(action: action.name, isAway ? .away : .database) : refusal(of: action)
    if !isEnd, let refusal {
      if let uid { tapPolicy.taps.notAccepted(uid, action: action.name) }
      return expired + refuse(by, uid, refusal, tap.owner, at: now)
    }
    let who = tap.secret?.person?.name
    let former = stock.desk.endJob()
    stock.desk.release()
    var reports: [InventoryJobReport] = []
    if let former {
      let change: InventoryJobReport.Change = action.job == .cancel ? .cancelled : .ended
      reports.append(former.report(change, by.trigger, uid))
    }
    if !isEnd {
      let until = now.instant + (settings.inventory?.jobEnds ?? Limits.inventoryJobEnds)
      var job = ActiveJob(job: action.job, action: action.name, who: who, until: until)
      if action.job.isStocktake {
        job.stocktake = Stocktake(number: Int64(truncatingIfNeeded: random.next()), action: action.name)
      }
      stock.desk.start(job)
      reports.append(job.report(.started, by.trigger, uid))
    }
    var tap = tap
    let verb = reports.last?.change ?? .cancelled
    tap.outcome = InventoryOutcome(verb: verb.rawValue, thing: nil, who: who ?? settings.kioskName)
    let effects = expired + reports.map { .report(.job($0)) }
    if let former, former.stocktake != nil {
      // The action is performed when the end is on the disk.
      let choice = StocktakeEnd.Choice(by: by, uid: uid, tap: tap)
      return effects + endStocktake(of: former, isKept: action.job != .cancel, choice, at: now)
    }
    return effects + touched(action, by: by, uid, tap, refusal, at: now)
  }

  /// Ends the job if there was no tap for too long, or if the configuration does not contain it any longer.
  mutating func jobDue(at now: Moment) -> [Effect] {
    guard let job = stock.desk.job else { return [] }
    let isConfigured = isConfigured(job)
    guard !isConfigured || job.until <= now.instant else { return [] }
    _ = stock.desk.endJob()
    return [.report(.job(job.report(isConfigured ? .timeUp : .removed)))]
      + endStocktake(of: job, isKept: true, nil, at: now)
  }

  private func isConfigured(_ job: ActiveJob) -> Bool {
    settings.actions.contains { $0.name == job.action && $0.job == job.job }
  }

  // MARK: Stocktakes

  /// Writes or discards the tally of a job that has ended, if the job has one.
  private mutating func endStocktake(
    of job: ActiveJob, isKept: Bool, _ choice: StocktakeEnd.Choice?, at now: Moment
  ) -> [Effect] {
    guard job.stocktake != nil else { return [] }
    stock.desk.ends.add(StocktakeEnd(job: job, isKept: isKept, choice: choice))
    return nextInventoryOrder(at: now)
  }

  /// Handles a stocktake that tappet-inventory has found: one that the kiosk does not know was interrupted by its
  /// restart, and continues.
  mutating func stocktakeFound(
    _ stocktake: Stocktake, _ job: InventoryJob, _ who: String, _ place: CheckedPlace?, at now: Moment
  ) -> [Effect] {
    if stock.desk.job?.stocktake == stocktake || stock.desk.ends.contains(stocktake) { return [] }
    let until = now.instant + (settings.inventory?.jobEnds ?? Limits.inventoryJobEnds)
    let person = who == settings.kioskName ? nil : who
    var job = ActiveJob(job: job, action: stocktake.action, who: person, until: until)
    (job.stocktake, job.place) = (stocktake, place)
    guard stock.desk.job == nil, isConfigured(job) else { return endStocktake(of: job, isKept: true, nil, at: now) }
    stock.desk.start(job)
    return [.report(.job(job.report(.resumed)))]
  }

  /// Handles the commit of a stocktake's end: what ended the job is performed now.
  mutating func stocktakeEnded(
    _ number: UInt32, items: Int64, missing: InventoryList?, at now: Moment
  ) -> [Effect] {
    guard let end = stock.desk.ends.succeeded(number) else { return [] }
    var report = end.job.report(end.isKept ? .written : .discarded)
    (report.items, report.missing) = (items, missing)
    // A cancelled audit has no result.
    var effects: [Effect] = end.job.job == .audit && !end.isKept ? [] : [.report(.job(report))]
    if let choice = end.choice {
      let action = choice.tap.action
      effects += touched(action, by: choice.by, choice.uid, choice.tap, refusal(of: action), at: now)
    }
    return effects + nextInventoryOrder(at: now)
  }

  /// Handles an end that could not be written, which is retried; returns `nil` if the response is not for an end.
  mutating func stocktakeNotEnded(_ number: UInt32, at now: Moment) -> [Effect]? {
    guard let end = stock.desk.ends.failed(number, at: now.instant) else { return nil }
    let report: [Effect] = end.isDelayed ? [] : [.report(.job(end.job.report(.delayed)))]
    return report + nextInventoryOrder(at: now)
  }
}

extension ActiveJob {
  fileprivate func report(
    _ change: InventoryJobReport.Change, _ trigger: Trigger? = nil, _ uid: TagUID? = nil
  ) -> InventoryJobReport {
    InventoryJobReport(action: action, job: job, change: change, who: who, trigger: trigger, uid: uid)
  }
}
