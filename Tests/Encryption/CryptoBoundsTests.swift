// The keys of other users: none of strangers, and of members not more than each may have.

import TappetCore
import TappetJSON
import TappetOlm
import TappetStore
import Testing

@testable import TappetMatrix

private let room = "!door:h"

@Suite struct CryptoBoundsTests {
  private let server = Homeserver()
  private let kiosk: Peer
  private let ann: Peer

  init() throws {
    kiosk = try Peer(server, "@kiosk:h", "KIOSK")
    ann = try Peer(server, "@ann:h", "PHONE")
  }

  private var users: [String] { [ann.machine.user, kiosk.machine.user] }

  private func sessions(of user: String) -> Int { kiosk.machine.sessions.values.count { $0.user == user } }

  private func keys(of user: String) -> Int { kiosk.machine.inbound.values.count { $0.user == user } }

  /// Has devices of a user send the key of a session to the kiosk.
  private func flood(by user: String, _ devices: ClosedRange<Int>, areListed: Bool = true) throws {
    for number in devices {
      let device = try Peer(server, user, "D\(number)")
      _ = try device.say("!gate on", to: [user, kiosk.machine.user])
      if !areListed { server.remove(user, "D\(number)") }
    }
  }

  @Test func `a stranger's keys are not kept, and a member's lines are still read`() throws {
    #expect(try kiosk.read([ann.say("!one", to: users)]) == ["!one"])
    server.strangers = ["@mallory:h"]
    try flood(by: "@mallory:h", 1...12)
    let queries = kiosk.machine.lists.count
    #expect(try kiosk.read([ann.say("!two", to: users)]) == ["!two"])
    #expect(sessions(of: "@mallory:h") == 0 && keys(of: "@mallory:h") == 0 && kiosk.machine.lists.count == queries)
    #expect(kiosk.machine.knownKeys.keys.allSatisfy { !$0.contains("mallory") })
  }

  @Test func `keys of a member's invented device are removed when the user's list of devices arrives`() throws {
    try flood(by: "@bob:h", 1...8, areListed: false)
    _ = try Peer(server, "@bob:h", "REAL").say("hello", to: ["@bob:h", kiosk.machine.user])
    _ = try kiosk.read([])
    #expect(sessions(of: "@bob:h") == 1 && keys(of: "@bob:h") == 1)
    // While the list is new, no further one is accepted.
    try flood(by: "@bob:h", 9...16, areListed: false)
    _ = try kiosk.read([])
    #expect(sessions(of: "@bob:h") == 1 && keys(of: "@bob:h") == 1)
  }

  @Test func `the keys of a user whose server does not respond are kept`() throws {
    server.absent = ["@ann:h"]
    let line = try ann.say("!one", to: users)
    #expect(try kiosk.read([line]).isEmpty)
    #expect(keys(of: "@ann:h") == 1)
    server.absent = []
    kiosk.machine.devicesChanged(["@ann:h"], left: [])
    #expect(try kiosk.read([]).isEmpty && kiosk.read([ann.say("!two", to: users)]) == ["!two"])
  }

  @Test func `a key that arrives while members join is kept until their list arrives`() throws {
    let line = try ann.say("!one", to: users)
    kiosk.machine.membersChanged(in: room)
    for event in server.inbox.removeValue(forKey: "@kiosk:h KIOSK") ?? [] {
      try kiosk.machine.receive(event, unixMilliseconds: kiosk.now)
    }
    #expect(kiosk.machine.hasWaitingEvents && keys(of: "@ann:h") == 0 && kiosk.machine.needsMembers(of: room))
    #expect(try kiosk.read([line]) == ["!one"])
    #expect(!kiosk.machine.hasWaitingEvents && !kiosk.machine.needsMembers(of: room))
  }

  @Test func `keys of the user with the most keys are evicted first, and a commander's keys last`() throws {
    kiosk.machine.favor(["@ann:h"])
    func add(_ user: String, _ number: Int) throws {
      let session = try MegolmInbound.create(key: try MegolmOutbound.create().key())
      kiosk.machine.inbound[InboundRoomKey.row(room, session: "\(number)", of: user)] = InboundRoomKey(
        session, user: user, curve25519: user, ed25519: "", order: kiosk.machine.nextOrder())
    }
    try add("@ann:h", 0)
    try add("@ben:h", 1)
    for number in 2...Limits.megolmInboundMax { try add("@bob:h", number) }
    kiosk.machine.boundInbound()
    #expect(keys(of: "@ann:h") == 1 && keys(of: "@ben:h") == 1 && keys(of: "@bob:h") == Limits.megolmInboundMax - 2)
    for number in 0..<Limits.megolmInboundMax { try add("@user\(number):h", number) }
    kiosk.machine.boundInbound()
    #expect(keys(of: "@ann:h") == 1 && kiosk.machine.inbound.count == Limits.megolmInboundMax)
  }

  @Test func `another user's copy of a session id does not block the owner's key`() throws {
    let line = try ann.say("!one", to: users)
    let id = try #require(line["content"]?["session_id"]?.text)
    let session = try MegolmInbound.create(key: try MegolmOutbound.create().key())
    kiosk.machine.inbound[InboundRoomKey.row(room, session: id, of: "@bob:h")] = InboundRoomKey(
      session, user: "@bob:h", curve25519: "bob", ed25519: "", order: 1)
    #expect(try kiosk.read([line]) == ["!one"])
  }

  @Test func `devices beyond the limit of a user are ignored, and the known ones remain`() throws {
    _ = try kiosk.read([ann.say("!one", to: users)])
    for number in 1...Limits.devicesPerUserMax + 5 {
      server.deviceKeys["@ann:h"]?["A\(number)"] = try Peer(Homeserver(), "@ann:h", "A\(number)").machine.deviceKeys()
    }
    kiosk.machine.devicesChanged(["@ann:h"], left: [])
    #expect(try kiosk.read([ann.say("!two", to: users)]) == ["!two"])
    #expect(kiosk.machine.lists["@ann:h"]?.devices.count == Limits.devicesPerUserMax)
  }

  @Test func `an unreadable line from a user with commands is reported once a minute`() throws {
    kiosk.machine.favor(["@ann:h"])
    kiosk.isDeaf = true
    let lines = try (1...3).map { try ann.say("!\($0)", to: users) }
    let ben = try Peer(server, "@ben:h", "LAPTOP")
    #expect(try kiosk.read(lines + [ben.say("!4", to: ["@ben:h", kiosk.machine.user])]).isEmpty)
    #expect(kiosk.machine.takeUnreadable().isEmpty)
    kiosk.now += Limits.roomEventWaitMax
    #expect(try kiosk.read([]).isEmpty)
    let reported = kiosk.machine.takeUnreadable()
    #expect(reported.map(\.user) == ["@ann:h"] && reported.map(\.reason) == [.keyMissing])
    #expect(reported.map(\.room) == [room])
  }

  @Test func `many events without a key do not displace another user's events`() throws {
    kiosk.isDeaf = true
    let line = try ann.say("!one", to: users)
    _ = try kiosk.read([line])
    let bob = try Peer(server, "@bob:h", "LAPTOP")
    for _ in 0...Limits.roomEventsWaitingMax {
      _ = try kiosk.read([bob.say("!x", to: ["@bob:h", kiosk.machine.user])])
    }
    server.inbox["@kiosk:h KIOSK"]?.removeLast()
    kiosk.isDeaf = false
    #expect(try kiosk.read([]) == ["!one"])
  }
}
