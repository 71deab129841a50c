// Conversion of reports to rows of the tap log.

import TappetConfig
import TappetCore

extension TapRecord {
  /// Returns the row for `report`, and whether the row may wait for the next commit; `nil` if the report has no row, or
  /// if the row was already part of the reported commit (`Report.entry(.accepted)`).
  @export(interface)
  package static func row(
    of report: Report, _ configuration: KioskConfiguration, at now: Moment
  ) -> (row: TapRecord, mayWait: Bool)? {
    let time = now.unixMilliseconds
    func end(_ entry: OutboxEntry, _ result: TapResult, _ code: String? = nil) -> (TapRecord, Bool) {
      (TapRecord(entry, result, code: code, at: time), true)
    }
    switch report {
    case .tap(.refused(let by, let uid, let refusal, let owner)):
      return (
        TapRecord(
          unixMilliseconds: time, result: .refused, trigger: by.trigger, action: refusal.action, uid: uid,
          tag: refusal.unknownCode ?? owner?.label, person: owner?.person?.id, by: by.text, code: refusal.code), false
      )
    case .tap(.ignored(let uid, let action, let reason, let owner)):
      let row = TapRecord(
        unixMilliseconds: time, result: .ignored, trigger: .tag, action: action, uid: uid,
        tag: owner?.label, person: owner?.person?.id, code: reason.code)
      return (row, false)
    case .tap(.refusedMore(let count)):
      return (TapRecord(unixMilliseconds: time, result: .refused, trigger: nil, count: count), false)
    case .tap(.performed(let action, let by, let uid, let owner)):
      return (
        TapRecord(
          unixMilliseconds: time, result: .accepted, trigger: by.trigger, action: action, uid: uid, tag: owner?.label,
          person: owner?.person?.id, by: by.text), false
      )
    case .entry(.delivered(let entry, _, _)), .entry(.deliveredOfMany(let entry, _)): return end(entry, .delivered)
    case .entry(.expired(let entry)):
      guard let code = entry.refusal else { return end(entry, .expired) }
      return end(entry, .expired, QueueReason.brokerRefuses(code: code).code)
    case .entry(.undeliverable(let entry, _)): return end(entry, .undeliverable)
    case .entry(.givenUp(let entry, let reason)): return end(entry, .undeliverable, reason.code)
    // The entries were already removed from the outbox.
    case .entry(.dropped(let entry)), .entry(.droppedOfMany(let entry)):
      return (TapRecord(entry, .dropped, at: time), false)
    case .input(let report): return (TapRecord(report, at: time), false)
    case .output(.switched(_, _, .asked(.request(.kiosk)))): return nil
    case .output(.switched(let index, let isOn, .asked(.request(let by)))):
      return (
        TapRecord(
          unixMilliseconds: time, result: isOn ? .switchedOn : .switchedOff, trigger: by.trigger,
          action: configuration.outputName(index), by: by.text), false
      )
    case .entry(.accepted), .entry(.queued), .entry(.setAside), .entry(.deliveredMore), .entry(.droppedMore),
      .tap(.confirming), .tap(.confirmationEnded), .reader, .link, .webhook, .helper, .store, .clock, .panel, .output,
      .command, .room, .site, .inventory, .job, .scanner, .outboxRestored, .stopping:
      return nil
    }
  }
}

extension TapRecord {
  /// Creates a row about an input, whose name is where other rows have that of the action.
  fileprivate init(_ report: InputReport, at unixMilliseconds: Int64) {
    let (result, code): (TapResult, String?) =
      switch report.change {
      case .opened(.forced): (.forced, nil)
      case .opened(let cause): (.opened, cause == .found ? Self.foundCode : nil)
      case .closed(let cause, _, _): (.closed, cause == .found ? Self.foundCode : nil)
      case .heldOpen: (.heldOpen, nil)
      case .notEntered: (.notEntered, nil)
      }
    self.init(
      unixMilliseconds: unixMilliseconds, result: result, trigger: .input, action: report.name, code: code)
  }
}
