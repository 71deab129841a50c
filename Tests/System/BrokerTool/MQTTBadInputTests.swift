// The broker tool and messages at both ends of what MQTT allows, tokens under other keys, and terminals that go away.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTBadInputTests {
  private let broker: TestBroker
  private let folder = TestFolder.make("bad-input")
  private let tappet: URL

  init() throws {
    broker = try TestBroker(.plain)
    tappet = try Programs.built("tappet")
  }

  private var url: [String] { ["--url", "mqtt://localhost:\(broker.port)"] }

  private func run(_ command: String, _ more: String...) throws -> Finished {
    try Programs.run(tappet, ["mqtt", command] + url + more)
  }

  /// A file of zeros that takes no room on the disk.
  private func zeros(_ count: UInt64) throws -> String {
    let path = folder + "/zeros-\(count)"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: count)
    try file.close()
    return path
  }

  @Test func `an empty message is shown as such, in each format`() throws {
    let subscriber = try TestProcess(
      tappet, ["mqtt", "sub"] + url + ["a/#", "--count", "2"], output: folder + "/out", errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to") })
    #expect(try run("pub", "a/none", "--empty").status == 0)
    #expect(try run("pub", "a/none", "--file", try zeros(0)).status == 0)
    #expect(subscriber.ends() && subscriber.status == 0)
    let lines = textSoFar(folder + "/out").split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" q1  a/none  (no bytes)") }, "\(lines)")
  }

  @Test func `a message of 256 MB is refused before it is read, and a received one is counted but not shown`() throws {
    let refused = try run("pub", "a/large", "--file", try zeros(268_435_455))
    #expect(refused.status == 4 && refused.errors.contains("zeros-268435455"), "\(refused)")
    #expect(refused.output.isEmpty && !broker.log.contains("Client tappet-mqtt"), "\(refused)")
    let subscriber = try TestProcess(
      tappet, ["mqtt", "sub"] + url + ["a/#", "--qos", "0", "--for", "600"], output: folder + "/out",
      errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to") })
    // 12 bytes less than MQTT's largest packet, for its topic.
    let large = try Programs.run(
      try Programs.installed("mosquitto_pub"),
      ["-h", "localhost", "-p", "\(broker.port)", "-t", "a/large", "-q", "1", "-f", try zeros(268_435_443)])
    #expect(large.status == 0, "\(large)")
    #expect(try run("pub", "a/small", "afterwards").status == 0)
    #expect(
      eventually { textSoFar(folder + "/out").contains("a/small  afterwards") }, "\(textSoFar(folder + "/err"))")
    subscriber.send(SIGINT)
    #expect(subscriber.ends() && subscriber.status == 0)
    #expect(!textSoFar(folder + "/out").contains("a/large"))
    #expect(
      textSoFar(folder + "/err").contains("1 discarded, larger than 262144 bytes"), "\(textSoFar(folder + "/err"))")
  }

  @Test func `pub and sub use the same token, and a different key does not open it`() throws {
    let world = try KioskWorld()
    let began = Date()
    let foreign = world.folder + "/foreign.key"
    // One strange key in 256 fits a token's checksum: these two do not fit each other's.
    let keys = [
      world.folder + "/timestamp.key": "00112233445566778899aabbccddeeff", foreign: "ffeeddccbbaa99887766554433221100",
    ]
    let tokens = (own: "bbfe79bbf1f387918ad71cbb62fc06a8", foreign: "a253be90ae3b58850818eac1bbd45c0a")
    for (path, key) in keys {
      try (key + "\n").write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    #expect(try world.tappet("mqtt", "pub", "home/token", "open %T", "--fill", "--retain").status == 0)
    let own = try world.tappet("mqtt", "sub", "home/token", "--count", "1", "--decode-token").output
    let age = try #require(own.firstMatch(of: /\[%T of [^,]+, (\d+) s old\]/), "\(own)").1
    #expect(Int(age).map { Double($0) <= Date().timeIntervalSince(began) + 2 } ?? false, "\(own)")
    #expect(try world.tappet("mqtt", "pub", "home/token", "open \(tokens.own)", "--retain").status == 0)
    let known = try world.tappet("mqtt", "sub", "home/token", "--count", "1", "--decode-token").output
    #expect(known.contains("[%T"), "\(known)")
    let other = try world.tappet(
      "mqtt", "sub", "home/token", "--count", "1", "--decode-token", "--key-file", foreign)
    #expect(other.status == 0 && !other.output.contains("[%T"), "\(other)")
    let sent = try world.tappet("mqtt", "pub", "home/token", "%T", "--fill", "--retain", "--key-file", foreign)
    #expect(sent.status == 0, "\(sent)")
    let opened = try world.tappet(
      "mqtt", "sub", "home/token", "--count", "1", "--decode-token", "--key-file", foreign)
    #expect(opened.output.contains(" s old]"), "\(opened)")
    #expect(try world.tappet("mqtt", "pub", "home/token", tokens.foreign, "--retain").status == 0)
    #expect(!(try world.tappet("mqtt", "sub", "home/token", "--count", "1", "--decode-token").output.contains("[%T")))
  }

  @Test func `the command ends when the reader of its output exits`() throws {
    let command = "\(tappet.path) mqtt sub \(url.joined(separator: " ")) '#' --for 600 | head -n 1"
    let shell = try TestProcess(
      URL(fileURLWithPath: "/bin/sh"), ["-c", command], output: folder + "/out", errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to") })
    #expect(eventually { (try? run("pub", "a", "x").status) == 0 && !shell.isRunning })
    #expect(textSoFar(folder + "/out").hasSuffix(" q1  a  x\n"), "\(textSoFar(folder + "/out"))")
  }
}
