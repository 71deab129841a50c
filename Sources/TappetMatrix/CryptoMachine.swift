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
  /// Sessions by the other device's Curve25519 key; the most recently used session is first.
  var sessions: [String: [OlmSession]] = [:]
  var inbound: [MatrixRow: InboundRoomKey] = [:]
  /// Sending sessions by room id.
  var outbound: [String: OutboundRoomKey] = [:]
  /// Device lists, by user.
  var lists: [String: DeviceList] = [:]
  /// Ed25519 keys of known devices, by device name.
  var knownKeys: [String: String] = [:]
  package internal(set) var encryptedRooms: Set<String> = []
  /// Devices without one-time keys, and the time, in milliseconds since 1970, until which they are not queried again.
  var resting: [String: Int64] = [:]
  var waiting: [WaitingEvent] = []
  /// Users whose devices have changed since the last query.
  var changedUsers: Set<String> = []
  /// Users whose device lists are needed to read waiting events.
  var wantedUsers: Set<String> = []
  var uploads = KeyUploads()
  var identity: OwnIdentity?
  /// Whether the homeserver has reported the account's identity, or that there is none.
  var knowsOwnMaster = false
  /// Whether the homeserver has refused the upload of an identity.
  var refusesIdentity = false
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
      for pickle in json.elements ?? [] {
        sessions[row.name, default: []].append(try OlmSession.restore(JSON?.some(pickle).pickle))
      }
    case .inbound: inbound[row] = try InboundRoomKey(json)
    case .outbound: outbound[row.name] = try OutboundRoomKey(json)
    case .device: knownKeys[row.name] = json.text
    case .encryptedRoom: encryptedRooms.insert(row.name)
    case .identity: identity = try OwnIdentity(json)
    }
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
    var pickles: [JSON] = []
    for session in sessions[key] ?? [] {
      pickles.append(.string(String(decoding: try session.pickle(), as: UTF8.self)))
    }
    save(MatrixRow(.sessions, key), .array(pickles))
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
    let stale = staleUsers(wantedUsers, at: now)
    wantedUsers = []
    return stale.isEmpty ? nil : query(stale)
  }

  /// Handles the response to a request; returns false if the response is invalid.
  @export(interface)
  package func handle(
    _ kind: CryptoRequest.Kind, status: Int, _ body: [UInt8], unixMilliseconds now: Int64
  ) throws(OlmError) -> Bool {
    if case .upload = kind, status == 400 { return try collides(JSON(decoding: body)) }
    if kind == .identity || kind == .signatures { return identityAnswered(kind, status: status) }
    // A server writes the keys of its users' devices, and must not keep the room's other members from its key.
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
    case .share(let room, let devices): try shared(room, devices)
    case .identity, .signatures, .logOut: break
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
