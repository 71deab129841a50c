// Log records for inventory taps and scans.

import CPlatform
import TappetCore
import TappetPlatform

extension LogRecord {
  /// Creates the record for the result of a tap or scan.
  init(_ report: InventoryReport) {
    let uid: [Field] = report.uid.map { [("uid", Hex.encode($0.bytes))] } ?? []
    guard let result = report.result, let thing = report.thing else {
      if let pieces = report.pieces {
        self.init(
          .info, "inventory-number", "the next item is \(plural(pieces, "piece")): tap it",
          [("action", report.action), ("pieces", String(pieces)), ("who", report.who)] + uid)
        return
      }
      let sentence =
        report.job == nil
        ? "\(report.who) can take or return an item or a box now: tap it"
        : "\(report.who) does this job from now on"
      self.init(
        .info, "inventory-person", sentence,
        [("action", report.action), ("who", report.who)] + uid)
      return
    }
    let fields: [Field] = [
      ("action", report.action), ("kind", thing.kind.name), ("id", thing.id.text), ("name", thing.name),
      ("who", report.who),
    ]
    let pieces: [Field] = report.pieces.map { [("pieces", String($0))] } ?? []
    self.init(.info, result.event, thing.sentence(result, report), fields + pieces + uid)
  }

  /// Creates the record for the start or the end of a job at the shelf.
  init(_ report: InventoryJobReport) {
    let isAudit = report.job == .audit
    let (priority, event, hasReason): (Priority, String, Bool) =
      switch report.change {
      case .started, .resumed: (.info, "inventory-job-started", report.change == .resumed)
      case .ended, .cancelled, .timeUp, .removed: (.info, "inventory-job-ended", true)
      case .written, .discarded: (.info, isAudit ? "inventory-audit-ended" : "inventory-count-ended", true)
      case .delayed: (.warning, isAudit ? "inventory-audit-delayed" : "inventory-count-delayed", false)
      }
    var fields: [Field] = [("action", report.action)]
    if hasReason { fields.append(("reason", report.change.rawValue)) }
    if let who = report.who { fields.append(("who", who)) }
    if let uid = report.uid { fields.append(("uid", Hex.encode(uid.bytes))) }
    if let missing = report.missing { fields.append(("missing", String(missing.count))) }
    self.init(priority, event, report.sentence, fields)
  }

  /// Creates the record for the scanner's recovery or failure.
  @export(interface)
  package init(scannerErrno code: Int32) {
    guard code != 0 else {
      self.init(.notice, "scanner-good", "the scanner is available again")
      return
    }
    let text = SystemError(call: "open", code: code).text
    let reason =
      switch code {
      case EACCES, EPERM: "\(text); allow the service to open it, as described in docs/inventory.md, \"A scanner\""
      case EBUSY, EWOULDBLOCK: "another program uses it, or the NFC reader is on the same serial line"
      case ENOTTY, EINVAL, ENXIO:
        "its device is neither a keyboard nor a serial line; correct 'inventory.scanner' in the configuration"
      default: "\(text); is it plugged in?"
      }
    self.init(.error, "scanner-lost", "the scanner cannot be used: \(reason)")
  }
}

extension TouchResult {
  /// Event name of the record.
  fileprivate var event: String { "inventory-" + rawValue }
}

extension InventoryThing {
  /// Returns the result as a human-readable sentence.
  fileprivate func sentence(_ result: TouchResult, _ report: InventoryReport) -> String {
    let what = "\(kind.name) \(name)" + (code.isEmpty ? "" : " [\(code)]")
    let home = report.isMisplaced ? "; it belongs in \(path)" : ""
    let pieces = report.pieces ?? 1
    let former = report.replaced > 0 ? " instead of \(report.replaced)" : ""
    switch result {
    case .shown:
      let place = holder.map { "is with \($0)" } ?? (path.isEmpty ? "" : "is in \(path)")
      let some = pieceHolders.isEmpty ? "" : ", some of it with \(pieceHolders)"
      let content =
        kind == .item ? "; quantity \(quantity)" + some : contentCount == 0 ? "; it is empty" : ": \(contentList)"
      return what + (place.isEmpty ? "" : " " + place) + content
    case .moved: return what + " was moved to \(path)"
    case .lent: return what + " was checked out to \(holder ?? "an unknown person")"
    case .returned: return what + " was returned; it belongs in \(path)"
    case .put where pieces == 1 && report.replaced == 0: return what + " has one more piece; quantity \(quantity)"
    case .put: return what + " has \(plural(pieces, "more piece"))\(former); quantity \(quantity)"
    case .taken where pieces == 1 && report.replaced == 0: return what + " has one piece less; quantity \(quantity)"
    case .taken: return what + " has \(plural(pieces, "piece")) less\(former); quantity \(quantity)"
    case .counting: return what + " is being counted: tap each piece in it"
    case .counted: return what + ": \(plural(quantity, "piece")) counted so far" + home
    case .seen: return what + " was seen" + (report.isMisplaced ? home : path.isEmpty ? "" : " in \(path)")
    case .released: return what + " was tapped again, so the next tap does nothing with it"
    }
  }
}

