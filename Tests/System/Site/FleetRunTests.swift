// `tappet fleet run check` as it ships: a real kiosk at a real broker, others that are silent, gone, or talk nonsense.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FleetRunTests {
  private static func world(_ commands: String) throws -> KioskWorld {
    let world = try KioskWorld(KioskWorld.KioskConfiguration(more: "commands:\n" + commands))
    for (name, key) in [("fleet.key", world.keys[0]), ("other.key", world.keys[1])] {
      let path = world.folder + "/" + name
      try Data("\(key)\n".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    try world.start()
    #expect(eventually { world.log.contains("event=commands-ready") }, "\(world.log)")
    return world
  }

  /// Asks until the kiosk takes commands: not before `expires` has passed since its start.
  private func awaitCommands(_ world: KioskWorld, _ words: String...) {
    let isGood = eventually {
      (try? world.tappet(
        ["fleet", "run", "check", "--key-file", world.folder + "/fleet.key", "--for", "1"] + words))?.status == 0
    }
    #expect(isGood, "\(world.log)")
  }

  private func publish(_ world: KioskWorld, _ topic: String, _ text: String) throws {
    let done = try world.tappet("mqtt", "pub", topic, text, "--retain")
    #expect(done.status == 0, "\(done)")
  }

  /// Asks until the answer is as it should be: a question that is on its way for more than `expires` is too late, and
  /// what the broker keeps is waited for no longer than a second of silence.
  private func run(
    _ world: KioskWorld, _ words: String..., key: String = "fleet.key", until isRight: (Finished) -> Bool
  ) throws -> Finished {
    var done: Finished?
    _ = try eventually {
      let answer = try world.tappet(["fleet", "run", "check", "--key-file", world.folder + "/" + key] + words)
      done = answer
      return isRight(answer)
    }
    return try #require(done)
  }

  @Test func `each queried kiosk reports its parts, and kiosks that do not respond are named`() throws {
    let world = try Self.world(
      "  - {topic: tappet/kiosk/command, trust: signed, key: {file: fleet.key}, expires: 5 s, check: true}")
    awaitCommands(world)
    let good = try run(world) { $0.status == 0 }
    #expect(good.status == 0 && good.output == "kiosk  ok    4 parts are good\n", "\(good)")
    #expect(good.errors == "1 kiosk, 1 responded, 0 with problems\n", "\(good)")
    #expect(eventually { world.log.contains("event=command-accepted") }, "\(world.log)")
    let answer = try run(world, "--json") { $0.status == 0 }
    #expect(JSONPromise("fleet run", try JSONSchema()).mistakes(answer.data) == [], "\(answer)")
    // The reader is pulled out.
    world.sim?.end()
    #expect(eventually { world.log.contains("event=reader-lost") }, "\(world.log)")
    try publish(world, "tappet/cellar/status", "offline")
    try publish(world, "tappet/door/status", "online")
    let bad = try run(world, "--for", "2s") { $0.errors.contains("3 kiosks, 1 responded, 1 with problems") }
    let lines = bad.output.split(separator: "\n")
    #expect(bad.status == 1 && lines.count == 3, "\(bad)")
    #expect(
      lines.first?.hasPrefix("kiosk   FAIL  reader: ") == true
        && lines.dropFirst() == [
          "door    -     no response", "cellar  -     not connected",
        ], "\(bad)")
    #expect(bad.errors.contains("3 kiosks, 1 responded, 1 with problems"), "\(bad)")
    let one = try run(world, "cellar") { $0.output == "cellar  -     not connected\n" }
    #expect(one.output == "cellar  -     not connected\n", "\(one)")
    try world.witness?.settle()
    let told = world.witness?.all.filter { $0.topic == "tappet/kiosk/check" } ?? []
    #expect(!told.isEmpty && told.allSatisfy { !$0.payload.contains(world.keys[0]) }, "\(told)")
    let message = try JSONSerialization.jsonObject(with: Data(try #require(told.last).payload.utf8))
    #expect(JSONPromise("check-message", try JSONSchema()).mistakes(message) == [], "\(message)")
    // Nothing of it is kept.
    let kept = try world.tappet("mqtt", "sub", "tappet/kiosk/check", "--retained", "only", "--format", "%p")
    #expect(kept.output.isEmpty, "\(kept)")
  }

  @Test func `one topic queries all kiosks, and a wrong key or a missing permission gets no response`() throws {
    let world = try Self.world(
      """
        - {topic: home/command, trust: signed, key: {file: fleet.key}, expires: 5 s, check: true}
        - {topic: home/question, trust: signed, key: {file: fleet.key}, expires: 5 s, actions: [bell]}
      """)
    awaitCommands(world, "--topic", "home/command")
    // The commands before the last one came too soon after the start.
    try world.witness?.settle()
    let asked = try #require(world.witness?.all.last { $0.topic == "home/command" }?.payload)
    let forged = try run(world, "--topic", "home/command", "--for", "1", key: "other.key") { !$0.output.isEmpty }
    #expect(forged.status == 1 && forged.output == "kiosk  -     no response\n", "\(forged)")
    #expect(eventually { world.log.contains("code=signature-invalid") }, "\(world.log)")
    let denied = try run(world, "--topic", "home/question", "--for", "1") { $0.errors.contains("does not accept") }
    #expect(denied.status == 1 && denied.errors.contains("does not accept 'run check'"), "\(denied)")
    #expect(eventually { world.log.contains("code=command-not-allowed") }, "\(world.log)")
    // The same command again, as a broker could send it.
    let answers = { world.witness?.all.count { $0.topic == "tappet/kiosk/check" } ?? 0 }
    try world.witness?.settle()
    let before = answers()
    let again = try world.tappet("mqtt", "pub", "home/command", asked)
    #expect(again.status == 0)
    let isRefused = eventually {
      world.log.contains("code=command-repeated") || world.log.contains("code=command-late")
    }
    #expect(isRefused, "\(world.log)")
    try world.witness?.settle()
    #expect(answers() == before)
  }

  @Test func `invalid arguments are a usage error, and query no kiosk`() throws {
    let tappet = try Programs.built("tappet")
    for (words, text) in [
      (["restart", "--key-file", "k"], #"unknown check "restart""#), (["check"], "--key-file FILE"),
      (["check", "--key-file", "k", "--topic", "a/#"], "--topic must be a topic"),
      (["check", "--key-file", "k", "--topic", "+/+"], "--topic must be a topic"),
      (["check", "--key-file", "k", "a/b"], "cannot be a kiosk's client id"),
    ] {
      let done = try Programs.run(tappet, ["fleet", "run", "--url", "mqtt://127.0.0.1:1"] + words)
      #expect(done.status == 2 && done.errors.contains(text), "\(done)")
    }
  }
}
