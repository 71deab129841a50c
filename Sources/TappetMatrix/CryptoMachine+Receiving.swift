// Receiving: keys of other devices' sessions, which arrive in Olm messages, and the events in these sessions. An event
// is accepted under one id only, and only if its key came from one of the sender's own devices that the policy allows.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// A session in which another device sends messages to a room.
struct InboundRoomKey {
  let session: MegolmInbound
  let user: String
  /// The keys of the device that sent the session's key.
  let curve25519: String
  let ed25519: String
  /// Indexes of the messages that have been read, near the last one, with the digest of each event's id.
  private(set) var seen: [UInt32: Int64] = [:]
  /// Position of the session in the order of arrival.
  var order: Int64

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
    for item in json["seen"]?.elements ?? [] {
      // Without a digest, the index is from an earlier version, and no event matches it.
      let pair = item.elements ?? [item, .number(0)]
      if let index = pair.first?.wholeNumber.flatMap({ UInt32(exactly: $0) }) { seen[index] = pair.last?.wholeNumber }
    }
  }

  /// Records that a message was read; returns false if a different event had this index, or if it is too far behind the
  /// last one.
  ///
  /// The same event may come again if the kiosk did not record it; the kiosk executes no command twice.
  mutating func note(_ index: UInt32, of event: String) -> Bool {
    let last = max(seen.keys.max() ?? 0, index)
    let oldest = last - min(last, Limits.megolmNumbersMax - 1)
    guard index >= oldest else { return false }
    let digest = Int64(bitPattern: UInt64(bigEndianBytes: LibCrypto.digest(Array(event.utf8))[..<8]))
    if let known = seen[index] { return known == digest }
    seen[index] = digest
    seen = seen.filter { $0.key >= oldest }
    return true
  }

  func encoded() throws(OlmError) -> JSON {
    .object([
      "pickle": .string(String(decoding: try session.pickle(), as: UTF8.self)), "user": .string(user),
      "curve25519": .string(curve25519), "ed25519": .string(ed25519), "order": .number(order),
      "seen": .array(seen.map { .array([.number(Int64($0.key)), .number($0.value)]) }),
    ])
  }
}

/// An encrypted event that has not been decrypted yet.
struct WaitingEvent {
  let line: RoomLine
  let row: MatrixRow
  let ciphertext: String
  /// Time of arrival, in milliseconds since 1970.
  let arrivedAt: Int64
}

extension CryptoMachine {
  // MARK: To this device

  /// Handles an event sent to this device, as JSON; everything except a room key from a valid sender is ignored.
  @export(interface)
  package func receive(_ event: [UInt8]) throws(OlmError) {
    guard let event = JSON(decoding: event, roundsFractions: true), event["type"]?.text == "m.room.encrypted",
      let sender = event["sender"]?.text, let content = event["content"], content["algorithm"]?.text == Algorithm.olm,
      let key = content["sender_key"]?.text, let message = content["ciphertext"]?[curve25519],
      let type = message["type"]?.wholeNumber, type == 0 || type == 1, let body = message["body"]?.text,
      let plaintext = try decrypt((Int(type), Array(body.utf8)), from: key),
      let payload = JSON(decoding: plaintext), payload["sender"]?.text == sender,
      payload["recipient"]?.text == user, payload["recipient_keys"]?["ed25519"]?.text == ed25519,
      let signingKey = payload["keys"]?["ed25519"]?.text, payload["type"]?.text == "m.room_key"
    else { return }
    try receive(payload["content"] ?? .null, from: sender, curve25519: key, ed25519: signingKey)
  }

  /// Returns the plaintext of an Olm message; `nil` if no session can decrypt it.
  private func decrypt(_ message: OlmSession.Message, from key: String) throws(OlmError) -> [UInt8]? {
    for session in sessions[key] ?? [] where message.type == 1 || session.begins(with: message.body, from: key) {
      guard let plaintext = try? session.decrypt(message) else { continue }
      remember(session, with: key)
      try saveSessions(with: key)
      return plaintext
    }
    guard message.type == 0, let session = try? account.acceptSession(from: key, message.body),
      let plaintext = try? session.decrypt(message)
    else { return nil }
    // Only one-time keys are removed; a fallback key remains usable.
    try? account.useUpKeys(of: session)
    remember(session, with: key)
    try saveSessions(with: key)
    try saveAccount()
    return plaintext
  }

