// The edits of messages in rooms (`report: true`): when the outcome of a tap is known, its message in the room is
// edited to report the outcome. Pure decision logic.
//
//   1. A tap for a topic and a room is committed as two entries with the same id, and a row with the room's message.
//   2. The row receives the id of the message's event, and the outcome of the topic's entry, in either order. Each is
//      committed no later than the removal of its entry, so neither is lost if the kiosk is killed.
//   3. A row with both is due. It is edited after all taps for rooms; then the row is removed.
//
// The transaction id of an edit is derived from that of its message: the homeserver ignores an edit that is sent again.

/// The outcome of a tap, as reported in a room; the raw values are used in the store.
package enum RoomEditOutcome: UInt8, Hashable, Sendable, CaseIterable {
  case delivered = 1
  /// The broker acknowledged the message, but its topic has no subscriber.
  case unheard = 2
  case expired = 3
  /// The broker permanently refused the message, or the message could not be built.
  case undeliverable = 4
  /// A user removed the entry from the outbox.
  case dropped = 5

  /// Creates the outcome that ends the entry of a report; `nil` if the entry is still pending.
  ///
  /// Dropped entries are recorded by the store, in the commit that drops them.
  init?(_ report: EntryReport) {
    switch report {
    case .delivered(_, _, let isHeard), .deliveredOfMany(_, let isHeard): self = isHeard ? .delivered : .unheard
    case .expired: self = .expired
    case .undeliverable: self = .undeliverable
    case .accepted, .queued, .setAside, .deliveredMore, .droppedMore, .dropped, .droppedOfMany, .givenUp: return nil
    }
  }
}

/// A message in a room that is due to be edited.
package struct RoomEdit: Hashable, Sendable {
  /// The id of the tap's entries; the message was sent under this id.
  package var entry: EntryID
  package var action: String
  /// The content of the message, as JSON; it contains no token.
  package var message: PayloadTemplate
  /// The id of the message's event.
  package var event: String
  package var outcome: RoomEditOutcome

  @export(interface)
  package init(
    entry: EntryID, action: String, message: PayloadTemplate, event: String, outcome: RoomEditOutcome
  ) {
    self.entry = entry
    self.action = action
    self.message = message
    self.event = event
    self.outcome = outcome
  }

  /// The transaction id of the edit.
  package var transaction: EntryID { EntryID(high: ~entry.high, low: ~entry.low) }
}

/// The kiosk's view of the edits, at most one of which is in progress.
struct RoomEdits: Sendable {
  private enum State: Sendable {
    /// No edit is known; the row of the last edit may still have to be removed.
    case idle(done: EntryID?)
    /// The store was asked for the next edit, and to remove this row.
    case asking(done: EntryID?)
    /// The edit is due.
    case waiting(RoomEdit)
    case posted(RoomEdit)
  }

  private var state = State.idle(done: nil)
  /// Whether the store may contain rows; otherwise, nothing is recorded or requested.
  private(set) var isUsed = false
  /// Whether an edit may be due that the store has not returned yet.
  private var mayBeDue = false
  /// Number of consecutive attempts of the current edit that failed or were limited.
  private var failures = 0
  /// Time at which the next edit may be sent; `nil` if there is no pause.
  private(set) var restsUntil: Instant?

  /// Starts to record outcomes, because an action reports them, or the store contains rows.
  mutating func use(hasRows: Bool) { (isUsed, mayBeDue) = (true, mayBeDue || hasRows) }

  /// Handles a removal of entries, which may have completed a row.
  mutating func entriesRemoved() { mayBeDue = mayBeDue || isUsed }

  /// Whether a response from the store is pending.
  var isAwaitingStore: Bool { if case .asking = state { true } else { false } }

  /// Whether an edit is due or in progress, and needs the process and the homeserver.
  var isPending: Bool {
    switch state {
    case .idle, .asking: false
    case .waiting, .posted: true
    }
  }

  /// Returns the request for the next edit, if one may be due and none is in progress.
  mutating func takeRequest() -> StoreRequest? {
    guard case .idle(let done) = state, mayBeDue || done != nil else { return nil }
    (state, mayBeDue) = (.asking(done: done), false)
    return .fetchEdit(done: done)
  }

  /// Handles the next edit, or that none is due.
  mutating func fetched(_ edit: RoomEdit?) {
    guard case .asking = state else { return }
    state = edit.map { .waiting($0) } ?? .idle(done: nil)
  }

  mutating func fetchFailed() {
    guard case .asking(let done) = state else { return }
    (state, mayBeDue) = (.idle(done: done), true)
  }

  /// Returns the edit to send next, unless there is a pause.
  mutating func due(at now: Instant) -> RoomEdit? {
    if let until = restsUntil, until <= now { restsUntil = nil }
    guard restsUntil == nil, case .waiting(let edit) = state else { return nil }
    return edit
  }

