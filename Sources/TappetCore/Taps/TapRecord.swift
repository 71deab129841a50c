// A row of the tap log in the store (`history:`). Rows contain no secrets.

/// The outcome of a tap, a press or a command, or the change of an input or an output.
package enum TapResult: UInt8, Hashable, Sendable, CaseIterable {
  case accepted = 1
  case delivered = 2
  case refused = 3
  case ignored = 4
  case expired = 5
  /// Removed from the outbox by a user.
  case dropped = 6
  /// Permanently refused by the broker or the webhook.
  case undeliverable = 7
  /// The input with the row's name was opened.
  case opened = 8
  case closed = 9
  /// It was opened by force.
  case forced = 10
  case heldOpen = 11
  /// It was unlocked, and nobody opened it.
  case notEntered = 12
  /// The output with the row's name was switched on by a request for it.
  case switchedOn = 13
  case switchedOff = 14

  /// The name of the result in the tool's output and in JSON.
  package var name: String {
    @export(interface) get {
      switch self {
      case .accepted: "accepted"
      case .delivered: "delivered"
      case .refused: "refused"
      case .ignored: "ignored"
      case .expired: "expired"
      case .dropped: "dropped"
      case .undeliverable: "undeliverable"
      case .opened: "opened"
      case .closed: "closed"
      case .forced: "forced"
      case .heldOpen: "held-open"
      case .notEntered: "not-entered"
      case .switchedOn: "switched-on"
      case .switchedOff: "switched-off"
      }
    }
  }

  /// Returns the result with the given name; `nil` if there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// A row of the tap log.
package struct TapRecord: Hashable, Sendable {
  /// Wall-clock time, in milliseconds since 1970.
  package var unixMilliseconds: Int64
  package var result: TapResult
  /// The trigger of the tap; `nil` in a row that counts several taps.
  package var trigger: Trigger?
  /// The action's name, if it is known; in a row about an input or an output, its name.
  package var action: String?
  /// The tag's UID, if there was a tag.
  package var uid: TagUID?
  /// The label of the tag's secret.
  package var tag: String?
  /// The id of the person who owns the tag; the log contains no names.
  package var person: String?
  /// The originator (`Originator.text`); `nil` if it was whoever held the tag.
  package var by: String?
  /// The machine-readable reason, if there is one.
  package var code: String?
  /// The id of the entry in the outbox.
  package var entry: EntryID?
  /// The destination whose outcome the row has; `nil` in the row of an acceptance, or without an entry.
  package var destination: Destination?
  /// Time at which the entry was accepted, in milliseconds since 1970; not stored, but used to find the first row.
  package var acceptedUnixMilliseconds: Int64?
  /// Number of taps that the row represents; beyond a few refusals per minute, all others share a row.
  package var count: Int

  /// The code of a row about an input whose level was found when its line became available.
  package static let foundCode = "found"

  /// Whether the row is about an input, rather than about an action that an input triggered.
  package var isOfInput: Bool {
    switch result {
    case .opened, .closed, .forced, .heldOpen, .notEntered: true
    case .accepted, .delivered, .refused, .ignored, .expired, .dropped, .undeliverable, .switchedOn, .switchedOff: false
    }
  }

  /// Whether the row is about an output, rather than about an action.
  package var isOfOutput: Bool { result == .switchedOn || result == .switchedOff }

  @export(interface)
  package init(
    unixMilliseconds: Int64, result: TapResult, trigger: Trigger?, action: String? = nil, uid: TagUID? = nil,
    tag: String? = nil, person: String? = nil, by: String? = nil, code: String? = nil, entry: EntryID? = nil,
    destination: Destination? = nil, count: Int = 1
  ) {
    self.unixMilliseconds = unixMilliseconds
    self.result = result
    self.trigger = trigger
    self.action = action
    self.uid = uid
    self.tag = tag
    self.person = person
    self.by = by
    self.code = code
    self.entry = entry
    self.destination = destination
    self.count = count
  }

  /// Creates a row for the acceptance of an entry, or for its later outcome.
  package init(
    _ entry: OutboxEntry, _ result: TapResult = .accepted, code: String? = nil, at unixMilliseconds: Int64? = nil
  ) {
    self.init(
      unixMilliseconds: unixMilliseconds ?? entry.acceptedUnixMilliseconds, result: result, trigger: entry.trigger,
      action: entry.action, uid: entry.uid, tag: entry.tag, person: entry.person?.id, by: entry.by?.text, code: code,
      entry: entry.id, destination: result == .accepted ? nil : entry.destination)
    acceptedUnixMilliseconds = entry.acceptedUnixMilliseconds
  }
}
