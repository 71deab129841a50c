// A broker whose MQTT 5 has a property that libmosquitto asserts at, with the shipped programs: no process ends by a
// signal, taps act, and the next broker is used.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct UnknownPropertyTests {
  /// Answers each CONNECT so, or only those of MQTT 5, and hangs up at the others.
  private static func hostileBroker(answersAll: Bool = false) throws -> ScriptedBroker {
    try ScriptedBroker(
      serving: """
        async def serve(version, reader, writer):
            if version != 5 and not \(answersAll ? "True" : "False"): return
            writer.write(bytes.fromhex("200500000200ff"))
            await writer.drain()
            while True: await packet(reader)
        """)
  }

  /// The authorities of both brokers.
  private static func authorities(in folder: String) throws -> String {
    let path = folder + "/authorities.pem"
    let texts = try [Certificates.path("ca.pem"), TestCertificates.path("ca.pem")]
      .map { try String(contentsOfFile: $0, encoding: .utf8) }
    try texts.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test func `after an unknown property the kiosk keeps running, and uses the next broker`() throws {
    let hostile = try Self.hostileBroker(answersAll: true)
    let world = try KioskWorld()
    let panel = """
        - {name: gate, topic: home/gate, message: open, output: {up: pulse}, cooldown: 0 s}
      panel: {simulator: panel, outputs: [{name: up, line: GPIO20, pulse: 400 ms}]}
      """
    try world.write(
      .init(
        port: hostile.port, otherPorts: [world.broker.port], ca: try Self.authorities(in: world.folder), more: panel))
    try world.importSecret(index: 3, key: world.keys[1])
    try world.start(until: "ready")
    #expect(eventually { hostile.notes("version").contains("5") })
    // The first tag may be taken for one that lay there at the start.
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=https://example.org", until: "refused")
    try world.tell("levels clear")
    let url = try Signing.url(index: "3", key: world.keys[1])
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(url)")
    #expect(try eventually { try world.tell("levels").contains("up 1") }, "\(world.log)")
    #expect(try world.received(1).map { $0.topic } == ["home/gate"], "\(world.log)")
    #expect(eventually { world.log.contains("connected to mqtts://localhost:\(world.broker.port)") }, "\(world.log)")
    #expect(world.kiosk?.isRunning == true)
    #expect(world.log.contains("event=broker-fallback") && !world.log.contains("Assertion"), "\(world.log)")
  }

  private static let commands = [
    ["check"], ["mqtt", "connect"], ["mqtt", "connect", "--protocol", "5"], ["mqtt", "pub", "a", "b"],
    ["mqtt", "sub", "a", "--for", "2", "--protocol", "5"], ["mqtt", "monitor", "--for", "2", "--protocol", "5"],
    ["mqtt", "stats", "--protocol", "5"], ["mqtt", "bench", "--rate", "1", "--for", "1", "--protocol", "5"],
    ["fleet", "list"],
  ]

  @Test(arguments: commands)
  func `no tool crashes, and each reports why it cannot continue`(_ words: [String]) throws {
    let hostile = try Self.hostileBroker()
    let world = try KioskWorld(withBroker: false)
    try world.write(.init(port: hostile.port, ca: TestCertificates.path("ca.pem"), more: ""))
    let done = try world.tappet(words)
    #expect(done.status < 128 && !done.errors.contains("Assertion"), "\(done)")
    if words.contains("connect"), words.contains("5") {
      let text = done.output + done.errors
      #expect(done.status == 15 && text.contains("a property unknown to libmosquitto"), "\(done)")
    }
  }
}
