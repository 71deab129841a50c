// tappet outbox, with a running kiosk and without one.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct OutboxTests {
  private func entries(_ world: KioskWorld) throws -> [[String: Any]] {
    let listed = try world.tappet("outbox", "list", "--json")
    #expect(listed.status == 0, "\(listed.errors)")
    return try listed.output.split(separator: "\n").map {
      let line = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return try #require(line?["data"] as? [String: Any])
    }
  }

  /// A kiosk whose broker is away, with three taps that wait.
  private func waiting() throws -> KioskWorld {
    let world = try KioskWorld()
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    for _ in 0..<3 {
      _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "queued")
    }
    return world
  }

  @Test func `a running kiosk's entries are listed, exported and dropped, and only the others are delivered`() throws {
    let world = try waiting()
    let listed = try entries(world)
    let ids = listed.compactMap { $0["id"] as? String }
    #expect(Set(ids).count == 3)
    #expect(listed.allSatisfy { $0["action"] as? String == "light" && $0["topic"] as? String == "home/light" })
    #expect(listed.allSatisfy { ($0["expires_in_ms"] as? Int ?? 0) > 86_000_000 && $0["trigger"] as? String == "tag" })
    let file = world.folder + "/exported"
    #expect(try world.tappet("outbox", "export", file).status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 3)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let again = try world.tappet("outbox", "export", file)
    #expect(again.status == 4 && again.errors.contains("cannot be created"), "\(again.errors)")
    let dropped = try world.tappet("outbox", "drop", ids[1])
    #expect(dropped.status == 0 && dropped.errors.contains("1 entry dropped"), "\(dropped.errors)")
    #expect(try world.tappet("outbox", "drop", ids[1]).status == 1)
    #expect(eventually { world.log.contains("event=dropped") })
    #expect(try entries(world).compactMap { $0["id"] as? String } == [ids[0], ids[2]])
    try world.restartBroker()
    #expect(try world.received(2).count == 2)
    // Their lights come after them, and are not the next tap's.
    #expect(eventually { world.lights.filter { $0 == "delivered-by-tag" }.count == 2 })
    try world.goodTap()
    #expect(try Set(world.settled().dropLast().map(\.payload)) == [ids[0], ids[2]])
    #expect(try entries(world).isEmpty)
  }

  @Test func `all entries are dropped together, and the kiosk reports an empty outbox`() throws {
    let world = try waiting()
    let dropped = try world.tappet("outbox", "drop", "--all", "--json")
    #expect(
      dropped.status == 0 && dropped.data as? [String: Int] == ["dropped": 3, "sent": 0],
      "\(dropped.output)\(dropped.errors)")
    #expect(try world.tappet("status").output.contains("outbox    0 pending"))
    try world.restartBroker()
    try world.awaitLight("ready", after: world.lights.count - 1)
    try world.goodTap()
    #expect(try world.settled().count == 1)
  }

  @Test func `an entry that was already sent cannot be dropped, and this is reported`() throws {
    let world = try KioskWorld()
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    // The four commands below come within the time in which the link waits for the broker.
    try text.replacingOccurrences(of: "  client_id: kiosk\n", with: "  client_id: kiosk\n  answer_timeout: 60 s\n")
      .write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    world.broker.freeze()
    defer { world.broker.thaw() }
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "accepted")
    let id = try #require(try entries(world).first?["id"] as? String)
    let one = try world.tappet("outbox", "drop", id)
    #expect(one.status == 1 && one.errors.contains("\(id) was already sent to the broker"), "\(one.errors)")
    let all = try world.tappet("outbox", "drop", "--all")
    #expect(all.status == 0 && all.errors.contains("0 entries dropped."), "\(all.errors)")
    #expect(all.errors.contains("1 more entry was already sent to the broker"), "\(all.errors)")
    world.broker.thaw()
    #expect(eventually { world.received.map(\.payload) == [id] })
  }

  @Test func `without a running kiosk the commands change the database itself`() throws {
    let world = try waiting()
    let ids = try entries(world).compactMap { $0["id"] as? String }
    #expect(world.kiosk?.end(SIGKILL) == true)
    #expect(try entries(world).count == 3)
    #expect(try world.tappet("outbox", "drop", ids[0]).status == 0)
    #expect(try world.tappet("outbox", "drop", "--all", "--json").data as? [String: Int] == ["dropped": 2, "sent": 0])
    #expect(try world.tappet("outbox", "list").errors.contains("The outbox is empty."))
    #expect(try world.tappet("history", "--outcome", "dropped").output.split(separator: "\n").count == 3)
    #expect(try world.tappet("outbox", "drop").status == 2)
    #expect(try world.tappet("outbox", "drop", "--all", ids[0]).status == 2)
    #expect(try world.tappet("outbox", "drop", "12").status == 2)
    #expect(try world.tappet("outbox", "export").status == 2)
  }
}
