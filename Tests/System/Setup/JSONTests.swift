// --json keeps the promise of docs/json.schema.json: without a kiosk, and with mistakes in the configuration.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct JSONTests: JSONSuite {
  let schema: JSONSchema

  init() throws { schema = try JSONSchema() }

  @Test func `every inventory command's JSON matches the schema`() throws {
    let world = try KioskWorld(withBroker: false)
    let table = world.folder + "/table.csv"
    try "building,room\n".write(toFile: table, atomically: true, encoding: .utf8)
    for (name, words) in inventory {
      let done = try run(world, name, name == "inventory import" ? [table] : words)
      let answers = try judge(done, name)
      let isInPlace = name.hasSuffix(" move")
      #expect(done.status == (isInPlace ? 1 : 0), "\(name): \(done)")
      // To Ada and back: two moves.
      let count = ["inventory changes": 19, "inventory moves": 4][name] ?? (isInPlace ? 0 : 1)
      #expect(answers.count == count, "\(name): \(done)")
      if isInPlace { #expect(code(done) == "thing-unchanged") }
    }
  }

  @Test func `every failure is reported in the same JSON envelope`() throws {
    let world = try KioskWorld(withBroker: false)
    var words = try words(world)
    words["tag read"] = ["--timeout", "1"]
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
