// MQTT 5 and the way back to 3.1.1, as the shipped programs have them.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTVersionTests {
  private func edit(_ world: KioskWorld, _ change: (String) -> String) throws {
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try change(text).write(toFile: world.configPath, atomically: true, encoding: .utf8)
  }

  @Test func `a broker without MQTT 5 is remembered across a restart, and tried again after a change of broker`() throws
  {
    let world = try KioskWorld(withBroker: false)
    let old = try TestOldBroker(.refusesInMQTT311)
    let ca = TestCertificates.path("ca.pem")
    try world.write(KioskWorld.KioskConfiguration(port: old.port, certificate: nil))
    let own = try Certificates.path("ca.pem")
    try edit(world) { $0.replacing(own, with: ca) }
    try world.start()
    #expect(old.versions == ["5", "4"], "\(old.log)")
    #expect(
      eventually { world.log.contains("event=broker-fallback") && world.log.contains("using MQTT 3.1.1 for 7 days") })
    #expect(try world.tappet("status").output.contains("with MQTT 3.1.1, because MQTT 5 failed there"))
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "delivered-by-tag")
    let checked = try world.tappet("check")
    #expect(checked.status == 0 && checked.output.contains("because the broker does not support MQTT 5"), "\(checked)")
    world.kiosk?.end()
    let before = old.versions.count
    try world.start()
    #expect(Array(old.versions.dropFirst(before)) == ["4"], "\(old.log)")
    try edit(world) { $0.replacing("client_id: kiosk", with: "client_id: kiosk-2") }
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { Array(old.versions.dropFirst(before)) == ["4", "5", "4"] }, "\(old.log)")
  }

  @Test func `a message that the access list denies is refused, and check --deliver names the action`() throws {
    let world = try KioskWorld()
    let list = world.folder + "/access"
    try "pattern readwrite home/light\npattern readwrite home/garage\npattern write tappet/#\n".write(
      toFile: list, atomically: true, encoding: .utf8)
    let settings = world.folder + "/broker-server/mosquitto.conf"
    let text = try String(contentsOfFile: settings, encoding: .utf8)
    try (text + "acl_file \(list)\n").write(toFile: settings, atomically: true, encoding: .utf8)
    world.broker.stop()
    try world.broker.start()
    try world.start()
    try world.tappet("secret", "list")
    let asked = try world.tappet("check", "--deliver")
    #expect(asked.status == 1 && asked.errors.contains("add --yes") && asked.output.isEmpty, "\(asked)")
    let done = try world.tappet("check", "--deliver", "--yes")
    let lines = done.output.split(separator: "\n").filter { $0.contains("delivery") }.map(String.init)
    try #require(lines.count == 3, "\(done)")
    #expect(lines[0].hasPrefix("ok    delivery       garage: a message to home/garage was accepted and received back"))
    #expect(lines[1].hasPrefix("ok    delivery       light"))
    let refusal = "FAIL  delivery       bell: home/bell is refused: the broker's access list"
    #expect(lines[2].hasPrefix(refusal), "\(lines[2])")
    #expect(done.status == 1)
    try edit(world) { $0.replacing("  client_id: kiosk\n", with: "  client_id: kiosk\n  protocol: 3.1.1\n") }
    let old = try world.tappet("check", "--deliver", "--yes")
    #expect(old.output.contains("bell: home/bell was acknowledged, but the message was not received back"), "\(old)")
    #expect(try world.tappet("check", "--deliver", "--running").status == 2)
  }
}
