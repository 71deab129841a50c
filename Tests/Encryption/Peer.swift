// A device with its machine, and the homeserver between them.

import TappetCore
import TappetJSON
import TappetOlm
import TappetRooms
import TappetStore
import Testing

@testable import TappetMatrix

/// Keeps keys and passes on messages.
final class Homeserver {
  var deviceKeys: [String: [String: JSON]] = [:]
  var oneTimeKeys: [String: [JSON.Member]] = [:]
  var fallbackKeys: [String: [JSON.Member]] = [:]
  var inbox: [String: [[UInt8]]] = [:]
  private var owners: [String: (master: JSON, selfSigning: JSON)] = [:]
  var claims = 0
  /// All encrypted events of its room, oldest first.
  var events: [JSON] = []
  /// Users who are not in the room.
  var strangers: Set<String> = []
  /// Users whose server does not respond.
  var absent: Set<String> = []
  var members: [String] { deviceKeys.keys.filter { !strangers.contains($0) } }
  /// Members that another server adds to a response about devices.
  var extra: String?
  /// The status and body of the refusal of uploads.
  var refusal: (status: Int, text: String)?
  var refusesIdentities = false

  func remove(_ user: String, _ device: String) {
    deviceKeys[user]?[device] = nil
    oneTimeKeys[user + " " + device] = nil
    fallbackKeys[user + " " + device] = nil
  }

  /// Exchanges a device's key without its signature.
  func damage(_ user: String, _ device: String) {
    let keys = deviceKeys[user]?[device] ?? .null
    deviceKeys[user]?[device] = keys.with("keys", (keys["keys"] ?? .null).with("curve25519:" + device, .string("A")))
  }

  /// Has the owner sign a device.
  ///
  /// Any Ed25519 key will do for an owner's: here those of two accounts.
  func sign(_ user: String, _ device: String) throws {
    let (master, own) = (try OlmAccount.create(), try OlmAccount.create())
    func key(_ account: OlmAccount) throws -> String {
      try #require(JSON(decoding: account.identityKeys())?["ed25519"]?.text)
    }
    func object(_ usage: String, _ key: String) -> JSON {
      .object([
        "user_id": .string(user), "usage": .array([.string(usage)]),
        "keys": .object(of: [("ed25519:" + key, .string(key))]),
      ])
    }
    func signature(_ signer: OlmAccount, of json: JSON) throws -> JSON {
      .object(of: [(user, .object(of: [("ed25519:" + (try key(signer)), .string(try signer.sign(json.signed)))]))])
    }
    let selfSigning = object("self_signing", try key(own))
    owners[user] = (
      object("master", try key(master)), selfSigning.with("signatures", try signature(master, of: selfSigning))
    )
    let keys = deviceKeys[user]?[device] ?? .null
    let signatures = (keys["signatures"]?[user]?.members ?? []) + (try signature(own, of: keys)[user]?.members ?? [])
    deviceKeys[user]?[device] = keys.with("signatures", .object(of: [(user, .object(signatures))]))
  }

