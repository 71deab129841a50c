// Outcomes of the last taps and presses, each with its sentence, for the live view, `status` and the control socket.
// They are lost when the process exits; the tap log in the store retains months of outcomes, without the sentences
// (`history:`).

import TappetCore
import TappetJSON
import TappetMessages

/// The outcome of a tap or press.
package struct TapOutcome: Sendable {
  /// Wall-clock time, in milliseconds since 1970.
  package var unixMilliseconds: Int64
  /// The event's name in the log.
  package var event: String
  /// Machine-readable reason code, if any.
  package var code: String?
  /// The action's name, if known.
  package var action: String?
  /// UID of the tag in hexadecimal digits; `nil` if there was no tag.
  package var uid: String?
  /// Name of the tag's owner.
  package var person: String?
  /// Name of the originator, such as the tag's owner.
  package var by: String?
  /// Whether the outcome is what the person intended.
  package var isGood: Bool
  /// Human-readable outcome, one sentence.
  package var text: String

  /// Creates the outcome that `record` reports.
  init(_ record: LogRecord, of report: Report, isGood: Bool, at now: Moment) {
    func field(_ key: String) -> String? { record.fields.first { $0.key == key }?.value }
    unixMilliseconds = now.unixMilliseconds
    event = record.name
    code = field("code")
    action = field("action")
    uid = field("uid")
    person = report.person?.name
    by = report.by
    self.isGood = isGood
    text = record.sentence
  }

  /// Returns the JSON for `tappet status --json`; only the last digits of a UID if the user may not see keys.
  func json(maySeeKeys: Bool) -> JSON {
    .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "event": .string(event),
      "code": .optional(code), "action": .optional(action),
      "uid": .optional(maySeeKeys ? uid : uid.map { TagUID.masked($0) }), "person": .optional(person),
      "by": .optional(by), "good": .bool(isGood),
      "text": .string(text),
    ])
  }
}

/// The newest outcomes, at most `Limits.viewTapsMax`.
struct RecentOutcomes {
  /// Outcomes, newest first.
  private(set) var outcomes: [TapOutcome] = []

  /// Adds `report` if it concerns a tap, a press or the lock.
  mutating func add(_ report: Report, _ record: LogRecord, at now: Moment) {
    guard !report.isOfInventoryNews, let isGood = report.isGood else { return }
    if outcomes.count >= Limits.viewTapsMax { outcomes.removeLast() }
    outcomes.insert(TapOutcome(record, of: report, isGood: isGood, at: now), at: 0)
  }
}

extension Report {
  /// Whether the outcome is what the person intended; `nil` if the report does not concern a tap, a press or the lock.
  fileprivate var isGood: Bool? {
    switch self {
    case .entry(.accepted), .entry(.delivered(_, _, isHeard: true)), .entry(.deliveredOfMany), .entry(.deliveredMore),
      .tap(.performed), .panel(.unlocked), .panel(.locked), .command(.accepted), .inventory:
      true
    case .job(let report): report.change != .delayed
    case .entry, .tap, .panel(.codeRefused), .command(.refused), .command(.refusedMore): false
    case .reader, .link, .webhook, .helper, .store, .clock, .panel, .output, .input, .command(.subscribed), .room,
      .site, .scanner, .outboxRestored, .stopping:
      nil
    }
  }

  /// Whether the report concerns the state of a part, rather than an outcome.
  var isOfState: Bool { isGood == nil }

  /// Trigger of a tap, a press or an entry.
  var trigger: Trigger? {
    switch self {
    case .entry(let report): report.entry?.trigger
    case .tap(.refused(let by, _, _, _)), .tap(.performed(_, let by, _, _)): by.trigger
    case .tap(.ignored): .tag
    case _: nil
    }
  }

  /// Name of the originator of what the report concerns.
  package var by: String? {
    @export(interface) get {
      switch self {
      case .entry(let report): report.entry.flatMap { $0.by?.name($0.owner) }
      case .tap(.refused(let by, _, _, let owner)), .tap(.performed(_, let by, _, let owner)): by.name(owner)
      case .tap(.ignored(_, _, _, let owner)): Originator.tag.name(owner)
      case .tap(.confirmationEnded(_, .refusedInRoom(let user))): user
      case .command(.accepted(_, _, let by)), .command(.refused(_, _, _, let by)): by.text
      case .output(let report): report.cause?.by.text
      case _: nil
      }
    }
  }

  /// Owner of the tag that the report concerns.
  var person: Person? {
    switch self {
    case .entry(let report): report.entry?.person
    case .tap(.refused(_, _, _, let owner)), .tap(.ignored(_, _, _, let owner)), .tap(.performed(_, _, _, let owner)):
      owner?.person
    case _: nil
    }
  }
}
