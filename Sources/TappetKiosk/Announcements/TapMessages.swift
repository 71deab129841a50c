// Messages about taps and presses for Home Assistant. Only the last tap's message is retained; otherwise, Home
// Assistant would treat a retained scan as a new scan at every start.

import TappetCore
import TappetJSON
import TappetMessages

extension TapTransition.Kind {
  /// Names of all steps.
  static let words = ["accepted", "queued", "delivered", "refused", "expired"]

  /// Name of the step in the event.
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .queued: "queued"
    case .delivered: "delivered"
    case .refused, .undeliverable: "refused"
    case .expired: "expired"
    }
  }

  /// Machine-readable reason code.
  var code: String? {
    switch self {
    case .queued(let reason): reason.code
    case .refused(let refusal): refusal.code
    case .undeliverable: "undeliverable"
    case .accepted, .delivered, .expired: nil
    }
  }
}

extension TapTransition {
  /// The step in the format of Home Assistant's event entity.
  var message: JSON {
    .object([
      "event_type": .string(kind.word), "action": .optional(action), "trigger": .optional(trigger?.source),
      "code": .optional(kind.code),
    ])
  }

  /// Scan of an accepted tag; `nil` for any other step.
  var scan: JSON? {
    guard case .accepted(let uid?) = kind else { return nil }
    return .object(["tag_id": .string(homeAssistantID ?? uid.text), "action": .optional(action)])
  }

  /// Returns the last tap or press; `nil` if this step is not an accepted tap or press.
  func last(unixMilliseconds: Int64) -> JSON? {
    guard case .accepted(let uid) = kind, trigger != .command else { return nil }
    return .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "action": .optional(action),
      "trigger": .optional(trigger?.source), "tag_id": .optional(homeAssistantID ?? uid?.text),
    ])
  }
}

extension TagUID {
  /// UID in the format of Home Assistant's own readers.
  fileprivate var text: String { String(decoding: Hex.digits(of: bytes).map { $0.asciiUppercased }, as: UTF8.self) }
}

extension Trigger {
  /// Origin of a tap: a noun for a device, unlike `word`.
  fileprivate var source: String {
    switch self {
    case .tag: "tag"
    case .button: "button"
    case .command: "command"
    case .inventory: "inventory"
    case .input: "input"
    }
  }
}
