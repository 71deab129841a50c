// One set of people on all doors of a site, as it ships: a desk that pushes, a broker, and doors.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SiteTests {
  /// A machine without a reader, where somebody looks after the people.
  private final class Desk {
    let folder: String
    let lines: String
    let keys = [Signing.key(), Signing.key(), Signing.key()]

    init(at port: UInt16) throws {
      folder = try Programs.temporaryFolder().path
      let made = try Programs.run(try Programs.built("tappet"), ["people", "keys", folder])
      guard made.status == 0 else { throw TestFault(made.errors) }
      lines = made.output.replacingOccurrences(of: "NAME", with: "north")
      try """
      broker:
        url: mqtts://localhost:\(port)
        client_id: desk
        ca: \(Certificates.path("ca.pem"))
        certificate: \(Certificates.path("client.pem"))
        private_key: \(Certificates.path("client.key"))
      state: state
      actions:
        - {name: garage, topic: home/garage, message: open}
        - {name: light, topic: home/light, message: '%I'}
        - {name: cellar, topic: home/cellar, message: open}
      \(lines)
      """.write(toFile: folder + "/kiosk.yaml", atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @discardableResult
    func tappet(_ words: String..., status: Int32 = 0) throws -> Finished {
      let done = try Programs.run(try Programs.built("tappet"), words + ["--config", folder + "/kiosk.yaml"])
      #expect(done.status == status, "\(words): \(done)")
      return done
    }

    /// Adds a person with a tag of this action's index.
    func add(_ name: String, tag: Int, index: Int = 1) throws {
      try tappet("person", "add", name)
      let share = "smpshare://secret?idx=\(index)&key=\(keys[tag])&label=\(name)\n"
      let done = try Programs.run(
        try Programs.built("tappet"), ["secret", "import", "--config", folder + "/kiosk.yaml"], input: share)
      guard done.status == 0 else { throw TestFault(done.errors) }
      try tappet("person", "assign", name, String(done.output.prefix { $0 != " " }))
    }

    @discardableResult
    func push(status: Int32 = 0) throws -> Finished {
      try tappet("people", "push", folder + "/push.key", status: status)
    }
  }

  /// Makes a world a door of the desk's site.
  private func configure(_ world: KioskWorld, _ name: String, at port: UInt16, _ desk: Desk) throws {
    try? FileManager.default.copyItem(atPath: desk.folder + "/site.key", toPath: world.folder + "/site.key")
    try world.write(.init(port: port, clientID: name, more: desk.lines))
  }

  private func version(_ world: KioskWorld) throws -> Int {
    let status = try world.tappet("status", "--json").data
    return (status["site"] as? [String: Any])?["version"] as? Int ?? 0
  }

  private func awaitVersion(_ wanted: Int, at world: KioskWorld) {
    // A kiosk that was killed after the commit does not log it.
    #expect(eventually { (try? version(world)) == wanted }, "\(world.log.suffix(1500))")
  }

  private func tap(_ world: KioskWorld, _ key: String, until light: String) throws -> String {
    let url = try Signing.url(index: "1", key: key)
    return try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: light).log
  }

  @Test func `a push admits a new person at both doors, and excludes a removed one at both`() throws {
    let first = try KioskWorld()
    let second = try KioskWorld(withBroker: false)
    let port = first.broker.port
    let desk = try Desk(at: port)
    try configure(first, "first", at: port, desk)
    try configure(second, "second", at: port, desk)
    try first.start()
    try desk.add("Ann", tag: 0)
    try desk.add("Ben", tag: 1)
    try desk.add("Cy", tag: 2, index: 2)
    let pushed = try desk.push()
    #expect(pushed.output.contains("Pushed version 1 to site north: 3 people, 3 tags"), "\(pushed)")
    awaitVersion(1, at: first)
    // The second one was away; the broker has kept it.
    try second.start()
    awaitVersion(1, at: second)
    for door in [first, second] {
      #expect(try tap(door, desk.keys[0], until: "delivered-by-tag").contains("tap-accepted") || true)
      #expect(door.log.contains("skipped=1"), "\(door.log)")
      // Its own secret is still there.
      _ = try door.tap("ntag213 uid=\(door.freshUID()) url=\(try door.url(1))", until: "delivered-by-tag")
    }
    #expect(try first.tappet("status").output.contains("north: version 1, 3 people, 2 tags"))
    #expect(try first.tappet("person", "list").output.contains("Ann  1 tag  of the site"))
    try desk.tappet("person", "remove", "Ben", "--yes")
    try desk.push()
    for door in [first, second] {
      awaitVersion(2, at: door)
      #expect(try tap(door, desk.keys[1], until: "refused").contains("code=signature-invalid"))
      _ = try tap(door, desk.keys[0], until: "delivered-by-tag")
    }
    // A restart, at which the broker sends the same bundle again, changes nothing and says nothing.
    #expect(second.kiosk?.end(SIGKILL) == true)
    let before = second.log.utf8.count
    try second.start()
    #expect(try version(second) == 2)
    _ = try tap(second, desk.keys[0], until: "delivered-by-tag")
    let said = String(decoding: second.log.utf8.dropFirst(before), as: UTF8.self)
    #expect(!said.contains("site-"), "\(said)")
    let check = try first.tappet("check", "--running", "--json")
    #expect(check.list("findings").contains { $0["part"] as? String == "site" && $0["good"] as? Bool == true })
  }

  @Test func `bundles that are old, truncated, foreign or huge change nothing, and the door still works`() throws {
    let door = try KioskWorld()
    let port = door.broker.port
    let desk = try Desk(at: port)
    try configure(door, "door", at: port, desk)
    try desk.add("Ann", tag: 0)
    try desk.push()
    try door.start()
    awaitVersion(1, at: door)
    let topic = "tappet/site/north/people"
    let bundle = desk.folder + "/bundle"
    func publish(_ file: String) throws { try desk.tappet("mqtt", "pub", topic, "--retain", "--file", file) }
    func refused(_ code: String, _ act: () throws -> Void) throws {
      let before = door.log.utf8.count
      try act()
      let found = eventually {
        String(decoding: door.log.utf8.dropFirst(before), as: UTF8.self).contains("event=site-refused code=\(code)")
      }
      #expect(found, "\(code): \(door.log.suffix(1000))")
    }
    let kept = try Programs.run(
      try Programs.installed("mosquitto_sub"),
      [
        "-h", "localhost", "-p", "\(port)", "-t", topic, "-C", "1", "-F", "%x", "--cafile",
        Certificates.path("ca.pem"), "--cert", Certificates.path("client.pem"), "--key",
        Certificates.path("client.key"),
      ])
    let digits = kept.output.trimmingCharacters(in: .newlines)
    var bytes = [UInt8]()
    for place in stride(from: 0, to: digits.count, by: 2) {
      let start = digits.index(digits.startIndex, offsetBy: place)
      bytes.append(UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0)
    }
    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: bundle)) }
    try desk.push()
    awaitVersion(2, at: door)
    try write(bytes)
    try refused("site-older") { try publish(bundle) }
    try write(Array(bytes.prefix(60)))
    try refused("site-malformed") { try publish(bundle) }
    var newer = bytes
    newer[6] = 9
    try write(newer)
    try refused("site-format-newer") { try publish(bundle) }
    // A later number on the same content.
    var renumbered = bytes
    renumbered[20] = 9
    try write(renumbered)
    try refused("signature-invalid") { try publish(bundle) }
    try write([UInt8](repeating: 7, count: 10 << 20))
    try refused("site-too-large") {
      let sent = try Programs.run(
        try Programs.installed("mosquitto_pub"),
        [
          "-h", "localhost", "-p", "\(port)", "-t", topic, "-r", "-q", "1", "-f", bundle, "--cafile",
          Certificates.path("ca.pem"), "--cert", Certificates.path("client.pem"), "--key",
          Certificates.path("client.key"),
        ])
      #expect(sent.status == 0, "\(sent)")
    }
    // The link has outlived all of it.
    #expect(!door.log.contains("broker-lost"), "\(door.log)")
    _ = try tap(door, desk.keys[0], until: "delivered-by-tag")
    // The next push has the next number, whatever the broker keeps.
    #expect(try desk.push().output.contains("version 3"))
    awaitVersion(3, at: door)
    let site = try door.tappet("status", "--json").data["site"] as? [String: Any]
    #expect(site?["good"] as? Bool == true && site?["version"] as? Int == 3, "\(String(describing: site))")
  }

  @Test func `a kill during an update leaves the old people or the new ones`() throws {
    let door = try KioskWorld()
    let port = door.broker.port
    let desk = try Desk(at: port)
    try configure(door, "door", at: port, desk)
    try desk.add("Ann", tag: 0)
    try desk.push()
    try door.start()
    awaitVersion(1, at: door)
    let table = desk.folder + "/people.csv"
    for round in 0..<3 {
      let rows = (0..<400).map { "person \(round)-\($0)" }
      try (["name"] + rows).joined(separator: "\n").write(toFile: table, atomically: true, encoding: .utf8)
      try desk.tappet("person", "import", table)
      let log = door.folder + "/state/tappet.db-wal"
      func written() -> Date? { (try? FileManager.default.attributesOfItem(atPath: log))?[.modificationDate] as? Date }
      let before = written()
      try desk.push()
      // At once, or while it writes.
      if round % 2 == 1 { _ = eventually { written() != before } }
      #expect(door.kiosk?.end(SIGKILL) == true)
      let people = try door.tappet("person", "list", "--json").list("people").count
      #expect(people == 1 + 400 * round || people == 1 + 400 * (round + 1), "\(people) in round \(round)")
      try door.start()
      awaitVersion(round + 2, at: door)
    }
    #expect(try door.tappet("person", "list", "--json").list("people").count == 1 + 400 * 3)
  }

  @Test func `keys are private, and a wrong key is refused before anything is pushed`() throws {
    let world = try KioskWorld()
    let desk = try Desk(at: world.broker.port)
    for name in ["site.key", "push.key"] {
      let facts = try FileManager.default.attributesOfItem(atPath: desk.folder + "/" + name)
      #expect(facts[.posixPermissions] as? Int == 0o600)
    }
    #expect(try desk.tappet("people", "keys", desk.folder, status: 1).errors.contains("already exists"))
    let wrong = try desk.tappet("people", "push", desk.folder + "/site.key", status: 1)
    #expect(wrong.errors.contains("does not match 'public_key'"), "\(wrong)")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: desk.folder + "/push.key")
    #expect(try desk.push(status: 1).errors.contains("chmod 600"))
    let none = try world.tappet("people", "push", desk.folder + "/push.key")
    #expect(none.status == 1 && none.errors.contains("no 'site'"), "\(none)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: desk.folder + "/push.key")
    let trial = try desk.tappet("people", "push", desk.folder + "/push.key", "--dry-run", "--json")
    #expect(JSONPromise("people push", try JSONSchema()).mistakes(trial.data) == [], "\(trial)")
    let more = desk.folder + "/more"
    try FileManager.default.createDirectory(atPath: more, withIntermediateDirectories: false)
    let keys = try desk.tappet("people", "keys", more, "--json")
    #expect(JSONPromise("people keys", try JSONSchema()).mistakes(keys.data) == [], "\(keys)")
    #expect(try desk.tappet("check", "--config-only").output.contains("north: people are received from"))
  }
}
