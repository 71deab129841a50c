// The broker tool with a broker of another make, which has neither MQTT 5 nor QoS 2.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: NATSServer.path != nil, "there is no nats-server: tools/deps install tests"))
struct MQTTOtherMakeTests {
  private let broker: NATSServer

  init() throws { broker = try NATSServer() }

  private func words(_ command: String, _ more: [String]) -> [String] {
    let files = ["ca", "certificate", "private-key"], names = ["ca.pem", "client.pem", "client.key"]
    let tls = zip(files, names).flatMap { ["--" + $0, TestCertificates.path($1)] }
    return ["mqtt", command, "--url", "mqtts://localhost:\(broker.port)"] + tls + more
  }

  private func run(_ command: String, _ more: String...) throws -> Finished {
    try Programs.run(try Programs.built("tappet"), words(command, more))
  }

  @Test func `a broker of another make accepts and delivers messages with MQTT 3.1.1`() throws {
    let connected = try run("connect")
    #expect(connected.status == 0 && connected.output.contains("MQTT 3.1.1: accepted"), "\(connected)")
    let folder = TestFolder.make("other-make")
    let subscriber = try TestProcess(
      try Programs.built("tappet"), words("sub", ["home/#", "--count", "2", "--format", "%t %p q%q"]),
      output: folder + "/out", errors: folder + "/err")
    #expect(eventually { textSoFar(folder + "/err").contains("subscribed to \"home/#\" with QoS 1") })
    for text in ["on", "off"] {
      let sent = try run("pub", "home/light", text)
      #expect(sent.status == 0 && sent.output.contains("1 of 1 acknowledged (PUBACK)"), "\(sent)")
    }
    #expect(subscriber.ends() && subscriber.status == 0, "\(textSoFar(folder + "/err"))")
    #expect(textSoFar(folder + "/out") == "home/light on q1\nhome/light off q1\n")
    #expect(try run("pub", "home/kept", "x", "--retain").status == 0)
    // Retained messages may come after this broker's answer.
    #expect(
      try eventually {
        let kept = try run("sub", "#", "--retained", "only", "--format", "%t %p")
        return kept.status == 0 && kept.output == "home/kept x\n"
      })
  }

  @Test func `probe reports missing features`() throws {
    let probed = try run("probe", "--yes")
    #expect(probed.status == 1 && probed.output.contains("ok    QoS 1"), "\(probed)")
    #expect(probed.output.contains("no    QoS 2") && probed.output.contains("ok    retained messages"), "\(probed)")
  }

  @Test func `without a certificate the broker aborts the handshake`() throws {
    let ca = ["--ca", TestCertificates.path("ca.pem")]
    let done = try Programs.run(
      try Programs.built("tappet"), ["mqtt", "connect", "--url", "mqtts://localhost:\(broker.port)"] + ca)
    #expect(done.status == 14 && done.output.contains("certificate"), "\(done)")
  }
}
