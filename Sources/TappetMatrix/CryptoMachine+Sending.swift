// Sending: one Megolm session per room, whose key is sent in Olm messages to all allowed devices of the room's members.
// The session is replaced after a number of messages or days, as soon as a device with the key may no longer read, and
// at each start, because the state in the folder may be an older copy.

import TappetCore
import TappetJSON
import TappetOlm
import TappetRooms
import TappetStore

/// The session in which the kiosk sends messages to a room.
struct OutboundRoomKey {
  let session: MegolmOutbound
  /// Time of creation, in milliseconds since 1970.
  let createdAt: Int64
  var count: Int64 = 0
  /// Curve25519 keys of the devices that have the session key, by device name.
  var readers: [String: String] = [:]

  init(at now: Int64) throws(OlmError) {
    session = try MegolmOutbound.create()
    createdAt = now
  }

  /// Whether the session may still be used; a clock that was set back also makes it unusable.
  func isGood(for devices: [Device], _ rotation: Rotation, at now: Int64) -> Bool {
    guard count < rotation.messages, now >= createdAt, now - createdAt < rotation.milliseconds else { return false }
    return readers.allSatisfy { reader in
      devices.contains { $0.name == reader.key && $0.curve25519 == reader.value }
    }
  }
}

extension CryptoMachine {
  /// Returns the next request that is needed before the kiosk can write to these users; `nil` if none is.
  @export(interface)
  package func need(
    of room: String, _ users: [String], _ rotation: Rotation, unixMilliseconds now: Int64
  ) throws(OlmError) -> CryptoRequest? {
    if uploads.areLost { throw .notAuthentic }
    if !history.compared.contains(room) { return newestMessages(in: room) }
    let stale = staleUsers(users, at: now)
    if !stale.isEmpty { return query(stale) }
    let devices = users.inOrder { $0 < $1 }.flatMap { lists[$0]?.devices ?? [] }.filter {
      $0.isAllowed(by: policy) && !($0.user == user && $0.id == device)
    }
    if outbound[room]?.isGood(for: devices, rotation, at: now) != true {
      outbound[room] = try OutboundRoomKey(at: now)
    }
    let lacking = devices.filter { outbound[room]?.readers[$0.name] == nil }
    // Devices with sessions get the key before further sessions start, which may take the place of theirs.
    let next = lacking.filter { sessions[$0.curve25519] != nil }.prefix(Limits.devicesPerRequestMax)
    if !next.isEmpty { return try share(room, Array(next)) }
    let strange = lacking.filter { queries.resting[$0.name] ?? 0 <= now }
    return strange.isEmpty ? nil : claim(Array(strange.prefix(Limits.devicesPerRequestMax)))
  }

  private func share(_ room: String, _ devices: [Device]) throws(OlmError) -> CryptoRequest {
    guard let key = outbound[room] else { throw .malformed }
    let content = JSON.object([
      "algorithm": .string(Algorithm.megolm), "room_id": .string(room), "session_id": .string(try key.session.id()),
      "session_key": .string(try key.session.key()),
    ])
    var users: [(String, [(String, JSON)])] = []
    for device in devices {
      if users.last?.0 != device.user { users.append((device.user, [])) }
      users[users.count - 1].1.append((device.id, try encrypt("m.room_key", content, for: device)))
    }
    let messages = JSON.object(of: users.map { ($0.0, .object(of: $0.1)) })
    let transaction: [UInt8]
    do throws(CryptoError) { transaction = try LibCrypto.random(count: 16) } catch { throw .noRandomness }
    return request(
      .share(room: room, devices), "sendToDevice/m.room.encrypted/" + Hex.encode(transaction),
      .object(["messages": messages]), .put)
  }

  /// Encrypts an Olm message, with the fields that prevent anyone from passing it off as another device's message.
  private func encrypt(_ type: String, _ content: JSON, for device: Device) throws(OlmError) -> JSON {
    guard let session = sessions[device.curve25519]?.sessions.first else { throw .malformed }
    let plaintext = JSON.object([
      "type": .string(type), "content": content, "sender": .string(user), "recipient": .string(device.user),
      "recipient_keys": .object(["ed25519": .string(device.ed25519)]),
      "keys": .object(["ed25519": .string(ed25519)]), "sender_device_keys": try deviceKeys(),
    ])
    let (type, body) = try session.encrypt(plaintext.canonical)
    try saveSessions(with: device.curve25519)
    let message = JSON.object(["type": .number(Int64(type)), "body": .string(String(decoding: body, as: UTF8.self))])
    return .object([
      "algorithm": .string(Algorithm.olm), "sender_key": .string(curve25519),
      "ciphertext": .object(of: [(device.curve25519, message)]),
    ])
  }

  func shared(_ room: String, _ devices: [Device]) {
    for device in devices { outbound[room]?.readers[device.name] = device.curve25519 }
  }

  /// Returns the content of an `m.room.encrypted` event, for the devices that have received the key.
  @export(interface)
  package func encrypt(_ content: JSON, in room: String) throws(OlmError) -> JSON {
    guard let key = outbound[room] else { throw .malformed }
    let plaintext = JSON.object([
      "type": .string("m.room.message"), "room_id": .string(room), "content": content,
    ])
    let ciphertext = try key.session.encrypt(plaintext.canonical)
    outbound[room]?.count += 1
    history.sent[room, default: SentMessages()].record(try key.session.id(), next: Int64(key.session.index))
    save(MatrixRow(.outbound, room), history.sent[room]?.encoded)
    var event: [(String, JSON)] = [
      ("algorithm", .string(Algorithm.megolm)), ("ciphertext", .string(ciphertext)),
      ("session_id", .string(try key.session.id())), ("sender_key", .string(curve25519)),
      ("device_id", .string(device)),
    ]
    // Relations are not encrypted, because homeservers evaluate them.
    if let relation = content["m.relates_to"] { event.append(("m.relates_to", relation)) }
    return .object(of: event)
  }
}
