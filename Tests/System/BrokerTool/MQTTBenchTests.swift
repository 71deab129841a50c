// 'tappet mqtt bench': many clients, and an end with figures whatever ends it.

import Foundation
import TestSupport
import Testing

/// The words of 'tappet mqtt bench' at a broker.
private func words(_ broker: TestBroker, _ more: [String], usesTLS: Bool = true) -> [String] {
  guard usesTLS else { return ["mqtt", "bench", "--url", "mqtt://localhost:\(broker.port)"] + more }
  let files = ["--ca": "ca.pem", "--certificate": "client.pem", "--private-key": "client.key"]
  return ["mqtt", "bench", "--url", "mqtts://localhost:\(broker.port)"]
    + files.flatMap { [$0.key, TestCertificates.path($0.value)] } + more
}

/// 300 handshakes take half a minute.
@Suite struct MQTTBenchClientsVerifyTests {
  @Test func `300 clients over TLS take at most 60 KB each, and none of their messages is lost`() throws {
    let broker = try TestBroker()
    let done = try Programs.run(
      try Programs.built("tappet"),
      words(broker, ["--clients", "300", "--rate", "600", "--for", "3", "--json"]), limit: 5 * patience)
    #expect(done.status == 0, "\(done)")
    let figures = done.data
    #expect(figures["clients"] as? Int == 300 && figures["received"] as? Int == 1800, "\(done)")
    #expect(figures["duplicates"] as? Int == 0 && figures["disordered"] as? Int == 0, "\(done)")
    let size = try #require(figures["bytes_per_client"] as? Int, "\(done)")
    // A client without memory of its own would not be one.
    #expect((5000...60_000).contains(size), "\(size)")
  }
}

@Suite(.serialized) struct MQTTBenchTests {
  @Test func `each client has its own topic and client id`() throws {
    let broker = try TestBroker(.plain)
    let witness = try broker.subscribe("test/#")
    let done = try Programs.run(
      try Programs.built("tappet"),
      words(
        broker, ["--clients", "3", "--rate", "6", "--for", "1", "--topic", "test", "--client-id", "bench"],
        usesTLS: false))
    #expect(done.status == 0 && done.output.contains("3 clients\n"), "\(done)")
    #expect(eventually { witness.messages.count == 6 }, "\(witness.messages)")
    let parts = witness.messages.map { $0.split(separator: " ") }
    let topics = parts.map { $0.first { $0.hasPrefix("test/") }?.split(separator: "/") ?? [] }
    #expect(topics.allSatisfy { $0.count == 3 })
    // Three connections keep no order among each other.
    let numbers = topics.compactMap { $0.last }.map(String.init)
    #expect(numbers.sorted() == ["0", "0", "1", "1", "2", "2"], "\(topics)")
    let many = try Programs.run(try Programs.built("tappet"), words(broker, ["--clients", "10001"], usesTLS: false))
    #expect(many.status == 2, "\(many)")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends the command with the figures so far`(_ signal: Int32) throws {
    let broker = try TestBroker(.plain)
    let witness = try broker.subscribe("tappet/bench/#")
    let folder = TestFolder.make("bench-signal")
    let process = try TestProcess(
      try Programs.built("tappet"), words(broker, ["--rate", "100", "--for", "600"], usesTLS: false),
      output: folder + "/out", errors: folder + "/err")
    #expect(eventually { witness.messages.count > 20 })
    process.send(signal)
    #expect(process.ends() && process.status == 0, "\(textSoFar(folder + "/err"))")
    let text = textSoFar(folder + "/out")
    #expect(text.contains("lost 0, duplicates 0, out of order 0") && text.contains("p99.9 "), "\(text)")
  }

  @Test func `losing the broker ends the command with the figures so far and the cause`() throws {
    let broker = try TestBroker(.plain)
    let witness = try broker.subscribe("tappet/bench/#")
    let folder = TestFolder.make("bench-lost")
    let process = try TestProcess(
      try Programs.built("tappet"), words(broker, ["--rate", "100", "--for", "600", "--clients", "4"], usesTLS: false),
      output: folder + "/out", errors: folder + "/err")
    #expect(eventually { witness.messages.count > 20 })
    broker.stop(abruptly: true)
    #expect(process.ends() && process.status == 19, "\(textSoFar(folder + "/err"))")
    #expect(textSoFar(folder + "/out").contains("received ") && !textSoFar(folder + "/err").isEmpty)
  }

  @Test func `a broker that refuses another client is reported with the client's number`() throws {
    let broker = try TestBroker(.plain, more: "max_connections 5\n")
    let done = try Programs.run(
      try Programs.built("tappet"), words(broker, ["--clients", "20", "--for", "1"], usesTLS: false))
    #expect(done.status != 0 && done.errors.contains("client ") && done.errors.contains(" of 20: "), "\(done)")
  }
}
