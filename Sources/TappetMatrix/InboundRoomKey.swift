// A session in which another device sends messages to a room. Each message is read once, and in the order in which the
// device encrypted them: their indexes are the only order that the homeserver cannot change.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// The key of such a session, and the progress of reading.
struct InboundRoomKey {
  let session: MegolmInbound
  let user: String
  /// The keys of the device that sent the session's key.
  let curve25519: String
  let ed25519: String
  /// Position of the session in the order of arrival.
  let order: Int64
  /// Lowest index that may still be read.
  private(set) var next: Int64 = 0
  /// The commands that the kiosk may not have recorded yet: the digest of each event's id, by index.
  private(set) var unrecorded: [Int64: String] = [:]

  init(_ session: MegolmInbound, user: String, curve25519: String, ed25519: String, order: Int64) {
    self.session = session
    self.user = user
    self.curve25519 = curve25519
    self.ed25519 = ed25519
    self.order = order
  }

  init(_ json: JSON) throws(OlmError) {
    guard let user = json["user"]?.text, let curve25519 = json["curve25519"]?.text,
      let ed25519 = json["ed25519"]?.text, let order = json["order"]?.wholeNumber
    else { throw .malformed }
    self.init(
      try MegolmInbound.restore(json["pickle"].pickle), user: user, curve25519: curve25519, ed25519: ed25519,
      order: order)
    next = json["next"]?.wholeNumber ?? 0
    for item in json["unrecorded"]?.elements ?? [] {
      if let index = item.elements?.first?.wholeNumber { unrecorded[index] = item.elements?.last?.text }
    }
    // Earlier versions stored the indexes that were read.
    for item in json["seen"]?.elements ?? [] {
      if let index = (item.elements?.first ?? item).wholeNumber { next = max(next, index + 1) }
    }
  }

  /// Returns the row for the key of a session that a user claims as their own.
  static func row(_ room: String, session: String, of user: String) -> MatrixRow {
    MatrixRow(.inbound, room + " " + session + " " + user)
  }

  /// Whether this event was already read with this index, and is repeated because the kiosk may not have recorded it;
  /// the kiosk executes no command twice.
  func isRepeated(_ index: UInt32, in event: String) -> Bool {
    unrecorded[Int64(index)] == InboundRoomKey.digest(of: event)
  }

  /// Records that a message was read; returns false if this or a later one was read before.
  mutating func note(_ index: UInt32, of event: String, isCommand: Bool) -> Bool {
    guard index >= next else { return false }
    next = Int64(index) + 1
    if isCommand { unrecorded[Int64(index)] = InboundRoomKey.digest(of: event) }
    if unrecorded.count > Limits.megolmUnrecordedMax, let oldest = unrecorded.keys.min() { unrecorded[oldest] = nil }
    return true
  }

  /// Records that the kiosk has recorded all commands; returns false if it had before.
  mutating func settle() -> Bool {
    defer { unrecorded = [:] }
    return !unrecorded.isEmpty
  }

  /// Text, because a number in JSON is exact up to 2^53 only.
  private static func digest(of event: String) -> String { Hex.encode(LibCrypto.digest(Array(event.utf8))) }

  func encoded() throws(OlmError) -> JSON {
    .object([
      "pickle": .string(String(decoding: try session.pickle(), as: UTF8.self)), "user": .string(user),
      "curve25519": .string(curve25519), "ed25519": .string(ed25519), "order": .number(order), "next": .number(next),
      "unrecorded": .array(unrecorded.map { .array([.number($0.key), .string($0.value)]) }),
    ])
  }
}
