// Receiving: keys of other devices' sessions, which arrive in Olm messages, and the events in these sessions. An event
// is accepted under one id only, and only if its key came from one of the sender's own devices that the policy allows.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// An encrypted event that has not been decrypted yet.
struct WaitingEvent {
  let line: RoomLine
  let row: MatrixRow
  let ciphertext: String
  /// Time of arrival, in milliseconds since 1970.
  let arrivedAt: Int64
}

/// The events of users who may send commands that could not be read.
struct UnreadableLines {
  var lines: [UnreadableLine] = []
  /// Time of the last report, by user, in milliseconds since 1970.
  var reportedAt: [String: Int64] = [:]
}

/// An Olm message to this device that is not decrypted yet.
struct OlmEnvelope {
  let sender: String
  /// The Curve25519 key of the sender's device.
  let key: String
  let message: OlmSession.Message

  /// Reads the message to the device with the given key from an event.
  init?(_ event: JSON, to curve25519: String) {
    guard event["type"]?.text == "m.room.encrypted", let sender = event["sender"]?.text,
      let content = event["content"], content["algorithm"]?.text == Algorithm.olm,
      let key = content["sender_key"]?.text, let message = content["ciphertext"]?[curve25519],
      let type = message["type"]?.wholeNumber, type == 0 || type == 1, let body = message["body"]?.text,
      max(sender.utf8.count, key.utf8.count) <= Limits.roomNameSizeMax, body.utf8.count <= Limits.olmMessageSizeMax
    else { return nil }
    (self.sender, self.key, self.message) = (sender, key, (Int(type), Array(body.utf8)))
  }
}

extension CryptoMachine {
  // MARK: To this device

  /// Handles an event sent to this device, as JSON; everything except a room key from a member's device is ignored.
  @export(interface)
  package func receive(_ event: [UInt8], unixMilliseconds now: Int64) throws(OlmError) {
    guard let message = JSON(decoding: event, roundsFractions: true).flatMap({ OlmEnvelope($0, to: curve25519) })
    else { return }
    // The sender may have joined just before; the homeserver keeps the message until the next request.
    if roster.areMembersCurrent { try receive(message, at: now) } else { roster.held.append(message) }
  }

  func receive(_ envelope: OlmEnvelope, at now: Int64) throws(OlmError) {
    guard isMember(envelope.sender), isAccepted(envelope.key, of: envelope.sender, at: now),
      let plaintext = try decrypt(envelope), let payload = JSON(decoding: plaintext),
      payload["sender"]?.text == envelope.sender, payload["recipient"]?.text == user,
      payload["recipient_keys"]?["ed25519"]?.text == ed25519,
      let signingKey = payload["keys"]?["ed25519"]?.text, payload["type"]?.text == "m.room_key"
    else { return }
    try receive(payload["content"] ?? .null, from: envelope, ed25519: signingKey)
  }

  /// Whether a device may start a session: it is in the list of its user's devices, or this list must be queried first;
  /// the device's session is removed if the list then lacks it.
  private func isAccepted(_ key: String, of user: String, at now: Int64) -> Bool {
    if let list = lists[user], !list.isStale, !list.isUncertain, abs(now - list.learnedAt) < Limits.deviceListAgeMin {
      return list.devices.contains { $0.curve25519 == key }
    }
    if devices(of: user, at: now)?.contains(where: { $0.curve25519 == key }) != true {
      lists[user]?.isStale = true
      queries.wanted.insert(user)
    }
    return true
  }

  /// Returns the plaintext of an Olm message; `nil` if no session can decrypt it.
  private func decrypt(_ envelope: OlmEnvelope) throws(OlmError) -> [UInt8]? {
    let (key, message) = (envelope.key, envelope.message)
    for session in sessions[key]?.sessions ?? []
    where message.type == 1 || session.begins(with: message.body, from: key) {
      guard let plaintext = try? session.decrypt(message) else { continue }
      try remember(session, with: key, of: envelope.sender)
      return plaintext
    }
    guard message.type == 0, let session = try? account.acceptSession(from: key, message.body),
      let plaintext = try? session.decrypt(message)
    else { return nil }
    // Only one-time keys are removed; a fallback key remains usable.
    try? account.useUpKeys(of: session)
    try remember(session, with: key, of: envelope.sender)
    try saveAccount()
    return plaintext
  }

