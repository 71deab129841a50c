// The broker tool tries the broker, waits, clears, records, replays and measures.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTProbeTests {
  private func words(_ broker: TestBroker, _ command: String) -> [String] {
    ["mqtt", command, "--url", "mqtt://localhost:\(broker.port)"]
  }

  private func run(_ broker: TestBroker, _ command: String, _ more: String..., input: String = "") throws -> Finished {
    try Programs.run(try Programs.built("tappet"), words(broker, command) + more, input: input)
  }

  @Test func `probe tests the broker's features, and the certificate's rights on the configured topics`() throws {
    let world = try KioskWorld()
    let list = world.folder + "/access"
    try "pattern readwrite home/light\npattern readwrite home/garage\npattern readwrite tappet/#\n".write(
      toFile: list, atomically: true, encoding: .utf8)
    let settings = world.folder + "/broker-server/mosquitto.conf"
    let text = try String(contentsOfFile: settings, encoding: .utf8)
    try (text + "acl_file \(list)\nmax_keepalive 45\n").write(toFile: settings, atomically: true, encoding: .utf8)
    world.broker.stop()
    try world.broker.start()
    let asked = try world.tappet("mqtt", "probe")
    #expect(asked.status == 1 && asked.errors.contains("add --yes to confirm") && asked.output.isEmpty, "\(asked)")
    let done = try world.tappet("mqtt", "probe", "--yes")
    #expect(done.status == 1, "\(done)")
    for feature in ["QoS 1", "QoS 2", "retained messages", "wildcards", "shared subscriptions"] {
      #expect(done.output.contains("ok    " + feature), "\(feature): \(done)")
    }
    #expect(done.output.contains("the broker requires 45 s"), "\(done)")
    #expect(done.output.contains("light: a message to home/light was accepted and received back"), "\(done)")
    #expect(
      done.output.contains("no    publish               bell: home/bell is refused: the broker's access list"),
      "\(done)")
    let denied = try world.tappet("mqtt", "probe", "--yes", "--topic", "elsewhere")
    #expect(denied.output.contains("no    QoS 1"), "\(denied)")
  }

  @Test func `wait prints the first matching message, or exits with 27`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("wait")
    #expect(try run(broker, "pub", "home/door", #"{"open":false}"#, "--retain").status == 0)
    let waiting = try TestProcess(
      try Programs.built("tappet"),
      words(broker, "wait") + ["home/#", "--match", "open=false", "--ignore-retained", "--timeout", "300"],
      output: folder + "/out", errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to") })
    for message in [#"{"open":true}"#, "text", #"{"open":false,"by":"wind"}"#] {
      #expect(try run(broker, "pub", "home/door", message).status == 0)
    }
    #expect(waiting.ends() && waiting.status == 0)
    #expect(textSoFar(folder + "/out") == #"{"open":false,"by":"wind"}"# + "\n")
    #expect(try run(broker, "wait", "home/door", "--match", "open=false").output == #"{"open":false}"# + "\n")
    let late = try run(broker, "wait", "home/none", "--timeout", "1")
    #expect(late.status == 27 && late.output.isEmpty, "\(late)")
  }

  @Test func `clean lists retained messages, and clears them only with --yes`() throws {
    let broker = try TestBroker(.plain)
    for name in ["a", "b"] { #expect(try run(broker, "pub", "old/" + name, "x", "--retain").status == 0) }
    #expect(try run(broker, "pub", "new/a", "x", "--retain").status == 0)
    let dry = try run(broker, "clean", "old/#", "--dry-run")
    #expect(dry.status == 0 && dry.output == "old/a  1 byte\nold/b  1 byte\n", "\(dry)")
    #expect(dry.errors.contains("2 retained messages; 0 cleared"), "\(dry)")
    #expect(try run(broker, "clean", "old/#").errors.contains("add --yes to confirm"))
    #expect(try run(broker, "clean", "old/#", "--yes").errors.contains("2 retained messages; 2 cleared"))
    #expect(try run(broker, "clean", "#", "--dry-run").output == "new/a  1 byte\n")
  }

  @Test func `a recording is replayed elsewhere, in order and with its timing`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("record")
    let file = folder + "/file"
    let recording = try TestProcess(
      try Programs.built("tappet"), words(broker, "record") + [file, "home/#", "--count", "3"], errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to") })
    for text in ["one", "two", "three"] { #expect(try run(broker, "pub", "home/light", text).status == 0) }
    #expect(recording.ends() && recording.status == 0)
    let lines = textSoFar(file).split(separator: "\n")
    #expect(lines.count == 3 && lines.first?.hasPrefix(#"{"us":0,"topic":"home/light","qos":1,"#) == true, "\(lines)")
    let witness = try broker.subscribe("test/#")
    let replayed = try run(broker, "replay", file, "--topic-map", "home/#=test/#", "--speed", "2")
    #expect(replayed.status == 0 && replayed.output.contains("3 of 3 acknowledged"), "\(replayed)")
    #expect(eventually { witness.messages.count == 3 })
    #expect(witness.messages.map { String($0.split(separator: " ").last ?? "") } == ["one", "two", "three"])
    let again = try run(broker, "record", file, "#", "--count", "1")
    #expect(again.status == 4 && again.errors.contains("already exists"), "\(again)")
    try "nothing\n".write(toFile: folder + "/foreign", atomically: true, encoding: .utf8)
    let foreign = try run(broker, "replay", folder + "/foreign")
    #expect(foreign.status == 4 && foreign.errors.contains("line 1 of"), "\(foreign)")
  }

  @Test func `bench counts every message, and draws a histogram of latencies`() throws {
    let broker = try TestBroker(.plain)
    let done = try run(broker, "bench", "--rate", "20", "--for", "2")
    #expect(done.status == 0 && done.output.contains("sent 40, acknowledged 40, refused 0"), "\(done)")
    #expect(done.output.contains("lost 0, duplicates 0, out of order 0"), "\(done)")
    #expect(done.output.contains("p99.9 ") && done.output.contains(" ####"), "\(done)")
  }
}
