// Matrix rooms through the shipped programs, against a scripted homeserver.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct RoomTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  @Test func `a press is sent once in its room, under its id, and the token appears nowhere else`() throws {
    let world = try KioskWorld.inRooms(
      [("ring", "message: 'Somebody \"rings\" at %{kiosk}: %I', room: '#door:h'")], server)
    try world.start()
    #expect(world.roomProcess == nil, "nothing is due yet")
    try world.press(0)
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(1500))")
    let said = server.said(in: "!open:h")
    let sent = try #require(server.requests("/send/").first)
    let transaction = try #require(sent.path.split(separator: "/").last)
    #expect(said == ["Somebody \"rings\" at kiosk: \(transaction)"])
    #expect(sent.path.contains("/rooms/%21open%3Ah/send/m.room.message/") && sent.token == "SECRETTOKEN1")
    #expect(try world.tappet("outbox", "list").output == "")
    #expect(try world.tappet("history").output.contains("delivered      ring  button GPIO5  room\n"))
    let process = try #require(world.roomProcess)
    let checked = try world.tappet("check", "--config-only")
    #expect(checked.output.contains("ring: posts to #door:h"), "\(checked)")
    let told = world.log + Kernel.commandLine(process) + (try world.tappet("status").output) + checked.output
    #expect(!told.contains("SECRET") && !told.contains("RIGHTWORD"))
    let session = world.folder + "/matrix.session"
    #expect(!textSoFar(session).contains("RIGHTWORD"))
    #expect(try FileManager.default.attributesOfItem(atPath: session)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `nothing is sent into an encrypted room`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!hidden:h'")], server)
    try world.start()
    try world.press(0)
    #expect(try eventually { try world.webhookCount("given_up") == 1 }, "\(world.log.suffix(1500))")
    #expect(eventually { world.log.contains("code=room-encrypted") })
    #expect(world.log.contains("destination=room") && !world.log.contains("destination=webhook"))
    #expect(try world.tappet("outbox", "list").output.contains("nothing was sent, because the room is encrypted"))
    #expect(try world.tappet("outbox", "list", "--json").output.contains(#""destination":"room""#))
    #expect(try world.tappet("matrix", "send", "!hidden:h", "ring").status == 1)
    #expect(server.requests("/send/").isEmpty)
  }

  @Test func `after a temporary error of a homeserver or proxy a message is retried, and sent once`() throws {
    let rooms = ["html", "gateway", "proxy", "limit", "bare-limit", "lost", "flood", "redirect"]
    let world = try KioskWorld.inRooms(
      rooms.map { ($0, "message: 'said in \($0)', room: '!\($0):h'") }, server)
    try world.start()
    for number in rooms.indices { try world.press(number) }
    for room in rooms {
      #expect(
        eventually { server.said(in: "!\(room):h") == ["said in \(room)"] },
        "\(room): \(server.said(in: "!\(room):h")) \(world.log.suffix(1500))")
    }
    #expect(try eventually { try world.webhookCount("delivered") == rooms.count }, "\(world.log.suffix(1500))")
    #expect(try world.webhookCount("given_up") == 0 && server.requests("/rooms/%21lost%3Ah/send/").count == 2)
    for code in ["room-server-unusable", "webhook-too-many", "webhook-server-error"] {
      #expect(eventually { world.log.contains("code=\(code)") }, "\(code)")
    }
  }

  @Test func `a message that can never be sent is given up with its reason`() throws {
    let rooms = [
      ("closed", "!closed:h", "room-closed"), ("muted", "!muted:h", "room-closed"),
      ("nowhere", "#nowhere:h", "room-unknown"), ("long", "!long:h", "room-message-refused"),
    ]
    let world = try KioskWorld.inRooms(rooms.map { ($0.0, "message: a, room: '\($0.1)'") }, server)
    try world.start()
    for number in rooms.indices { try world.press(number) }
    #expect(try eventually { try world.webhookCount("given_up") == rooms.count }, "\(world.log.suffix(1500))")
    for (_, _, code) in rooms { #expect(eventually { world.log.contains("code=\(code)") }, "\(code)") }
    let list = try world.tappet("outbox", "list").output
    #expect(list.contains("is not in the room") && list.contains("has no room with this name"), "\(list)")
  }

  @Test func `with a revoked token messages wait, and the same device's next login sends them`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!revoked:h'")], server)
    try world.start()
    try world.press(0)
    #expect(eventually { world.log.contains("code=room-token-refused") }, "\(world.log.suffix(1500))")
    #expect(world.lights.contains("offline"))
    let status = try world.tappet("status")
    #expect(status.status == 1 && status.output.contains("'tappet matrix login USER'"), "\(status)")
    let done = try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n")
    #expect(done.status == 0 && done.errors.contains("DEVICE1"), "\(done)")
    #expect(eventually { server.said(in: "!revoked:h") == ["ring"] }, "\(world.log.suffix(1500))")
    #expect(try eventually { try world.webhookCount("delivered") == 1 })
  }

  @Test func `a kiosk killed before the response does not post a message twice`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!hang:h'")], server)
    try world.start()
    try world.press(0)
    #expect(eventually { !server.said(in: "!hang:h").isEmpty }, "\(world.log.suffix(1500))")
    world.kiosk?.end(SIGKILL)
    try world.start()
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(1500))")
    #expect(server.said(in: "!hang:h") == ["ring"] && server.requests("/send/").count >= 2)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `root touches no session outside the folder of a kiosk.yaml that others can change`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let target = server.folder.path + "/session"
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "session: matrix.session", with: "session: \(target)")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    for owner in [uid_t(65_534), 0] {
      #expect(chown(world.configPath, owner, 0) == 0)
      let login = try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n")
      #expect(login.errors.contains("root will not write to that file") == (owner != 0), "\(login)")
      #expect((access(target, F_OK) == 0) == (owner == 0))
    }
    #expect(chown(world.configPath, 65_534, 0) == 0)
    let logout = try world.tappet("matrix", "logout")
    #expect(logout.status == 1 && access(target, F_OK) == 0, "\(logout)")
  }

  @Test func `the password of a login is not sent to a redirect's target`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let before = server.requests("/login").count
    let done = try world.tappet("matrix", "login", server.user, input: "MOVEDWORD\n")
    #expect(done.status != 0 && !done.errors.contains("MOVEDWORD"), "\(done)")
    #expect(done.errors.contains("redirects to a different address"), "\(done)")
    // As many as the login that worked had.
    #expect(server.requests("/login").count == 2 * before && server.requests("elsewhere").isEmpty)
  }

  @Test func `without a session rooms pause, and a login sends the pending messages`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    #expect(try world.tappet("matrix", "logout").status == 0)
    try world.start()
    try world.press(0)
    #expect(eventually { world.log.contains("event=webhook-waiting") }, "\(world.log.suffix(1500))")
    #expect(server.said(in: "!open:h").isEmpty)
    #expect(try world.tappet("matrix", "login", server.user, input: "RIGHTWORD\n").status == 0)
    #expect(eventually { server.said(in: "!open:h") == ["ring"] }, "\(world.log.suffix(1500))")
  }

  @Test func `a login as another user ends the first user's session`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    for (user, count) in [(server.user, 0), ("@kiosk2:localhost:\(server.port)", 1)] {
      #expect(try world.tappet("matrix", "login", user, input: "RIGHTWORD\n").status == 0)
      #expect(server.requests("/logout").count == count, "\(user)")
    }
  }

  @Test func `a session is created by a login, and ended by a logout`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let wrong = try world.tappet("matrix", "login", server.user, input: "WRONGWORD\n")
    #expect(wrong.status == 1 && wrong.errors.contains("does not accept this user and password"), "\(wrong)")
    #expect(!wrong.errors.contains("WRONGWORD"))
    #expect(try world.tappet("matrix", "login", "kiosk", input: "x\n").status == 2)
    let url = "https://localhost:\(server.port)"
    let token = try world.tappet(
      "matrix", "login", server.user, "--homeserver", url, "--login-token", input: "RIGHTTOKEN\n")
    #expect(token.status == 0, "\(token)")
    let single = try world.tappet("matrix", "login", server.user, "--homeserver", url + "/sso", input: "RIGHTWORD\n")
    #expect(single.status == 1 && single.errors.contains("does not support passwords: create a"), "\(single)")
    for (user, reason) in [("other", "instead of @kiosk-other"), ("long", "is the proxy")] {
      let done = try world.tappet("matrix", "login", "@kiosk-\(user):localhost:\(server.port)", input: "RIGHTWORD\n")
      #expect(done.status != 0 && done.errors.contains(reason) && !done.errors.contains("\nLogged in"), "\(done)")
    }
    #expect(try String(contentsOfFile: world.folder + "/matrix.session", encoding: .utf8).contains(server.user))
    let gone = try world.tappet("matrix", "login", "@gone:localhost:\(server.port)", input: "x\n")
    #expect(gone.status == 1 && gone.errors.contains("this user is deactivated"), "\(gone)")
    let plain = try world.tappet("matrix", "login", server.user, "--homeserver", "http://far.example", input: "x\n")
    #expect(plain.status == 1 && plain.errors.contains("https://HOST"), "\(plain)")
    #expect(try world.tappet("matrix", "logout").status == 0)
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/matrix.session"))
    let after = try world.tappet("matrix", "list")
    #expect(after.status == 1 && after.errors.contains("there is no session"), "\(after)")
    #expect(try world.tappet("check", "--config-only").errors.contains("create it with 'tappet matrix login USER'"))
  }

  @Test func `rooms are listed, joined, left and created, and people are invited and removed`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let list = try world.tappet("matrix", "list").output.split(separator: "\n")
    #expect(list.count == 3 && list[0] == "!open:h  #door:h  Front \\u{1b}\\u{a}door", "\(list)")
    #expect(list[1].hasSuffix("  encrypted"))
    #expect(list[2] == "!invited:h  Back\\u{1b} door  invited by @ann:h", "\(list)")
    #expect(try world.tappet("matrix", "join", "#door:h").errors.contains("Joined: !open:h."))
    #expect(try world.tappet("matrix", "join", "!hidden:h").errors.contains("The room is encrypted"))
    let refused = try world.tappet("matrix", "join", "!invited-only:h")
    #expect(refused.status == 1 && refused.errors.contains("the reason of M_FORBIDDEN (M_FORBIDDEN)"), "\(refused)")
    #expect(try world.tappet("matrix", "create", "Door", "--alias", "door").output == "!new:h\n")
    let shared = try world.tappet("matrix", "create", "Hall", "--admin", "@ann:h", "--invite", "@ben:h,@ann:h")
    #expect(shared.output == "!new:h\n" && server.requests("/invite").count == 1, "\(shared)")
    for words in [["create", "Hall", "--invite", "@ben:h,ann"], ["invite", "#door:h", "ann"]] {
      let wrong = try world.tappet(["matrix"] + words)
      #expect(wrong.status == 2 && wrong.errors.contains("must be '@name:server', not 'ann'"), "\(wrong)")
    }
    #expect(try world.tappet("matrix", "invite", "#door:h", "@ann:h").status == 0)
    #expect(try world.tappet("matrix", "kick", "!a/b%:h", "@ann:h").status == 0)
    #expect(try world.tappet("matrix", "kick", "!open:h", "@absent:h").status == 1)
    #expect(try world.tappet("matrix", "leave", "#door:h").status == 0)
    #expect(
      server.memberships == [
        "invite !new:h @ben:h", "invite !open:h @ann:h", "kick !a/b%:h @ann:h", "kick !open:h @absent:h",
        "leave !open:h -",
      ])
    #expect(try world.tappet("matrix", "send", "#door:h", "hello").status == 0)
    #expect(server.said(in: "!open:h") == ["hello"])
    #expect(try world.tappet("matrix", "send", "door", "hello").status == 2)
  }

  @Test func `a message is removed with a reason, and a refusal is reported`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let done = try world.tappet("matrix", "redact", "#door:h", "$a/b", "--reason", "wrong room")
    #expect(done.status == 0 && done.errors == "Removed: $a/b.\n", "\(done)")
    #expect(try world.tappet("matrix", "redact", "!open:h", "$c").status == 0)
    #expect(server.redactions == ["!open:h $a/b wrong room", "!open:h $c -"])
    let refused = try world.tappet("matrix", "redact", "!muted:h", "$c")
    #expect(refused.status == 1 && refused.errors.contains("(M_FORBIDDEN)"), "\(refused)")
    for event in ["a", "!a:h", "$a b", "$\u{1B}"] {
      #expect(try world.tappet("matrix", "redact", "!open:h", event).status == 2, "\(event)")
    }
  }

  @Test func `a room created in a space is open to its members, and later failures are reported`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let made = try world.tappet("matrix", "create", "Door", "--space", "!space:h", "--invite", "@ann:h")
    #expect(made.status == 0 && made.output == "!new:h\n", "\(made)")
    #expect(server.states == ["m.space.child !space:h !new:h 2"])
    func states(_ creation: [String: Any]?) -> [String: [String: Any]] {
      let events = creation?["initial_state"] as? [[String: Any]] ?? []
      return Dictionary(uniqueKeysWithValues: events.map { ($0["type"] as? String ?? "", $0) })
    }
    let state = states(server.creations.last)
    let rule = try #require(state["m.room.join_rules"]?["content"] as? [String: Any])
    #expect(rule["join_rule"] as? String == "restricted")
    let allowed = try #require(rule["allow"] as? [[String: String]])
    #expect(allowed == [["type": "m.room_membership", "room_id": "!space:h"]])
    #expect(state["m.space.parent"]?["state_key"] as? String == "!space:h")
    #expect(try world.tappet("space", "create", "Floor", "--space", "!space:h", "--public").status == 0)
    let open = states(server.creations.last)["m.room.join_rules"]?["content"] as? [String: String]
    #expect(open == ["join_rule": "public"])
    let count = server.creations.count
    let wrong = try world.tappet("matrix", "create", "Door", "--space", "!open:h")
    #expect(wrong.status == 1 && wrong.errors.contains("!open:h is a room, not a space"), "\(wrong)")
    #expect(server.creations.count == count)
    let half = try world.tappet("matrix", "create", "Door", "--space", "!locked:h")
    #expect(half.status == 1 && half.output == "!new:h\n", "\(half)")
    #expect(half.errors.contains("the room was created, but could not be added to !locked:h: "), "\(half)")
  }

  @Test func `in a space each room's result is reported, and a failed room does not stop the others`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    #expect(try world.tappet("space", "create", "House").output == "!new:h\n")
    let added = try world.tappet("space", "add", "!space:h", "#door:h")
    #expect(added.status == 0 && added.output == "added  !space:h\nadded  !open:h\n", "\(added)")
    let ordinary = try world.tappet("space", "join-all", "!alone:h")
    #expect(ordinary.status == 1 && ordinary.errors.contains("!alone:h is a room, not a space"), "\(ordinary)")
    let half = try world.tappet("space", "remove", "!space:h", "!muted:h")
    #expect(half.status == 1 && half.output.contains("failed  !muted:h"), "\(half)")
    #expect(half.errors.contains("1 room failed"), "\(half)")
    #expect(
      server.states == [
        "m.space.child !space:h !open:h 2", "m.space.parent !open:h !space:h 2", "m.space.child !space:h !muted:h 0",
        "m.space.parent !muted:h !space:h 0",
      ])
    let joined = try world.tappet("space", "join-all", "!space:h")
    #expect(joined.status == 1 && joined.output.hasPrefix("failed  !closed:h  "), "\(joined)")
    #expect(joined.output.hasSuffix("joined  !late:h\njoined  !open:h\n"), "\(joined)")
    #expect(server.requests("server_name=far.example").count == 3)
    let kicked = try world.tappet("space", "kick-all", "!space:h", "@ann:h")
    #expect(kicked.status == 1, "\(kicked)")
    #expect(
      server.memberships == [
        "kick !space:h @ann:h", "kick !closed:h @ann:h", "kick !late:h @ann:h", "kick !open:h @ann:h",
      ])
    #expect(kicked.output.split(separator: "\n").count == 4 && kicked.output.contains("failed  !closed:h"))
    let absent = try world.tappet("space", "kick-all", "!space:h", "@gone:h")
    #expect(
      absent.status == 0 && absent.output.split(separator: "\n").allSatisfy { $0.hasPrefix("absent  ") }, "\(absent)")
    for (word, more, done) in [("join-all", [], "joined"), ("kick-all", ["@gone:h"], "absent  !clap:h\nremoved")] {
      let all = try Programs.run(
        try Programs.built("tappet"), ["space", word, "!clap:h"] + more + ["--config", world.configPath])
      #expect(all.status == 1 && all.output.hasPrefix("\(done)  !open:h\nfailed  !closed:h  no "), "\(all)")
      #expect(!all.output.contains("\u{1B}"))
    }
  }

  @Test func `a user is removed from all rooms of a space, however busy the homeserver is`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!open:h'")], server)
    let done = try world.tappet("space", "kick-all", "!busy:h", "@ann:h")
    let rooms = ["", "-gateway", "-left", "-limit", "-lost", "-proxy"].map { "!busy\($0):h" }
    #expect(done.status == 0, "\(done)")
    let lines = done.output.split(separator: "\n").map(String.init)
    #expect(lines.sorted() == ["absent  !busy-absent:h"] + rooms.map { "removed  \($0)" }.sorted(), "\(done)")
    #expect(server.memberships.sorted() == rooms.map { "kick \($0) @ann:h" }.sorted())
    #expect(done.errors.split(separator: "\n").count == 2, "\(done)")
    #expect(done.errors.contains(" limits the number of requests: waiting for "), "\(done)")
  }

  @Test func `check reports the missing program even if a kiosk only listens in rooms`() throws {
    let listens = "commands: [{room: '!open:h', users: ['@ann:h'], actions: [ring]}]"
    let world = try KioskWorld.inRooms([("ring", "topic: t/ring, message: ring")], server, commands: listens)
    for words in [["check", "--config-only"], ["check"]] {
      let found = try Programs.run(
        try Programs.built("tappet"), words + ["--config", world.configPath],
        environment: ["TAPPET_WEBHOOK": "/nowhere/tappet-webhook"])
      #expect(found.status == 1, "\(found)")
      let sentence = "/nowhere/tappet-webhook is missing: install the package tappet-webhook"
      #expect(found.output.components(separatedBy: "tappet-webhook is missing").count == 2, "\(found)")
      #expect(found.output.contains(sentence) && !found.output.contains("cannot be started"), "\(found)")
    }
    #expect(try world.tappet("check", "--config-only").output.contains("FAIL  rooms") == false)
    let found = try Programs.run(
      try Programs.built("tappet"), ["check", "--config-only", "--config", world.configPath],
      environment: ["TAPPET_MATRIX": "/nowhere/tappet-matrix"])
    #expect(found.status == 1, "\(found)")
    #expect(found.output.contains("/nowhere/tappet-matrix is missing: install the package tappet-matrix"), "\(found)")
  }

  @Test func `the kiosk leaves a space after its rooms, and check reports rooms where it may not write`() throws {
    let world = try KioskWorld.inRooms([("ring", "message: ring, room: '!quiet:h'")], server)
    #expect(try world.tappet("matrix", "join", "!quiet:h").status == 0)
    let left = try world.tappet("space", "kick-all", "!space:h", server.user)
    #expect(left.output.split(separator: "\n").last?.hasSuffix("!space:h") == true, "\(left)")
    let checked = try world.tappet("check")
    let sentence = "!quiet:h: the kiosk is not allowed to post there: its power level is 0, and messages require 50"
    #expect(checked.status == 1 && checked.output.contains(sentence), "\(checked)")
  }
}
