// The kiosk's last will in a room: a message that the homeserver posts if it does not hear from the kiosk for a while
// (MSC4140, delayed events). tappet-matrix keeps it pending; the kiosk decides when to cancel it. Pure decision
// logic.

/// A last will, as configured.
package struct RoomWill: Hashable, Sendable {
  /// The room's address or id.
  package var room: String
  /// The event's content, as JSON.
  package var body: String
  /// Time without a sign of life after which the homeserver posts the message.
  package var after: Duration

  package init(room: String, body: String, after: Duration) {
    self.room = room
    self.body = body
    self.after = after
  }

  /// Returns the reason why a homeserver with this longest delay cannot schedule the message; `nil` if it can.
  package func lack(longest: Duration) -> RoomWillState? {
    if longest <= .zero { return .unsupported }
    return longest < after ? .tooLong(secondsMax: UInt32(clamping: longest.wholeMilliseconds / 1000)) : nil
  }
}

/// The state of the last will at the homeserver.
package enum RoomWillState: Hashable, Sendable {
  /// The homeserver will post the message.
  case scheduled
  /// The homeserver does not support delayed messages.
  case unsupported
  /// The homeserver supports only shorter delays, up to the given number of seconds.
  case tooLong(secondsMax: UInt32)
  /// The message cannot be scheduled; this is tried again.
  case failed(WebhookFault)
  /// The homeserver no longer has the message: it has posted it. It will be scheduled again.
  case posted
  /// The message was cancelled, as ordered.
  case cancelled
}

/// The last will of the current process.
struct RoomWillDuties: Sendable {
  /// The last state that was reported; `nil` until the process has reported one.
  private(set) var state: RoomWillState?
  /// Whether the kiosk waits for the process to cancel the message.
  private(set) var isCancelling = false

  /// The reason why the homeserver would not post the message; `nil` if it would, or if it is not known yet.
  var lack: RoomWillState? {
    switch state {
    case .unsupported, .tooLong, .failed: state
    case nil, .scheduled, .posted, .cancelled: nil
    }
  }

  /// Records a state; returns whether it is new.
  mutating func record(_ new: RoomWillState) -> Bool {
    if new == .cancelled {
      isCancelling = false
      return false
    }
    defer { state = new }
    return new != state
  }

  mutating func cancel() { isCancelling = true }

  /// Forgets the state, which was that of a different will.
  mutating func replace() { state = nil }

  /// Handles the end of the process; its successor reports only what has changed.
  mutating func processEnded() { isCancelling = false }
}

extension Kiosk {
  mutating func willReported(_ state: RoomWillState) -> [Effect] {
    listening.will.record(state) ? [.report(.room(.will(state)))] : []
  }

  /// Cancels the last will, because the kiosk stops in an orderly way, or has a different one from now on.
  mutating func cancelWill(_ will: RoomWill?) -> [Effect] {
    guard will != nil, listening.process.isRunning else { return [] }
    listening.will.cancel()
    return [.cancelWill]
  }
}
