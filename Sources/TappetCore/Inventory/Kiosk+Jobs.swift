// Cards and buttons that start and end the jobs at the shelf. Pure decision logic.

extension Kiosk {
  /// Starts the job of an action whose card was tapped or whose button was pressed; ends the job if it is in progress.
  mutating func jobChosen(
    _ action: Action, by trigger: Trigger, _ uid: TagUID?, _ tap: VerifiedTap, at now: Moment
  ) -> [Effect] {
    // The time of a job may be over before the timer fires.
    let expired = jobDue(at: now)
    let isEnd = action.job == .cancel || stock.desk.job?.action == action.name
    let isAway = !isEnd && !stock.process.isRunning
    let refusal = isAway ? .notInInventory(action: action.name, .away) : refusal(of: action)
    if !isEnd, let refusal {
      if let uid { tapPolicy.taps.notAccepted(uid, action: action.name) }
      return expired + refuse(trigger, uid, refusal, tap.owner, at: now)
    }
    let who = tap.secret?.person?.name
    let former = stock.desk.endJob()
    stock.desk.release()
    var reports: [InventoryJobReport] = []
    if let former {
      let change: InventoryJobReport.Change = action.job == .cancel ? .cancelled : .ended
      reports.append(former.report(change, trigger, uid))
    }
    if !isEnd {
      let until = now.instant + (settings.inventory?.jobEnds ?? Limits.inventoryJobEnds)
      let job = ActiveJob(job: action.job, action: action.name, who: who, until: until)
      stock.desk.start(job)
      reports.append(job.report(.started, trigger, uid))
    }
    var tap = tap
    let verb = reports.last?.change ?? .cancelled
    tap.outcome = InventoryOutcome(verb: verb.rawValue, thing: nil, who: who ?? settings.kioskName)
    return expired + reports.map { .report(.job($0)) } + touched(action, by: trigger, uid, tap, refusal, at: now)
  }

  /// Ends the job if there was no tap for too long, or if the configuration does not contain it any longer.
  mutating func jobDue(at now: Moment) -> [Effect] {
    guard let job = stock.desk.job else { return [] }
    let isConfigured = settings.actions.contains { $0.name == job.action && $0.job == job.job }
    guard !isConfigured || job.until <= now.instant else { return [] }
    _ = stock.desk.endJob()
    return [.report(.job(job.report(isConfigured ? .timeUp : .removed, nil, nil)))]
  }
}

extension ActiveJob {
  fileprivate func report(
    _ change: InventoryJobReport.Change, _ trigger: Trigger?, _ uid: TagUID?
  ) -> InventoryJobReport {
    InventoryJobReport(action: action, job: job, change: change, who: who, trigger: trigger, uid: uid)
  }
}
