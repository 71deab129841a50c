// `tappet fleet` as it ships, at a real broker with a kiosk, and with what other kiosks left there.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct FleetTests {
  private func publish(_ world: KioskWorld, _ topic: String, _ text: String) throws {
    let done = try world.tappet("mqtt", "pub", topic, text, "--retain")
    #expect(done.status == 0, "\(done)")
  }

  /// Asks until the answer is whole: it ends after a second without a kept message, which a busy broker may need.
  private func fleet(
    _ world: KioskWorld, _ words: String..., until isWhole: (Finished) throws -> Bool
  ) throws -> Finished {
    var done: Finished?
    _ = try eventually {
      let answer = try world.tappet(["fleet"] + words)
      done = answer
      return try isWhole(answer)
    }
    return try #require(done)
  }

  @Test func `present and missing kiosks are listed, worst first`() throws {
    let world = try KioskWorld(KioskWorld.KioskConfiguration(more: "telemetry: {state: true}"))
    try world.start()
    let told = eventually {
      world.witness?.all.contains { $0.topic == "tappet/kiosk/state" && $0.payload.contains(#""light":"ready""#) }
        == true
    }
    #expect(told)
    try publish(world, "tappet/cellar/status", "offline")
    try publish(world, "tappet/door/status", "online")
    try publish(world, "tappet/door/state", "not a state")
    let list = try fleet(world, "list") { $0.errors.contains("3 kiosks, 2 with problems, 1 not") }
    let lines = list.output.split(separator: "\n")
    #expect(list.status == 0 && lines.count == 4, "\(list)")
    #expect(lines.dropFirst().map { String($0.prefix { $0 != " " }) } == ["cellar", "door", "kiosk"], "\(list)")
    #expect(
      lines.last?.hasSuffix("  none") == true && list.errors.contains("3 kiosks, 2 with problems, 1 not"), "\(list)")
    #expect(list.errors.contains("1 kiosk publishes no state; set 'telemetry: {state: true}'"), "\(list)")
    #expect(list.errors.contains("1 kiosk is not connected; to forget one that is gone for good, use"), "\(list)")
    let answer = try world.tappet("fleet", "list", "--json")
    #expect(JSONPromise("fleet list", try JSONSchema()).mistakes(answer.data) == [], "\(answer)")
    let file = world.folder + "/fleet.prom"
    let written = try fleet(world, "list", "--prometheus", "--output", file) { _ in
      try Prometheus.parse(String(contentsOfFile: file, encoding: .utf8))["tappet_fleet_kiosks{}"] == 3
    }
    #expect(written.status == 0, "\(written)")
    let metrics = try Prometheus.parse(String(contentsOfFile: file, encoding: .utf8))
    #expect(metrics["tappet_fleet_kiosks{}"] == 3 && metrics["tappet_fleet_online{client_id=cellar}"] == 0)
    #expect(metrics["tappet_fleet_light{client_id=kiosk,light=ready}"] == 1, "\(metrics)")
    #expect(try world.tappet("fleet", "list", "--prometheus", "--json").status == 2)
    let silent = try fleet(world, "silent") { $0.status == 1 }
    #expect(silent.status == 1 && silent.output.contains("cellar") && !silent.output.contains("door "), "\(silent)")
    try publish(world, "tappet/cellar/status", "online")
    #expect(try fleet(world, "silent") { $0.status == 0 }.status == 0)
    #expect(try world.tappet("fleet", "silent", "--for", "5m").status == 0)
    let typed = try world.tappet("fleet", "silent", "--for", "5x")
    #expect(typed.status == 2 && typed.errors.contains("or a time such as 5m, not '5x'"), "\(typed)")
    let watched = try fleet(world, "watch", "--for", "2") { $0.errors.contains("3 kiosks, 1 with problems") }
    #expect(watched.status == 0 && watched.errors.contains("3 kiosks, 1 with problems"), "\(watched)")
  }

  @Test func `a stranger's megabyte, other versions and odd names do not affect other kiosks`() throws {
    let world = try KioskWorld()
    let file = world.folder + "/large"
    try Data(repeating: UInt8(ascii: "["), count: 1 << 20).write(to: URL(fileURLWithPath: file))
    #expect(try world.tappet("mqtt", "pub", "tappet/large/state", "--file", file, "--retain").status == 0)
    try publish(world, "tappet/large/status", "online")
    try publish(world, "tappet/odd\u{200B}\u{2028}/status", "online")
    try publish(world, "tappet/later/status", "online")
    try publish(
      world, "tappet/later/state",
      #"{"version":"9.0.0","time":"2036-11-23T02:13:20.000Z","light":"singing","mood":{"depth":0.5},"outbox":9e18,"#
        + #""webhooks_waiting":9e18,"reader":[],"clock":7,"certificate_ends_at":"soon"}"#)
    let list = try fleet(world, "list", "--json") { ($0.data["kiosks"] as? [Any])?.count == 3 }
    let kiosks = list.data["kiosks"] as? [[String: Any]] ?? []
    #expect(list.status == 0, "\(list)")
    #expect(
      kiosks.compactMap { $0["client_id"] as? String } == ["later", "large", "odd\u{200B}\u{2028}"], "\(list)")
    #expect(kiosks.first?["light"] as? String == "singing" && kiosks.first?["reader"] is NSNull, "\(list)")
    let table = try fleet(world, "list") { $0.output.contains("odd") && $0.output.contains("many") }
    #expect(table.output.contains(#"odd\u{200b}\u{2028}"#) && table.output.contains("many"), "\(table)")
  }

  @Test func `an unreachable or unknown broker has the exit status of the broker tool`() throws {
    let port = TestSocket.freePort()
    let done = try Programs.run(
      try Programs.built("tappet"), ["fleet", "list", "--url", "mqtt://127.0.0.1:\(port)"])
    #expect(done.status == 11 && done.errors.contains("nothing listens"), "\(done)")
  }
}
