// The members of the rooms in which the kiosk listens: only keys of their devices are kept. The total stored for other
// users is limited, and no user can displace the keys of another, least of all of a user who may send commands.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore

/// The members of a room.
struct RoomMembers {
  var users: Set<String> = []
  /// Whether no user has joined or left since the homeserver listed the members.
  var areCurrent = false
}

/// The members of all rooms in which the kiosk listens.
struct RoomRoster {
  /// By room id.
  var members: [String: RoomMembers] = [:]
  /// Messages to this device that arrived while the members were not known.
  var held: [OlmEnvelope] = []
  /// Users who may send commands.
  var favored: Set<String> = []

  var areMembersCurrent: Bool { members.values.allSatisfy { $0.areCurrent } }
}

/// The Olm sessions with a device.
struct OlmPeer {
  /// The user to whom the device belongs.
  var user: String
  /// The most recently used session is first.
  var sessions: [OlmSession] = []
  /// Position in the order of use.
  var order: Int64 = 0
}

extension CryptoMachine {
  /// Marks the members of an encrypted room as unknown, or as outdated.
  package func membersChanged(in room: String) { roster.members[room, default: RoomMembers()].areCurrent = false }

  /// Whether the homeserver has to list the members of the room.
  package func needsMembers(of room: String) -> Bool { roster.members[room]?.areCurrent == false }

  /// Handles the list of a room's members, and the messages to this device that were waiting for it.
  @export(interface)
  package func setMembers(_ users: [String], of room: String, unixMilliseconds now: Int64) {
    roster.members[room] = RoomMembers(users: Set(users), areCurrent: true)
    guard roster.areMembersCurrent else { return }
    defer { roster.held = [] }
    for message in roster.held { try? receive(message, at: now) }
  }

  /// Whether the user is a member of a room in which the kiosk listens.
  func isMember(_ user: String) -> Bool { roster.members.values.contains { $0.users.contains(user) } }

  /// Sets the users who may send commands: what is kept for them gives way last.
  package func favor(_ users: Set<String>) { roster.favored = users }

  // MARK: Bounds

  /// Returns the next position in the order of arrival and use.
  func nextOrder() -> Int64 {
    order += 1
    return order
  }

  /// Returns what gives way if too much is kept: the oldest item of the user with the most items.
  func victim<Key>(among items: [(key: Key, user: String, order: Int64)]) -> Key? {
    var counts: [String: Int] = [:]
    for item in items { counts[item.user, default: 0] += 1 }
    func rank(_ place: Int) -> (Int, Int, Int64) {
      let item = items[place]
      return (roster.favored.contains(item.user) ? 1 : 0, -(counts[item.user] ?? 0), item.order)
    }
    return items.indices.min { rank($0) < rank($1) }.map { items[$0].key }
  }

  func boundSessions() {
    while sessions.count > Limits.olmDevicesMax,
      let key = victim(among: sessions.map { ($0.key, $0.value.user, $0.value.order) })
    { forgetSessions(with: key) }
  }

  func boundInbound() {
    while inbound.count > Limits.megolmInboundMax,
      let row = victim(among: inbound.map { ($0.key, $0.value.user, $0.value.order) })
    { forget(row) }
  }

  func boundKnownKeys() {
    while knownKeys.count > Limits.knownDevicesMax,
      let name = victim(among: knownKeys.map { ($0.key, $0.key.userOfDevice, $0.value.order) })
    {
      knownKeys[name] = nil
      save(MatrixRow(.device, name), nil)
    }
  }

  /// Forgets what was accepted from devices of a user that are not in the list of their devices.
  func forgetOthers(than devices: [Device], of user: String) {
    let keys = Set(devices.map { $0.curve25519 })
    for (key, peer) in sessions where peer.user == user && !keys.contains(key) { forgetSessions(with: key) }
    for (row, key) in inbound where key.user == user && !keys.contains(key.curve25519) { forget(row) }
  }

  private func forgetSessions(with key: String) {
    sessions[key] = nil
    save(MatrixRow(.sessions, key), nil)
  }

  private func forget(_ row: MatrixRow) {
    inbound[row] = nil
    save(row, nil)
  }
}

extension String {
  /// The user in the name of a device.
  fileprivate var userOfDevice: String { utf8.firstIndex(of: 0x20).map { String(self[..<$0]) } ?? self }
}
