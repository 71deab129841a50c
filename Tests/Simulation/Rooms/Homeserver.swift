// A homeserver for the story of a session in rooms (Listening.swift): an ordered log of what was written, delayed
// messages, and transactions; and the encryption of a room, as the disk has it.

import TappetCore
import TappetJSON
import TappetRooms

/// The log of a homeserver; a position is a number of entries.
struct ScriptedHomeserver {
  enum Entry {
    case line(room: String, event: String, user: String)
    /// The key of an encrypted line arrives at the device.
    case key(String)
  }

  static let plain = "!plain:h"
  static let secret = "!secret:h"

  private(set) var log: [Entry] = []
  /// Positions before this one are unknown.
  var oldest = 0
  /// The event of each transaction.
  private(set) var transactions: [String: String] = [:]
  /// The pending last wills.
  private(set) var delayed: Set<String> = []
  private var number = 0
  /// The lines that a response has left out, because there were too many.
  private(set) var omitted: Set<String> = []
  /// The lines that came before the present.
  private(set) var history: Set<String> = []

  mutating func write(_ room: String, by user: String) -> String {
    number += 1
    log.append(.line(room: room, event: "$\(number)", user: user))
    return "$\(number)"
  }

  mutating func sendKey(of event: String) { log.append(.key(event)) }

  func room(of event: String) -> String? {
    for case .line(let room, event, _) in log { return room }
    return nil
  }

  /// The plain lines that are history for a session that starts in the present with this request; `nil` if it does not.
  func linesBeforePresent(of call: HTTPCall) -> Set<String>? {
    guard let path = call.path, path.contains("/sync?"), !path.contains("since=") else { return nil }
    return Set(log.compactMap { if case .line(Self.plain, let event, _) = $0 { event } else { nil } })
  }

  func index(of position: String) -> Int? { Int(position.dropFirst(1)) }

  /// Performs a request; returns the status and the body of its response.
  mutating func perform(_ call: HTTPCall, repeatsPosition: Bool) -> (status: UInt16, body: String) {
    let path = call.path ?? ""
    if path.contains("/sync?") { return sync(path, repeatsPosition) }
    if path.contains("/directory/room/") { return (200, "{\"room_id\":\"\(Self.plain)\"}") }
    if path.hasSuffix("/joined_members") { return (200, "{\"joined\":{}}") }
    if path.hasSuffix("/capabilities") {
      return (200, "{\"capabilities\":{\"org.matrix.msc4140.delayed_events\":{\"max_delay_ms\":86400000}}}")
    }
    if path.contains("/delayed_events/") {
      let id = String(path.split(separator: "/").last ?? "")
      guard delayed.contains(id) else { return (404, "{\"errcode\":\"M_NOT_FOUND\"}") }
      if String(decoding: call.body, as: UTF8.self).contains("cancel") { delayed.remove(id) }
      return (200, "{}")
    }
    if path.hasSuffix("/delayed_events") {
      let events = delayed.sorted().map { "{\"delay_id\":\"\($0)\",\"content\":{\"org.tappet.last_will\":\"kiosk\"}}" }
      return (200, "{\"delayed_events\":[" + events.joined(separator: ",") + "]}")
    }
    if path.contains("/send/") { return send(path) }
    if path.hasPrefix("/keys/") || path.contains("/receipt/") { return (200, "{}") }
    // It denies now and then what it has said before.
    if path.hasSuffix(Self.secret.percentEncoded + "/state/m.room.encryption"), number % 3 > 0 {
      return (200, "{\"algorithm\":\"m.megolm.v1.aes-sha2\"}")
    }
    return (404, "{\"errcode\":\"M_NOT_FOUND\"}")
  }

  private mutating func send(_ path: String) -> (UInt16, String) {
    let isDelayed = path.contains("delay=")
    if transactions[path] == nil {
      number += 1
      transactions[path] = isDelayed ? "d\(number)" : "$\(number)"
      if isDelayed { delayed.insert("d\(number)") }
    }
    return (200, "{\"\(isDelayed ? "delay_id" : "event_id")\":\"\(transactions[path] ?? "")\"}")
  }

  /// The answer to /sync: at most 20 lines of each room, and one if it is to start in the present.
  private mutating func sync(_ path: String, _ repeatsPosition: Bool) -> (UInt16, String) {
    let word = path.split(separator: "&").first { $0.starts(with: "since=") }.map { String($0.dropFirst(6)) }
    let since = word.flatMap { index(of: $0) }
    if word != nil, since ?? -1 < oldest { return (400, "{\"errcode\":\"M_UNKNOWN_POS\"}") }
    var (lines, keys): ([String: [String]], [String]) = ([Self.plain: [], Self.secret: []], [])
    for entry in log[(since ?? 0)...] {
      switch entry {
      case .line(let room, let event, let user):
        if since == nil { history.insert(event) }
        lines[room]?.append(Self.event(room, event, user))
      case .key(let event): keys.append("{\"type\":\"m.room_key\",\"content\":{\"id\":\"\(event)\"}}")
      }
    }
    let isWhole = path.contains("full_state=true")
    var rooms: [String] = []
    for (room, events) in lines.sorted(by: { $0.key < $1.key }) where isWhole || !events.isEmpty {
      let shown = events.suffix(since == nil ? 1 : 20)
      if since != nil { omit(room, events.count - shown.count, from: since ?? 0) }
      rooms.append(
        "\"\(room)\":{\"timeline\":{\"limited\":\(shown.count < events.count),\"events\":["
          + shown.joined(separator: ",") + "]}}")
    }
    let next = repeatsPosition ? since ?? log.count : log.count
    return (
      200,
      "{\"next_batch\":\"s\(next)\",\"to_device\":{\"events\":[\(keys.joined(separator: ","))]},"
        + "\"rooms\":{\"join\":{\(rooms.joined(separator: ","))}}}"
    )
  }