  func answer(_ request: CryptoRequest, of peer: Peer) throws -> (status: Int, body: [UInt8]) {
    let body = request.body.isEmpty ? JSON.null : try #require(JSON(decoding: request.body))
    let name = peer.machine.user + " " + peer.machine.device
    switch request.kind {
    case .upload:
      if let refusal { return (refusal.status, Array(refusal.text.utf8)) }
      if let keys = body["device_keys"] { deviceKeys[peer.machine.user, default: [:]][peer.machine.device] = keys }
      oneTimeKeys[name, default: []] += body["one_time_keys"]?.members ?? []
      if let keys = body["fallback_keys"] { fallbackKeys[name] = keys.members }
      let count = JSON.number(Int64(oneTimeKeys[name]?.count ?? 0))
      return (200, JSON.object(["one_time_key_counts": .object(["signed_curve25519": count])]).canonical)
    case .query(let users):
      let asked = users.filter { !absent.contains($0) }
      let found = asked.map { user in (user, JSON.object(of: (deviceKeys[user] ?? [:]).map { ($0.key, $0.value) })) }
      let masters = users.compactMap { user in owners[user].map { (user, $0.master) } }
      let selfSigning = users.compactMap { user in owners[user].map { (user, $0.selfSigning) } }
      let answer = JSON.object([
        "device_keys": .object(of: found), "master_keys": .object(of: masters),
        "self_signing_keys": .object(of: selfSigning),
      ]).canonical
      // Numbers that only a malicious server writes have no place in a value.
      return (200, answer.dropLast() + Array((extra.map { #","extra":{\#($0)}}"# } ?? "}").utf8))
    case .newest:
      return (200, JSON.object(["chunk": .array(events.reversed().prefix(20).map { $0 })]).canonical)
    case .claim:
      claims += 1
      return (200, JSON.object(["one_time_keys": claimed(body["one_time_keys"] ?? .null)]).canonical)
    case .share:
      for user in body["messages"]?.members ?? [] {
        for device in user.value.members {
          inbox[user.name + " " + device.name, default: []].append(
            JSON.object([
              "type": .string("m.room.encrypted"), "sender": .string(peer.machine.user), "content": device.value,
            ]).canonical)
        }
      }
      return (200, Array("{}".utf8))
    case .identity:
      guard !refusesIdentities, owners[peer.machine.user] == nil else {
        return (401, Array(#"{"flows":[],"session":"s"}"#.utf8))
      }
      owners[peer.machine.user] = (try #require(body["master_key"]), try #require(body["self_signing_key"]))
      return (200, Array("{}".utf8))
    case .signatures:
      let new = try #require(body[peer.machine.user]?[peer.machine.device]?["signatures"]?[peer.machine.user])
      let keys = try #require(deviceKeys[peer.machine.user]?[peer.machine.device])
      let all = (keys["signatures"]?[peer.machine.user]?.members ?? []) + new.members
      deviceKeys[peer.machine.user]?[peer.machine.device] = keys.with(
        "signatures", .object(of: [(peer.machine.user, .object(all))]))
      return (200, Array(#"{"failures":{}}"#.utf8))
    case .logOut: return (200, Array("{}".utf8))
    }
  }

  private func claimed(_ wanted: JSON) -> JSON {
    .object(
      of: wanted.members.map { user in
        var devices: [(String, JSON)] = []
        for device in user.value.members {
          let name = user.name + " " + device.name
          let key = oneTimeKeys[name]?.popLast() ?? fallbackKeys[name]?.first
          if let key { devices.append((device.name, .object([key]))) }
        }
        return (user.name, .object(of: devices))
      })
  }
}

/// A device with its machine and its committed rows.
final class Peer {
  private let server: Homeserver
  private(set) var machine: CryptoMachine
  var now: Int64 = 1_700_000_000_000
  /// Whether what is sent to the device waits at the homeserver.
  var isDeaf = false
  private var rows: [MatrixRow: [UInt8]] = [:]
  private var events = 0

  init(
    _ server: Homeserver, _ user: String, _ device: String, _ policy: RoomEncryption.Devices = .all,
    publishes: Bool = true
  ) throws {
    self.server = server
    machine = try CryptoMachine.open(user: user, device: device, policy, [])
    if publishes { try settle() }
  }

  private init(_ server: Homeserver, _ machine: CryptoMachine, _ rows: [MatrixRow: [UInt8]]) {
    self.server = server
    self.machine = machine
    self.rows = rows
  }

  /// The same device after a start, with what was committed.
  func restarted() throws -> Peer {
    let stored = rows.map { (row: $0.key, value: $0.value) }
    let fresh = try CryptoMachine.open(user: machine.user, device: machine.device, machine.policy, stored)
    let peer = Peer(server, fresh, rows)
    peer.events = events
    return peer
  }

  /// Records that the kiosk has recorded all lines.
  func settleLines() throws {
    try machine.settle()
    commit()
  }

  func commit() {
    for change in machine.takeChanges() { rows[change.row] = change.value }
  }

  private func perform(_ request: CryptoRequest) throws {
    commit()
    let answer = try server.answer(request, of: self)
    #expect(try machine.handle(request.kind, status: answer.status, answer.body, unixMilliseconds: now))
    commit()
  }

  /// Performs the next request; returns its kind.
  func step() throws -> CryptoRequest.Kind? {
    guard let request = try machine.nextRequest(unixMilliseconds: now) else { return nil }
    try perform(request)
    return request.kind
  }

  func settle() throws {
    for _ in 0..<20 where try step() == nil { return }
    Issue.record("the machine asks without end")
  }

  /// The event with this text.
  func say(
    _ text: String, to users: [String], _ rotation: Rotation = Rotation(), _ members: (String, JSON)...
  ) throws -> JSON {
    for _ in 0..<20 {
      guard let request = try machine.need(of: "!door:h", users, rotation, unixMilliseconds: now) else { break }
      try perform(request)
    }
    var content = JSON.object(["msgtype": .string("m.text"), "body": .string(text)])
    for (name, value) in members { content = content.with(name, value) }
    let encrypted = try machine.encrypt(content, in: "!door:h")
    commit()
    events += 1
    let event = JSON.object([
      "type": .string("m.room.encrypted"), "sender": .string(machine.user), "content": encrypted,
      "event_id": .string("$\(machine.device)\(events)"), "origin_server_ts": .number(now),
    ])
    server.events.append(event)
    return event
  }

  func say(_ text: String, to users: [String], _ member: (String, JSON)) throws -> JSON {
    try say(text, to: users, Rotation(), member)
  }

  /// The texts that are read of these events and earlier ones.
  func read(_ events: [JSON], in room: String = "!door:h") throws -> [String] {
    let name = machine.user + " " + machine.device
    if !isDeaf {
      machine.setMembers(server.members, of: "!door:h", unixMilliseconds: now)
      for event in server.inbox.removeValue(forKey: name) ?? [] { try machine.receive(event, unixMilliseconds: now) }
    }
    for event in events { machine.hear(event.canonical, in: room, unixMilliseconds: now) }
    var texts = try machine.takeLines(unixMilliseconds: now).map { $0.text }
    try settle()
    texts += try machine.takeLines(unixMilliseconds: now).map { $0.text }
    commit()
    return texts
  }
}
