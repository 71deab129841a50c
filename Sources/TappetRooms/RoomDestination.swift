// A Matrix room as a destination: the requests that post a message in the room, and the handling of their responses.
// Pure decision logic. Client-server API v1.11, §10.2.1: a message is sent with a transaction id, by which the
// homeserver detects duplicates.

import TappetCore

/// A room, with its properties as reported by the homeserver.
struct RoomDestination: Sendable {
  /// The requests for one message, in order; requests whose results are already known are skipped.
  enum Step: Sendable {
    /// Resolves an alias to a room's id.
    case resolve
    /// Checks whether the room is encrypted.
    case check
    /// Retrieves the members of an encrypted room.
    case members
    case send
  }

  /// The consequence of a response.
  enum Turn: Equatable, Sendable {
    case next(Step)
    /// The homeserver responded with the given status, which is handled like that of a webhook.
    case answered(status: Int, retryAfter: Duration?)
    case failed(TransportError)
  }

  /// The alias or id of the room, as configured.
  let room: String
  /// The room's id; `nil` until it is known.
  private(set) var id: String?
  /// The limits of the room's keys; `nil` unless the room is known to be encrypted.
  private(set) var rotation: Rotation?
  private var freshUntil: Instant?
  /// The encryption settings; `nil` if the kiosk does not write to encrypted rooms.
  private let encryption: RoomEncryption?

  init(_ room: String, _ encryption: RoomEncryption? = nil) {
    self.room = room
    self.encryption = encryption
    id = room.begins(with: "!") ? room : nil
  }

  /// Whether the room is known to be encrypted.
  var isEncrypted: Bool { rotation != nil }

  /// Records that the room is encrypted, whatever the homeserver reports.
  mutating func recordEncrypted() { rotation = rotation ?? Rotation() }

  /// Returns the first request for a message.
  mutating func begin(at now: Instant) -> Step {
    if let freshUntil, now < freshUntil, id != nil { return isEncrypted ? .members : .send }
    freshUntil = nil
    return room.begins(with: "!") ? .check : .resolve
  }

  /// Returns the method of a request.
  func method(of step: Step) -> WebhookEndpoint.Method { step == .send ? .put : .get }

  /// Returns the path of a request to the homeserver; the transaction id stays the same across restarts.
  func path(of step: Step, sending transaction: String) -> String {
    let known = (id ?? room).percentEncoded
    switch step {
    case .resolve: return "/_matrix/client/v3/directory/room/" + room.percentEncoded
    case .check: return "/_matrix/client/v3/rooms/" + known + "/state/m.room.encryption"
    case .members: return "/_matrix/client/v3/rooms/" + known + "/joined_members"
    case .send:
      let type = isEncrypted ? "m.room.encrypted" : "m.room.message"
      return "/_matrix/client/v3/rooms/" + known + "/send/" + type + "/" + transaction.percentEncoded
    }
  }

  /// Handles the response to a request.
  ///
  /// `isFirst` means that the request was the first for the message. If cached properties of the room turn out to be
  /// wrong, they are requested again.
  mutating func handle(
    _ step: Step, isFirst: Bool = false, status: Int, retryAfter: Duration?, _ answer: MatrixAnswer,
    at now: Instant
  ) -> Turn {
    switch (step, status, answer.errorCode) {
    case (_, 429, _), (_, _, "M_LIMIT_EXCEEDED"):
      return .answered(status: 429, retryAfter: answer.retryAfter ?? retryAfter)
    case (_, 408, _), (_, 425, _), (_, 500...599, _):
      return .answered(status: status, retryAfter: retryAfter)
    case (.resolve, 200, _):
      guard let found = answer.roomID else { return .failed(.notAHomeserver) }
      id = found
      return .next(.check)
    case (.check, 200, _):
      guard answer.isObject else { return .failed(.notAHomeserver) }
      guard encryption != nil, let rotation = answer.rotation else { return .failed(.roomEncrypted) }
      self.rotation = rotation
      freshUntil = now + Limits.roomFactsMax
      return .next(.members)
    case (.check, 404, "M_NOT_FOUND"):
      // A homeserver that denies known encryption is not trusted.
      if isEncrypted, encryption == nil { return .failed(.roomEncrypted) }
      guard isEncrypted || encryption?.allowsPlain != false else { return .failed(.roomPlain) }
      freshUntil = now + Limits.roomFactsMax
      return .next(isEncrypted ? .members : .send)
    case (.members, 200, _) where answer.isObject: return .next(.send)
    case (.send, 200, _) where answer.eventID != nil: return .answered(status: 200, retryAfter: nil)
    default:
      // The cached properties are discarded, because the room may have been closed or replaced in the meantime.
      freshUntil = nil
      let trouble = RoomDestination.trouble(step, status, answer.errorCode)
      if isFirst, trouble == .roomClosed, step == .send || step == .members { return .next(begin(at: now)) }
      return .failed(trouble)
    }
  }

  private static func trouble(_ step: Step, _ status: Int, _ code: String?) -> TransportError {
    switch (step, status, code) {
    case (_, 200...299, _), (_, _, nil), (_, _, "M_UNRECOGNIZED"): .notAHomeserver
    case (_, 401, _), (_, _, "M_UNKNOWN_TOKEN"), (_, _, "M_USER_DEACTIVATED"), (_, _, "M_USER_LOCKED"): .tokenRefused
    case (.resolve, 404, _), (.resolve, 400, _): .roomUnknown
    case (_, 403, _), (_, 404, _): .roomClosed
    default: .messageRefused
    }
  }
}
