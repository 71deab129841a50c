// The webhooks' process and servers, and the rules about them:
//   - An entry is posted only from the disk, to a process that is ready, once at a time, before its end.
//   - No accepted entry is lost, and every outcome is shown.
//   - A refusal is permanent only for a webhook that has never worked, even if the kiosk was restarted since.
//   - A broker that is away keeps no webhook back, and a server that fails keeps no other action back.

import TappetCore

/// The process tappet-webhook and its requests.
struct WebhookBook {
  enum Process { case none, starting, ready, ending }

  var process = Process.none
  /// The requests under way, with their actions.
  var outstanding: [(id: EntryID, action: String)] = []
  /// Until when each action's server rests, as it was reported.
  var restsUntil: [String: Instant] = [:]
  /// When the process was last lost; its pauses are bounded.
  var lostAt: Instant?
  /// The actions whose webhook has worked, as the kiosk must know, and the one whose answer is being told.
  var worked: Set<String> = []
  var answered: String?
  /// Number of entries as the kiosk must believe, and those that are not committed yet.
  var count = 0
  var pending: (count: Int, size: Int) = (0, 0)
  var size = 0
  var memoryOnly: Set<EntryID> = []

  mutating func processEnds() { (process, outstanding) = (.none, []) }
}

extension World {
  // MARK: Steps

  func webhookStarts() {
    guard hook.process == .starting else { return }
    hook.process = .ready
    hook.lostAt = nil
    tell(.webhook(.ready))
  }

  /// The process is not started (0), ends (1), or sends nonsense (2).
  func webhookEnds(_ number: Int) {
    let before = hook.process
    guard before != .none else { return }
    if number % 3 == 2 {
      if before == .ready { tell(.webhook(.malformed)) }
      return
    }
    hook.processEnds()
    if before != .ending || hook.lostAt != nil { hook.lostAt = now.instant }
    tell(.webhook(before == .starting && number % 3 == 0 ? .notStarted(code: 2) : .ended(.exited(0))))
  }

  /// The answer to one of the requests: the number says which, and of what kind.
  func webhookAnswers(_ number: Int) {
    guard hook.process == .ready, !hook.outstanding.isEmpty else { return }
    let (id, action) = hook.outstanding.remove(at: number % hook.outstanding.count)
    book.answering = [id]
    hook.answered = settings.webhookTargets[action] == nil ? nil : action
    switch number / 4 % 6 {
    case 0, 1: tell(.webhook(.answered(id, status: 204, retryAfter: nil)))
    case 2: tell(.webhook(.answered(id, status: 500, retryAfter: nil)))
    case 3: tell(.webhook(.answered(id, status: 429, retryAfter: .seconds(20))))
    case 4: tell(.webhook(.answered(id, status: 404, retryAfter: nil)))
    default: tell(.webhook(.failed(id, .timedOut, code: 28)))
    }
    book.answering = []
  }

  // MARK: Orders

  func performWebhook(_ effect: Effect) {
    switch effect {
    case .start(.webhooks):
      if hook.process != .none { fail("a second tappet-webhook was started") }
      hook.process = .starting
    case .stop(.webhooks):
      if hook.process != .ready || !hook.outstanding.isEmpty { fail("tappet-webhook was to end while it works") }
      hook.process = .ending
    case .kill(.webhooks):
      if hook.process == .none { fail("tappet-webhook was to be killed although none runs") }
      if !isStopping, hook.process != .ending { hook.lostAt = now.instant }
      (hook.process, hook.outstanding) = (.ending, [])
    case .post(let entry, _, let unixSeconds): judgePosted(entry, unixSeconds: unixSeconds)
    case _: break
    }
  }

  private func judgePosted(_ entry: OutboxEntry, unixSeconds: Int64) {
    if hook.process != .ready { fail("posted without a process") }
    if isStopping { fail("posted while stopping") }
    if disk.owesDrop { fail("posted an entry that may be about to be dropped") }
    let place = disk.index(of: entry.id)
    guard let row = place.map({ disk.rows[$0] }) ?? disk.goneRows.first(where: { $0.id == entry.id }) else {
      return fail("posted an entry that is not on the disk")
    }
    if entry.destination != .webhook || row.entry.message != entry.message { fail("posted another body") }
    if book.fates[entry.id] == nil { fail("posted an entry that was never accepted") }
    if hook.outstanding.contains(where: { $0.id == entry.id }) { fail("posted an entry that is under way") }
    if book.settled.contains(entry.id) { fail("posted after its outcome") }
    if row.isOver(at: now, clockIsGood: true) { fail("posted after its end") }
    if !row.maySend(clockIsGood: isSynchronized || settings.trustsClock) { fail("posted without a clock") }
    if unixSeconds != now.unixSeconds { fail("posted a token of another second") }
    hook.outstanding.append((entry.id, entry.action))
    seen.postedActions.append(entry.action)
    if hook.outstanding.count > Limits.webhooksInflightMax { fail("\(hook.outstanding.count) requests at a time") }
  }

