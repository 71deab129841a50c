// A session under a script: at this time this happened, and these were its steps. Steps are compared as words.

@testable import TappetCore
@testable import TappetRooms

struct RoomScript {
  var session: RoomSession
  var now = Instant(nanoseconds: 1_000_000_000)

  init(_ cipher: (any RoomCipher)? = nil) { session = RoomSession(cipher, seed: (1, 2, 3, 4)) }

  /// A session that listens in a room, after its orders until `begin`.
  static func begun(_ cipher: (any RoomCipher)? = nil, at position: String? = nil) -> RoomScript {
    var script = RoomScript(cipher)
    script.order(.session(path: "/session", ca: ""))
    script.tell(.opened(.device("D", user: "@kiosk:h")))
    if cipher != nil { script.order(.encrypt(RoomEncryption(), state: "/state")) }
    script.order(.room("!a:h", readsPowers: false, asks: false))
    return script
  }

  @discardableResult
  mutating func tell(_ event: RoomSession.Event) -> [String] { session.handle(event, at: now).map { $0.words } }

  @discardableResult
  mutating func order(_ order: RoomOrder) -> [String] { tell(.ordered(order)) }

  /// The homeserver's answer to the request of the polling channel.
  @discardableResult
  mutating func answer(_ body: String, status: UInt16 = 200) -> [String] {
    tell(.answered(.polling, .answered(status: status, retryAfter: nil, body: Array(body.utf8))))
  }

  /// Waits for the next timer; returns its steps.
  @discardableResult
  mutating func wait() -> [String] {
    if let deadline = session.deadline { now = max(now, deadline) }
    return tell(.timerFired)
  }

  /// A response to /sync with these lines in the room.
  static func sync(_ next: String, _ lines: [String] = [], room: String = "!a:h") -> String {
    let events = lines.map {
      #"{"type":"m.room.message","event_id":"$\#($0)","sender":"@ann:h","origin_server_ts":1,"content":"#
        + #"{"msgtype":"m.text","body":"!\#($0)"}}"#
    }
    return #"{"next_batch":"\#(next)","rooms":{"join":{"\#(room)":{"timeline":{"events":["#
      + events.joined(separator: ",") + "]}}}}}"
  }
}

extension RoomSession.Step {
  var words: String {
    switch self {
    case .open: "open"
    case .confine: "confine"
    case .end(let end): "end \(end)"
    case .request(.polling, let call): RoomSession.Step.words(call.path ?? "")
    case .request(let channel, let call):
      "\(channel) " + (call.path ?? "").split(separator: "/").suffix(1).joined()
    case .send(.heard(let line)): "heard \(line.text)"
    case .send(.batch(let position)): "batch \(position)"
    case .send(.access(let room, let access)): "access \(room) \(access)"
    case .send(.failed(.status(let status))): "failed \(status)"
    case .send(.failed(.trouble(let trouble, _))): "failed \(trouble)"
    case .send(.settled(let event)): "settled \(event)"
    case .send(.will(let state)): "will \(state)"
    case .send(let message): "\(message)"
    }
  }

  private static func words(_ path: String) -> String {
    guard let place = path.range(of: "/sync?") else {
      return path.split(separator: "/").suffix(2).joined(separator: "/")
    }
    let since = path[place.upperBound...].split(separator: "&").first { $0.hasPrefix("since=") }
    return "sync " + (since.map { String($0.dropFirst(6)) } ?? "present")
  }
}

/// A cipher that takes every room for encrypted, unless the script says otherwise.
final class ScriptedCipher: RoomCipher {
  var calls: [HTTPCall] = []
  /// The requests that are needed before a message can be encrypted; `nil` if none can.
  var needs: [HTTPCall]? = []
  var encryptedRooms: Set<String>?
  /// Whether the next response about keys is valid.
  var isValid = true
  /// The rooms that were recorded as encrypted.
  private(set) var knownRooms: Set<String> = []
  var lines: [RoomLine] = []
  private(set) var recordedCount = 0

  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32? { nil }
  func isEncrypted(_ room: String) -> Bool { encryptedRooms?.contains(room) ?? true }
  func recordEncrypted(_ room: String) { knownRooms.insert(room) }
  func favor(_ users: Set<String>) {}
  func membersChanged(in room: String) {}
  func needsMembers(of room: String) -> Bool { false }
  func setMembers(_ users: [String], of room: String) {}
  func learn(_ news: SyncNews) -> Bool { true }
  func hear(_ event: [UInt8], in room: String) {}
  func takeLines() -> [RoomLine] {
    defer { lines = [] }
    return lines
  }
  var hasWaitingEvents: Bool { false }
  func takeUnreadable() -> [UnreadableLine] { [] }
  func recorded() { recordedCount += 1 }

  func need(of room: String, _ users: [String], _ rotation: Rotation) -> RoomNeed {
    guard let needs else { return .unusable }
    return needs.first.map { .request($0) } ?? .ready
  }

  func encrypt(_ message: [UInt8], in room: String) -> [UInt8]? { Array("secret ".utf8) + message }
  func nextCall() -> HTTPCall? { calls.isEmpty ? nil : calls.removeFirst() }
  var dueAt: Instant? { nil }

  func called(_ outcome: HTTPOutcome) -> Bool {
    if isValid, needs?.isEmpty == false { needs?.removeFirst() }
    return isValid
  }

  var isUnusable: Bool { false }
}
