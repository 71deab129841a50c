// The last taps and presses and what became of them, each with its sentence, for those who look at the kiosk now: the
// live view, `status`, the control socket. They end with the process; the log of taps in the store keeps months of them
// as facts (`history:`).

import TappetCore
import TappetJSON
import TappetMessages

/// A tap or a press and what became of it.
package struct TapOutcome: Sendable {
  /// Wall-clock time, milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// The event's name in the log.
  package var event: String
  /// The reason for programs, where there is one.
  package var code: String?
  /// The action's name, if it is known.
  package var action: String?
  /// The tag's UID in hexadecimal digits, if there was a tag.
  package var uid: String?
  /// The name of the person whose tag it is.
  package var person: String?
  /// Whether it went as the person wished.
  package var isGood: Bool
  /// One sentence for a person.
  package var text: String

  /// The outcome that `record` reports.
  init(_ record: LogRecord, of person: Person?, isGood: Bool, at now: Moment) {
    func field(_ key: String) -> String? { record.fields.first { $0.key == key }?.value }
    unixMilliseconds = now.unixMilliseconds
    event = record.name
    code = field("code")
    action = field("action")
    uid = field("uid")
    self.person = person?.name
    self.isGood = isGood
    text = record.sentence
  }

  /// For `tappet status --json`; users who may not see keys see only the last digits of a UID.
  func json(maySeeKeys: Bool) -> JSON {
    .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "event": .string(event),
      "code": .optional(code), "action": .optional(action),
      "uid": .optional(maySeeKeys ? uid : uid.map { "…" + String($0.suffix(4)) }), "person": .optional(person),
      "good": .bool(isGood),
      "text": .string(text),
    ])
  }
}

/// The newest outcomes, at most `Limits.viewTapsMax`.
struct RecentOutcomes {
  /// The newest first.
  private(set) var outcomes: [TapOutcome] = []

  /// Adds `report` when it is about a tap, a press or the lock.
  mutating func add(_ report: Report, _ record: LogRecord, at now: Moment) {
    guard !report.isOfInventoryNews, let isGood = report.isGood else { return }
    if outcomes.count >= Limits.viewTapsMax { outcomes.removeLast() }
    outcomes.insert(TapOutcome(record, of: report.person, isGood: isGood, at: now), at: 0)
  }
}

extension Report {
  /// Whether it went as the person wished; `nil` when it is about no tap, no press and not about the lock.
  fileprivate var isGood: Bool? {
    switch self {
    case .entry(.accepted), .entry(.delivered(_, _, isHeard: true)), .entry(.deliveredOfMany), .entry(.deliveredMore),
      .tap(.performed), .panel(.unlocked), .panel(.locked), .command(.accepted), .inventory:
      true
    case .entry, .tap, .panel(.codeRefused), .command(.refused), .command(.refusedMore): false
    case .reader, .link, .webhook, .helper, .store, .clock, .panel, .output, .command(.subscribed), .room, .site,
      .scanner, .outboxRestored, .stopping:
      nil
    }
  }

  /// The person whose tag it is about.
  fileprivate var person: Person? {
    switch self {
    case .entry(let report): report.entry?.person
    case .tap(.refused(_, _, _, let owner)), .tap(.ignored(_, _, _, let owner)), .tap(.performed(_, _, _, let owner)):
      owner?.person
    case _: nil
    }
  }
}
