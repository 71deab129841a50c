// Commands that people write in a Matrix room, through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomCommandTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  /// A kiosk that takes commands from `#door:h`, and listens there.
  private func world(
    room: String = "#door:h", who: String = "users: ['@ann:h']", more: String = ""
  ) throws -> KioskWorld {
    let world = try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server,
      commands: "commands: [{room: '\(room)', \(who), actions: [ring], outputs: [gate], expires: 120 s}]\n\(more)",
      outputs: "[{name: gate, line: GPIO20, pulse: 200 ms}]")
    try world.start()
    return world
  }

  /// Somebody writes a line, dated as far ahead as a line may be, so that it is not too old on a slow machine.
  @discardableResult
  private func write(
    _ text: String, by user: String = "@ann:h", in room: String = "!open:h", content: [String: Any] = [:]
  ) throws -> String {
    try server.write(text, by: user, in: room, secondsAgo: -118, content: content)
  }

  private func awaitListening(_ world: KioskWorld) {
    #expect(eventually { world.log.contains("event=room-ready") }, "\(world.log.suffix(1500))")
  }

  /// The lines of the log about commands that have acted.
  private func accepted(_ world: KioskWorld) -> [Substring] {
    world.log.split(separator: "\n").filter {
      $0.contains("event=command-accepted command=") && !$0.contains("command=status")
    }
  }

  /// The answers to a line, once there are some.
  private func answers(to event: String, count: Int = 1) -> [String] {
    _ = eventually { server.answers(to: event).count >= count }
    return server.answers(to: event)
  }

  @Test func `a user opens the gate and rings, a stranger cannot, and each gets a reply`() throws {
    try server.write("!ring", secondsAgo: 1)
    let world = try world()
    awaitListening(world)
    let line = try write("!gate pulse")
    #expect(answers(to: line) == ["\u{2705}"])
    #expect(eventually { !server.requests("/receipt/m.read/%24line%2F").isEmpty })
    #expect(
      world.log.contains("event=command-accepted command=\"gate pulse\" topic=#door:h by=@ann:h"), "\(world.log)")
    #expect(answers(to: try write("!ring"), count: 2) == ["\u{23F3}", "\u{2705}"])
    let status = answers(to: try write("!status"))
    #expect(status.first?.contains("reader ready, broker connected") == true, "\(status)")
    #expect(status.first?.contains("Commands: !ring, !gate on|off|") == true, "\(status)")
    #expect(status.first?.hasSuffix(", !status, !history") == true, "\(status)")
    let halved = answers(to: try write("!gate"))
    #expect(halved == ["Refused: it is not a command that this room accepts; send !help to list the commands."])
    let strange = try write("!gate on", by: "@eve:h")
    let late = try server.write("!gate on", secondsAgo: 600)
    #expect(answers(to: late).first?.contains("old.") == true, "\(answers(to: late))")
    #expect(eventually { world.log.contains("code=sender-unknown") } && server.answers(to: strange).isEmpty)
    for content in [["m.new_content": ["body": "!ring"]], ["msgtype": "m.notice"]] as [[String: Any]] {
      try write("!ring", content: content)
    }
    try write("!ring", by: server.user)
    try write("!weather")
    #expect(answers(to: try write("!gate on")) == ["\u{2705}"])
    #expect(accepted(world).count == 3, "\(accepted(world))")
    let shown = try world.tappet("status")
    #expect(shown.status == 0 && shown.output.contains("rooms     good"), "\(shown)")
    let checked = try world.tappet("check")
    #expect(checked.output.contains("commands: #door:h, without encryption"), "\(checked)")
    #expect(!world.log.contains("SECRETTOKEN"))
  }

  @Test func `people with the power level in the room can command the kiosk, as long as they have it`() throws {
    let world = try world(who: "users: ['@ann:h'], power_level: 50")
    awaitListening(world)
    for user in ["@mod:h", "@owner:h", "@second:h", "@ann:h"] {
      #expect(answers(to: try write("!gate pulse", by: user)) == ["\u{2705}"], "\(user)")
    }
    try write("!gate on", by: "@low:h")
    try write("!gate on", by: "@text:h")
    try write("!gate nonsense", by: "@eve:h")
    try server.set("m.room.power_levels", ["users": ["@eve:h": 50], "users_default": 0])
    let former = try write("!gate on", by: "@mod:h")
    #expect(answers(to: try write("!gate pulse", by: "@eve:h")) == ["\u{2705}"])
    #expect(accepted(world).count == 5, "\(accepted(world))")
    #expect(server.answers(to: former).isEmpty)
    #expect(world.log.components(separatedBy: "code=sender-unknown").count == 5, "\(world.log.suffix(1500))")
    let checked = try world.tappet("check")
    #expect(checked.output.contains("for @ann:h, power level 50 or more"), "\(checked)")
  }

  @Test func `overlong lines, corrections of others' lines and wrong ids do not act`() throws {
    let world = try world()
    awaitListening(world)
    try write("!gate on" + String(repeating: " ", count: 400_000))
    let line = try write("!weather")
    let correction: [String: Any] = [
      "m.new_content": ["msgtype": "m.text", "body": "!gate on"],
      "m.relates_to": ["rel_type": "m.replace", "event_id": line],
    ]
    try write("!gate on", content: correction)
    try write("!gate on", content: ["m.relates_to": ["rel_type": "m.replace", "event_id": line]])
    try server.append([
      "type": "m.room.message", "room": "!open:h", "sender": ["@ann:h"], "event_id": "$x", "content": ["body": 1],
    ])
    let strange = try write("!gate pulse")
    #expect(strange.contains("/") && answers(to: strange) == ["\u{2705}"])
    #expect(accepted(world).count == 1, "\(accepted(world))")
    #expect(server.requests("%24line%2F").count >= 1)
  }

  @Test(arguments: ["gateway", "html", "flood", "limit", "bare-limit"])
  func `after an invalid response the homeserver is polled again, and the next line acts`(_ fault: String) throws {
    let world = try world()
    awaitListening(world)
    try server.append(["fault": fault])
    #expect(eventually { world.log.contains("event=rooms-failing") }, "\(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("event=rooms-listening") }, "\(world.log.suffix(1500))")
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
  }

  @Test func `lines that a homeserver repeats, delays or reorders act at most once`() throws {
    let world = try world()
    awaitListening(world)
    let line = try write("!gate pulse")
    #expect(answers(to: line) == ["\u{2705}"])
    let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
    for age in [0, 600_000] as [Int64] {
      try server.append([
        "type": "m.room.message", "room": "!open:h", "sender": "@ann:h", "event_id": line,
        "origin_server_ts": milliseconds - age, "content": ["msgtype": "m.text", "body": "!gate pulse"],
      ])
    }
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    // A line that is older than the one before it is still recent, but no longer what its sender wants.
    #expect(answers(to: try server.write("!gate pulse", secondsAgo: 20)).first?.contains("newer") == true)
    #expect(answers(to: try server.write("!gate pulse", secondsAgo: 600)).first?.contains("old.") == true)
    #expect(accepted(world).count == 2 && server.answers(to: line).first == "\u{2705}", "\(accepted(world))")
  }

  @Test func `a room full of long messages does not prevent users from commanding the kiosk`() throws {
    // Twenty of the longest events that a homeserver accepts are more than the kiosk reads at a time.
    let long = String(repeating: "x", count: 60_000)
    for _ in 0..<20 { try server.write(long, by: "@eve:h") }
    let world = try world()
    awaitListening(world)
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    world.kiosk?.end(SIGKILL)
    for _ in 0..<20 { try server.write(long, by: "@eve:h") }
    try world.start()
    #expect(
      eventually { world.log.components(separatedBy: "event=room-ready").count == 3 }, "\(world.log.suffix(1500))")
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    #expect(accepted(world).count == 2, "\(accepted(world))")
  }

  @Test func `a room that is encrypted, unknown or left accepts no commands, and the reason is logged`() throws {
    for (room, code) in [("!hidden:h", "room-encrypted"), ("#nowhere:h", "room-unknown"), ("!far:h", "room-closed")] {
      let world = try world(room: room)
      #expect(
        eventually { world.log.contains("event=room-denied code=\(code)") }, "\(room) \(world.log.suffix(900))")
      try write("!gate on", in: room)
      world.kiosk?.end()
      #expect(!world.log.contains("event=command-accepted"))
    }
    let world = try world()
    awaitListening(world)
    try server.set("m.room.tombstone", ["body": "moved", "replacement_room": "!new:h"])
    #expect(eventually { world.log.contains("event=room-denied code=room-replaced") }, "\(world.log.suffix(900))")
    try write("!gate on")
    world.kiosk?.end()
    #expect(accepted(world).isEmpty)
  }

  @Test func `a subscription for Home Assistant does not mark a room as ready`() throws {
    let world = try world(room: "#nowhere:h", more: "home_assistant: true")
    #expect(eventually { world.log.contains("event=room-denied code=room-unknown") }, "\(world.log.suffix(900))")
    let commands = try world.tappet("status", "--json").data["commands"] as? [[String: Any]]
    let room = commands?.first { $0["topic"] as? String == "#nowhere:h" }
    #expect(room?["good"] as? Bool == false, "\(String(describing: commands))")
    #expect(!world.log.contains("event=commands-ready topic=#nowhere:h"), "\(world.log.suffix(900))")
  }

  @Test func `a room that the kiosk was removed from no longer accepts commands`() throws {
    let world = try world()
    awaitListening(world)
    try server.append(["type": "leave", "room": "!open:h"])
    #expect(eventually { world.log.contains("event=room-denied code=room-closed") }, "\(world.log.suffix(900))")
    let status = try world.tappet("status").output
    #expect(status.contains("commands  #door:h: not listening (see 'tappet check'), "), "\(status)")
  }

  @Test func `a killed process is restarted, and nothing acts twice or late`() throws {
    let world = try world()
    awaitListening(world)
    let before = try write("!gate pulse")
    #expect(answers(to: before) == ["\u{2705}"])
    let process = try #require(world.roomProcess)
    kill(process, SIGKILL)
    #expect(eventually { world.log.contains("event=rooms-lost") }, "\(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("event=rooms-good") }, "\(world.log.suffix(1500))")
    #expect(
      eventually { world.log.components(separatedBy: "event=room-ready").count == 3 }, "\(world.log.suffix(1500))")
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    #expect(accepted(world).count == 2, "\(accepted(world))")
    #expect(server.answers(to: before) == ["\u{2705}"])
  }

  @Test func `lines written while the kiosk is down are answered, and only recent ones act`() throws {
    let world = try world()
    awaitListening(world)
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    world.kiosk?.end(SIGKILL)
    let late = try server.write("!gate on", secondsAgo: 600)
    let recent = try write("!gate pulse")
    try world.start()
    #expect(answers(to: recent) == ["\u{2705}"])
    #expect(answers(to: late).first?.contains("old.") == true, "\(answers(to: late))")
    #expect(accepted(world).count == 2, "\(accepted(world))")
  }

  @Test func `a reply that the homeserver does not accept is sent by the next process, or the next kiosk`() throws {
    let world = try world()
    awaitListening(world)
    try server.append(["mute": true])
    let first = try write("!gate pulse")
    #expect(eventually { accepted(world).count == 1 }, "\(world.log.suffix(1500))")
    kill(try #require(world.roomProcess), SIGKILL)
    #expect(eventually { world.log.contains("event=rooms-good") }, "\(world.log.suffix(1500))")
    try server.append(["mute": false])
    #expect(answers(to: first) == ["\u{2705}"])
    try server.append(["mute": true])
    let second = try write("!gate pulse")
    #expect(eventually { accepted(world).count == 2 }, "\(world.log.suffix(1500))")
    world.kiosk?.end(SIGKILL)
    try server.append(["mute": false])
    try world.start()
    // The former process may have sent its answer in its last moment.
    let isAnswered = eventually {
      server.answers(to: second).contains { $0.contains("restarted before it could report") }
    }
    #expect(isAnswered, "\(server.answers(to: second))")
    #expect(accepted(world).count == 2, "\(accepted(world))")
  }

  @Test func `a session that the homeserver ended is reported, and a new one works after a reload`() throws {
    let world = try world()
    awaitListening(world)
    try server.append(["fault": "token"])
    #expect(
      eventually { world.log.contains("event=rooms-failing code=room-token-refused") }, "\(world.log.suffix(900))")
    #expect(try world.tappet("status").output.contains("'tappet matrix login USER'"))
    #expect(try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n").status == 0)
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { world.log.contains("event=rooms-listening") }, "\(world.log.suffix(1500))")
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
  }

  @Test func `a session that could not be read at the start is read later, without a reload`() throws {
    let world = try KioskWorld.inRooms(
      [("ring", "topic: t/ring, message: ring")], server,
      commands: "commands: [{room: '#door:h', users: ['@ann:h'], outputs: [gate], expires: 120 s}]",
      outputs: "[{name: gate, line: GPIO20, pulse: 200 ms}]")
    let session = world.folder + "/matrix.session"
    try FileManager.default.moveItem(atPath: session, toPath: session + ".away")
    try world.start()
    #expect(eventually { world.log.contains("event=rooms-failing") }, "\(world.log.suffix(900))")
    try FileManager.default.moveItem(atPath: session + ".away", toPath: session)
    #expect(eventually { world.log.contains("event=rooms-listening") }, "\(world.log.suffix(900))")
    #expect(answers(to: try write("!gate pulse")) == ["\u{2705}"])
    #expect(!world.log.contains("event=rooms-lost"), "\(world.log.suffix(900))")
  }
}
