// --json keeps the promise of docs/json.md: with a running kiosk, without one, and with mistakes in the configuration.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct JSONTests {
  private let page: JSONPage

  init() throws { page = try JSONPage() }

  /// The words of each command that needs none but its own, and what it is given.
  private func words(_ world: KioskWorld) throws -> [String: [String]] {
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let secret = try #require(secrets.first?["id"] as? String)
    let token = try world.tappet("token", "seal").output.trimmingCharacters(in: .newlines)
    return [
      "command test": ["home/command", "gate", "on"], "output list": [], "output on": ["gate"], "output off": ["gate"],
      "output pulse": ["gate"],
      "output toggle": ["gate"], "status": [], "check": ["--config-only"], "cert check": [], "secret list": [],
      "person add": ["Ann"], "person allow": ["Ann", "--uses", "7", "--until", "2099-12-31"], "person list": [],
      "person rename": ["Ann", "Ann Lee"], "person suspend": ["Ann Lee"],
      "person resume": ["Ann Lee"], "person assign": ["Ann Lee", secret],
      "person import": [try peopleTable(world)], "person remove": ["Ann Lee", "--yes"],
      "audit": [], "history": [], "outbox list": [], "outbox drop": [String(repeating: "0", count: 32)],
      "outbox export": [world.folder + "/exported"], "tag read": ["--timeout", "1"], "tag watch": [],
      "tag write": ["light", "--timeout", "1"], "tag erase": ["--timeout", "1"],
      "tag learn": ["light", "--timeout", "1"], "tag learned": [], "tag forget": ["01020304"],
      "tag lock": ["--yes", "--timeout", "1"], "tag format": ["--yes", "--timeout", "1"],
      "token open": [token], "mqtt connect": [], "mqtt pub": ["home/test", "on", "--retain"],
      "mqtt sub": ["home/test", "--count", "1"], "mqtt probe": ["--yes"], "mqtt wait": ["home/test"],
      "mqtt clean": ["home/test", "--yes"], "mqtt bench": ["--for", "1", "--topic", "home/bench"],
      "mqtt stats": [], "fleet list": [], "fleet silent": [], "fleet run": try fleetRun(world),
      "mqtt recent": ["home/test"], "mqtt top": ["--for", "1"],
      "mqtt history": [],
      "mqtt diff": ["home/#", "--other", "mqtts://localhost:\(world.broker.port)"],
      "mqtt bridge-check": ["--topic", "home/test", "--other", "mqtts://localhost:\(world.broker.port)"],
    ].merging(Dictionary(uniqueKeysWithValues: inventory.map { ($0.0, $0.1) })) { $1 }
  }

  private func peopleTable(_ world: KioskWorld) throws -> String {
    let path = world.folder + "/people.csv"
    try "name,suspended\nBen,no\n".write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func fleetRun(_ world: KioskWorld) throws -> [String] {
    let path = world.folder + "/fleet.key"
    try (world.keys[0] + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return ["check", "--key-file", path, "--for", "1"]
  }

  /// The commands of the inventory, in an order in which each has something to do.
  private let inventory: [(String, [String])] = [
    ("building add", ["House"]), ("room add", ["Cellar", "--in", "House"]), ("spot add", ["Shelf", "--in", "Cellar"]),
    ("box add", ["Screws", "--in", "Shelf"]), ("item add", ["M4", "--in", "Screws", "--minimum", "2"]),
    ("building list", []), ("room list", []), ("spot list", []), ("box list", []), ("item list", ["--low"]),
    ("building show", ["House"]), ("room show", ["Cellar"]), ("spot show", ["Shelf"]), ("box show", ["Screws"]),
    ("item show", ["M4"]), ("building edit", ["House", "--name", "Barn"]), ("room edit", ["Cellar", "--name", "Loft"]),
    ("spot edit", ["Shelf", "--name", "Hook"]), ("box edit", ["Screws", "--label", "Nails"]),
    ("item edit", ["M4", "--notes", "steel"]), ("find", ["ste"]), ("item move", ["M4", "--to", "Nails"]),
    ("box move", ["Nails", "--to", "Hook"]), ("spot move", ["Hook", "--to", "Loft"]),
    ("room move", ["Loft", "--to", "Barn"]), ("inventory moves", []), ("inventory import", ["/dev/null"]),
    ("inventory undo", []), ("item remove", ["M4"]),
    ("box remove", ["Nails"]), ("spot remove", ["Hook"]), ("room remove", ["Loft"]), ("building remove", ["Barn"]),
  ]

  @Test func `every command of the inventory answers as the page says`() throws {
    let world = try KioskWorld(withBroker: false)
    for (name, words) in inventory {
      let done = try run(world, name, words)
      let answers = try judge(done, name)
      let isInPlace = name.hasSuffix(" move")
      #expect(done.status == (isInPlace ? 1 : 0), "\(name): \(done)")
      #expect(answers.count == (isInPlace || name == "inventory moves" ? 0 : 1), "\(name): \(done)")
      if isInPlace { #expect(code(done) == "thing-unchanged") }
    }
  }

  private func run(_ world: KioskWorld, _ command: String, _ words: [String]) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"),
      command.split(separator: " ").map { String($0) } + words + ["--json", "--config", world.configPath])
  }

  /// Each line is an envelope as the page has it, with this command's answer in it; the answers.
  @discardableResult
  private func judge(_ done: Finished, _ command: String) throws -> [[String: Any]] {
    let lines = done.output.split(separator: "\n")
    #expect(!lines.isEmpty || ["outbox list", "history", "inventory moves"].contains(command), "\(command): \(done)")
    return try lines.compactMap { line in
      let envelope = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(command): \(line)")
      #expect(JSONPromise("Envelope", page).mistakes(envelope) == [], "\(command): \(line)")
      #expect(envelope["command"] as? String == command && envelope["format"] as? Int == 1)
      if let exit = envelope["exit"] as? Int { #expect(exit == Int(done.status), "\(command): \(line)") }
      guard let data = envelope["data"] as? [String: Any] else { return nil }
      #expect(JSONPromise(command, page).mistakes(data) == [], "\(command): \(line)")
      return data
    }
  }

  private func code(_ done: Finished) -> String? { (done.envelope["error"] as? [String: Any])?["code"] as? String }

  @Test func `every command answers as the page says, through the running kiosk`() throws {
    let world = try KioskWorld()
    var words = try words(world)
    // These need another world: EnrolTests and SiteTests judge them.
    #expect(Set(words.keys) == page.commands.subtracting(["cert enrol", "people keys", "people push"]))
    try world.start()
    try world.goodTap()
    _ = try world.tap("ntag213 uid=\(world.freshUID())", until: "refused")
    for name in [
      "status", "check", "cert check", "person add", "person allow", "person rename", "person suspend", "person list",
      "person resume", "person assign", "person import", "secret list", "person remove", "audit", "token open",
    ] {
      #expect(try judge(try run(world, name, words[name] ?? []), name).count == 1, "\(name)")
    }
    for name in [
      "mqtt connect", "mqtt pub", "mqtt sub", "mqtt wait", "mqtt probe", "mqtt clean", "mqtt bench", "mqtt stats",
      "mqtt top", "mqtt recent", "mqtt history", "mqtt diff", "mqtt bridge-check",
      "fleet list", "fleet silent", "fleet run",
    ] {
      #expect(try judge(try run(world, name, words[name] ?? []), name).count == 1, "\(name)")
    }
    #expect(try judge(try run(world, "history", []), "history").count == 3)
    try judge(try run(world, "check", []), "check")
    try judge(try run(world, "check", ["--running"]), "check")
    let status = try run(world, "status", []).data
    let taps = try #require(status["taps"] as? [[String: Any]])
    #expect(taps.compactMap { $0["event"] as? String } == ["tap-refused", "delivered", "tap-accepted"])
    #expect(taps.first?["code"] as? String == "tag-empty" && taps.first?["uid"] is String)

    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued")
    let entries = try judge(try run(world, "outbox list", []), "outbox list")
    words["outbox drop"] = [try #require(entries.first?["id"] as? String)]
    for name in ["status", "outbox export", "outbox drop"] {
      #expect(try judge(try run(world, name, words[name] ?? []), name).count == 1, "\(name)")
    }
    #expect(try run(world, "status", []).status == 1)

    try world.tell("place ntag213 uid=\(world.freshUID())")
    for name in ["tag read", "tag write", "tag erase", "tag lock"] {
      let answers = try judge(try run(world, name, words[name] ?? []), name)
      #expect(answers.first?["uid"] is String, "\(name): \(answers)")
    }
    try world.takeAway()
    try world.tell("place classic uid=01020304")
    for name in ["tag learn", "tag learned", "tag forget"] {
      #expect(try judge(try run(world, name, words[name] ?? []), name).count == 1, "\(name)")
    }
    try world.takeAway()
    try world.tell("place ntag213 blank uid=\(world.freshUID())")
    try judge(try run(world, "tag format", words["tag format"] ?? []), "tag format")
  }

  @Test func `every command that fails says so in the same envelope`() throws {
    let world = try KioskWorld(withBroker: false)
    let words = try words(world)
    for (name, code) in [("status", "kiosk-absent"), ("outbox drop", "entry-unknown"), ("tag read", "no-tag")] {
      let done = try run(world, name, words[name] ?? [])
      try judge(done, name)
      #expect(self.code(done) == code, "\(name): \(done)")
    }
    let absent = try run(world, "check", ["--running"])
    #expect(absent.status == 4 && code(absent) == "kiosk-absent", "\(absent)")
    try "broker:\n  url: mqtts://localhost:1\n  client_id: k\nactions:\n  - {name: a, topc: t, message: m}\nstat: x\n"
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    // 'cert check' looks at whatever certificates the file names, right or wrong, and the histories need none.
    for (name, words) in words where !["cert check", "mqtt history", "mqtt recent"].contains(name) {
      let done = try run(world, name, words)
      try judge(done, name)
      let error = done.envelope["error"] as? [String: Any]
      let mistakes = error?["mistakes"] as? [[String: Any]] ?? []
      #expect(done.status == 3 && code(done) == "configuration", "\(name): \(done)")
      #expect(mistakes.compactMap { $0["line"] as? Int }.contains(5) && mistakes.count >= 2, "\(name): \(done)")
      let misused = try run(world, name, words + ["--no-such-option"])
      try judge(misused, name)
      #expect(misused.status == 2 && code(misused) == "usage", "\(name): \(misused)")
    }
  }
}