  private mutating func omit(_ room: String, _ count: Int, from since: Int) {
    var rest = count
    for entry in log[since...] {
      guard rest > 0, case .line(room, let event, _) = entry else { continue }
      omitted.insert(event)
      rest -= 1
    }
  }

  private static func event(_ room: String, _ event: String, _ user: String) -> String {
    let head = "{\"event_id\":\"\(event)\",\"sender\":\"\(user)\",\"origin_server_ts\":1,"
    if room == secret { return head + "\"type\":\"m.room.encrypted\",\"content\":{\"ciphertext\":\"\(event)\"}}" }
    return head + "\"type\":\"m.room.message\",\"content\":{\"msgtype\":\"m.text\",\"body\":\"!light\"}}"
  }
}

/// The disk of the encryption.
final class CipherDisk {
  var keys: Set<String> = []
  /// The lines that were passed on, and those that the kiosk has recorded, which are replays from then on.
  var taken: Set<String> = []
  var settled: Set<String> = []
}

/// The encryption of one process.
final class ScriptedCipher: RoomCipher {
  private let disk: CipherDisk
  private var waiting: [(event: String, user: String)] = []
  private var knowsMembers = false
  /// Whether a request about keys is due.
  var wantsCall = false
  /// Whether the users of the next message have its key.
  private var hasKeys = false
  private var isClaiming = false
  /// Whether a message was encrypted before its users had the key.
  private(set) var encryptsForNobody = false

  init(_ disk: CipherDisk) { self.disk = disk }

  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32? { nil }
  func isEncrypted(_ room: String) -> Bool { room == ScriptedHomeserver.secret }
  func recordEncrypted(_ room: String) {}
  func favor(_ users: Set<String>) {}
  func membersChanged(in room: String) {}
  func needsMembers(of room: String) -> Bool { isEncrypted(room) && !knowsMembers }
  func setMembers(_ users: [String], of room: String) { knowsMembers = true }

  func learn(_ news: SyncNews) -> Bool {
    for event in news.toDevice {
      if let id = JSONNode.read(event, { $0["content"]?["id"]?.text }) { disk.keys.insert(id) }
    }
    return true
  }

  func hear(_ event: [UInt8], in room: String) {
    let found = JSONNode.read(event) { node -> (String, String)? in
      guard let id = node["event_id"]?.text, let user = node["sender"]?.text else { return nil }
      return (id, user)
    }
    guard let (id, user) = found, !disk.settled.contains(id), !waiting.contains(where: { $0.event == id }) else {
      return
    }
    waiting.append((id, user))
  }

  func takeLines() -> [RoomLine] {
    let known = waiting.filter { disk.keys.contains($0.event) }
    waiting.removeAll { disk.keys.contains($0.event) }
    disk.taken.formUnion(known.map { $0.event })
    return known.map {
      RoomLine(
        room: ScriptedHomeserver.secret, event: $0.event, user: $0.user, unixMilliseconds: 1, text: "!light")
    }
  }

  var hasWaitingEvents: Bool { !waiting.isEmpty }
  func takeUnreadable() -> [UnreadableLine] { [] }

  func recorded() {
    disk.settled.formUnion(disk.taken)
    disk.taken = []
  }

  func need(of room: String, _ users: [String], _ rotation: Rotation) -> RoomNeed {
    if hasKeys { return .ready }
    isClaiming = true
    return .request(HTTPCall(path: "/keys/claim", method: .post, body: []))
  }

  func encrypt(_ message: [UInt8], in room: String) -> [UInt8]? {
    if !hasKeys { encryptsForNobody = true }
    hasKeys = false
    return Array("{}".utf8)
  }

  func nextCall() -> HTTPCall? {
    defer { wantsCall = false }
    return wantsCall ? HTTPCall(path: "/keys/upload", method: .post, body: []) : nil
  }

  var dueAt: Instant? { nil }

  func called(_ outcome: HTTPOutcome) -> Bool {
    defer { isClaiming = false }
    guard case .answered(200, _, let body) = outcome, body.first == UInt8(ascii: "{") else { return false }
    if isClaiming { hasKeys = true }
    return true
  }

  var isUnusable: Bool { false }
}
