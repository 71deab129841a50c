// The devices of other users, and the Olm sessions with them.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// The devices of one user.
struct DeviceList {
  var devices: [Device] = []
  /// Time of the query, in milliseconds since 1970.
  var learnedAt: Int64
  /// Whether the homeserver has reported a change since the query.
  var isStale = false
  /// Whether the user's server did not respond, so that the list is incomplete.
  var isUncertain = false
}

/// The queries of devices.
struct DeviceQueries {
  /// Users whose devices are being queried.
  var underWay: Set<String> = []
  /// Users among them whose devices have changed since.
  var changed: Set<String> = []
  /// Users whose device lists are needed to read waiting events.
  var wanted: Set<String> = []
  /// Devices without one-time keys, and the time, in milliseconds since 1970, until which they are not queried again.
  var resting: [String: Int64] = [:]
}

extension CryptoMachine {
  /// Returns the devices of a user; `nil` if the list is missing or outdated.
  func devices(of user: String, at now: Int64) -> [Device]? {
    guard let list = lists[user], !list.isStale, abs(now - list.learnedAt) < Limits.deviceListAgeMax else { return nil }
    return list.devices
  }

  func staleUsers(_ users: some Sequence<String>, at now: Int64) -> [String] {
    users.filter { devices(of: $0, at: now) == nil }.inOrder { $0 < $1 }
  }

  /// Handles reports that device lists have changed, or that users no longer share a room with the kiosk.
  package func devicesChanged(_ changed: [String], left: [String]) {
    for user in changed { lists[user]?.isStale = true }
    queries.changed.formUnion(queries.underWay.intersection(changed))
    for user in left { lists[user] = nil }
  }

  /// Marks all device lists as stale, because changes may have been missed.
  package func forgetDevices() {
    for user in lists.keys { lists[user]?.isStale = true }
  }

  func query(_ users: [String]) -> CryptoRequest {
    queries.changed.subtract(users)
    queries.underWay = Set(users)
    return request(
      .query(users), "keys/query",
      .object(["device_keys": .object(of: users.map { ($0, .array([])) }), "timeout": .number(5_000)]))
  }

  /// Handles the response to a query for users' devices.
  ///
  /// If a user's server did not respond, the user has no devices until the list expires.
  func learned(_ users: [String], _ answer: JSON, at now: Int64) {
    queries.underWay = []
    for user in users {
      let owner = Owner(
        user: user, master: answer["master_keys"]?[user], selfSigning: answer["self_signing_keys"]?[user])
      var list = DeviceList(learnedAt: now)
      let devices = answer["device_keys"]?[user]?.members ?? []
      // A user's server may invent devices, but not at the expense of those that are known.
      let known = devices.filter { knownKeys[user + " " + $0.name] != nil }
      let new = devices.filter { knownKeys[user + " " + $0.name] == nil }
      for member in (known + new).prefix(Limits.devicesPerUserMax) {
        guard let device = Device(member.value, user: user, id: member.name, owner), isKnownOrNew(device) else {
          continue
        }
        list.devices.append(device)
      }
      list.isStale = queries.changed.contains(user)
      list.isUncertain = answer["device_keys"]?[user] == nil
      lists[user] = list
      if !list.isUncertain { forgetOthers(than: list.devices, of: user) }
    }
    boundKnownKeys()
    if users.contains(user) { checkOwnDevice(answer["device_keys"]?[user]?[device]) }
  }

  /// Whether the device is new or has its known key; a different key means that a new device has taken its name.
  private func isKnownOrNew(_ device: Device) -> Bool {
    if let known = knownKeys[device.name] { return known.key == device.ed25519 }
    knownKeys[device.name] = (device.ed25519, nextOrder())
    save(MatrixRow(.device, device.name), .string(device.ed25519))
    return true
  }

  /// Checks this device's keys on the homeserver; if they differ, the original database was lost, or this
  /// one is an old copy.
  private func checkOwnDevice(_ keys: JSON?) {
    uploads.isChecked = true
    defer { uploads.collide = false }
    guard let keys else {
      // The device was removed, which also invalidates its token.
      return
    }
    if uploads.collide || keys["keys"]?["ed25519:" + device]?.text != ed25519 { uploads.areLost = true }
  }

  func claim(_ devices: [Device]) -> CryptoRequest {
    var users: [(String, [(String, JSON)])] = []
    for device in devices {
      if users.last?.0 != device.user { users.append((device.user, [])) }
      users[users.count - 1].1.append((device.id, .string("signed_curve25519")))
    }
    let keys = users.map { ($0.0, JSON.object(of: $0.1)) }
    return request(
      .claim(devices), "keys/claim", .object(["one_time_keys": .object(of: keys), "timeout": .number(5_000)]))
  }

  /// Starts a session with each device that has signed its one-time key; other devices are not queried for a while.
  func claimed(_ devices: [Device], _ answer: JSON, at now: Int64) throws(OlmError) {
    queries.resting = queries.resting.filter { $0.value > now }
    for device in devices {
      queries.resting[device.name] = now + Limits.deviceRestMax
      guard let key = answer["one_time_keys"]?[device.user]?[device.id]?.members.first?.value,
        let text = key["key"]?.text, key.isSigned(by: device.user, device.id, key: device.ed25519),
        let session = try? account.beginSession(with: device.curve25519, text)
      else { continue }
      queries.resting[device.name] = nil
      try remember(session, with: device.curve25519, of: device.user)
    }
  }

  /// Adds a session at the front of the sessions with a device, or moves it to the front, and saves them.
  func remember(_ session: OlmSession, with key: String, of user: String) throws(OlmError) {
    let others = (sessions[key]?.sessions ?? []).filter { $0 !== session }
    sessions[key] = OlmPeer(
      user: user, sessions: [session] + others.prefix(Limits.olmSessionsMax - 1), order: nextOrder())
    try saveSessions(with: key)
    boundSessions()
  }
}
