// A message at which the broker closes the connection, with the shipped programs: another make of broker, and one that
// ends the connection with and without a word.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct PoisonTests {
  /// The text "box 17": its topic has a space, which nats-server does not take.
  private static let label = "ntag213 uid=04a1b2c3d4e5f6 ndef=d101095402656e626f78203137"

  private static let more = """
      - {name: door, topic: home/door/set, message: open, offline: drop}
    unknown_tags: {topic: 'storeroom/%{text}', message: '%{uid}', cooldown: 0 s}
    panel: {simulator: panel, buttons: [{line: LA, press: door}]}
    """

  /// A broker that closes the connection at a topic with a space; its argument is what it sends before, in MQTT 5.
  private static let closing = """
    async def serve(version, reader, writer):
        writer.write(b"\\x20\\x03\\x00\\x00\\x00" if version == 5 else b"\\x20\\x02\\x00\\x00")
        while True:
            await writer.drain()
            kind, body = await packet(reader)
            topic = body[2:2 + int.from_bytes(body[:2], "big")] if kind >> 4 == 3 else b""
            if b" " in topic:
                if version == 5: writer.write(bytes.fromhex(sys.argv[4]))
                return
            if topic: print("took", topic.decode(), flush=True)
            if not acknowledge(writer, kind, body): return
    """

  private func world(port: UInt16, _ scheme: String = "mqtts") throws -> KioskWorld {
    try KioskWorld(
      KioskWorld.KioskConfiguration(
        scheme: scheme, port: port, ca: TestCertificates.path("ca.pem"), certificate: TestCertificates.path("client"),
        more: Self.more), withBroker: false)
  }

  private func tapAndPress(_ world: KioskWorld) throws {
    try world.tell("place \(Self.label)")
    #expect(eventually { world.log.contains("event=tap-accepted") }, "\(world.log)")
    try world.tell("take")
    #expect(eventually { world.log.contains("event=set-aside") }, "\(world.log)")
    try world.play("LA")
    #expect(eventually { world.log.contains("event=delivered action=door") }, "\(world.log)")
    #expect(world.log.contains("storeroom/box 17") && !world.log.contains("event=broker-storm"))
    // Of the first end, nobody can know more.
    #expect(world.log.components(separatedBy: "same client_id").count <= 2, "\(world.log)")
    let list = try world.tappet("outbox", "list")
    #expect(list.output.contains("set aside") && list.output.contains("storeroom/box 17"), "\(list)")
    // Printed together with a message that may still be on its way.
    #expect(try world.tappet("status").output.contains(" pending, 1 of them set aside\n"))
    #expect(try world.tappet("status", "--prometheus").output.contains("tappet_outbox_set_aside 1\n"))
  }

  @Test(.enabled(if: NATSServer.path != nil, "there is no nats-server: tools/deps install tests"))
  func `nats-server, which closes at a topic with a space, gets all other messages`() throws {
    let broker = try NATSServer()
    let world = try world(port: broker.port)
    try world.start()
    try tapAndPress(world)
  }

  @Test(arguments: ["", "e000", "e00190", "e00187"])
  func `however the broker closes the connection, the other messages are delivered`(_ lastBytes: String) throws {
    let broker = try ScriptedBroker(serving: Self.closing, [lastBytes])
    let world = try world(port: broker.port)
    try world.start()
    try tapAndPress(world)
    #expect(broker.notes("took").contains("home/door/set"))
  }

  @Test func `a set-aside message stays set aside after a kill`() throws {
    let broker = try ScriptedBroker(serving: Self.closing, [""])
    let world = try world(port: broker.port)
    try world.start()
    try tapAndPress(world)
    world.kiosk?.end(SIGKILL)
    try world.start()
    let list = try world.tappet("outbox", "list", "--json")
    #expect(list.output.contains("\"set_aside\":true"), "\(list)")
    #expect(try eventually { try world.tappet("status", "--json").data["set_aside"] as? Int == 1 })
    try world.play("LA")
    #expect(eventually { broker.notes("took").count { $0 == "home/door/set" } > 1 }, "\(world.log)")
  }
}
