// The encryption of one device: its keys, its sessions with other devices and in rooms. Pure: it returns requests and
// handles their answers; changes must be committed before any of them takes effect (`takeChanges`).
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
    /// The device's own keys, one-time keys and fallback key.
    case upload
    /// The devices of these users.
    case query([String])
    /// One-time keys of these devices.
    case claim([Device])
    /// A room's key for these devices.
    case share(room: String, [Device])
    /// The public keys of the account's identity.
    case identity
    /// The signature of the device.
    case signatures
    /// The device's keys are lost: it is never used again.
    case logOut
  }

  package let kind: Kind
  package let method: WebhookEndpoint.Method
  package let path: String
  package let body: [UInt8]
}

/// The state of the encryption.
package final class CryptoMachine {
  package let user: String
  package let device: String
  package let policy: RoomEncryption.Devices
  let account: OlmAccount
  let curve25519: String
  let ed25519: String
  /// Sessions by the device's Curve25519 key; the session last read from is first.
  var sessions: [String: [OlmSession]] = [:]
  var inbound: [MatrixRow: InboundRoomKey] = [:]
  /// Sending sessions by room id.
  var outbound: [String: OutboundRoomKey] = [:]
  /// The devices of users, by user.
  var lists: [String: DeviceList] = [:]
  /// Devices' Ed25519 keys, by the device's name.
  var knownKeys: [String: String] = [:]
  package internal(set) var encryptedRooms: Set<String> = []
  /// Devices without one-time keys, and the time until which they are not queried again.
  var resting: [String: Int64] = [:]
  var waiting: [WaitingEvent] = []
  /// Users whose devices have changed since the last query.
  var changedUsers: Set<String> = []
  /// Users whose devices are needed to read waiting events.
  var wantedUsers: Set<String> = []
  var uploads = KeyUploads()
  var identity: OwnIdentity?
  /// Whether the homeserver has reported the account's identity.
  var knowsOwnMaster = false
  /// Whether the homeserver does not accept an identity.
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

  /// Opens the machine with these rows; creates an account if there are none.
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

  /// Returns the changes to be committed, in order, before anything else happens.
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

  /// Returns the object with a signature by this device as a member.
  func signed(_ object: JSON) throws(OlmError) -> JSON {
    let signature = JSON.string(try account.sign(object.signed))
    return object.with("signatures", .object(of: [(user, .object(of: [("ed25519:" + device, signature)]))]))
  }

  // MARK: Requests

  /// Returns the next request that does not depend on a message to be sent; `nil` if there is none.
  @export(interface)
  package func nextRequest(unixMilliseconds now: Int64) throws(OlmError) -> CryptoRequest? {
    if uploads.areLost { return request(.logOut, "logout", .object([])) }
    // A device that is new here must also be new to the homeserver.
    if !uploads.isPublished, !uploads.isChecked { return query([user]) }
    if let upload = try uploadRequest() { return upload }
    if let request = try identityRequest() { return request }
    let stale = staleUsers(wantedUsers, at: now)
    wantedUsers = []
    return stale.isEmpty ? nil : query(stale)
  }

  /// Handles the answer to a request; returns false if the answer is invalid.
  @export(interface)
  package func handle(
    _ kind: CryptoRequest.Kind, status: Int, _ body: [UInt8], unixMilliseconds now: Int64
  ) throws(OlmError) -> Bool {
    if case .upload = kind, status == 400 {
      uploads.areLost = true
      return true
    }
    if kind == .identity || kind == .signatures { return identityAnswered(kind, status: status) }
    guard status == 200, let answer = JSON(decoding: body, roundsFractions: true) else { return false }
    switch kind {
    case .upload: try uploaded(answer)
    case .query(let users):
      learned(users, answer, at: now)
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
