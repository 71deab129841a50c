// 'tappet mqtt pub' and 'sub': what was acknowledged, what came, and nothing raw on the terminal.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTMessageTests {
  private static let tls = [
    "--ca", TestCertificates.path("ca.pem"), "--certificate", TestCertificates.path("client.pem"), "--private-key",
    TestCertificates.path("client.key"),
  ]

  private func words(_ broker: TestBroker, _ command: String, isPlain: Bool = false) -> [String] {
    ["mqtt", command, "--url", "mqtt\(isPlain ? "" : "s")://localhost:\(broker.port)"] + (isPlain ? [] : Self.tls)
  }

  private func run(
    _ broker: TestBroker, _ command: String, _ more: String..., isPlain: Bool = false, input: String = ""
  ) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"), words(broker, command, isPlain: isPlain) + more, input: input, limit: 60)
  }

  /// A running 'sub' that is subscribed.
  private func subscribe(
    _ broker: TestBroker, _ more: [String], in folder: String, isPlain: Bool = false
  ) throws -> TestProcess {
    let process = try TestProcess(
      try Programs.built("tappet"), words(broker, "sub", isPlain: isPlain) + more, output: folder + "/out",
      errors: folder + "/err")
    guard eventually(15, { textSoFar(folder + "/err").contains("subscribed to ") }) else {
      throw TestFault(textSoFar(folder + "/err"))
    }
    return process
  }

  @Test func `a message counts when the broker has acknowledged it, with each quality of service`() throws {
    let broker = try TestBroker()
    let witness = try broker.subscribe("home/#")
    #expect(
      try run(broker, "pub", "home/light", "on").output.contains("1 of 1 acknowledged (PUBACK), the slowest after"))
    #expect(try run(broker, "pub", "home/light", "two", "--qos", "2").output.contains("1 of 1 acknowledged (PUBCOMP)"))
    let unknown = try run(broker, "pub", "home/light", "zero", "--qos", "0")
    #expect(unknown.status == 0 && unknown.output.contains("nobody knows whether"), "\(unknown)")
    let kept = try run(broker, "pub", "home/kept", "--retain", "--empty")
    #expect(kept.status == 0, "\(kept)")
    let unheard = try run(broker, "pub", "elsewhere", "x")
    #expect(unheard.status == 0 && unheard.output.contains("nobody subscribes to the topic"), "\(unheard)")
    #expect(eventually(5) { witness.messages.count == 4 }, "\(witness.messages)")
    #expect(witness.messages.map { $0.split(separator: " ").last ?? "" }.prefix(3) == ["on", "two", "zero"])
  }

  @Test func `lines are messages, in order, and none is lost`() throws {
    let broker = try TestBroker(.plain, more: "max_queued_messages 0\n")
    let folder = TestFolder.make("lines")
    let subscriber = try subscribe(broker, ["lines", "--count", "20000", "--csv"], in: folder, isPlain: true)
    let lines = (0..<20_000).map { "line-\($0)" }
    let done = try run(
      broker, "pub", "lines", "--lines", isPlain: true, input: lines.joined(separator: "\n"))
    #expect(done.status == 0 && done.output.contains("20000 of 20000 acknowledged"), "\(done)")
    #expect(done.output.contains("also acknowledges what its access list denies"), "\(done)")
    #expect(subscriber.ends(within: 30) && subscriber.status == 0, "\(textSoFar(folder + "/err"))")
    let came = textSoFar(folder + "/out").split(separator: "\n").dropFirst().map {
      String($0.split(separator: ",").last ?? "")
    }
    #expect(came == lines)
  }

  @Test func `a message that the access list denies is refused, and so is a filter with a mistake`() throws {
    let folder = TestFolder.make("access")
    try "pattern readwrite home/#\n".write(toFile: folder + "/acl", atomically: true, encoding: .utf8)
    let broker = try TestBroker(more: "acl_file \(folder)/acl\n")
    let done = try run(broker, "pub", "garden/light", "on")
    #expect(done.status == 20 && done.errors.contains("its access list does not allow"), "\(done)")
    #expect(done.errors.contains("0 of 1 messages were acknowledged"), "\(done)")
    #expect(try run(broker, "pub", "home/+", "on").status == 2)
    #expect(try run(broker, "pub", "home/light").errors.contains("give one of MESSAGE"))
    for filter in ["home/#/light", "home/li+", ""] {
      let wrong = try run(broker, "sub", filter)
      #expect(wrong.status == 2 && !wrong.errors.isEmpty, "\(filter): \(wrong)")
    }
  }

  @Test func `bytes that are not text, or would control the terminal, are shown safely`() throws {
    let broker = try TestBroker()
    let folder = TestFolder.make("bytes")
    try Data([0x00, 0xFF, 0x1B]).write(to: URL(fileURLWithPath: folder + "/binary"))
    try "\u{1B}[2Jclear \u{202E}bidi\u{202C}".write(toFile: folder + "/control", atomically: true, encoding: .utf8)
    #expect(try run(broker, "pub", "a/binary", "--retain", "--file", folder + "/binary").status == 0)
    #expect(try run(broker, "pub", "b/control", "--retain", "--file", folder + "/control").status == 0)
    #expect(try run(broker, "pub", "c/\u{202E}topic", "--retain", "text").status == 0)
    let shown = try run(broker, "sub", "#", "--retained", "only")
    let lines = shown.output.split(separator: "\n").map(String.init)
    try #require(shown.status == 0 && lines.count == 3, "\(shown)")
    #expect(lines[0].hasSuffix(" q1r a/binary  base64:AP8b"), "\(lines)")
    #expect(lines[1].hasSuffix(" q1r b/control  \\u{1b}[2Jclear \\u{202e}bidi\\u{202c}"), "\(lines)")
    #expect(lines[2].hasSuffix(" q1r c/\\u{202e}topic  text"), "\(lines)")
    #expect(shown.errors.contains("subscribed to \"#\" with QoS 1"), "\(shown)")
    #expect(shown.errors.contains("3 messages (3 retained)"), "\(shown)")
    let hex = try run(broker, "sub", "a/#", "--count", "1", "--hex")
    #expect(hex.output.hasSuffix("a/binary  00ff1b\n"), "\(hex)")
    let csv = try run(broker, "sub", "b/#", "--count", "1", "--csv")
    #expect(csv.output.hasPrefix("time,topic,qos,retained,size,encoding,payload\n"))
    #expect(!csv.output.contains("\u{1B}"), "\(csv)")
    let none = try run(broker, "sub", "a/#", "--retained", "no", "--count", "1", "--for", "1")
    #expect(none.status == 27 && none.errors.contains("0 of 1 messages have come"), "\(none)")
  }

  @Test func `a subscription outlives its connection, and Ctrl-C ends it with a summary`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("again")
    let subscriber = try subscribe(broker, ["home/#"], in: folder, isPlain: true)
    broker.stop()
    #expect(eventually(10) { textSoFar(folder + "/err").contains("connecting again in 1 s") })
    try broker.start()
    #expect(eventually(20) { textSoFar(folder + "/err").components(separatedBy: "subscribed to").count == 3 })
    #expect(try run(broker, "pub", "home/light", "on", isPlain: true).status == 0)
    #expect(eventually(10) { textSoFar(folder + "/out").contains("home/light  on") })
    subscriber.send(SIGINT)
    #expect(subscriber.ends(within: 10) && subscriber.status == 0)
    let errors = textSoFar(folder + "/err")
    #expect(errors.contains("1 messages (0 retained)") && errors.contains("1 reconnects"), "\(errors)")
  }
}
