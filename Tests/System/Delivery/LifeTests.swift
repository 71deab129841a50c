// The kiosk's life: killed, ended, started twice, started without descriptors; and what it never lets out.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct LifeTests {
  @Test func `a tap that was accepted survives kill -9 and is delivered once`() throws {
    let world = try KioskWorld()
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
    try world.awaitLight("queued", after: before)
    #expect(world.kiosk?.end(SIGKILL) == true)
    try world.tell("take")
    try world.restartBroker()
    let restarted = world.lights.count
    try world.start()
    try world.awaitLight("delivered-by-tag", after: restarted)
    _ = try world.received(1)
    // A tap later, it would have come a second time if it ever did.
    try world.goodTap()
    let received = try world.settled()
    #expect(received.count == 2 && Set(received.map(\.payload)).count == 2)
  }

  @Test func `a second kiosk in the same state folder is refused, and the first keeps running`() throws {
    let world = try KioskWorld()
    try world.start()
    let second = try world.tappet("run", "--plain")
    #expect(
      second.status == 4 && second.errors.contains("another kiosk is using the state folder"), "\(second.errors)")
    // Another control socket does not hide it.
    let other = world.folder + "/other.yaml"
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try (text + "\ncontrol: \(world.folder)/other-control\n").write(toFile: other, atomically: true, encoding: .utf8)
    let third = try Programs.run(try Programs.built("tappet"), ["run", "--plain", "--config", other], input: "")
    #expect(third.status == 4 && third.errors.contains("another kiosk is using the state folder"), "\(third.errors)")
    try world.goodTap()
  }

  @Test func `SIGTERM stops the kiosk, with a retained offline status and no process left`() throws {
    let world = try KioskWorld()
    try world.start()
    let kiosk = try #require(world.kiosk)
    let readers = Kernel.children(of: kiosk.pid)
    #expect(readers.count == 1)
    #expect(kiosk.end(SIGTERM))
    #expect(kiosk.status == 0)
    #expect(eventually { readers.allSatisfy { kill($0, 0) != 0 } })
    #expect(eventually { world.witness?.all.last { $0.topic == "tappet/kiosk/status" }?.payload == "offline" })
  }

  @Test func `the kiosk runs without stdin, stdout and stderr`() throws {
    let world = try KioskWorld()
    let program = try Programs.built("tappet").path
    let bare = try Service(
      URL(fileURLWithPath: "/bin/sh"),
      [
        "-c", "exec \"$0\" run --plain --config \"$1\" --light-trace \"$2\" <&- >&- 2>&-", program, world.configPath,
        world.folder + "/lights",
      ],
      log: world.folder + "/bare.log")
    try world.awaitLight("ready", after: 0)
    try world.goodTap()
    #expect(bare.end(SIGTERM) && bare.status == 0)
  }

  @Test func `a log outside the journal has timestamps, and a log for the journal has priorities`() throws {
    let world = try KioskWorld(withBroker: false)
    try world.start(until: "offline")
    // The light comes before the line about it.
    #expect(eventually { world.log.contains("event=") })
    let line = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|notice|info): \S.* event=[a-z-]+/
    let lines = world.log.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.firstMatch(of: line) != nil }, "\(lines)")
    world.kiosk?.end(SIGTERM)
    // As systemd does: the name of the stream that standard error is.
    let log = world.folder + "/journal"
    let script = "exec 2>\"$1\"; JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2) exec \"$0\" run --plain --config \"$2\""
    let kiosk = try Service(
      URL(fileURLWithPath: "/bin/sh"), ["-c", script, try Programs.built("tappet").path, log, world.configPath],
      log: world.folder + "/shell.log")
    #expect(eventually { textSoFar(log).contains("event=reader-ready") })
    #expect(kiosk.end(SIGTERM))
    let noted = textSoFar(log).split(separator: "\n")
    #expect(noted.allSatisfy { $0.firstMatch(of: /^<[3-6]>\S/) != nil }, "\(noted)")
  }

  @Test func `no key appears in a log, a process list or the state folder`() throws {
    let world = try KioskWorld()
    try world.start()
    let kiosk = try #require(world.kiosk)
    let carrying = try Signing.url(index: "1", key: world.keys[1], carriesKey: true)
    _ = try world.tap("ntag215 uid=\(world.freshUID()) url=\(carrying)", until: "delivered-by-tag", messages: 1)
    var places = ["log": Data(world.log.utf8)]
    for pid in [kiosk.pid] + Kernel.children(of: kiosk.pid) {
      places["process \(pid)"] = Data(Kernel.commandLine(pid).utf8)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder + "/state") {
      places[name] = FileManager.default.contents(atPath: world.folder + "/state/" + name)
    }
    #expect(places.count >= 5)
    for key in world.keys + [world.timestampKey] {
      let digits = Array(key.utf8)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
      }
      for (place, content) in places {
        #expect(content.range(of: Data(digits)) == nil, "\(place)")
        #expect(content.range(of: Data(bytes)) == nil, "\(place)")
      }
    }
  }
}
