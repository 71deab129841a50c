// Messages for Home Assistant, and its commands, through a real mosquitto. `make test-home-assistant` asks a real Home
// Assistant.

import Foundation
import TestSupport
import Testing

extension KioskWorld {
  fileprivate static func forHomeAssistant() throws -> KioskWorld {
    try KioskWorld(configuration(outputs: ["pump", "door"]))
  }

  fileprivate static func configuration(
    outputs: [String], assistant: String = "{expires: 120 s}"
  ) -> KioskConfiguration {
    let lines = outputs.enumerated().map { "    - {name: \($1), line: GPIO\(20 + $0)}" }.joined(separator: "\n")
    return KioskConfiguration(
      more: """
        panel:
          simulator: panel
          outputs:
        \(lines)
          buttons:
            - {name: Bell, line: GPIO5, press: bell}
        home_assistant: \(assistant)
        """)
  }

  fileprivate func publish(_ topic: String, _ message: String, isRetained: Bool = false) throws {
    let arguments = [
      "-h", "localhost", "-p", "\(broker.port)", "-q", "1", "--cafile", try Certificates.path("ca.pem"), "--cert",
      try Certificates.path("second-client.pem"), "--key", try Certificates.path("second-client.key"), "-t", topic,
      "-s",
    ]
    let done = try Programs.run(
      try Programs.installed("mosquitto_pub"), arguments + (isRetained ? ["-r"] : []), input: message)
    guard done.status == 0 else { throw TestFault(done.errors) }
  }

  fileprivate func payloads(_ topic: String) -> [String] {
    (witness?.all ?? []).filter { $0.topic == topic }.map { $0.payload }
  }

  fileprivate func components() throws -> [String: [String: Any]] {
    let text = payloads("homeassistant/device/tappet-kiosk/config").last ?? ""
    let message = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return message?["cmps"] as? [String: [String: Any]] ?? [:]
  }

  /// A command as Home Assistant's template makes it.
  fileprivate func command(_ request: String, age: Int = 0) -> String {
    "{\(request),\"t\":\(Int(Date().timeIntervalSince1970) - age)}"
  }

  fileprivate func reload(_ configuration: KioskConfiguration) throws {
    try write(configuration)
    let before = log.components(separatedBy: "event=reloaded").count
    kiosk?.signal(SIGHUP)
    guard eventually({ self.log.components(separatedBy: "event=reloaded").count > before }) else {
      throw TestFault(log)
    }
  }
}

