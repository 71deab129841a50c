// The encryption of a room between machines, over a homeserver that only passes on what it gets, or lies.

import TappetCore
import TappetJSON
import TappetOlm
import TappetRooms
import Testing

@testable import TappetMatrix

private let room = "!door:h"
private let kiosk = "@kiosk:h"
private let ann = "@ann:h"

@Suite struct CryptoMachineTests {
  private let server = Homeserver()

  /// Both, who know nothing of each other.
  private func pair(_ policy: RoomEncryption.Devices = .all) throws -> (kiosk: Peer, ann: Peer) {
    (try Peer(server, kiosk, "KIOSK", policy), try Peer(server, ann, "PHONE"))
  }

  @Test func `a line is read from one event only, which may be repeated`() throws {
    let (kiosk, ann) = try pair()
    let line = try ann.say("!bell", to: [ann.machine.user, kiosk.machine.user])
    #expect(try kiosk.read([line]) == ["!bell"])
    #expect(try kiosk.read([line.with("event_id", .string("$other")), line]) == ["!bell"])
  }

  @Test func `a message is read once and in any order, and a command again until it is recorded`() throws {
    let session = try MegolmInbound.create(key: try MegolmOutbound.create().key())
    var key = InboundRoomKey(session, user: "@ann:h", curve25519: "", ed25519: "", order: 1)
    #expect(key.note(2, of: "$2", isCommand: true) && !key.note(0, of: "$0", isCommand: true))
    #expect(!key.note(2, of: "$2", isCommand: true) && key.note(5, of: "$5", isCommand: false))
    for index in 6...80 as ClosedRange<UInt32> where !key.note(index, of: "$\(index)", isCommand: true) {
      Issue.record("\(index)")
    }
    var stored = try InboundRoomKey(try #require(JSON(decoding: key.encoded().encoded())))
    #expect((6...80).allSatisfy { stored.isRepeated($0, in: "$\($0)") } && stored.isRepeated(2, in: "$2"))
    #expect(!stored.isRepeated(6, in: "$x") && !stored.isRepeated(5, in: "$5") && !stored.isRepeated(81, in: "$81"))
    #expect(stored.settle() && !stored.settle() && !stored.isRepeated(80, in: "$80"))
    #expect(!stored.note(80, of: "$80", isCommand: true) && stored.note(.max, of: "$", isCommand: true))
    for index in 81...5000 as ClosedRange<UInt32> { _ = key.note(index, of: "$", isCommand: true) }
    #expect(key.unrecorded.count == Limits.megolmUnrecordedMax)
  }

  @Test func `a command read before a kill is read again, unless the kiosk has recorded it`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let lines = try (1...20).map { try ann.say("!bell \($0)", to: users) }
    let texts = (1...20).map { "!bell \($0)" }
    #expect(try kiosk.read(lines) == texts)
    let again = try kiosk.restarted()
    #expect(try again.read(lines) == texts)
    try again.settleLines()
    let later = try again.restarted()
    later.now += 3_600_000
    #expect(try later.read(lines.map { $0.with("origin_server_ts", .number(later.now)) }).isEmpty)
    #expect(try later.read([ann.say("!gate on", to: users)]) == ["!gate on"])
  }