extension InventoryJobReport {
  /// Human-readable report, one sentence.
  fileprivate var sentence: String {
    let what =
      switch job {
      case .add: "one piece is added at each tap of an item"
      case .remove: "one piece is taken at each tap of an item"
      case .count: "one piece is counted at each tap of an item"
      case .audit: "each tapped entry is recorded as seen"
      case .show, .cancel: "each tap shows an entry"
      }
    let name = who.map { " for \($0)" } ?? ""
    let verb = job == .audit ? "seen" : "counted"
    return switch change {
    case .started: "\(action) has started\(name): \(what)"
    case .ended, .cancelled: "\(action) has ended\(name)"
    case .timeUp: "\(action) has ended\(name): no tap within the time limit"
    case .removed: "\(action) has ended\(name): the configuration has changed"
    case .resumed:
      "\(action) continues\(name) after the restart, and keeps what was already \(verb)"
    case .written where job == .audit: "\(plural(items, "entry", "entries")) seen in \(action)\(name)" + rest
    case .written: "\(plural(items, "item")) counted by \(action)\(name): the counts are now the quantities" + rest
    case .discarded: "\(plural(items, "item")) counted by \(action)\(name): the counts were discarded"
    case .delayed:
      "the end of \(action)\(name) cannot be written now, and will be retried; what was \(verb) is on the disk"
    }
  }

  /// The missing entries, as the end of a sentence; empty if no place was counted or audited.
  private var rest: String {
    guard let missing else { return "" }
    if missing.count == 0 { return "; nothing is missing" }
    let listed = missing.items.prefix(Limits.inventoryMissingMax)
    let more = missing.count - Int64(listed.count)
    return "; missing: " + listed.map { $0.name }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

extension InventoryFault {
  /// Returns a human-readable message about a tap of the action, as part of a sentence.
  func sentence(_ action: String) -> String {
    switch self {
    case .unknown:
      "no entry in the inventory has this tag or code; assign it with 'tappet tag write --box BOX' or "
        + "'tappet box edit BOX --tag UID'"
    case .noneLeft:
      "too few pieces of the item are left; if that is wrong, correct its quantity with 'tappet item count'"
    case .tooMany: "the quantity of the item is already \(Limits.inventoryQuantityMax), the maximum"
    case .scanTooLong: "the scanned code is longer than \(Limits.inventoryCodeSizeMax) bytes, the maximum"
    case .scanIncomplete:
      "only a part of the scanned code arrived, or it did not end with Enter or Tab; scan it again, or set the scanner "
        + "to send Enter after each code"
    case .scanUnreadable:
      "the scanner sent something other than text; set it to the keyboard layout in the configuration, or to 9600 baud "
        + "on a serial line"
    case .notItem:
      "a job is in progress in which only items can be tapped, or the box or spot to be counted; end it first, with "
        + "its card or button"
    case .notNumber:
      "a number of pieces is only for a job that adds, takes or counts pieces, and 0 only for a count; start the job "
        + "first, with its card or button"
    case .numberUnclear:
      "something else was tapped or scanned after the last item, which keeps its one piece; scan the number again, and "
        + "then its item"
    case .needsBox: "an item can only be moved into a box; tap the item again, and then a box"
    case .gone: "the first of the two entries was removed from the inventory in the meantime"
    case .database: "the inventory cannot be read or changed now, or is in use by another process; tap again"
    case .full:
      "no space is left for the inventory, so nothing was changed; free some space, then repeat the tap, or both of "
        + "two taps"
    case .reserved:
      "another person has some of the item, or has reserved it for today; use 'tappet item show' to see who, or "
        + "'tappet item unreserve' to cancel the reservation"
    case .away:
      "tappet-inventory does not respond, or is still handling earlier taps and scans, so \(action) was not performed; "
        + "tap again in a moment"
    }
  }
}

extension KioskStatus.Inventory {
  package var isGood: Bool { loss == nil && scannerErrno == 0 }

  /// Human-readable message, one sentence.
  package var sentence: String {
    if let loss { return loss.sentence("tappet-inventory") }
    if scannerErrno != 0 { return LogRecord(scannerErrno: scannerErrno).sentence }
    guard let lowCount, lowCount > 0 else { return "good" }
    return plural(lowCount, "item is low", "items are low")
  }
}