  mutating func willPost(_ edit: RoomEdit) { state = .posted(edit) }

  /// The edit in progress, whose request has no response yet.
  var posted: RoomEdit? { if case .posted(let edit) = state { edit } else { nil } }

  /// Handles the end of the edit in progress; the next edit follows after the pause.
  mutating func end(_ edit: RoomEdit, pause: Duration? = nil, at now: Instant) {
    (state, mayBeDue, failures) = (.idle(done: edit.entry), true, 0)
    restsUntil = pause.map { now + $0 }
  }

  /// Prepares another attempt of the edit in progress; returns false if there were too many.
  mutating func retry(_ edit: RoomEdit, retryAfter: Duration?, at now: Instant, random: inout Randomness) -> Bool {
    let pause = Limits.webhookRetry.pause(after: failures, random: &random)
    failures += 1
    guard failures < Limits.roomEditTriesMax else { return false }
    state = .waiting(edit)
    restsUntil = now + max(pause, min(retryAfter ?? .zero, Limits.webhookRetryAfterMax))
    return true
  }
}

extension Kiosk {
  /// Returns the requests to record the outcomes among the effects.
  func recordOutcomes(in effects: [Effect]) -> [Effect] {
    guard delivery.edits.isUsed else { return [] }
    return effects.compactMap { effect in
      guard case .report(.entry(let report)) = effect, let entry = report.entry, entry.destination == .broker,
        let outcome = RoomEditOutcome(report)
      else { return nil }
      return .store(.recordOutcome(entry.id, outcome))
    }
  }

  /// Requests the next edit from the store, and sends it when no tap for a room is pending.
  mutating func editWhatMayBeEdited(at now: Moment) -> [Effect] {
    guard delivery.edits.isUsed else { return [] }
    let rooms = settings.rooms.actions
    var effects: [Effect] = []
    // The process ended before it sent a response.
    if let edit = delivery.edits.posted, !delivery.webhookProcess.isPosted(edit.transaction) {
      effects += editFailed(edit, .trouble(.closed, code: 0), retryAfter: nil, at: now)
    }
    if delivery.store.isGood, let request = delivery.edits.takeRequest() { effects.append(.store(request)) }
    guard let edit = delivery.edits.due(at: now.instant),
      delivery.webhooks.isClear(of: Set(rooms.keys)), !delivery.webhookProcess.isResting(edit.action)
    else { return effects }
    guard delivery.webhookProcess.mayPost(edit.action, roomsRun: listening.process.isRunning) else {
      return effects + wantProcess(delivery.webhookProcess.helper(of: edit.action), at: now.instant)
    }
    delivery.webhookProcess.willPost(edit.transaction, edit.action, at: now.instant)
    delivery.edits.willPost(edit)
    return effects + [.postEdit(edit, room: rooms[edit.action])]
  }

  /// Handles the response to an edit; an edit that the server refuses, or limits for a long time, is dropped.
  mutating func editAnswered(
    _ edit: RoomEdit, _ decision: WebhookDecision, retryAfter: Duration?, at now: Moment
  ) -> [Effect] {
    switch decision {
    case .delivered:
      delivery.edits.end(edit, at: now.instant)
      let back: [Effect] = serverReplied(edit.action) ? [.report(.webhook(.back(action: edit.action)))] : []
      return back + [.report(.room(.edited(edit)))]
    case .givenUp(let refusal):
      delivery.edits.end(edit, at: now.instant)
      return [.report(.room(.editDropped(edit, .refused(refusal))))]
    case .again(.status(429)):
      let pause = max(retryAfter ?? .zero, Limits.roomEditPause)
      if pause <= Limits.roomEditPauseMax { return editFailed(edit, .status(429), retryAfter: pause, at: now) }
      delivery.edits.end(edit, pause: min(pause, Limits.webhookRetryAfterMax), at: now.instant)
      return [.report(.room(.editDropped(edit, .failed(.status(429)))))]
    case .again(let fault): return editFailed(edit, fault, retryAfter: retryAfter, at: now)
    }
  }

  private mutating func editFailed(
    _ edit: RoomEdit, _ fault: WebhookFault, retryAfter: Duration?, at now: Moment
  ) -> [Effect] {
    if delivery.edits.retry(edit, retryAfter: retryAfter, at: now.instant, random: &random) { return [] }
    delivery.edits.end(edit, pause: Limits.roomEditPause, at: now.instant)
    return [.report(.room(.editDropped(edit, .failed(fault))))]
  }
}

/// The reason why an edit was dropped.
package enum RoomEditLoss: Hashable, Sendable {
  case refused(WebhookRefusal)
  /// The homeserver requested a long pause, or repeatedly limited the rate or did not respond.
  case failed(WebhookFault)
}
