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
      try Programs.built("tappet"), words(broker, command, isPlain: isPlain) + more, input: input)
  }

  /// A running 'sub' that is subscribed.
  private func subscribe(
    _ broker: TestBroker, _ more: [String], in folder: String, isPlain: Bool = false
  ) throws -> TestProcess {
    let process = try TestProcess(
      try Programs.built("tappet"), words(broker, "sub", isPlain: isPlain) + more, output: folder + "/out",
      errors: folder + "/err")
    guard eventually({ textSoFar(folder + "/err").contains("subscribed to ") }) else {
      throw TestFault(textSoFar(folder + "/err"))
    }
    return process
  }

  @Test func `a message counts once the broker has acknowledged it, at each quality of service`() throws {
    let broker = try TestBroker()
    let witness = try broker.subscribe("home/#")
    #expect(
      try run(broker, "pub", "home/light", "on").output.contains("1 of 1 acknowledged (PUBACK), the slowest after"))
    #expect(try run(broker, "pub", "home/light", "two", "--qos", "2").output.contains("1 of 1 acknowledged (PUBCOMP)"))
    let unknown = try run(broker, "pub", "home/light", "zero", "--qos", "0")
    #expect(unknown.status == 0 && unknown.output.contains("QoS 0 messages are not acknowledged"), "\(unknown)")
    let kept = try run(broker, "pub", "home/kept", "--retain", "--empty")
    #expect(kept.status == 0, "\(kept)")
    let unheard = try run(broker, "pub", "elsewhere", "x")
    #expect(unheard.status == 0 && unheard.output.contains("no subscriber on the topic"), "\(unheard)")
    let counted = try run(broker, "pub", "elsewhere", "x", "--json").data
    #expect(counted["unheard"] as? Int == 1, "\(counted)")
    let unknown311 = try run(broker, "pub", "elsewhere", "x", "--json", "--protocol", "3.1.1").data
    #expect(unknown311["unheard"] is NSNull, "\(unknown311)")
    #expect(eventually { witness.messages.count == 4 }, "\(witness.messages)")
    #expect(witness.messages.map { $0.split(separator: " ").last ?? "" }.prefix(3) == ["on", "two", "zero"])
  }

  @Test func `each line becomes a message, in order, and none is lost`() throws {
    let broker = try TestBroker(.plain, more: "max_queued_messages 0\nmax_inflight_messages 0\n")
    let folder = TestFolder.make("lines")
    let subscriber = try subscribe(broker, ["lines", "--count", "1000", "--csv"], in: folder, isPlain: true)
    let lines = (0..<1000).map { "line-\($0)" }
    let done = try run(
      broker, "pub", "lines", "--lines", isPlain: true, input: lines.joined(separator: "\n"))
    #expect(done.status == 0 && done.output.contains("1000 of 1000 acknowledged"), "\(done)")
    #expect(done.output.contains("also acknowledges messages that its access list denies"), "\(done)")
    #expect(subscriber.ends() && subscriber.status == 0, "\(textSoFar(folder + "/err"))")
    let came = textSoFar(folder + "/out").split(separator: "\n").dropFirst().map {
      String($0.split(separator: ",").last ?? "")
    }
    #expect(came == lines)
  }

  @Test func `a message denied by the access list is refused, and so is an invalid filter`() throws {
    let folder = TestFolder.make("access")
    try "pattern readwrite home/#\n".write(toFile: folder + "/acl", atomically: true, encoding: .utf8)
    let broker = try TestBroker(more: "acl_file \(folder)/acl\n")
    let done = try run(broker, "pub", "garden/light", "on")
    #expect(done.status == 20 && done.errors.contains("access list does not allow"), "\(done)")
    #expect(done.errors.contains("0 of 1 message was acknowledged"), "\(done)")
    #expect(try run(broker, "pub", "home/+", "on").status == 2)
    #expect(try run(broker, "pub", "home/light").errors.contains("specify exactly one of MESSAGE"))
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
    let hex = try run(broker, "sub", "a/#", "--count", "1", "--format", "%t  %x")
    #expect(hex.output.hasSuffix("a/binary  00ff1b\n"), "\(hex)")
    let csv = try run(broker, "sub", "b/#", "--count", "1", "--csv")
    #expect(csv.output.hasPrefix("time,topic,qos,retained,size,encoding,payload\n"))
    #expect(!csv.output.contains("\u{1B}"), "\(csv)")
    let none = try run(broker, "sub", "a/#", "--retained", "no", "--count", "1", "--for", "1")
    #expect(none.status == 27 && none.errors.contains("0 of 1 message received"), "\(none)")
  }

  @Test func `a refused filter is reported with the broker's reason, and the other filters stay active`() throws {
    let peer = TestPeer(.answerEach([[0x20, 2, 0, 0], [0x90, 3, 0, 1, 0x80], [0x90, 3, 0, 2, 0]]))
    let url = ["--url", "mqtt://127.0.0.1:\(peer.port)"]
    let tappet = try Programs.built("tappet")
    let errors = TestFolder.make("refused") + "/err"
    let other = try TestProcess(
      tappet, ["mqtt", "sub"] + url + ["home/#", "garden/#", "--qos", "0"], errors: errors)
    #expect(
      eventually { textSoFar(errors).contains("subscribed to \"garden/#\" with QoS 0") }, "\(textSoFar(errors))")
    #expect(textSoFar(errors).contains("the broker refused the subscription to \"home/#\": "), "\(textSoFar(errors))")
    other.send(SIGINT)
    #expect(other.ends() && other.status == 0)
    let only = TestPeer(.answerEach([[0x20, 2, 0, 0], [0x90, 3, 0, 1, 0x80]]))
    let done = try Programs.run(tappet, ["mqtt", "sub", "--url", "mqtt://127.0.0.1:\(only.port)", "home/#"])
    #expect(done.status == 21 && done.errors.contains("the broker refused every filter"), "\(done)")
  }

  @Test func `a topic that is not text ends the connection, and a zero-width character is made visible`() throws {
    let broken: [UInt8] = [0x90, 3, 0, 1, 0, 0x30, 6, 0, 3, 0xC3, 0x28, 0x1B, 0x78]
    let peer = TestPeer(.answerEach([[0x20, 2, 0, 0], broken]))
    let folder = TestFolder.make("not-text")
    let subscriber = try TestProcess(
      try Programs.built("tappet"), ["mqtt", "sub", "--url", "mqtt://127.0.0.1:\(peer.port)", "#", "--qos", "0"],
      output: folder + "/out", errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("reconnecting in 1 s") })
    subscriber.stop(SIGINT)
    #expect(textSoFar(folder + "/out").isEmpty && !textSoFar(folder + "/err").contains("\u{1B}"))
    let broker = try TestBroker(.plain)
    #expect(try run(broker, "pub", "home/\u{200B}light", "o\u{2060}n", "--retain", isPlain: true).status == 0)
    let shown = try run(broker, "sub", "#", "--retained", "only", isPlain: true)
    #expect(shown.output.hasSuffix(" q1r home/\\u{200b}light  o\\u{2060}n\n"), "\(shown)")
  }

  @Test func `lines have the format that --format specifies`() throws {
    let broker = try TestBroker()
    #expect(try run(broker, "pub", "home/light", "on", "--retain").status == 0)
    let shown = try run(
      broker, "sub", "home/#", "--count", "1", "--format", #"%t\t%p %x %l q%q r%r 100%%"#)
    #expect(shown.output == "home/light\ton 6f6e 2 q1 r1 100%\n", "\(shown)")
    #expect(try run(broker, "sub", "#", "--format", "%k").errors.contains("--format supports"))
    #expect(try run(broker, "sub", "#", "--csv", "--json").status == 2)
  }

  @Test func `a placeholder is replaced with a timestamp token, which the kiosk's key opens`() throws {
    let world = try KioskWorld()
    let sent = try world.tappet("mqtt", "pub", "home/token", "at=%T, again %T", "--fill", "--retain")
    #expect(sent.status == 0, "\(sent)")
    let kept = try world.tappet("mqtt", "sub", "home/token", "--count", "1", "--format", "%p").output
    let token = try #require(kept.wholeMatch(of: /at=([0-9a-f]{32}), again %T\n/), "\(kept)").1
    let opened = try world.tappet("token", "open", String(token))
    #expect(opened.status == 0, "\(opened)")
    let second = try world.tappet("mqtt", "pub", "home/token", "%T", "--fill", "--retain")
    #expect(second.status == 0)
    #expect(try world.tappet("mqtt", "sub", "home/token", "--count", "1", "--format", "%p").output != "\(token)\n")
  }

  @Test func `an id is inserted once, and an unread message expires in time`() throws {
    let broker = try TestBroker()
    #expect(try run(broker, "pub", "a/id", "id=%I, again %I", "--fill", "--retain").status == 0)
    #expect(try run(broker, "pub", "b/short", "gone", "--retain", "--expiry", "1").status == 0)
    #expect(try run(broker, "pub", "c/long", "kept", "--retain", "--expiry", "1000").status == 0)
    #expect(
      eventually {
        let kept = try? run(broker, "sub", "#", "--retained", "only", "--format", "%t %p")
        let lines = kept?.output.split(separator: "\n") ?? []
        let isFilled = lines.first?.wholeMatch(of: /a\/id id=[0-9a-f]{32}, again %I/) != nil
        return lines.count == 2 && isFilled && lines[1] == "c/long kept"
      })
    let plain = try run(broker, "pub", "a", "b", "--expiry", "1", "--protocol", "3.1.1")
    #expect(plain.status == 2 && plain.errors.contains("--expiry requires MQTT 5"), "\(plain)")
    let old = try TestBroker(.plain)
    #expect(try run(old, "pub", "a", "b", "--expiry", "1", isPlain: true).errors.contains("does not support --expiry"))
  }

  @Test func `a subscription survives a lost connection, and Ctrl-C ends it with a summary`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("again")
    let subscriber = try subscribe(broker, ["home/#"], in: folder, isPlain: true)
    broker.stop()
    #expect(eventually { textSoFar(folder + "/err").contains("reconnecting in 1 s") })
    try broker.start()
    #expect(eventually { textSoFar(folder + "/err").components(separatedBy: "subscribed to").count == 3 })
    #expect(try run(broker, "pub", "home/light", "on", isPlain: true).status == 0)
    #expect(eventually { textSoFar(folder + "/out").contains("home/light  on") })
    subscriber.send(SIGINT)
    #expect(subscriber.ends() && subscriber.status == 0)
    let errors = textSoFar(folder + "/err")
    #expect(errors.contains("1 message (0 retained)") && errors.contains("1 reconnect"), "\(errors)")
  }
}