  // MARK: After each event

  func judgeWebhookStored(_ answer: OutboxAnswer) {
    switch answer {
    case .stored(let id, _):
      book.isStoreInTrouble = false
      if seen.acceptedLights != 1 || seen.acceptedReports != 1 { fail("a webhook's commit was not shown") }
      let size = book.fates[id]?.size ?? 0
      hook.pending.count -= 1
      hook.pending.size -= size
      hook.count += 1
      hook.size += size
    case .expired:
      if seen.forgets != book.answering.count { fail("\(book.answering.count) webhooks expired") }
      let outcomes = seen.forgets + seen.memoryOnlyExpired
      if seen.expiredLights != outcomes || seen.expiredReports != outcomes {
        fail("\(outcomes) webhooks expired, and \(seen.expiredLights) were shown")
      }
    case .removed, .removeFailed, .fetched, .fetchFailed, .fetchExpiredFailed: break
    }
  }

  func judgeWebhookAnswer(_ event: WebhookEvent) {
    let isAnswer = !book.answering.isEmpty
    switch event {
    case .answered(_, status: 204, _):
      if isAnswer, seen.deliveredLights != 1 || seen.deliveredReports != 1 || seen.forgets != 1 {
        fail("a webhook's delivery was not shown and removed")
      }
      if isAnswer, let action = hook.answered { hook.worked.insert(action) }
    case .answered(_, status: 404, _) where hook.answered.map { hook.worked.contains($0) } ?? false:
      if seen.forgets != 0 { fail("a webhook that had worked lost an entry by a refusal") }
    case .answered(_, status: 404, _):
      if isAnswer, seen.undeliverableReports != 1 || seen.refusedLights < 1 || seen.forgets != 1 {
        fail("a webhook's refusal was not shown")
      }
    case .answered, .failed: if seen.forgets != 0 { fail("an entry whose request failed was forgotten") }
    case .ready, .created, .notConfigured, .malformed, .ended, .notStarted: break
    }
  }

  /// Each entry that may be posted is under way, or something is in its way that ends by itself.
  func judgeWebhookProgress() {
    if kiosk.webhookCount != hook.count {
      fail("the kiosk counts \(kiosk.webhookCount) webhooks, and the outbox holds \(hook.count)")
    }
    // With the last entry the failures are forgotten: nothing would find out that the server is back.
    if hook.count == 0, hook.pending.count == 0 { hook.restsUntil = [:] }
    // Judged here, because the same event may have ended the rest.
    for action in seen.postedActions where hook.restsUntil[action].map({ $0 > now.instant }) ?? false {
      fail("posted to a server that rests")
    }
    guard !isFinished, isBegun, !isStopping, disk.isIdle, !book.isStoreInTrouble else { return }
    let isLost = hook.lostAt.map { now.instant - $0 <= Limits.webhookRetry.last + .seconds(1) } ?? false
    for row in disk.rows where row.entry.destination == .webhook && !row.isForgotten {
      if hook.outstanding.contains(where: { $0.id == row.id }) { continue }
      if row.isOver(at: now, clockIsGood: isSynchronized || settings.trustsClock) {
        if !book.settled.contains(row.id) { return fail("a webhook's entry has expired and stays in the outbox") }
        continue
      }
      guard row.maySend(clockIsGood: isSynchronized || settings.trustsClock), book.fates[row.id]?.isPromised == true,
        hook.restsUntil[row.entry.action].map({ $0 < now.instant }) ?? true
      else { continue }
      switch hook.process {
      case .none: if !isLost { return fail("an entry could be posted, and tappet-webhook is not started") }
      case .ready:
        let isTaken = hook.outstanding.contains { $0.action == row.entry.action }
        if !isTaken, hook.outstanding.count < Limits.webhooksInflightMax, hook.memoryOnly.isEmpty, !webhooksAreStale {
          return fail("an entry could be posted, and is not")
        }
      case .starting, .ending: break
      }
    }
  }

  /// Whether a reload waits for the last request under way.
  private var webhooksAreStale: Bool { hookReloaded && !hook.outstanding.isEmpty }
}
