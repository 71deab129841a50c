// The messages about taps and presses for Home Assistant. None of them is kept but the last tap's: Home Assistant would
// scan a tag again at each of its starts.

import TappetCore
import TappetJSON
import TappetMessages

extension TapTransition.Kind {
  /// The names of all steps.
  static let words = ["accepted", "queued", "delivered", "refused", "expired"]

  /// Its name in the event.
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .queued: "queued"
    case .delivered: "delivered"
    case .refused, .undeliverable: "refused"
    case .expired: "expired"
    }
  }

  /// The reason for programs.
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
  /// The step as Home Assistant's event entity takes it.
  var message: JSON {
    .object([
      "event_type": .string(kind.word), "action": .optional(action), "trigger": .optional(trigger?.word),
      "code": .optional(kind.code),
    ])
  }

  /// The scan of a tag that was accepted; `nil` for anything else.
  var scan: JSON? {
    guard case .accepted(let uid?) = kind else { return nil }
    return .object(["tag_id": .string(homeAssistantID ?? uid.text), "action": .optional(action)])
  }

  /// The last tap or press; `nil` when this was none that was accepted.
  func last(unixMilliseconds: Int64) -> JSON? {
    guard case .accepted(let uid) = kind, trigger != .command else { return nil }
    return .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "action": .optional(action),
      "trigger": .optional(trigger?.word), "tag_id": .optional(homeAssistantID ?? uid?.text),
    ])
  }
}

extension TagUID {
  /// In the form of Home Assistant's own readers.
  fileprivate var text: String { String(decoding: Hex.digits(of: bytes).map { $0.asciiUppercased }, as: UTF8.self) }
}

extension Trigger {
  fileprivate var word: String {
    switch self {
    case .tag: "tag"
    case .button: "button"
    case .command: "command"
    case .inventory: "inventory"
    }
  }
}
