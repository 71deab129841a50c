import Foundation
import TappetBroker
import TappetCore
import TappetPlatform
import TestSupport
import Testing

/// A link and the events that it posted.
final class LinkUnderTest {
  let log = LinkLog()
  let link: BrokerLink

  init(_ settings: BrokerSettings) throws {
    let log = log
    link = try BrokerLink(settings: settings) { log.take($0) }
  }

  deinit { link.shutdown() }

  /// Connects, and waits until it is connected.
  func connected(_ broker: TestBroker) -> Bool {
    let before = log.events.count
    link.connect(endpoint: 0)
    var found = log.event(before + 1)
    if found == .foundMQTT5 { found = log.event(before + 2) }
    guard case .connected = found else { return false }
    return true
  }

  /// Connects, and waits for the failure.
  func failure(seconds: Double = patience) -> LinkFailure? {
    let before = log.events.count
    link.connect(endpoint: 0)
    guard case .failed(let failure) = log.event(before + 1, seconds: seconds) else { return nil }
    return failure
  }

  func publish(_ id: EntryID?, _ topic: String = "kiosk/test", _ text: String = "hello", isRetained: Bool = false) {
    link.publish(id: id, topic: topic, payload: Array(text.utf8), isRetained: isRetained)
  }
}

private let first = EntryID(high: 1, low: 1)

@Suite(.serialized) struct BrokerTests {
  // MARK: Delivery

  @Test(arguments: [MQTTVersion.v311, .v5])
  func `a publish arrives as it was sent, and its PUBACK is reported`(_ version: MQTTVersion) throws {
    let broker = try TestBroker()
    let subscriber = try broker.subscribe("kiosk/#")
    let test = try LinkUnderTest(broker.settings(version: version))
    #expect(test.connected(broker))
    test.publish(first, "kiosk/door", "{\"command\": 1}")
    #expect(test.log.wait(.acknowledged(first)))
    #expect(eventually { subscriber.messages == ["0 1 kiosk/door {\"command\": 1}"] })
    #expect(test.log.events == [.connected(sessionPresent: false), .acknowledged(first)])
  }

