// Commands on their way from a real mosquitto to the link's owner: what is passed on, and what a broker or a stranger
// cannot do with it.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetBroker

/// A link that takes commands from `kiosk/command`, and what it received.
private final class CommandLink: @unchecked Sendable {
  private let lock = NSLock()
  private var received: [LinkReception] = []
  let log = LinkLog()
  private(set) var link: BrokerLink?

  init(_ settings: BrokerSettings) throws {
    var settings = settings
    settings.commandTopics = ["kiosk/command"]
    let log = log
    link = try BrokerLink(
      settings: settings, post: { log.take($0) },
      receive: { [self] reception in lock.withLock { received.append(reception) } })
  }

  deinit { link?.shutdown() }

  func end() {
    link?.shutdown()
    link = nil
  }

  var receptions: [LinkReception] { lock.withLock { received } }

  var messages: [LinkMessage] {
    receptions.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  /// Connects, and waits for the broker's answer to the subscription.
  func isSubscribed() -> Bool {
    link?.connect(endpoint: 0)
    return eventually { self.receptions.contains { if case .subscribed(0, .some(1), _) = $0 { true } else { false } } }
  }
}

/// Debian's own client: mosquitto_pub.
private func publish(_ broker: TestBroker, _ arguments: String..., input: String = "") throws {
  let done = try Programs.run(
    try Programs.installed("mosquitto_pub"),
    [
      "-h", "localhost", "-p", "\(broker.port)", "-q", "1", "-t", "kiosk/command", "--cafile",
      TestCertificates.path("ca.pem"), "--cert", TestCertificates.path("second-client.pem"), "--key",
      TestCertificates.path("second-client.key"),
    ] + arguments, input: input)
  guard done.status == 0 else { throw TestFault(done.errors) }
}

@Suite(.serialized) struct CommandLinkTests {
  @Test func `messages that need no response do not delay pings`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.keepaliveSeconds = 5
    let test = try CommandLink(settings)
    defer { test.end() }
    #expect(test.isSubscribed())
    for number in 1...6 {
      try publish(broker, "-q", "0", "-m", "junk")
      #expect(eventually { test.messages.count == number })
      // The broker ends a connection after 1.5 keepalives without a byte from the client.
      #expect(stays(for: 1.7) { !test.log.events.contains { if case .lost = $0 { true } else { false } } })
    }
    #expect(broker.log.contains("PINGREQ from kiosk-test") && !broker.log.contains("exceeded timeout"))
  }

  @Test(arguments: [MQTTVersion.v311, .v5])
  func `a new command is delivered, and a retained command is suppressed or marked as such`(_ version: MQTTVersion)
    throws
  {
    let broker = try TestBroker()
    try publish(broker, "-r", "-m", "old")
    let test = try CommandLink(broker.settings(version: version))
    defer { test.end() }
    #expect(test.isSubscribed())
    try publish(broker, "-m", "new")
    #expect(eventually { test.messages.contains { $0.payload == Array("new".utf8) && !$0.isRetained } })
    let kept = test.messages.filter { $0.payload == Array("old".utf8) }
    #expect(version == .v5 ? kept.isEmpty : kept.map(\.isRetained) == [true])
    // MQTT 5 says of a message whether it will be kept, before it is sent again.
    try publish(broker, "-r", "-m", "kept")
    #expect(eventually { test.messages.contains { $0.payload == Array("kept".utf8) } })
    #expect(test.messages.last?.isRetained == (version == .v5))
  }

