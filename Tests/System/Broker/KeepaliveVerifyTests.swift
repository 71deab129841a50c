// Ten minutes of messages with QoS 0 every 20 s, with the default keepalive: a client that sends nothing must ping all
// the same, because a broker counts only what it receives (MQTT 3.1.1 §3.1.2.10).

import Foundation
import TestSupport
import Testing

// Not in the gate: it takes ten minutes.
@Suite struct KeepaliveVerifyTests {
  @Test func `clients that only receive stay connected for ten minutes`() throws {
    let screen = try BrokerScreen("keepalive")
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(more: "commands: [{topic: junk/kiosk, trust: trusted, actions: [bell]}]"))
    try world.start()
    func receiver(_ name: String, _ words: [String]) throws -> Service {
      try Service(screen.tappet, ["mqtt", "sub", "junk/#"] + words, log: screen.folder + "/" + name)
    }
    let receivers = [
      try receiver("plain", ["--url", screen.url]), try receiver("qos-1", ["--qos", "1", "--url", screen.url]),
      try receiver("tls", ["--config", world.configPath]),
    ]
    let fleet = try screen.terminal(["fleet", "watch"])
    let library = try librarySubscriber(screen)
    for _ in 0..<30 {
      try screen.publish("junk/all", "junk")
      try screen.publish("tappet/attic/status", "online")
      let done = try Programs.run(
        screen.tappet, ["mqtt", "pub", "--config", world.configPath, "--qos", "0", "junk/kiosk", "junk"])
      #expect(done.status == 0, "\(done.errors)")
      pause(seconds: 20, "the traffic of a quiet house")
    }
    #expect(receivers.allSatisfy { $0.isRunning } && fleet.shows("attic"))
    #expect(library.isRunning && library.text.split(separator: "\n").count == 1 + 30, "\(library.text)")
    #expect(!screen.broker.log.contains("exceeded timeout"), "\(screen.broker.log.suffix(2000))")
    #expect(!textSoFar(world.folder + "/broker-server/log").contains("exceeded timeout"))
    #expect(!world.log.contains("event=broker-lost"), "\(world.log.suffix(2000))")
  }

  /// A program in C that subscribes through the built libtappet.
  private func librarySubscriber(_ screen: BrokerScreen) throws -> Service {
    let (program, libraries) = (screen.folder + "/subscriber", Repository.path("build/lib"))
    let made = try Programs.run(
      try Programs.installed("cc"),
      [
        "-std=c99", "-I", Repository.path("Include"), "-o", program,
        Repository.path("Tests/Interface/C/subscriber.c"), "-L", libraries, "-Wl,-rpath," + libraries, "-ltappet",
      ])
    guard made.status == 0 else { throw TestFault(made.errors) }
    let subscriber = try Service(
      URL(fileURLWithPath: program), [screen.url, "junk/#"], log: screen.folder + "/library")
    guard eventually({ subscriber.text == "subscribed\n" }) else { throw TestFault(subscriber.text) }
    return subscriber
  }
}
