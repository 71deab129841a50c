// One Matrix room as a destination: which requests say a message there, and what their answers mean. Decides only.
// Client-server API v1.11: §10.2.1 sends with a transaction id, by which the homeserver knows a repetition.

/// A room, with the facts about it that the homeserver gave.
package struct RoomDestination: Sendable {
  /// The requests of one message, in their order; those whose answer is known are left out.
  package enum Step: Sendable {
    /// Asks which room an alias names.
    case resolve
    /// Asks whether the room is encrypted.
    case check
    /// Asks who is in an encrypted room.
    case members
    case send
  }

  /// The consequence of an answer.
  package enum Turn: Equatable, Sendable {
    case next(Step)
    /// The homeserver answered so; as with a webhook.
    case answered(status: Int, retryAfterSeconds: UInt32?)
    case failed(TransportError)
  }

  /// The name or the id, as configured.
  package let room: String
  /// The room's id; `nil` until it is known.
  package private(set) var id: String?
  /// Whether it is encrypted, as far as it is known.
  package private(set) var isEncrypted = false
  private var freshUntil: Instant?
  /// `nil` when nothing is written into encrypted rooms.
  private let encryption: RoomEncryption?

  package init(_ room: String, _ encryption: RoomEncryption? = nil) {
    self.room = room
    self.encryption = encryption
    id = room.begins(with: "!") ? room : nil
  }

  /// Whether `text` could be a room's id or alias.
  @export(interface)
  package static func isRoom(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (2...Limits.roomNameSizeMax).contains(bytes.count), text.isPrintable, !bytes.contains(0x20) else {
      return false
    }
    // Since version 12 of rooms an id names no server.
    return bytes.first == UInt8(ascii: "!") || bytes.first == UInt8(ascii: "#") && bytes.contains(UInt8(ascii: ":"))
  }

  /// The first request of a message.
  package mutating func begin(at now: Instant) -> Step {
    if let freshUntil, now < freshUntil, id != nil { return isEncrypted ? .members : .send }
    freshUntil = nil
    return room.begins(with: "!") ? .check : .resolve
  }

  /// A request's method.
  package func method(of step: Step) -> WebhookEndpoint.Method { step == .send ? .put : .get }

  /// A request's path on the homeserver; the transaction of `sending` survives a restart of everything.
  @export(interface)
  package func path(of step: Step, sending transaction: EntryID) -> String {
    let known = (id ?? room).percentEncoded
    switch step {
    case .resolve: return "/_matrix/client/v3/directory/room/" + room.percentEncoded
    case .check: return "/_matrix/client/v3/rooms/" + known + "/state/m.room.encryption"
    case .members: return "/_matrix/client/v3/rooms/" + known + "/joined_members"
    case .send:
      let type = isEncrypted ? "m.room.encrypted" : "m.room.message"
      return "/_matrix/client/v3/rooms/" + known + "/send/" + type + "/" + transaction.hex
    }
  }

  /// Handles the answer to a request.
  ///
  /// `isFirst`: it was the message's first one. If facts of an earlier message were wrong, they are asked for again.
  @export(interface)
  package mutating func handle(
    _ step: Step, isFirst: Bool = false, status: Int, retryAfterSeconds: UInt32?, _ answer: MatrixAnswer,
    at now: Instant
  ) -> Turn {
    switch (step, status, answer.errorCode) {
    case (_, 429, _), (_, _, "M_LIMIT_EXCEEDED"):
      return .answered(status: 429, retryAfterSeconds: retryAfterSeconds ?? answer.retryAfterSeconds)
    case (_, 408, _), (_, 425, _), (_, 500...599, _):
      return .answered(status: status, retryAfterSeconds: retryAfterSeconds)
    case (.resolve, 200, _):
      guard let found = answer.roomID else { return .failed(.notAHomeserver) }
      id = found
      return .next(.check)
    case (.check, 200, _):
      guard answer.isObject, encryption != nil else {
        return .failed(answer.isObject ? .roomEncrypted : .notAHomeserver)
      }
      isEncrypted = true
      freshUntil = now + Limits.roomFactsMax
      return .next(.members)
    // A room that was encrypted once is never taken for plain.
    case (.check, 404, "M_NOT_FOUND") where !isEncrypted:
      guard encryption?.allowsPlain != false else { return .failed(.roomPlain) }
      freshUntil = now + Limits.roomFactsMax
      return .next(.send)
    case (.members, 200, _) where answer.isObject: return .next(.send)
    case (.send, 200, _) where answer.eventID != nil: return .answered(status: 200, retryAfterSeconds: nil)
    default:
      // The room may have been closed, or replaced by another one, meanwhile.
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

/// The members of a homeserver's answer that matter; the module that receives it reads the JSON.
package struct MatrixAnswer: Sendable {
  /// Whether it is a JSON object.
  package var isObject = false
  package var errorCode: String?
  /// `retry_after_ms` in whole seconds, rounded up.
  package var retryAfterSeconds: UInt32?
  /// An alias's room.
  package var roomID: String?
  /// The event that a message became.
  package var eventID: String?

  /// An answer without a known member.
  package init(isObject: Bool = false) { self.isObject = isObject }
}
