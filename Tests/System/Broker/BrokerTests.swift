// The broker's side gone wrong: each with its sentence, its light, and a recovery without a person.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct BrokerTests {
  @Test func `an unusable broker is logged with its cause, and the light shows offline`() throws {
    let world = try KioskWorld()
    let elsewhere = try Broker(in: world.folder, certificate: "wrong-name")
    try elsewhere.start()
    defer { elsewhere.stop() }
    let silent = TestPeer(.silence)
    let closing = TestPeer(.hangUp)
    let refusing = TestPeer(.answer([0x20, 2, 0, 5]))
    let unused = TestSocket.freePort()
    typealias KioskConfiguration = KioskWorld.KioskConfiguration
    let cases: [(String, KioskConfiguration, String)] = [
      ("nobody listens", KioskConfiguration(port: unused), "refused the connection"),
      ("wrong CA", KioskConfiguration(ca: "other-ca.pem"), "not trusted"),
      // The broker's own word, "certificate has expired", is lost when its end overtakes it (TLS 1.3).
      ("expired certificate", KioskConfiguration(certificate: "expired-client"), "a certificate expired"),
      ("no certificate", KioskConfiguration(certificate: nil), "requires a client certificate"),
      ("another server's name", KioskConfiguration(port: elsewhere.port), "not issued for 'localhost', but for"),
      ("never answers", KioskConfiguration(port: silent.port), "did not respond to the TLS handshake"),
      ("closes at once", KioskConfiguration(port: closing.port), "dropped the connection"),
      (
        "CONNACK 5", KioskConfiguration(scheme: "mqtt", port: refusing.port, ca: nil, certificate: nil),
        "does not allow this client"
      ),
    ]
    for (name, configuration, sentence) in cases {
      try world.write(configuration)
      try world.start(until: "offline")
      #expect(eventually { world.log.contains(sentence) }, "\(name): \(world.log)")
      world.kiosk?.end()
      try FileManager.default.removeItem(atPath: world.folder + "/kiosk.log")
    }
    try world.write(KioskConfiguration())
    try world.start()
    try world.goodTap()
  }

  @Test func `a tap during a broker outage waits, or is refused if it must not be late`() throws {
    let world = try KioskWorld()
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    let late = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(0))", until: "refused")
    #expect(late.log.contains("the broker is unavailable, and the message of garage must not be sent late"))
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued")
    let queued = world.lights.count
    try world.restartBroker()
    try world.awaitLight("delivered-by-tag", after: queued)
    _ = try world.received(1)
    try world.goodTap()
    let received = try world.settled()
    #expect(received.map(\.topic) == ["home/light", "home/light"])
    #expect(Set(received.map(\.payload)).count == 2)
  }

  @Test func `a %T message contains a token that opens with the timestamp key, and has the tap's time`() throws {
    let world = try KioskWorld()
    try world.start()
    let begun = Date()
    let outcome = try world.tap(
      "ntag213 uid=\(world.freshUID()) url=\(try world.url(0))", until: "delivered-by-tag", messages: 1)
    let token = outcome.received.first?.payload.split(separator: "\"").last { $0.utf8.count == 32 } ?? ""
    let opened = try world.tappet("token", "open", "--json", String(token))
    #expect(opened.status == 0, "\(opened.errors)")
    // Both times are whole seconds.
    let ageMax = Int(Date().timeIntervalSince(begun)) + 2
    #expect((0...ageMax).contains(opened.data["age_seconds"] as? Int ?? -1))
  }
}