  @Test func `the client certificate determines the user name`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    #expect(eventually { broker.log.contains("as kiosk-test (p2, c1, k60, u'kiosk-demo')") })
  }

  @Test func `each message of a burst is acknowledged once`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    let ids = (0..<200).map { EntryID(high: 7, low: UInt64($0)) }
    ids.forEach { test.publish($0) }
    #expect(test.log.wait { $0.count >= 201 })
    #expect(test.log.events.dropFirst() == ids.map { .acknowledged($0) }[...])
  }

  @Test func `a message of 64 KiB is delivered`() throws {
    let broker = try TestBroker()
    let subscriber = try broker.subscribe("kiosk/large")
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    let text = String(repeating: "x", count: Limits.messageSizeMax)
    test.publish(first, "kiosk/large", text)
    #expect(test.log.wait(.acknowledged(first)))
    #expect(eventually { subscriber.messages == ["0 1 kiosk/large " + text] })
  }

  @Test func `a message published without a connection is never sent`() throws {
    let broker = try TestBroker()
    let subscriber = try broker.subscribe("kiosk/#")
    let test = try LinkUnderTest(broker.settings())
    test.publish(EntryID(high: 0, low: 1), "kiosk/early")
    #expect(test.connected(broker))
    test.publish(first, "kiosk/now")
    #expect(test.log.wait(.acknowledged(first)))
    test.link.disconnect()
    #expect(test.log.wait(.disconnected))
    test.publish(EntryID(high: 0, low: 2), "kiosk/late")
    #expect(test.connected(broker))
    test.publish(EntryID(high: 0, low: 3), "kiosk/then")
    #expect(test.log.wait(.acknowledged(EntryID(high: 0, low: 3))))
    #expect(eventually { subscriber.messages.count >= 2 })
    #expect(subscriber.messages.map { $0.split(separator: " ")[2] } == ["kiosk/now", "kiosk/then"])
  }

  @Test func `a forbidden message is refused with a reason, and the connection stays open`() throws {
    let acl = TestFolder.make("acl") + "/acl"
    try "topic readwrite kiosk/#\ntopic readwrite tappet/#\n".write(toFile: acl, atomically: true, encoding: .utf8)
    let broker = try TestBroker(.plain, more: "acl_file \(acl)\n")
    let test = try LinkUnderTest(broker.settings(version: .v5))
    #expect(test.connected(broker))
    test.publish(EntryID(high: 9, low: 9), "forbidden")
    #expect(test.log.wait(.publishRefused(EntryID(high: 9, low: 9), code: 0x87)))
    test.publish(first)
    #expect(test.log.wait(.acknowledgedUnheard(first)))
  }

  @Test func `a topic that MQTT forbids is refused immediately`() throws {
    let broker = try TestBroker(.plain)
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    test.publish(EntryID(high: 9, low: 9), "kiosk/+")
    #expect(test.log.wait(.publishRefused(EntryID(high: 9, low: 9), code: 3)))
    test.publish(first)
    #expect(test.log.wait(.acknowledged(first)))
  }

  // MARK: Status and will

  @Test func `the retained status is online while connected, and offline after a clean stop`() throws {
    let broker = try TestBroker()
    let watcher = try broker.subscribe("tappet/+/status")
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    #expect(eventually { watcher.messages == ["0 1 tappet/kiosk-test/status online"] })
    let later = try broker.subscribe("tappet/+/status")
    #expect(eventually { later.messages == ["1 1 tappet/kiosk-test/status online"] })
    test.link.disconnect()
    #expect(test.log.wait(.disconnected))
    #expect(eventually { watcher.messages.last == "0 1 tappet/kiosk-test/status offline" })
    #expect(eventually { broker.log.contains("Received DISCONNECT from kiosk-test") })
    #expect(watcher.messages.count == 2)
    #expect(test.log.events.last == .disconnected)
  }

  @Test func `shutting down sends the offline status and DISCONNECT`() throws {
    let broker = try TestBroker()
    let watcher = try broker.subscribe("tappet/+/status")
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    test.link.shutdown()
    #expect(eventually { watcher.messages.last == "0 1 tappet/kiosk-test/status offline" })
    #expect(eventually { broker.log.contains("Received DISCONNECT from kiosk-test") })
  }

  @Test func `the will publishes the offline status when the connection breaks`() throws {
    let broker = try TestBroker(.plain)
    let watcher = try broker.subscribe("tappet/+/status")
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    #expect(eventually { watcher.messages.last == "0 1 tappet/kiosk-test/status online" })
    // The same client id from elsewhere: mosquitto disconnects the first client, whose will it publishes.
    let usurper = try LinkUnderTest(broker.settings())
    #expect(usurper.connected(broker))
    #expect(test.log.wait(.lost(.closedByBroker)))
    #expect(eventually { watcher.messages.contains("0 1 tappet/kiosk-test/status offline") })
  }

  @Test(arguments: [true, false])
  func `the link connects over a slow network`(_ usesTLS: Bool) throws {
    let broker = try TestBroker(usesTLS ? .mutual(server: "server") : .plain)
    // If the kernel let the SYN in after all, because a filler's handshake was late, nothing was tested: try once more.
    for _ in 0..<10 {
      let relay = TestRelay(to: broker.port)
      var settings = broker.settings(host: "127.0.0.1")
      settings.endpoints[0].port = relay.port
      let test = try LinkUnderTest(settings)
      test.link.connect(endpoint: 0)
      guard eventually({ relay.isAwaited }) else { continue }
      relay.open()
      #expect(test.log.wait(.connected(sessionPresent: false)), "\(test.log.events)")
      test.publish(first)
      #expect(test.log.wait(.acknowledged(first)))
      return
    }
    Issue.record("no SYN could be held back in 10 trials")
  }

  // MARK: Loss and return

  @Test(arguments: [true, false])
  func `the same link works again after the broker ends and returns`(_ isAbrupt: Bool) throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    broker.stop(abruptly: isAbrupt)
    // Bytes that a killed process had not read make the kernel send a reset; a write then meets a broken pipe.
    let ends: [LinkEvent] =
      [.lost(.closedByBroker)]
      + [ECONNRESET, EPIPE].map { .lost(.connectionBroken(SystemCode(SystemError(call: "", code: $0)))) }
    #expect(test.log.event(2).map { ends.contains($0) } == true, "\(test.log.events)")
    #expect(test.failure() == .connectionRefused)
    try broker.start()
    #expect(test.connected(broker))
    test.publish(first)
    #expect(test.log.wait(.acknowledged(first)))
  }

  @Test func `the keepalive detects a broker that stops answering`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.keepaliveSeconds = 5
    let test = try LinkUnderTest(settings)
    let start = Date()
    #expect(test.connected(broker))
    broker.suspend()
    defer { broker.resume() }
    #expect(test.log.wait(.lost(.keepaliveExpired)))
    // Not before its time; that it comes in time is BrokerLinkKeepaliveTests' matter.
    let taken = Date().timeIntervalSince(start)
    #expect(taken > 4, "\(taken) s")
  }

  @Test func `a live connection outlasts several keepalives`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.keepaliveSeconds = 5
    let test = try LinkUnderTest(settings)
    #expect(test.connected(broker))
    #expect(eventually { broker.log.components(separatedBy: "Received PINGREQ from kiosk-test").count > 2 })
    #expect(test.log.events == [.connected(sessionPresent: false)])
  }

  @Test func `a hundred connections leak no descriptors`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    let before = TestSocket.descriptorCount
    for turn in 0..<100 {
      test.link.disconnect()
      let count = test.log.events.count
      test.log.wait { $0.filter { $0 == .disconnected }.count == turn + 1 }
      guard test.log.events.filter({ $0 == .disconnected }).count == turn + 1 else {
        Issue.record("turn \(turn): \(count) events")
        break
      }
      guard test.connected(broker) else {
        Issue.record("turn \(turn): \(String(describing: test.log.events.last))")
        break
      }
    }
    #expect(eventually { TestSocket.descriptorCount <= before })
  }

  @Test func `a hundred failed connections leak no descriptors`() throws {
    let settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: TestSocket.freePort(), usesTLS: true)], clientID: "x",
      caFile: TestCertificates.path("ca.pem"))
    let before = TestSocket.descriptorCount
    for _ in 0..<100 { try #require(try LinkUnderTest(settings).failure() == .connectionRefused) }
    #expect(eventually { TestSocket.descriptorCount <= before })
  }

  @Test func `an idle link sleeps`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    test.publish(first)
    #expect(test.log.wait(.acknowledged(first)))
    // Three seconds in a row, once what the broker still had to say is heard.
    let isAsleep = eventually {
      guard let before = test.log.switches else { return false }
      pause(seconds: 3, "a measurement of idleness")
      return test.log.switches == before
    }
    #expect(isAsleep)
  }
}
