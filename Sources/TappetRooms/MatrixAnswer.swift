// A homeserver's response to a message, or an error response.

import TappetCore
import TappetJSON

/// The relevant members of a homeserver's response.
package struct MatrixAnswer: Sendable {
  /// Whether the response is a JSON object.
  package var isObject = false
  package var errorCode: String?
  /// `retry_after_ms`, which is more precise than the header's whole seconds.
  package var retryAfter: Duration?
  /// The id of the room to which an alias refers.
  package var roomID: String?
  /// The id of the event that was created for a message.
  package var eventID: String?

  /// The limits of a room's keys, in its `m.room.encryption` event.
  package var rotation: Rotation?

  /// The id of the event, unless it is longer than an event's id may be.
  package var shortEventID: String? {
    eventID.flatMap { $0.utf8.count <= Limits.roomEventSizeMax ? $0 : nil }
  }

  package init(isObject: Bool = false) { self.isObject = isObject }

  /// Parses a response; if it is not JSON, the result has no members.
  @export(interface)
  package init(_ bytes: [UInt8]) {
    self = JSONNode.read(bytes) { MatrixAnswer($0) } ?? MatrixAnswer()
  }

  private init(_ answer: JSONNode) {
    self.init()
    isObject = answer.isObject
    errorCode = answer["errcode"]?.text
    eventID = answer["event_id"]?.text
    roomID = answer["room_id"]?.text.flatMap { RoomAddress.isValid($0) && $0.begins(with: "!") ? $0 : nil }
    rotation = Rotation(answer)
    if let pause = answer["retry_after_ms"]?.number {
      retryAfter = .milliseconds(Int64(min(max(pause, 1), 0x1p30).rounded(.up)))
    }
  }

  /// Returns the failure that a response with this status indicates.
  func fault(_ status: UInt16) -> WebhookFault {
    switch (status, errorCode) {
    case (429, _), (_, "M_LIMIT_EXCEEDED"): .status(429)
    case (408, _), (425, _), (500...599, _): .status(Int(status))
    case (401, .some), (_, "M_UNKNOWN_TOKEN"), (_, "M_USER_DEACTIVATED"), (_, "M_USER_LOCKED"):
      .trouble(.tokenRefused, code: Int32(status))
    case _: .trouble(.notAHomeserver, code: Int32(status))
    }
  }
}

/// The limits after which the keys of an encrypted room are replaced.
package struct Rotation: Equatable, Sendable {
  package var messages = Limits.megolmMessagesMax
  package var milliseconds = Limits.megolmAgeMax

  package init() {}

  /// Reads the limits in an `m.room.encryption` event; `nil` if the algorithm is not Megolm.
  ///
  /// A room can only lower the limits.
  fileprivate init?(_ content: JSONNode) {
    guard content["algorithm"]?.text == "m.megolm.v1.aes-sha2" else { return nil }
    func number(_ name: String) -> Int64? { content[name]?.number.flatMap { Int64(exactly: $0.rounded(.down)) } }
    if let count = number("rotation_period_msgs") { messages = max(1, min(messages, count)) }
    if let age = number("rotation_period_ms") { milliseconds = max(60_000, min(milliseconds, age)) }
  }
}

extension TransportError {
  /// Whether the homeserver refused the message or the room, so that sending the message again is useless.
  var isRefusal: Bool {
    switch self {
    case .roomEncrypted, .roomClosed, .roomUnknown, .roomPlain, .messageRefused: true
    case .nameUnknown, .unreachable, .timedOut, .closed, .certificateRefused, .handshakeFailed, .fileUnusable,
      .redirectForbidden, .other, .headersTooLarge, .notHTTP, .tokenRefused, .notAHomeserver:
      false
    }
  }
}
