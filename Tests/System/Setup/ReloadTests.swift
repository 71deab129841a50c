// SIGHUP on the kiosk as it ships: changes take effect, everything else continues, and a mistake changes nothing.

import Foundation
import TappetConfig
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct ReloadTests {
  private let virtualPanel = """
    panel:
      simulator: %
      buttons: [{name: bell, line: GPIO5, press: bell}]
    """

  private func configuration(_ world: KioskWorld) -> KioskWorld.KioskConfiguration {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = virtualPanel.replacingOccurrences(of: "%", with: world.folder + "/panel")
    return configuration
  }

  /// Sends SIGHUP and waits for the log's word; what was logged since.
  private func reload(_ world: KioskWorld, until word: String) throws -> String {
    let before = world.log.utf8.count
    world.kiosk?.signal(SIGHUP)
    func said() -> String { String(decoding: world.log.utf8.dropFirst(before), as: UTF8.self) }
    guard eventually({ said().contains(word) }) else { throw TestFault("no '\(word)': \(said())") }
    return said()
  }

  private func press(_ world: KioskWorld, until count: Int, seconds: Double = patience) throws -> Bool {
    try world.tell("play 60,60 bell")
    return eventually(within: seconds) { world.received.count >= count }
  }

  @Test func `an action's topic changes, while link, reader and panel keep running`() throws {
    let world = try KioskWorld()
    try world.write(configuration(world))
    try world.start()
    let kiosk = try #require(world.kiosk)
    let reader = Kernel.children(of: kiosk.pid)
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "topic: home/bell", with: "topic: home/other")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    _ = try reload(world, until: "event=reloaded")
    #expect(try press(world, until: 1))
    #expect(try world.settled().map(\.topic) == ["home/other"])
    #expect(Kernel.children(of: kiosk.pid) == reader)
    #expect(world.log.components(separatedBy: "event=broker-connected").count == 2)
    #expect(!world.log.contains("event=broker-disconnected") && !world.log.contains("event=panel-lost"))
    try world.goodTap()
  }

  @Test func `every error is logged, and the previous configuration stays active`() throws {
    let world = try KioskWorld()
    try world.start()
    let good = try String(contentsOfFile: world.configPath, encoding: .utf8)
    var bad = good.replacingOccurrences(of: "topic: home/light", with: "topc: home/light")
    bad = bad.replacingOccurrences(of: "clock: trust", with: "clock: perhaps")
    try bad.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let said = try reload(world, until: "the previous configuration stays active")
    #expect(said.contains("unknown key 'topc'") && said.contains("'perhaps'"), "\(said)")
    // It is shown outside the log, too, until a reload is good.
    let status = try world.tappet("status")
    #expect(status.status == 1 && status.output.contains("reload rejected"), "\(status)")
    #expect(status.output.contains("'perhaps'") && status.output.contains("and 2 more"), "\(status)")
    try world.goodTap()
    // Certificates are part of it.
    try good.replacingOccurrences(of: "client.pem", with: "missing.pem")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try reload(world, until: "the previous configuration stays active").contains("missing.pem"))
    try good.replacingOccurrences(of: "state: state", with: "state: elsewhere")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try reload(world, until: "the previous configuration stays active").contains("restart it"))
    try FileManager.default.removeItem(atPath: world.configPath)
    _ = try reload(world, until: "the previous configuration stays active")
    try good.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    _ = try reload(world, until: "event=reloaded")
    let last = try world.tappet("status")
    #expect(last.status == 0 && last.output.contains("the configuration was reloaded"), "\(last)")
    try world.goodTap()
    #expect(world.log.components(separatedBy: "event=broker-connected").count == 2)
  }

  @Test func `the kiosk connects to a new broker, and pending entries are sent there`() throws {
    let world = try KioskWorld()
    try world.start()
    let other = try Broker(in: world.folder, certificate: "server-leaf")
    let leaf = try? Certificates.path("server-leaf.key")
    // The leaf alone has the same key; a client that knows the intermediate is content with it.
    if let leaf, !FileManager.default.fileExists(atPath: leaf) {
      try FileManager.default.copyItem(atPath: try Certificates.path("server.key"), toPath: leaf)
    }
    try other.start()
    defer { other.stop() }
    var configuration = KioskWorld.KioskConfiguration()
    configuration.port = other.port
    configuration.ca = "broker-ca.pem"
    try world.write(configuration)
    let said = try reload(world, until: "event=broker-connected")
    #expect(said.contains("localhost:\(other.port)"), "\(said)")
    #expect(eventually { world.witness?.all.last { $0.topic == "tappet/kiosk/status" }?.payload == "offline" })
  }

  @Test func `certificates of the same names are reloaded only if their content changed`() throws {
    let world = try KioskWorld()
    for name in ["client.pem", "client.key"] {
      try FileManager.default.copyItem(atPath: try Certificates.path(name), toPath: world.folder + "/" + name)
    }
    var text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    text = text.replacingOccurrences(of: try Certificates.path("client.pem"), with: "client.pem")
    text = text.replacingOccurrences(of: try Certificates.path("client.key"), with: "client.key")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    utimes(world.folder + "/client.pem", nil)
    _ = try reload(world, until: "event=reloaded")
    try world.goodTap()
    #expect(world.log.components(separatedBy: "event=broker-connected").count == 2)
    for name in ["pem", "key"] {
      try FileManager.default.removeItem(atPath: world.folder + "/client." + name)
      try FileManager.default.copyItem(
        atPath: try Certificates.path("second-client." + name), toPath: world.folder + "/client." + name)
    }
    _ = try reload(world, until: "event=broker-connected")
    try world.goodTap()
  }

  @Test func `a panel with different lines is reopened, and its buttons follow the new configuration`() throws {
    let world = try KioskWorld()
    try world.write(configuration(world))
    try world.start()
    #expect(try press(world, until: 1))
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "press: bell}", with: "press: light}")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    _ = try reload(world, until: "event=reloaded")
    // A press while the lines are closed is lost; a late one may come besides.
    #expect(eventually { (try? press(world, until: 2, seconds: 2)) == true })
    let topics = try world.received(2).map(\.topic)
    #expect(topics[0] == "home/bell" && Set(topics.dropFirst()) == ["home/light"], "\(topics)")
    // Nothing of the panel before is left open.
    let descriptors = Kernel.descriptorCount(try #require(world.kiosk?.pid))
    for name in ["bell", "light", "bell", "light"] {
      let changed = try String(contentsOfFile: world.configPath, encoding: .utf8)
      try changed.replacingOccurrences(of: "press: \(name == "bell" ? "light" : "bell")}", with: "press: \(name)}")
        .write(toFile: world.configPath, atomically: true, encoding: .utf8)
      _ = try reload(world, until: "event=reloaded")
    }
    #expect(eventually { Kernel.descriptorCount(world.kiosk?.pid ?? 0) == descriptors })
  }

  @Test func `a new reader is started when its device is changed`() throws {
    let world = try KioskWorld()
    try world.start()
    let kiosk = try #require(world.kiosk)
    let reader = Kernel.children(of: kiosk.pid)
    symlink(world.folder + "/reader", world.folder + "/reader-by-another-name")
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "/reader\"", with: "/reader-by-another-name\"")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let before = world.lights.count
    _ = try reload(world, until: "event=reloaded")
    try world.awaitLight("ready", after: before)
    let other = Kernel.children(of: kiosk.pid)
    #expect(other.count == 1 && other != reader)
    #expect(Kernel.commandLine(other.first ?? 0).contains("reader-by-another-name"))
    try world.goodTap()
  }

  @Test func `without a reader the buttons work, and a reload adds or removes a reader`() throws {
    let world = try KioskWorld()
    try world.write(configuration(world))
    let withReader = try String(contentsOfFile: world.configPath, encoding: .utf8)
    let line = "{device: \"pn532_uart:\(world.folder)/reader\"}"
    let without = withReader.replacingOccurrences(of: line, with: "none")
    try #require(without != withReader)
    try without.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let alone = try world.tappet("tag", "read")
    #expect(alone.status == 1 && alone.errors.contains("'reader: none', but this operation requires"), "\(alone)")
    let checked = try world.tappet("check")
    #expect(checked.status == 0 && checked.output.contains("none is configured"), "\(checked)")

    try world.start()
    let kiosk = try #require(world.kiosk)
    #expect(Kernel.children(of: kiosk.pid).isEmpty)
    #expect(try press(world, until: 1))
    let status = try #require(try world.tappet("status", "--json").data["reader"] as? [String: Any])
    #expect(status["good"] as? Bool == true && status["code"] as? String == "none", "\(status)")
    let shown = try world.tappet("status")
    #expect(shown.status == 0 && shown.output.contains("clock     trusted because of 'clock: trust'"), "\(shown)")
    #expect(try world.tappet("check", "--running").status == 0)
    let beside = try world.tappet("check")
    #expect(beside.status == 0 && beside.output.contains("ok    reader         none is configured"), "\(beside)")
    for words in [["tag", "write", "bell"], ["tag", "read"], ["tag", "watch"]] {
      let refused = try world.tappet(words)
      #expect(refused.status == 1 && refused.errors.contains("'reader: none'"), "\(words): \(refused)")
    }
    #expect(!world.log.contains("event=reader-"))

    try withReader.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    _ = try reload(world, until: "event=reader-ready")
    try world.goodTap()
    try without.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let said = try reload(world, until: "event=reloaded")
    #expect(eventually { Kernel.children(of: kiosk.pid).isEmpty })
    #expect(!said.contains("event=reader-lost"))
    #expect(try eventually { try world.tappet("status", "--json").data["light"] as? String == "ready" })
  }
}
