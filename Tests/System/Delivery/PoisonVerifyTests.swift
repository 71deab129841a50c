// A hundred messages wait, and a broker ends the connection at one of them: the others are delivered within a minute.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PoisonVerifyTests {
  private static let count = 100

  /// Takes what comes and says so, but closes the connection at a topic with a space.
  ///
  /// Its arguments are the version that it speaks, and what it sends before the end.
  private static let closing = """
    async def serve(version, reader, writer):
        if version != int(sys.argv[4]):
            writer.write(bytes.fromhex("2003008400"))
            return
        writer.write(bytes.fromhex("2003000000" if version == 5 else "20020000"))
        while True:
            await writer.drain()
            kind, body = await packet(reader)
            size = int.from_bytes(body[:2], "big")
            topic = body[2:2 + size] if kind >> 4 == 3 else b""
            if b" " in topic:
                writer.write(bytes.fromhex(sys.argv[5]))
                return
            if topic == b"home/light": print("took", body[4 + size:].decode()[-20:], flush=True)
            if not acknowledge(writer, kind, body): return
    """

  /// A kiosk without a broker, where the message that none will have waits between the others.
  private func world(text: String = "box 17") throws -> KioskWorld {
    let world = try KioskWorld(configuration(port: TestSocket.freePort()), withBroker: false)
    try world.start(until: "offline")
    try press(world, Self.count / 2)
    try expectAccepted(Self.count / 2, world)
    try world.tell("place " + textTag("04a1b2c3d4e5f6", text))
    try expectAccepted(Self.count / 2 + 1, world)
    try world.takeAway()
    try press(world, Self.count / 2 - 1)
    try expectAccepted(Self.count, world)
    return world
  }

  private func press(_ world: KioskWorld, _ count: Int) throws {
    try world.play("LA", milliseconds: Array([[Int]](repeating: [60, 200], count: count).joined()))
  }

  private func acceptedCount(_ world: KioskWorld) -> Int {
    world.log.components(separatedBy: "-accepted ").count - 1
  }

  private func expectAccepted(_ count: Int, _ world: KioskWorld) throws {
    try #require(eventually { acceptedCount(world) == count }, "\(world.log)")
  }

  private func configuration(port: UInt16) -> KioskWorld.KioskConfiguration {
    KioskWorld.KioskConfiguration(
      port: port, ca: TestCertificates.path("ca.pem"), certificate: TestCertificates.path("client"),
      more: """
        unknown_tags: {topic: 'storeroom/%{text}', message: '%{uid}', cooldown: 0 s}
        panel: {simulator: panel, buttons: [{line: LA, press: light}]}
        """)
  }

  /// Waits until the broker has all messages but the one, which then is the only one that waits.
  ///
  /// A message whose acknowledgement was lost with the connection may come twice.
  private func expectTheOthers(_ world: KioskWorld, but text: String = "box 17", taken: () -> [String]) throws {
    #expect(eventually(within: 60) { Set(taken()).count == Self.count - 1 }, "\(taken().count): \(world.log)")
    #expect(try eventually { try world.tappet("status", "--json").data["set_aside"] as? Int == 1 }, "\(world.log)")
    #expect(try world.tappet("outbox", "list").output.contains("storeroom/\(text)"))
  }

  @Test(arguments: [("5", ""), ("5", "e00190"), ("4", "")])
  func `however the broker closes the connection, the other messages are delivered within a minute`(
    _ version: String, _ lastBytes: String
  ) throws {
    let world = try world()
    let broker = try ScriptedBroker(serving: Self.closing, [version, lastBytes])
    try world.write(configuration(port: broker.port))
    world.kiosk?.signal(SIGHUP)
    try expectTheOthers(world) { broker.notes("took") }
  }

  @Test func `a kiosk that is killed twenty times still delivers the other messages`() throws {
    let world = try world()
    let broker = try ScriptedBroker(serving: Self.closing, ["5", ""])
    try world.write(configuration(port: broker.port))
    for _ in 1...20 {
      world.kiosk?.end(SIGKILL)
      let before = broker.notes("took").count
      try world.start()
      _ = eventually { broker.notes("took").count > before || Set(broker.notes("took")).count == Self.count - 1 }
    }
    try expectTheOthers(world) { broker.notes("took") }
  }

  @Test func `mosquitto, which closes at an oversized packet, gets the other messages within a minute`() throws {
    // As long as a text of a tag can be in a topic: the packet has 158 bytes, and that of a press 52.
    let text = String(repeating: "x", count: 128)
    let world = try world(text: text)
    try world.broker.limit(packets: 150)
    try world.broker.start()
    let witness = try Witness(world.broker, in: world.folder)
    // With MQTT 5 it says how large they may be, and the kiosk sends no larger one.
    var configuration = configuration(port: world.broker.port)
    (configuration.ca, configuration.certificate) = ("ca.pem", "client")
    configuration.clientID = "kiosk\n  protocol: 3.1.1"
    try world.write(configuration)
    world.kiosk?.signal(SIGHUP)
    try expectTheOthers(world, but: text) {
      witness.actions.filter { $0.topic == "home/light" }.map { $0.payload }
    }
  }

  @Test(.enabled(if: NATSServer.path != nil, "there is no nats-server: tools/deps install tests"))
  func `nats-server, which closes at a topic with a space, gets the other messages within a minute`() throws {
    let world = try world()
    let broker = try NATSServer()
    let messages = world.folder + "/messages"
    let subscriber = try TestProcess(
      try Programs.installed("mosquitto_sub"),
      [
        "-h", "localhost", "-p", "\(broker.port)", "--cafile", TestCertificates.path("ca.pem"), "--cert",
        TestCertificates.path("client.pem"), "--key", TestCertificates.path("client.key"), "-t", "home/light", "-q",
        "1",
      ], output: messages)
    defer { subscriber.stop(SIGTERM) }
    try world.write(configuration(port: broker.port))
    world.kiosk?.signal(SIGHUP)
    try expectTheOthers(world) { textSoFar(messages).split(separator: "\n").map { String($0) } }
  }
}