  private func receive(_ content: JSON, from envelope: OlmEnvelope, ed25519: String) throws(OlmError) {
    guard content["algorithm"]?.text == Algorithm.megolm, let room = content["room_id"]?.text,
      roster.members[room]?.users.contains(envelope.sender) == true,
      let id = content["session_id"]?.text, let text = content["session_key"]?.text,
      let session = try? MegolmInbound.create(key: text), (try? session.id()) == id
    else { return }
    // A device that received the key could pass it off as its own, so each user has their own keys, and only the first
    // one counts.
    let row = InboundRoomKey.row(room, session: id, of: envelope.sender)
    guard inbound[row] == nil else { return }
    try save(
      InboundRoomKey(
        session, user: envelope.sender, curve25519: envelope.key, ed25519: ed25519, order: nextOrder()), as: row)
    boundInbound()
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
    let row = InboundRoomKey.row(room, session: session, of: sender)
    waiting.append(WaitingEvent(line: line, row: row, ciphertext: ciphertext, arrivedAt: now))
    guard waiting.count > Limits.roomEventsWaitingMax else { return }
    let items = waiting.indices.map { (key: $0, user: waiting[$0].line.user, order: Int64($0)) }
    if let place = victim(among: items) { report(waiting.remove(at: place), .keyMissing, at: now) }
  }

  /// Whether an event waits for its key or the devices of its sender, or a key for the list of members.
  package var hasWaitingEvents: Bool { !waiting.isEmpty || !roster.held.isEmpty }

  /// Records that the kiosk has recorded all lines that were taken, so that none of them is returned again.
  package func settle() throws(OlmError) {
    for (row, key) in inbound {
      var key = key
      if key.settle() { try save(key, as: row) }
    }
  }

  /// Returns the lines that can be decrypted now, in event order; the changes then include their message indexes.
  @export(interface)
  package func takeLines(unixMilliseconds now: Int64) throws(OlmError) -> [RoomLine] {
    var lines: [RoomLine] = []
    var left: [WaitingEvent] = []
    for event in waiting {
      let (key, devices) = (inbound[event.row], devices(of: event.line.user, at: now))
      guard abs(now - event.arrivedAt) < Limits.roomEventWaitMax else {
        report(event, key != nil && devices == nil ? .devicesUnknown : .keyMissing, at: now)
        continue
      }
      guard let key, let devices else {
        queries.wanted.insert(event.line.user)
        left.append(event)
        continue
      }
      let isAllowed = devices.contains {
        $0.curve25519 == key.curve25519 && $0.ed25519 == key.ed25519 && $0.isAllowed(by: policy)
      }
      if isAllowed {
        if let line = try read(event, key, at: now) { lines.append(line) }
      } else {
        report(event, .deviceRefused, at: now)
      }
    }
    waiting = left
    return lines
  }

  /// Reports an unreadable event from a user who may send commands, at most once a minute for each user.
  private func report(_ event: WaitingEvent, _ reason: UnreadableReason, at now: Int64) {
    let user = event.line.user
    guard roster.favored.contains(user),
      abs(now - (unreadable.reportedAt[user] ?? 0)) >= Limits.roomUnreadableInterval
    else { return }
    unreadable.reportedAt[user] = now
    unreadable.lines.append(UnreadableLine(room: event.line.room, user: user, reason: reason))
  }

  /// Returns the events that could not be read.
  package func takeUnreadable() -> [UnreadableLine] {
    defer { unreadable.lines = [] }
    return unreadable.lines
  }

  private func read(_ event: WaitingEvent, _ key: InboundRoomKey, at now: Int64) throws(OlmError) -> RoomLine? {
    var key = key
    guard let (plaintext, index) = try? key.session.decrypt(Array(event.ciphertext.utf8)) else {
      report(event, .damaged, at: now)
      return nil
    }
    let line = command(in: plaintext, event)
    if key.isRepeated(index, in: event.line.event) { return line }
    guard !isOvertaken(key, in: event.line.room), key.note(index, of: event.line.event, isCommand: line != nil)
    else { return nil }
    try save(key, as: event.row)
    return line
  }

  /// Whether a message of a later session of the same device was read in the room.
  ///
  /// A homeserver could otherwise deliver a message at the time of its choice.
  private func isOvertaken(_ key: InboundRoomKey, in room: String) -> Bool {
    inbound.contains {
      $0.value.curve25519 == key.curve25519 && $0.value.order > key.order && $0.value.next > 0
        && $0.key.name.begins(with: room + " ")
    }
  }

  private func command(in plaintext: [UInt8], _ event: WaitingEvent) -> RoomLine? {
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