@Suite(.serialized) struct HomeAssistantTests {
  @Test func `the kiosk is described, and its outputs follow commands, except old and retained ones`() throws {
    let world = try KioskWorld.forHomeAssistant()
    try world.publish("tappet/kiosk/command", world.command(#""output":"door","do":"on""#), isRetained: true)
    try world.start()
    #expect(eventually { world.payloads("tappet/kiosk/output/pump") == ["OFF"] })
    #expect(Set(try world.components().keys).isSuperset(of: ["switch_pump", "action_bell", "tag", "event_Bell"]))
    try world.publish("tappet/kiosk/command", world.command(#""output":"pump","do":"ON""#, age: 600))
    #expect(eventually { world.log.contains("code=command-late") }, "\(world.log.suffix(1000))")
    try world.publish("tappet/kiosk/command", world.command(#""output":"pump","do":"ON""#))
    #expect(eventually { world.payloads("tappet/kiosk/output/pump") == ["OFF", "ON"] })
    try world.publish("tappet/kiosk/command", world.command(#""action":"bell""#))
    #expect(eventually { world.received.contains { $0.topic == "home/bell" } })
    #expect(world.payloads("tappet/kiosk/output/door") == ["OFF"])
  }

  @Test func `a tap's scan is published once, and only its last state is retained`() throws {
    let world = try KioskWorld.forHomeAssistant()
    try world.start()
    try world.goodTap()
    #expect(eventually { world.payloads("tappet/kiosk/tap").count >= 2 }, "\(world.payloads("tappet/kiosk/tap"))")
    #expect(eventually { !world.payloads("tappet/kiosk/last").isEmpty })
    try world.witness?.settle()
    #expect(world.payloads("tappet/kiosk/tap").count == 2 && world.payloads("tappet/kiosk/tag").count == 1)
    let scan = world.payloads("tappet/kiosk/tag").first ?? ""
    #expect(scan.contains(#""tag_id":"04A1B2C3"#) && scan.contains(#""action":"light""#))
    #expect(world.payloads("tappet/kiosk/last").first?.contains(#""trigger":"tag""#) == true)
    try world.play("Bell")
    #expect(eventually { world.payloads("tappet/kiosk/button/Bell") == [#"{"event_type":"press"}"#] })
    try world.witness?.subscribeAgain()
    #expect(eventually { world.witness?.all.contains { $0.topic == "tappet/kiosk/last" && $0.isRetained } == true })
    // Of what is kept all comes with the subscription, before a message that is published afterwards.
    try world.witness?.settle()
    let kept = (world.witness?.all ?? []).filter { $0.isRetained }.map { $0.topic }
    #expect(!kept.contains("tappet/kiosk/tag") && !kept.contains("tappet/kiosk/tap"))
    #expect(!kept.contains("tappet/kiosk/button/Bell"))
  }

  @Test func `Home Assistant's birth triggers the description again`() throws {
    let world = try KioskWorld.forHomeAssistant()
    try world.start()
    func count() -> Int { world.payloads("homeassistant/device/tappet-kiosk/config").count }
    #expect(eventually { count() == 1 })
    try world.publish("homeassistant/status", "offline")
    try world.publish("homeassistant/status", "online")
    #expect(eventually { count() == 2 }, "\(world.log.suffix(1000))")
  }

  @Test(arguments: ["5", "3.1.1"])
  func `a broker that denies the birth message is reported, and taps are delivered`(_ version: String) throws {
    let world = try KioskWorld(withBroker: false)
    let broker = try TestDenyingBroker()
    var configuration = KioskWorld.configuration(outputs: ["pump"])
    configuration.port = broker.port
    configuration.certificate = nil
    try world.write(configuration)
    let text = textSoFar(world.configPath).replacing(
      try Certificates.path("ca.pem"), with: TestCertificates.path("ca.pem")
    )
    .replacing("  client_id: kiosk\n", with: "  client_id: kiosk\n  protocol: \(version)\n")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    #expect(eventually { broker.denied.contains("homeassistant/status") }, "\(broker.log)")
    #expect(eventually { world.log.contains("event=home-assistant-denied") }, "\(world.log)")
    let line = world.log.split(separator: "\n").first { $0.contains("event=home-assistant-denied") } ?? ""
    #expect(line.contains("topic=homeassistant/status"), "\(line)")
    #expect(line.contains("the kiosk cannot detect when Home Assistant starts; allow the topic"), "\(line)")
    #expect(line.contains("warning: "), "\(line)")
    // The commands' topics were denied with it, which the status shows.
    let status = try world.tappet("status", "--json").output
    let answer = try JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any]
    let commands = (answer?["data"] as? [String: Any])?["commands"] as? [[String: Any]]
    #expect(commands?.count == 1 && commands?.allSatisfy { $0["good"] as? Bool == false } == true, "\(status)")
    #expect(eventually { world.log.contains("event=commands-denied") }, "\(world.log)")
    #expect(broker.log.components(separatedBy: "version ").count == 2, "\(broker.log)")
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "delivered-by-tag")
  }

  @Test func `outdated retained messages are cleared, even after a restart`() throws {
    let world = try KioskWorld.forHomeAssistant()
    try world.start()
    #expect(eventually { world.payloads("tappet/kiosk/output/pump") == ["OFF"] })
    try world.reload(KioskWorld.configuration(outputs: ["door"]))
    #expect(try eventually { try world.components()["switch_pump"] as? [String: String] == ["p": "switch"] })
    #expect(eventually { world.payloads("tappet/kiosk/output/pump").last == "" })
    world.kiosk?.end()
    try world.write(KioskWorld.configuration(outputs: ["door"], assistant: "false"))
    try world.start()
    for topic in ["homeassistant/device/tappet-kiosk/config", "tappet/kiosk/state", "tappet/kiosk/output/door"] {
      #expect(eventually { world.payloads(topic).last == "" }, "\(topic): \(world.payloads(topic))")
    }
    #expect(eventually { world.payloads("tappet/kiosk/status").last == "online" })
  }
}
