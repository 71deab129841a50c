// An action's hours as they ship: in the configured zone, whatever the machine's is.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct HoursTests {
  /// The hour in a zone 14 hours ahead of UTC, and the next one, each as hours of the configuration.
  private func thisHour() -> String {
    let hour = (Int(Date().timeIntervalSince1970) / 3600 + 14) % 24
    return [hour, (hour + 1) % 24].map { String(format: "'Mon-Sun %02d:00-%02d:00'", $0, $0 + 1) }
      .joined(separator: ", ")
  }

  private func world(_ zone: String, _ more: String = "") throws -> KioskWorld {
    let world = try KioskWorld(
      .init(
        more: "  - {name: door, topic: home/door, message: x, cooldown: 0 s, hours: [\(thisHour())]}\n"
          + "time_zone: \(zone)\n\(more)"))
    try world.importSecret(index: 3, key: world.keys[1])
    try world.start()
    return world
  }

  private func tap(_ world: KioskWorld, until light: String, messages: Int) throws -> String {
    let url = try Signing.url(index: "3", key: world.keys[1])
    return try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: light, messages: messages).log
  }

  @Test func `hours apply in the configured time zone`() throws {
    let there = try world("Pacific/Kiritimati")
    _ = try tap(there, until: "delivered-by-tag", messages: 1)
    #expect(there.received.last?.topic == "home/door")
    let elsewhere = try world("Etc/UTC")
    let log = try tap(elsewhere, until: "refused", messages: 0)
    #expect(log.contains("outside the hours of 'door'") && log.contains("code=outside-hours"), "\(log)")
    #expect(try elsewhere.settled().isEmpty)
  }

  @Test func `without its time zone a kiosk starts, and refuses only actions with hours`() throws {
    let world = try world("No/Such_Zone")
    let log = try tap(world, until: "refused", messages: 0)
    #expect(log.contains("code=time-zone-missing") && world.log.contains("event=file-unusable"), "\(world.log)")
    try world.goodTap()
    let status = try world.tappet("status")
    #expect(status.status == 1 && status.output.contains("tzdata-legacy"), "\(status.output)")
    let check = try world.tappet("check", "--config-only")
    #expect(check.status == 3 && check.errors.contains("tzdata-legacy"), "\(check.errors)")
  }

  @Test func `a kiosk starts even if files named in its configuration are missing, and reports them`() throws {
    let world = try KioskWorld(
      .init(
        more: "  - {name: hook, message: m, webhook: {url: 'http://127.0.0.1:9', headers: {X: {file: gone.token}}}}\n"
          + "site: {name: s, key: {file: gone.key}, public_key: '\(String(repeating: "a1", count: 32))'}\n"
          + "commands: [{topic: c/d, trust: signed, key: {file: gone.signing}, actions: [light]}]\n"))
    try world.start()
    try world.goodTap()
    for name in ["gone.token", "gone.key", "gone.signing"] {
      #expect(world.log.contains("\(name) cannot be read"), "\(world.log)")
    }
    #expect(try world.tappet("check", "--config-only").status == 3)
  }

  @Test func `a clock that was set back is not trusted until a person confirms it`() throws {
    let world = try KioskWorld(withBroker: false)
    let port = TestSocket.freePort()
    func write(_ clock: String) throws {
      try world.write(.init(port: port))
      let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
      try text.replacingOccurrences(of: "clock: trust", with: "clock: " + clock)
        .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    }
    func count(_ event: String) -> Int { world.log.components(separatedBy: "event=" + event).count - 1 }
    func reload(_ clock: String) throws {
      let before = count("reloaded")
      try write(clock)
      world.kiosk?.signal(SIGHUP)
      #expect(eventually { count("reloaded") > before }, "\(world.log)")
    }
    try write("check")
    try world.start(until: "offline", environment: try Faults.clock(ahead: 0))
    #expect(count("clock-") == 0, "\(world.log)")
    #expect(world.kiosk?.end() == true)
    try world.start(until: "offline", environment: try Faults.clock(ahead: -3 * 86_400))
    #expect(eventually { count("clock-behind") == 1 && count("clock-unknown") == 1 }, "\(world.log)")
    #expect(
      eventually { world.log.contains("the clock is 72 h behind") || world.log.contains("the clock is 71 h behind") })
    try reload("trust")
    #expect(eventually { count("clock-good") == 1 }, "\(world.log)")
    try reload("check")
    #expect(try world.tappet("status").output.contains("good"))
    #expect(count("clock-behind") == 1 && count("clock-unknown") == 1, "\(world.log)")
  }

  @Test func `on a holiday actions with hours do not act, and all other actions do`() throws {
    let days = [0, 86_400].map { (offset: Double) -> String in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 14 * 3600)
      formatter.dateFormat = "yyyy-MM-dd"
      return formatter.string(from: Date().addingTimeInterval(offset))
    }
    let world = try world("Pacific/Kiritimati", "holidays: [\(days.joined(separator: ", "))]")
    let log = try tap(world, until: "refused", messages: 0)
    #expect(log.contains("code=holiday"), "\(log)")
    try world.goodTap()
  }
}
