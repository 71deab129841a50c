// The messages of this device that the homeserver may have. If it has others, this database is an older copy: its keys
// would be used twice, and no one could read what they encrypt.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// The sessions in which the device has sent messages, without their keys: each start uses new sessions.
struct SentMessages {
  private struct Session {
    let id: String
    /// Index of the next message.
    var next: Int64
  }

  /// The last session is the newest; sessions before the one that the homeserver is known to have are removed.
  private var sessions: [Session] = []

  init() {}

  init(_ json: JSON) {
    for item in json["sent"]?.elements ?? [] {
      guard let id = item["id"]?.text, let next = item["next"]?.wholeNumber else { continue }
      sessions.append(Session(id: id, next: next))
    }
    // Earlier versions stored the session with its key.
    if let session = json["pickle"].flatMap({ try? MegolmOutbound.restore(JSON?.some($0).pickle) }),
      let id = try? session.id()
    {
      sessions.append(Session(id: id, next: Int64(session.index)))
    }
  }

  var encoded: JSON {
    .object([
      "sent": .array(sessions.map { .object(["id": .string($0.id), "next": .number($0.next)]) })
    ])
  }

  /// Records that a message is about to be sent.
  mutating func record(_ id: String, next: Int64) {
    if sessions.last?.id == id {
      sessions[sessions.count - 1].next = next
    } else {
      sessions.append(Session(id: id, next: next))
      if sessions.count > Limits.sentSessionsMax { sessions.removeFirst() }
    }
  }

  /// Handles the newest of the room's messages at the homeserver; returns false if one of them is unknown.
  mutating func includes(newest events: [JSON], of user: String, _ device: String) -> Bool {
    let own = events.first { $0["sender"]?.text == user && $0["content"]?["device_id"]?.text == device }
    guard let own, let id = own["content"]?["session_id"]?.text,
      let ciphertext = own["content"]?["ciphertext"]?.text, let index = SentMessages.index(of: ciphertext)
    else { return true }
    guard let place = sessions.firstIndex(where: { $0.id == id }) else {
      // If the messages of many sessions have not arrived, an earlier one may be forgotten.
      return sessions.count >= Limits.sentSessionsMax
    }
    sessions.removeFirst(place)
    return index < sessions[0].next
  }

  /// Reads the index of a message from its ciphertext: a version, then protobuf fields, of which 1 is the index.
  ///
  ///     03 08 iiiiiii…
  static func index(of ciphertext: String) -> Int64? {
    // The index of a session that ends after 100 messages takes one byte; 9 bytes contain any.
    guard let bytes = Base64.decode(Array(ciphertext.utf8.prefix(12))), bytes.starts(with: [3, 8]) else { return nil }
    var index: Int64 = 0
    for (place, byte) in bytes.dropFirst(2).enumerated() {
      index |= Int64(byte & 0x7F) << Int64(7 * place)
      if byte & 0x80 == 0 { return index }
    }
    return nil
  }
}

/// The messages that the device has sent.
struct SentHistory {
  /// By room id.
  var sent: [String: SentMessages] = [:]
  /// The rooms whose sent messages were compared with the homeserver's.
  var compared: Set<String> = []
}

extension CryptoMachine {
  /// Returns the request for the room's newest messages.
  func newestMessages(in room: String) -> CryptoRequest {
    let filter = JSON.object([
      "senders": .array([.string(user)]), "types": .array([.string("m.room.encrypted")]),
    ])
    let path =
      "/_matrix/client/v3/rooms/\(room.percentEncoded)/messages?dir=b&limit=\(Limits.sentMessagesRead)&filter="
      + String(decoding: filter.canonical, as: UTF8.self).percentEncoded
    return CryptoRequest(kind: .newest(room), method: .get, path: path, body: [])
  }

  /// Handles the response; returns false if it must be requested again.
  func newestAnswered(_ room: String, status: Int, _ body: [UInt8]) -> Bool {
    if status == 200 {
      guard let events = JSON(decoding: body, roundsFractions: true)?["chunk"]?.elements else { return false }
      if history.sent[room, default: SentMessages()].includes(newest: events, of: user, device) {
        history.compared.insert(room)
      } else {
        uploads.areLost = true
      }
      return true
    }
    // A room that the homeserver does not show cannot be compared.
    guard (400..<500).contains(status), status != 401, status != 408, status != 429 else { return false }
    history.compared.insert(room)
    return true
  }
}
