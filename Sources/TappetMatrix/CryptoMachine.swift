// The encryption of one device: its keys, and its sessions with other devices and in rooms. Without I/O: the machine
// returns requests and handles the responses. Changes must be committed before they take effect (`takeChanges`).
//
//   sync ──▶ receive ──▶ room keys ─┐
//            hear ─────▶ waiting ───┴──▶ takeLines
//   members ──▶ need ──▶ query ▸ claim ▸ share ▸ ready ──▶ encrypt

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// A request to the homeserver about keys.
package struct CryptoRequest: Sendable {
  package enum Kind: Hashable, Sendable {
    /// Uploads the device's own keys, one-time keys and fallback key.
    case upload
    /// Queries the devices of the given users.
    case query([String])
    /// Claims one-time keys of the given devices.
    case claim([Device])
    /// Reads the newest messages in a room.
    case newest(String)
    /// Sends a room's key to the given devices.
    case share(room: String, [Device])
    /// Uploads the public keys of the account's identity.
    case identity
    /// Uploads the signature of the device.
    case signatures
    /// Logs out the device, which is never used again, because its keys are lost.
    case logOut
  }

  package let kind: Kind
  package let method: WebhookEndpoint.Method
  package let path: String
  package let body: [UInt8]
}

/// The encryption state of one device.
package final class CryptoMachine {
  package let user: String
  package let device: String
  package let policy: RoomEncryption.Devices
  let account: OlmAccount
  let curve25519: String
  let ed25519: String
  /// Sessions by the other device's Curve25519 key.
  var sessions: [String: OlmPeer] = [:]
  var inbound: [MatrixRow: InboundRoomKey] = [:]
  /// Sending sessions by room id.
  var outbound: [String: OutboundRoomKey] = [:]
  var history = SentHistory()
  /// Device lists, by user.
  var lists: [String: DeviceList] = [:]
  /// Ed25519 keys of known devices with their positions in the order of arrival, by device name.
  var knownKeys: [String: (key: String, order: Int64)] = [:]
  var roster = RoomRoster()
  var unreadable = UnreadableLines()
  /// Last position in the order of arrival and use.
  var order: Int64 = 0
  package internal(set) var encryptedRooms: Set<String> = []
  var waiting: [WaitingEvent] = []
  var queries = DeviceQueries()
  var uploads = KeyUploads()
  var identity: OwnIdentity?
  private var changes: [MatrixChange] = []

  private init(
    _ account: OlmAccount, user: String, device: String, _ policy: RoomEncryption.Devices, _ keys: JSON
  ) throws(OlmError) {
    guard let curve25519 = keys["curve25519"]?.text, let ed25519 = keys["ed25519"]?.text else { throw .malformed }
    self.account = account
    self.user = user
    self.device = device
    self.policy = policy
    self.curve25519 = curve25519
    self.ed25519 = ed25519
  }

  /// Restores the machine from the given rows; creates an account if the rows contain none.
  @export(interface)
  package static func open(
    user: String, device: String, _ policy: RoomEncryption.Devices, _ rows: [(row: MatrixRow, value: [UInt8])]
  ) throws(OlmError) -> CryptoMachine {
    let stored = rows.first { $0.row.kind == .account }.flatMap { JSON(decoding: $0.value) }
    let account: OlmAccount
    if let stored {
      account = try OlmAccount.restore(stored["pickle"].pickle)
    } else {
      account = try OlmAccount.create()
    }
    let keys = JSON(decoding: try account.identityKeys()) ?? .null
    let machine = try CryptoMachine(account, user: user, device: device, policy, keys)
    machine.uploads.isPublished = stored?["published"] == .bool(true)
    for (row, value) in rows { try machine.restore(row, value) }
    if stored == nil { try machine.saveAccount() }
    return machine
  }

  private func restore(_ row: MatrixRow, _ value: [UInt8]) throws(OlmError) {
    let json = JSON(decoding: value) ?? .null
    switch row.kind {
    case .account: break
    case .sessions:
      var peer = OlmPeer(user: json["user"]?.text ?? "", order: json["order"]?.wholeNumber ?? 0)
      for pickle in json["pickles"]?.elements ?? [] {
        peer.sessions.append(try OlmSession.restore(JSON?.some(pickle).pickle))
      }
      sessions[row.name] = peer
      order = max(order, peer.order)
    case .inbound: try restoreInbound(row, json)
    case .outbound: history.sent[row.name] = SentMessages(json)
    case .device: knownKeys[row.name] = json.text.map { ($0, 0) }
    case .encryptedRoom: encryptedRooms.insert(row.name)
    case .identity: identity = try OwnIdentity(json)
    }
  }

  private func restoreInbound(_ row: MatrixRow, _ json: JSON) throws(OlmError) {
    let key = try InboundRoomKey(json)
    order = max(order, key.order)
    inbound[row] = key
  }

  // MARK: Changes

  /// Returns the changes in order; they must be committed before anything else happens.
  package func takeChanges() -> [MatrixChange] {
    defer { changes = [] }
    return changes
  }

  func save(_ row: MatrixRow, _ value: JSON?) {
    changes.append(MatrixChange(row: row, value: value?.encoded()))
  }

  func saveAccount() throws(OlmError) {
    let pickle = JSON.string(String(decoding: try account.pickle(), as: UTF8.self))
    save(
      MatrixRow(.account, device), .object(["pickle": pickle, "published": .bool(uploads.isPublished)]))
  }

  func saveSessions(with key: String) throws(OlmError) {
    guard let peer = sessions[key] else { return }
    var pickles: [JSON] = []
    for session in peer.sessions { pickles.append(.string(String(decoding: try session.pickle(), as: UTF8.self))) }
    save(
      MatrixRow(.sessions, key),
      .object(["user": .string(peer.user), "order": .number(peer.order), "pickles": .array(pickles)]))
  }

  /// Records permanently that a room is encrypted.
  package func recordEncrypted(_ room: String) {
    if encryptedRooms.insert(room).inserted { save(MatrixRow(.encryptedRoom, room), .bool(true)) }
  }

  /// Returns the object with this device's signature added as a member.
  func signed(_ object: JSON) throws(OlmError) -> JSON {
    let signature = JSON.string(try account.sign(object.signed))
    return object.with("signatures", .object(of: [(user, .object(of: [("ed25519:" + device, signature)]))]))
  }

  // MARK: Requests

  /// Returns the next request that does not depend on a message to be sent; `nil` if there is none.
  @export(interface)
  package func nextRequest(unixMilliseconds now: Int64) throws(OlmError) -> CryptoRequest? {
    if uploads.areLost { return request(.logOut, "logout", .object([])) }
    // Before a new device publishes its keys, the homeserver must not have any keys for this device; and before a
    // device is logged out, the homeserver must know it.
    if !uploads.isPublished || uploads.collide, !uploads.isChecked { return query([user]) }
    if let upload = try uploadRequest(at: now) { return upload }
    if let request = try identityRequest() { return request }
    let stale = staleUsers(queries.wanted, at: now)
    queries.wanted = []
    return stale.isEmpty ? nil : query(stale)
  }

  /// Handles the response to a request; returns false if the response is invalid.
  @export(interface)
  package func handle(
    _ kind: CryptoRequest.Kind, status: Int, _ body: [UInt8], unixMilliseconds now: Int64
  ) throws(OlmError) -> Bool {
    if case .upload = kind, status == 400 { return try collides(JSON(decoding: body)) }
    if kind == .identity || kind == .signatures { return identityAnswered(kind, status: status) }
    if case .newest(let room) = kind { return newestAnswered(room, status: status, body) }
    // A server writes the keys of its users' devices, and must not prevent other members from getting the room key.
    guard status == 200, let answer = JSON(decoding: body, roundsFractions: true, omitting: .level(3)) else {
      return false
    }
    switch kind {
    case .upload: try uploaded(answer, at: now)
    case .query(let users):
      let collided = uploads.collide
      learned(users, answer, at: now)
      if collided, !uploads.collide, !uploads.areLost { return false }
      if users.contains(user) { try learnedOwnMaster(answer["master_keys"]?[user]) }
    case .claim(let devices): try claimed(devices, answer, at: now)
    case .share(let room, let devices): shared(room, devices)
    case .identity, .signatures, .newest, .logOut: break
    }
    return true
  }

  func request(
    _ kind: CryptoRequest.Kind, _ path: String, _ body: JSON, _ method: WebhookEndpoint.Method = .post
  ) -> CryptoRequest {
    CryptoRequest(kind: kind, method: method, path: "/_matrix/client/v3/" + path, body: body.canonical)
  }
}

extension JSON? {
  /// The bytes of a libolm object, stored as text in JSON.
  var pickle: [UInt8] { Array((self?.text ?? "").utf8) }
}
