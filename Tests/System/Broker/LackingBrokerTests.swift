// A broker that lacks something, with the shipped programs: what works without it works, and all name the same cause.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct LackingBrokerTests {
  private func world(_ more: String, _ version: String = "") throws -> KioskWorld {
    let world = try KioskWorld()
    let settings = world.folder + "/broker-server/mosquitto.conf"
    let text = try String(contentsOfFile: settings, encoding: .utf8)
    try (text + more).write(toFile: settings, atomically: true, encoding: .utf8)
    world.broker.stop()
    try world.restartBroker()
    let kiosk = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try kiosk.replacing("  client_id: kiosk\n", with: "  client_id: kiosk\n" + version).write(
      toFile: world.configPath, atomically: true, encoding: .utf8)
    return world
  }

  @Test(arguments: ["", "  protocol: 3.1.1\n"])
  func `without retained messages the kiosk works, and reports that once`(_ version: String) throws {
    let world = try world("retain_available false\n", version)
    try world.start()
    try world.goodTap()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    try world.restartBroker()
    #expect(eventually { world.log.components(separatedBy: "event=broker-connected").count == 3 }, "\(world.log)")
    #expect(world.log.components(separatedBy: "event=broker-without-retained").count == 2, "\(world.log)")
    #expect(!world.log.contains("client certificate"), "\(world.log)")
    let check = try world.tappet("check")
    #expect(check.status == 0, "\(check)")
    #expect(check.output.contains("does not support retained messages"), "\(check)")
    let connect = try world.tappet("mqtt", "connect", "--kiosk")
    #expect(connect.status == 0 && connect.output.contains("no retained messages") == version.isEmpty, "\(connect)")
  }

  @Test(arguments: ["", "  protocol: 3.1.1\n"])
  func `without QoS 1 the log, check and mqtt connect report the same error`(_ version: String) throws {
    let world = try world("max_qos 0\n", version)
    let sentence = "it does not support QoS 1, which every message requires"
    try world.start(until: "offline")
    #expect(eventually { world.log.contains(sentence) }, "\(world.log)")
    let check = try world.tappet("check", "--running")
    #expect(check.status == 1 && check.output.contains(sentence), "\(check)")
    let connect = try world.tappet("mqtt", "connect", "--kiosk")
    #expect(connect.status == 18 && connect.output.contains(sentence), "\(connect)")
  }
}