  private func receive(
    _ content: JSON, from sender: String, curve25519: String, ed25519: String
  ) throws(OlmError) {
    guard content["algorithm"]?.text == Algorithm.megolm, let room = content["room_id"]?.text,
      let id = content["session_id"]?.text, let text = content["session_key"]?.text,
      let session = try? MegolmInbound.create(key: text), (try? session.id()) == id
    else { return }
    let row = MatrixRow(.inbound, room + " " + id)
    // Only the first session counts, because a device that received the key could pass it off as its own.
    guard inbound[row] == nil else { return }
    let order = (inbound.values.map { $0.order }.max() ?? 0) + 1
    try save(
      InboundRoomKey(session, user: sender, curve25519: curve25519, ed25519: ed25519, order: order), as: row)
    while inbound.count > Limits.megolmInboundMax, let oldest = inbound.min(by: { $0.value.order < $1.value.order }) {
      inbound[oldest.key] = nil
      save(oldest.key, nil)
    }
  }

  private func save(_ key: InboundRoomKey, as row: MatrixRow) throws(OlmError) {
    inbound[row] = key
    save(row, try key.encoded())
  }

  // MARK: In a room

  /// Queues an `m.room.encrypted` event from a room, as JSON.
  @export(interface)
  package func hear(_ event: [UInt8], in room: String, unixMilliseconds now: Int64) {
    guard let event = JSON(decoding: event, roundsFractions: true), let content = event["content"],
      content["algorithm"]?.text == Algorithm.megolm, let session = content["session_id"]?.text,
      let ciphertext = content["ciphertext"]?.text, let sender = event["sender"]?.text,
      let id = event["event_id"]?.text, max(sender.utf8.count, id.utf8.count) <= Limits.roomNameSizeMax,
      let time = event["origin_server_ts"]?.wholeNumber, !isCorrection(content)
    else { return }
    let line = RoomLine(room: room, event: id, user: sender, unixMilliseconds: time, text: "")
    if waiting.count >= Limits.roomEventsWaitingMax { waiting.removeFirst() }
    waiting.append(
      WaitingEvent(line: line, row: MatrixRow(.inbound, room + " " + session), ciphertext: ciphertext, arrivedAt: now))
  }

  /// Whether an event waits for its key, or for the devices of its sender.
  package var hasWaitingEvents: Bool { !waiting.isEmpty }

  /// Returns the lines that can be decrypted now, in event order; the changes then include their message indexes.
  @export(interface)
  package func takeLines(unixMilliseconds now: Int64) throws(OlmError) -> [RoomLine] {
    var lines: [RoomLine] = []
    var left: [WaitingEvent] = []
    for event in waiting where abs(now - event.arrivedAt) < Limits.roomEventWaitMax {
      guard let key = inbound[event.row], let devices = devices(of: event.line.user, at: now) else {
        wantedUsers.insert(event.line.user)
        left.append(event)
        continue
      }
      let isAllowed = devices.contains {
        $0.curve25519 == key.curve25519 && $0.ed25519 == key.ed25519 && $0.isAllowed(by: policy)
      }
      guard key.user == event.line.user, isAllowed, let line = try read(event, key) else { continue }
      lines.append(line)
    }
    waiting = left
    return lines
  }

  private func read(_ event: WaitingEvent, _ key: InboundRoomKey) throws(OlmError) -> RoomLine? {
    var key = key
    guard let (plaintext, index) = try? key.session.decrypt(Array(event.ciphertext.utf8)),
      key.note(index, of: event.line.event)
    else {
      return nil
    }
    try save(key, as: event.row)
    guard let payload = JSON(decoding: plaintext, roundsFractions: true),
      payload["room_id"]?.text == event.line.room, payload["type"]?.text == "m.room.message",
      let content = payload["content"], content["msgtype"]?.text == "m.text", let text = content["body"]?.text,
      text.utf8.first == UInt8(ascii: "!"), text.utf8.count <= Limits.roomLineSizeMax,
      content["m.new_content"] == nil, !isCorrection(content)
    else { return nil }
    var line = event.line
    line.text = text
    return line
  }

  private func isCorrection(_ content: JSON) -> Bool { content["m.relates_to"]?["rel_type"]?.text == "m.replace" }
}
