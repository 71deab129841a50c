// A kiosk whose taps only go to a room, without a broker, through the shipped programs.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct WithoutBrokerTests {
  private let server: Homeserver

  init() throws { server = try Homeserver() }

  /// A kiosk that has logged in and has no broker, and its configuration with the world's broker.
  private func world() throws -> (world: KioskWorld, withBroker: String) {
    let world = try KioskWorld.inRooms([("ring", "message: 'Somebody rings', room: '!open:h'")], server)
    let withBroker = try String(contentsOfFile: world.configPath, encoding: .utf8)
    let text = """
      reader: {device: "pn532_uart:\(world.folder)/reader"}
      clock: trust
      state: state
      matrix: {session: matrix.session, ca: \(try Certificates.path("ca.pem"))}
      panel: {simulator: panel, leds: {status: GPIO17}, buttons: [{line: GPIO5, press: ring}]}
      actions:
        - {name: ring, message: 'Somebody rings', room: '!open:h', cooldown: 0 s}

      """
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    return (world, withBroker)
  }

  private func broker(_ world: KioskWorld) throws -> [String: Any] {
    try world.tappet("status", "--json").data["broker"] as? [String: Any] ?? [:]
  }

  /// Whether the kiosk has a thread of this name.
  private func hasThread(_ name: String, _ world: KioskWorld) throws -> Bool {
    let tasks = "/proc/\(try #require(world.kiosk).pid)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).contains {
      textSoFar("\(tasks)/\($0)/comm") == name + "\n"
    }
  }

  @Test func `a kiosk with only a room posts its taps there, and reports no broker`() throws {
    let (world, _) = try world()
    world.broker.stop()
    let checked = try world.tappet("check", "--config-only")
    #expect(checked.output.contains("none needed: no broker is configured"), "\(checked)")
    try world.start()
    try world.press(0)
    #expect(eventually { server.said(in: "!open:h") == ["Somebody rings"] }, "\(world.log.suffix(1500))")
    try world.awaitLight("delivered-by-button", after: 0)
    #expect(!world.lights.contains("offline") && !world.log.contains("event=broker-"), "\(world.lights)")
    let told = try world.tappet("status")
    #expect(told.status == 0 && told.output.contains("broker    none is configured"), "\(told)")
    let status = try world.tappet("status", "--json").data
    #expect(status["client_id"] is NSNull, "\(status)")
    #expect(try broker(world)["good"] as? Bool == true && broker(world)["code"] as? String == "none")
    #expect(try hasThread("tappet-store", world) && !hasThread("tappet-link", world))
    let send = try world.tappet("mqtt", "pub", "home/light", "on")
    #expect(send.status != 0 && send.errors.contains("contains no 'broker'"), "\(send)")
    let kiosk = try #require(world.kiosk)
    #expect(kiosk.end(SIGTERM) && kiosk.status == 0, "\(world.log.suffix(1500))")
  }

  @Test func `one reload adds the broker, and the next one removes it`() throws {
    let (world, withBroker) = try world()
    let without = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try world.start()
    try withBroker.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    world.kiosk?.signal(SIGHUP)
    #expect(try eventually { try broker(world)["code"] as? String == "connected" }, "\(world.log.suffix(1500))")
    try world.goodTap()
    try without.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    world.kiosk?.signal(SIGHUP)
    #expect(try eventually { try broker(world)["code"] as? String == "none" }, "\(world.log.suffix(1500))")
    try world.press(0)
    #expect(eventually { server.said(in: "!open:h") == ["Somebody rings"] }, "\(world.log.suffix(1500))")
    #expect(!world.log.contains("event=reload-refused"))
    let kiosk = try #require(world.kiosk)
    #expect(kiosk.end(SIGTERM) && kiosk.status == 0, "\(world.log.suffix(1500))")
  }
}