  @Test func `MQTT 5's response topic and correlation data are delivered, and returned with the reply`() throws {
    let broker = try TestBroker()
    let test = try CommandLink(broker.settings(version: .v5))
    defer { test.end() }
    #expect(test.isSubscribed())
    try publish(
      broker, "-V", "mqttv5", "-m", "x", "-D", "publish", "response-topic", "kiosk/reply/me", "-D", "publish",
      "correlation-data", "abc")
    #expect(eventually { !test.messages.isEmpty })
    #expect(
      test.messages.first?.response == CommandResponse(topic: "kiosk/reply/me", correlation: Array("abc".utf8)))
    try publish(broker, "-m", "y")
    #expect(eventually { test.messages.count == 2 } && test.messages[1].response == nil)
    test.link?.publish(
      id: EntryID(high: 1, low: 1), topic: "kiosk/reply/me", payload: [120], isRetained: false,
      correlation: Array("abc".utf8))
    #expect(test.log.wait { $0.contains { if case .acknowledgedUnheard = $0 { true } else { false } } })
  }

  @Test func `only the size of a one-megabyte message arrives, and the link stays connected`() throws {
    let broker = try TestBroker()
    let test = try CommandLink(broker.settings())
    defer { test.end() }
    #expect(test.isSubscribed())
    try publish(broker, "-s", input: String(repeating: "[", count: 1 << 20))
    #expect(eventually { test.messages.count == 1 })
    #expect(test.messages.first?.size == 1 << 20 && test.messages.first?.payload.isEmpty == true)
    try publish(broker, "-m", "on")
    #expect(eventually { test.messages.count == 2 } && test.log.events.count == 1)
  }

  @Test func `a message on an unrequested topic ends the link`() throws {
    let connack: [UInt8] = [0x20, 2, 0, 0]
    let message: [UInt8] = [0x30, 5, 0, 1, 0x61, 0x78, 0x79]
    let peer = TestPeer(.answer(connack + message))
    let test = try CommandLink(
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: false)], clientID: "kiosk-test"))
    defer { test.end() }
    test.link?.connect(endpoint: 0)
    #expect(test.log.wait(.lost(.sentUnasked)) && test.messages.isEmpty, "\(test.log.events)")
  }

  @Test func `a topic that the access list denies is reported`() throws {
    let connack: [UInt8] = [0x20, 2, 0, 0]
    let suback: [UInt8] = [0x90, 3, 0, 1, 0x80]
    let peer = TestPeer(.answer(connack + suback))
    let test = try CommandLink(
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: false)], clientID: "kiosk-test"))
    defer { test.end() }
    test.link?.connect(endpoint: 0)
    #expect(eventually { test.receptions.contains { if case .subscribed(0, nil, _) = $0 { true } else { false } } })
  }

  @Test func `each topic accepts two hundred commands a second, and reports excess ones once`() {
    var flow = CommandRateLimiter()
    let start = Instant(nanoseconds: 5)
    let judgements = (0..<1000).map { _ in flow.admit("lamp", at: start) }
    #expect(judgements.count { $0 == .passed } == Limits.commandsPerSecondMax)
    #expect(judgements.count { $0 == .firstTooMany } == 1)
    #expect(flow.admit("gate", at: start) == .passed)
    #expect(flow.admit("lamp", at: start + .seconds(1)) == .passed)
  }

  @Test func `received commands are limited to a burst of a few megabytes, and a small rate afterwards`() {
    var budget = InboundQuota()
    let start = Instant(nanoseconds: 0)
    budget.subscribed(upTo: Limits.commandBytesMax, at: start)
    let atOnce = Limits.linkUnaskedSizeMax + Limits.commandBytesMax
    let (full, over) = (budget.isExceeded(by: atOnce, at: start), budget.isExceeded(by: atOnce + 1, at: start))
    #expect(!full && over)
    let later = start + .seconds(10)
    let more = atOnce + 10 * Limits.commandBytesPerSecond
    let (fullLater, overLater) = (budget.isExceeded(by: more, at: later), budget.isExceeded(by: more + 1, at: later))
    #expect(!fullLater && overLater)
    let nextDay = start + .seconds(86_400)
    let (calm, flood) = (
      budget.isExceeded(by: more + 1 + Limits.commandBytesMax, at: nextDay),
      budget.isExceeded(by: more + 2 + Limits.commandBytesMax, at: nextDay)
    )
    #expect(!calm && flood)
  }
}
