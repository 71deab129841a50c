// The rows of the log of taps that reports become.

import TappetCore

extension TapRecord {
  /// The row of `report`, and whether it may wait for the commit that follows it; `nil` when it has none, or its commit
  /// brings it along (`Report.accepted`).
  @export(interface)
  package static func row(of report: Report, at now: Moment) -> (row: TapRecord, mayWait: Bool)? {
    let time = now.unixMilliseconds
    func end(_ entry: OutboxEntry, _ result: TapResult, _ code: String? = nil) -> (TapRecord, Bool) {
      (TapRecord(entry, result, code: code, at: time), true)
    }
    switch report {
    case .refused(let trigger, let uid, let refusal, let owner):
      return (
        TapRecord(
          unixMilliseconds: time, result: .refused, trigger: trigger, action: refusal.action, uid: uid,
          tag: owner?.label, person: owner?.person?.id, code: refusal.code), false
      )
    case .ignored(let uid, let action, let reason, let owner):
      let row = TapRecord(
        unixMilliseconds: time, result: .ignored, trigger: .tag, action: action, uid: uid,
        tag: owner?.label, person: owner?.person?.id, code: reason.code)
      return (row, false)
    case .refusedMore(let count):
      return (TapRecord(unixMilliseconds: time, result: .refused, trigger: nil, count: count), false)
    case .performed(let action, let trigger, let uid, let owner):
      return (
        TapRecord(
          unixMilliseconds: time, result: .accepted, trigger: trigger, action: action, uid: uid, tag: owner?.label,
          person: owner?.person?.id), false
      )
    case .delivered(let entry, _), .deliveredUnheard(let entry, _), .deliveredOfMany(let entry):
      return end(entry, .delivered)
    case .expired(let entry): return end(entry, .expired)
    case .undeliverable(let entry, _): return end(entry, .undeliverable)
    case .webhookGivenUp(let entry, let reason): return end(entry, .undeliverable, reason.code)
    // Their rows are gone from the outbox already.
    case .dropped(let entry), .droppedOfMany(let entry): return (TapRecord(entry, .dropped, at: time), false)
    case .accepted, .queued, .setAside, .deliveredMore, .droppedMore,
      .readerReady, .readerLost, .webhookWaits, .webhookBack,
      .webhooksLost, .webhooksBack, .inventory, .inventoryLost, .inventoryBack, .scanner, .linkUp, .linkFellBack,
      .linkWithoutRetained, .linkFailed, .linkLost, .linkStorm, .linkClosed, .clockGood,
      .clockUnknown, .certificateExpiring, .certificatesGood, .storeTrouble, .storeRecovered, .outboxRestored,
      .stopping,
      .panelLost, .panelRecovered, .buttonStuck, .buttonChattering, .buttonRecovered, .panelLocked, .panelUnlocked,
      .codeRefused, .outputSwitched, .outputWaits, .outputRefused, .commandAccepted, .commandRefused,
      .commandsRefusedMore, .commandsSubscribed, .roomAccess, .roomsFailing, .roomsListening, .roomsLost, .roomsBack,
      .siteApplied, .siteRefused, .siteDenied,
      .confirming, .confirmationEnded:
      return nil
    }
  }
}
