// All commands that answer in JSON, and the judge of their answers.

import Foundation
import TestSupport
import Testing

/// A suite that runs commands and judges their answers by docs/json.schema.json.
protocol JSONSuite {
  var schema: JSONSchema { get }
}

extension JSONSuite {
  /// The words of each command that needs none but its own, and what it is given.
  func words(_ world: KioskWorld) throws -> [String: [String]] {
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let secret = try #require(secrets.first?["id"] as? String)
    let token = try world.tappet("token", "seal").output.trimmingCharacters(in: .newlines)
    let others: [String: [String]] = [
      "command test": ["home/command", "gate", "on"], "status": [], "check": ["--config-only"], "cert check": [],
      "secret list": [],
      "person add": ["Ann"], "person allow": ["Ann", "--uses", "7", "--until", "2099-12-31"], "person list": [],
      "person rename": ["Ann", "Ann Lee"], "person suspend": ["Ann Lee"],
      "person resume": ["Ann Lee"], "person assign": ["Ann Lee", secret],
      "person import": [try peopleTable(world)], "person remove": ["Ann Lee", "--yes"],
      "web list": [], "audit": [], "history": [], "outbox list": [], "outbox drop": [String(repeating: "0", count: 32)],
      "outbox retry": ["--all"],
      "outbox export": [world.folder + "/exported"], "tag read": ["--timeout", "60"], "tag watch": [],
      "tag write": ["light", "--timeout", "60"], "tag erase": ["--timeout", "60"],
      "tag learn": ["light", "--timeout", "60"], "tag learned": [], "tag forget": ["01020304"],
      "tag lock": ["--yes", "--timeout", "60"], "tag format": ["--yes", "--timeout", "60"],
      "token open": [token], "mqtt connect": [], "mqtt pub": ["home/test", "on", "--retain"],
      "mqtt sub": ["home/test", "--count", "1"], "mqtt probe": ["--yes"], "mqtt wait": ["home/test"],
      "mqtt clean": ["home/test", "--yes"], "mqtt bench": ["--for", "1", "--topic", "home/bench"],
      "mqtt stats": [], "fleet list": [], "fleet silent": [], "fleet run": try fleetRun(world),
      "mqtt recent": ["home/test"],
      "mqtt history": [],
      "mqtt diff": ["home/#", "--other", "mqtts://localhost:\(world.broker.port)"],
      "mqtt bridge-check": ["--topic", "home/test", "--other", "mqtts://localhost:\(world.broker.port)"],
    ]
    return others.merging(inventory + outputs) { $1 }
  }

  private var outputs: [(String, [String])] {
    schema.commands.filter { $0.hasPrefix("output ") }.map { ($0, $0 == "output list" ? [] : ["gate"]) }
  }

  func peopleTable(_ world: KioskWorld) throws -> String {
    let path = world.folder + "/people.csv"
    try "name,suspended\nBen,no\n".write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  func fleetRun(_ world: KioskWorld) throws -> [String] {
    let path = world.folder + "/fleet.key"
    try (world.keys[0] + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return ["check", "--key-file", path, "--for", "1"]
  }

  /// The commands of the inventory, in an order in which each has something to do.
  var inventory: [(String, [String])] {
    [
      ("building add", ["House"]), ("room add", ["Cellar", "--in", "House"]),
      ("spot add", ["Shelf", "--in", "Cellar"]),
      ("box add", ["Screws", "--in", "Shelf"]), ("item add", ["M4", "--in", "Screws", "--minimum", "2"]),
      ("building list", []), ("room list", []), ("spot list", []), ("box list", []), ("item list", ["--low"]),
      ("building show", ["House"]), ("room show", ["Cellar"]), ("spot show", ["Shelf"]), ("box show", ["Screws"]),
      ("item show", ["M4"]), ("building edit", ["House", "--name", "Barn"]),
      ("room edit", ["Cellar", "--name", "Loft"]),
      ("spot edit", ["Shelf", "--name", "Hook"]), ("box edit", ["Screws", "--label", "Nails"]),
      ("item edit", ["M4", "--notes", "steel"]), ("item take", ["M4"]), ("item put", ["M4", "3"]),
      ("item count", ["M4", "5"]), ("item lend", ["M4", "--to", "Ada", "--until", "2020-01-31"]),
      ("item return", ["M4"]), ("box lend", ["Nails", "--to", "Ada"]), ("box return", ["Nails"]),
      ("item reserve", ["M4", "--for", "Ada", "--from", "2999-01-30", "--until", "2999-01-31"]),
      ("item unreserve", ["M4", "--from", "2999-01-30"]), ("find", ["ste"]), ("item move", ["M4", "--to", "Nails"]),
      ("box move", ["Nails", "--to", "Hook"]), ("spot move", ["Hook", "--to", "Loft"]),
      ("room move", ["Loft", "--to", "Barn"]), ("inventory moves", []), ("inventory import", ["/dev/null"]),
      ("inventory undo", []), ("inventory redo", []), ("inventory changes", []), ("item remove", ["M4"]),
      ("box remove", ["Nails"]), ("spot remove", ["Hook"]), ("room remove", ["Loft"]), ("building remove", ["Barn"]),
    ]
  }

  func run(_ world: KioskWorld, _ command: String, _ words: [String]) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"),
      command.split(separator: " ").map { String($0) } + words + ["--json", "--config", world.configPath])
  }

  /// Each line is an envelope as the schema has it, with this command's answer in it; the answers.
  @discardableResult
  func judge(_ done: Finished, _ command: String) throws -> [[String: Any]] {
    let lines = done.output.split(separator: "\n")
    #expect(!lines.isEmpty || ["outbox list", "history", "inventory moves"].contains(command), "\(command): \(done)")
    return try lines.compactMap { line in
      let envelope = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(command): \(line)")
      #expect(JSONPromise("Envelope", schema).mistakes(envelope) == [], "\(command): \(line)")
      #expect(envelope["command"] as? String == command && envelope["format"] as? Int == 1)
      if let exit = envelope["exit"] as? Int { #expect(exit == Int(done.status), "\(command): \(line)") }
      guard let data = envelope["data"] as? [String: Any] else { return nil }
      #expect(JSONPromise(command, schema).mistakes(data) == [], "\(command): \(line)")
      return data
    }
  }

  func code(_ done: Finished) -> String? { (done.envelope["error"] as? [String: Any])?["code"] as? String }
}
