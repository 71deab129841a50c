// --json keeps the promise of docs/json.schema.json with a running kiosk.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct JSONKioskTests: JSONSuite {
  let schema: JSONSchema

  init() throws { schema = try JSONSchema() }

  @Test func `every command's JSON matches the schema, through a running kiosk`() throws {
    let world = try KioskWorld()
    var words = try words(world)
    // All others are judged by their own tests.
    #expect(try Set(schema.commands).subtracting(words.keys).subtracting(JSONPromise.tested()) == [])
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
      "mqtt recent", "mqtt history", "mqtt diff", "mqtt bridge-check",
      "fleet list", "fleet silent", "fleet run",
    ] {
      #expect(try judge(try run(world, name, words[name] ?? []), name).count == 1, "\(name)")
    }
    #expect(try eventually { try judge(try run(world, "history", []), "history").count == 3 })
    #expect(try judge(try run(world, "history", ["top"]), "history").count == 1)
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
    for name in ["status", "outbox export", "outbox drop", "outbox retry"] {
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
}