  @Test func `a withheld line is not read after a later one of its device, in any session`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    var rotation = Rotation()
    rotation.messages = 2
    let lines = try ["!1", "!2", "!3", "!4"].map { try ann.say($0, to: users, rotation) }
    #expect(lines[1].session != lines[2].session)
    #expect(try kiosk.read([lines[2]]) == ["!3"])
    #expect(try kiosk.read([lines[0], lines[1]]).isEmpty)
    #expect(try kiosk.read([lines[3]]) == ["!4"])
    let ben = try Peer(server, "@ben:h", "LAPTOP")
    #expect(try kiosk.read([ben.say("!5", to: [ben.machine.user, kiosk.machine.user])]) == ["!5"])
  }

  @Test func `the numbers of read messages survive a restart, and the sessions continue`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let first = try ann.say("!bell", to: users)
    #expect(try kiosk.read([first]) == ["!bell"])
    #expect(try ann.read([kiosk.say("!one", to: users)]) == ["!one"])
    let (again, annAgain) = (try kiosk.restarted(), try ann.restarted())
    #expect(try again.read([first.with("event_id", .string("$other"))]).isEmpty)
    #expect(try again.read([annAgain.say("!gate on", to: users)]) == ["!gate on"])
    #expect(try annAgain.read([again.say("!two", to: users)]) == ["!two"])
  }

  @Test func `lines of strangers or in other rooms, corrections and notices are not read`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let line = try ann.say("!bell", to: users)
    #expect(try kiosk.read([line.with("sender", .string("@eve:h"))]).isEmpty)
    #expect(try kiosk.read([line], in: "!other:h").isEmpty)
    let replaced = JSON.object(["rel_type": .string("m.replace"), "event_id": .string("$old")])
    #expect(try kiosk.read([try ann.say("!bell", to: users, ("m.relates_to", replaced))]).isEmpty)
    #expect(try kiosk.read([try ann.say("!bell", to: users, ("msgtype", .string("m.notice")))]).isEmpty)
    #expect(try kiosk.read([try ann.say("bell", to: users)]).isEmpty)
    #expect(try kiosk.read([try ann.say("!bell", to: users)]) == ["!bell"])
  }

  @Test(arguments: [.min, -1_000_000_000, -1, 0, 24, 49, 50, 1_000_000_000, .max] as [Int64])
  func `at most fifty keys are uploaded, once, whatever count the homeserver reports`(
    _ count: Int64
  ) throws {
    let (kiosk, _) = try pair()
    let upload = #"{"one_time_key_counts":{"signed_curve25519":\#(count)}}"#
    kiosk.now += Limits.keyUploadRest
    kiosk.machine.note(keyCount: count, hasFallback: true)
    let request = try kiosk.machine.nextRequest(unixMilliseconds: kiosk.now)
    #expect((request?.kind == .upload) == (count < 25))
    let keys = request.flatMap { JSON(decoding: $0.body)?["one_time_keys"]?.members.count } ?? 0
    #expect(keys == (count < 25 ? 50 - Int(max(count, 0)) : 0))
    for answer in [upload, "{}", #"{"one_time_key_counts":7}"#] {
      #expect(try kiosk.machine.handle(.upload, status: 200, Array(answer.utf8), unixMilliseconds: kiosk.now))
      kiosk.machine.note(keyCount: count, hasFallback: false)
      #expect(try kiosk.machine.nextRequest(unixMilliseconds: kiosk.now + Limits.keyUploadRest - 1) == nil)
      #expect(try kiosk.machine.nextRequest(unixMilliseconds: kiosk.now + Limits.keyUploadRest)?.kind == .upload)
    }
  }

  @Test func `a device with oversized keys does not prevent others from getting the room key`() throws {
    let (kiosk, ann) = try pair()
    let bomb = JSON.object(["z": .array(Array(repeating: .number(0), count: Limits.jsonValuesMax))])
    server.deviceKeys["@bob:h"] = ["BOMB": bomb]
    server.extra = #""@eve:h":{"HUGE":{"z":1e300,"y":-1e19}}"#
    let line = try kiosk.say("hello", to: [kiosk.machine.user, ann.machine.user, "@bob:h"])
    #expect(try ann.read([line]).isEmpty)
    let command = try kiosk.say("!hello", to: [kiosk.machine.user, ann.machine.user, "@bob:h"])
    #expect(try ann.read([command]) == ["!hello"])
  }

  @Test func `an edit's relation is outside its ciphertext, and its text only inside`() throws {
    let (kiosk, ann) = try pair()
    let relation = JSON.object(["rel_type": .string("m.replace"), "event_id": .string("$old")])
    let edit = try kiosk.say("* ring", to: [ann.machine.user, kiosk.machine.user], ("m.relates_to", relation))
    #expect(edit["content"]?["m.relates_to"] == relation)
    #expect(edit["content"]?["m.new_content"] == nil && edit["content"]?["body"] == nil)
  }

  @Test func `an event waits for its key and its sender's devices, up to a limit`() throws {
    let (kiosk, ann) = try pair()
    let line = try ann.say("!bell", to: [ann.machine.user, kiosk.machine.user])
    kiosk.isDeaf = true
    #expect(try kiosk.read([line]).isEmpty)
    kiosk.isDeaf = false
    #expect(try kiosk.read([]) == ["!bell"])
    let ben = try Peer(server, "@ben:h", "LAPTOP")
    let late = try ben.say("!late", to: [ben.machine.user, kiosk.machine.user])
    kiosk.isDeaf = true
    #expect(try kiosk.read([late]).isEmpty)
    (kiosk.isDeaf, kiosk.now) = (false, kiosk.now + Limits.roomEventWaitMax)
    #expect(try kiosk.read([]).isEmpty)
  }

  @Test func `a device that leaves reads no later lines, and a new device no earlier ones`() throws {
    let (kiosk, ann) = try pair()
    let ben = try Peer(server, "@ben:h", "LAPTOP")
    let all = [ann.machine.user, ben.machine.user, kiosk.machine.user]
    let first = try kiosk.say("!one", to: all)
    #expect(try ben.read([first]) == ["!one"])
    let second = try kiosk.say("!two", to: [ann.machine.user, kiosk.machine.user])
    #expect(first.session != second.session)
    #expect(try ann.read([first, second]) == ["!one", "!two"])
    #expect(try ben.read([second]).isEmpty)
    let phone = try Peer(server, "@ann:h", "SECOND")
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    let third = try kiosk.say("!three", to: [ann.machine.user, kiosk.machine.user])
    #expect(third.session == second.session)
    #expect(try phone.read([second, third]) == ["!three"])
    server.remove(ann.machine.user, "SECOND")
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    #expect(try kiosk.say("!four", to: [ann.machine.user, kiosk.machine.user]).session != third.session)
  }

  @Test func `a list that changes during its request is requested again`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let request = try #require(try kiosk.machine.need(of: room, users, Rotation(), unixMilliseconds: kiosk.now))
    let answer = try server.answer(request, of: kiosk)
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    let phone = try Peer(server, ann.machine.user, "SECOND")
    #expect(try kiosk.machine.handle(request.kind, status: 200, answer.body, unixMilliseconds: kiosk.now))
    #expect(try phone.read([kiosk.say("!one", to: users)]) == ["!one"])
  }

  @Test func `a session ends at its message limit, at its lifetime, or when the clock is set back`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    var rotation = Rotation()
    rotation.messages = 2
    var names: [String?] = []
    for text in ["!1", "!2", "!3"] { names.append(try kiosk.say(text, to: users, rotation).session) }
    #expect(names[0] == names[1] && names[1] != names[2])
    kiosk.now += Limits.megolmAgeMax
    names.append(try kiosk.say("!4", to: users).session)
    kiosk.now -= 5_000
    names.append(try kiosk.say("!5", to: users).session)
    #expect(Set(names.compactMap { $0 }).count == 4)
    let asked = JSON.object([
      "algorithm": .string("m.megolm.v1.aes-sha2"), "rotation_period_msgs": .number(1_000),
      "rotation_period_ms": .number(1),
    ])
    let slower = try #require(MatrixAnswer(asked.encoded()).rotation)
    #expect(slower.messages == Limits.megolmMessagesMax && slower.milliseconds == 60_000)
    #expect(MatrixAnswer(Array(#"{"algorithm":"m.other"}"#.utf8)).rotation == nil)
  }

  @Test func `if only signed devices count, an unsigned device gets no key and cannot command`() throws {
    server.refusesIdentities = true
    let (kiosk, ann) = try pair(.signed)
    let users = [ann.machine.user, kiosk.machine.user]
    #expect(try ann.read([kiosk.say("!one", to: users)]).isEmpty)
    #expect(try kiosk.read([ann.say("!bell", to: users)]).isEmpty)
    try server.sign(ann.machine.user, "PHONE")
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    #expect(try ann.read([kiosk.say("!two", to: users)]) == ["!two"])
    #expect(try kiosk.read([ann.say("!bell", to: users)]) == ["!bell"])
  }

  @Test func `a device with changed keys, or without its own signature, is rejected`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    #expect(try ann.read([kiosk.say("!one", to: users)]) == ["!one"])
    server.remove(ann.machine.user, "PHONE")
    let impostor = try Peer(server, ann.machine.user, "PHONE")
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    #expect(try impostor.read([kiosk.say("!two", to: users)]).isEmpty)
    #expect(try kiosk.read([impostor.say("!bell", to: users)]).isEmpty)
    let tablet = try Peer(server, ann.machine.user, "TABLET")
    server.damage(ann.machine.user, "TABLET")
    kiosk.machine.devicesChanged([ann.machine.user], left: [])
    #expect(try tablet.read([kiosk.say("!three", to: users)]).isEmpty)
  }

  @Test func `a device whose keys are lost is logged out, and does nothing more`() throws {
    let (first, _) = try pair()
    try first.settle()
    let again = try Peer(server, kiosk, "KIOSK", .all, publishes: false)
    _ = try again.step()
    #expect(try again.step() == .logOut)
    #expect(try again.step() == .logOut)
  }

  @Test func `a key collision logs the device out after a query, and no other refusal does`() throws {
    let restored = try Peer(server, "@restored:h", "OLD", .all)
    restored.now += Limits.keyUploadRest
    restored.machine.note(keyCount: 0, hasFallback: true)
    let upload = try #require(try restored.machine.nextRequest(unixMilliseconds: restored.now))
    let key = try #require(JSON(decoding: upload.body)?["one_time_keys"]?.members.first?.name)
    func answer(_ text: String) throws -> Bool {
      try restored.machine.handle(.upload, status: 400, Array(text.utf8), unixMilliseconds: restored.now)
    }
    func collision(_ code: String, _ key: String) -> String {
      #"{"errcode":"\#(code)","error":"One time key \#(key) already exists. Old key: {}; new key: {}"}"#
    }
    for text in [
      "<html>400 Bad Request</html>", "", "{}", #"{"errcode":"M_UNKNOWN"}"#, collision("M_BAD_JSON", key),
      collision("M_UNKNOWN", "signed_curve25519:ZZZZZZ"), #"{"error":"\#(key)"}"#,
    ] {
      #expect(try !answer(text), "\(text)")
      #expect(try restored.machine.nextRequest(unixMilliseconds: restored.now)?.kind == .upload, "\(text)")
    }
    #expect(try answer(collision("M_UNKNOWN", key)))
    // A homeserver that does not know the device does not end its session.
    let keys = server.deviceKeys.removeValue(forKey: "@restored:h")
    let query = try #require(try restored.machine.nextRequest(unixMilliseconds: restored.now))
    #expect(query.kind == .query(["@restored:h"]))
    let unknown = Array(#"{"device_keys":{}}"#.utf8)
    #expect(try !restored.machine.handle(query.kind, status: 200, unknown, unixMilliseconds: restored.now))
    #expect(try restored.machine.nextRequest(unixMilliseconds: restored.now)?.kind == .upload)
    server.deviceKeys["@restored:h"] = keys
    #expect(try answer(collision("M_INVALID_PARAM", key)))
    #expect(try restored.step() == .query(["@restored:h"]))
    #expect(try restored.step() == .logOut)
  }

  @Test func `an outdated copy of the keys is detected before it encrypts, and its device is logged out`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let first = try kiosk.say("!one", to: users)
    let copy = try kiosk.restarted()
    #expect(try ann.read([first, kiosk.say("!two", to: users)]) == ["!one", "!two"])
    #expect(throws: OlmError.notAuthentic) { try copy.say("!three", to: users) }
    #expect(try copy.step() == .logOut)
    let next = try kiosk.restarted()
    let early = try next.restarted()
    #expect(try ann.read([next.say("!three", to: users)]) == ["!three"])
    #expect(throws: OlmError.notAuthentic) { try early.say("!four", to: users) }
    #expect(try ann.read([next.restarted().say("!four", to: users)]) == ["!four"])
  }

  @Test func `each start has its own session, and an undelivered message ends no device`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    var (current, names) = (kiosk, Set<String?>())
    for number in 1...5 {
      let event = try current.say("!\(number)", to: users)
      names.insert(event.session)
      if number == 1 { #expect(try ann.read([event]) == ["!1"]) } else { server.events.removeLast() }
      current = try current.restarted()
    }
    #expect(names.count == 5)
    #expect(try ann.read([current.say("!last", to: users)]) == ["!last"])
    #expect(SentMessages.index(of: "AwgF") == 5 && SentMessages.index(of: "Awj/////Dw==") == 0xFFFF_FFFF)
    #expect(SentMessages.index(of: "AwgF!") == nil && SentMessages.index(of: "") == nil)
  }

  @Test func `the device is signed only by an identity that is new to the account`() throws {
    let kiosk = try Peer(server, kiosk, "KIOSK")
    let ann = try Peer(server, ann, "PHONE", .signed)
    let users = [ann.machine.user, kiosk.machine.user]
    #expect(try kiosk.read([ann.say("!bell", to: users)]) == ["!bell"])
    #expect(try kiosk.restarted().step() == nil)
    let second = try Peer(server, kiosk.machine.user, "SECOND")
    ann.machine.devicesChanged([kiosk.machine.user], left: [])
    #expect(try second.read([ann.say("!gate", to: users)]).isEmpty)
  }

  @Test func `if a homeserver requires a password for the identity, the device stays unsigned`() throws {
    server.refusesIdentities = true
    let kiosk = try Peer(server, kiosk, "KIOSK")
    let ann = try Peer(server, ann, "PHONE")
    #expect(try kiosk.step() == nil)
    #expect(try kiosk.read([ann.say("!bell", to: [ann.machine.user, kiosk.machine.user])]) == ["!bell"])
  }

  @Test func `one-time keys and the fallback key are replaced when they run out`() throws {
    let (kiosk, _) = try pair()
    let before = server.oneTimeKeys["@kiosk:h KIOSK"]?.count
    #expect(before == Limits.oneTimeKeysMax)
    kiosk.now += Limits.keyUploadRest
    kiosk.machine.note(keyCount: 24, hasFallback: true)
    try kiosk.settle()
    #expect(server.oneTimeKeys["@kiosk:h KIOSK"]?.count == Limits.oneTimeKeysMax + 26)
    let fallback = server.fallbackKeys["@kiosk:h KIOSK"]
    kiosk.now += Limits.keyUploadRest
    kiosk.machine.note(keyCount: 50, hasFallback: false)
    try kiosk.settle()
    #expect(fallback != nil && server.fallbackKeys["@kiosk:h KIOSK"] != fallback)
  }

  @Test func `a device without one-time keys is queried once, and the others get their keys`() throws {
    let (kiosk, ann) = try pair()
    let ben = try Peer(server, "@ben:h", "LAPTOP")
    server.oneTimeKeys["@ben:h LAPTOP"] = []
    server.fallbackKeys["@ben:h LAPTOP"] = nil
    let all = [ann.machine.user, ben.machine.user, kiosk.machine.user]
    let line = try kiosk.say("!one", to: all)
    #expect(try ann.read([line]) == ["!one"])
    #expect(try ben.read([line]).isEmpty)
    let claims = server.claims
    _ = try kiosk.say("!two", to: all)
    #expect(server.claims == claims)
  }

  @Test func `random bytes sent to the device or the room have no side effects`() throws {
    let (kiosk, ann) = try pair()
    let users = [ann.machine.user, kiosk.machine.user]
    let line = try ann.say("!bell", to: users)
    kiosk.machine.setMembers(server.members, of: room, unixMilliseconds: kiosk.now)
    let keys = server.inbox["@kiosk:h KIOSK"] ?? []
    var random = SystemRandomNumberGenerator()
    for bytes in keys + [line.canonical] {
      for _ in 0..<60 {
        var changed = bytes
        changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        let part = Array(changed.prefix(Int.random(in: 0...changed.count, using: &random)))
        try kiosk.machine.receive(part, unixMilliseconds: kiosk.now)
        kiosk.machine.hear(changed, in: "!elsewhere:h", unixMilliseconds: kiosk.now)
      }
    }
    #expect(try kiosk.read([line]) == ["!bell"])
  }

  @Test func `signed JSON has a single canonical form`() throws {
    let text = #"{"b":[1,-2,true,null],"a":{"é":"\u0001\"\\\n€","A":0},"signatures":{"x":1},"unsigned":2}"#
    let json = try #require(JSON(decoding: Array(text.utf8)))
    #expect(
      String(decoding: json.signed, as: UTF8.self) == #"{"a":{"A":0,"é":"\u0001\"\\\n€"},"b":[1,-2,true,null]}"#)
  }
}

extension JSON {
  fileprivate var session: String? { self["content"]?["session_id"]?.text }
}
