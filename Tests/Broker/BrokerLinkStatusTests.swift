// The retained status on a live connection, with a real mosquitto and a client that replaces it.

import TappetCore
import TestSupport
import Testing

@testable import TappetBroker

@Suite(.serialized) struct BrokerLinkStatusTests {
  @Test(arguments: [MQTTVersion.v311, .v5], ["offline", "", "OFFLINE"])
  func `the online status is republished when another client replaces it`(
    _ version: MQTTVersion, _ text: String
  ) throws {
    let broker = try TestBroker(.plain)
    let test = try LinkUnderTest(broker.settings(version: version))
    #expect(test.connected(broker))
    let watcher = try broker.subscribe("tappet/kiosk-test/status")
    let content = text.isEmpty ? ["-n"] : ["-m", text]
    let done = try Programs.run(
      Programs.installed("mosquitto_pub"),
      ["-h", "localhost", "-p", "\(broker.port)", "-r", "-t", "tappet/kiosk-test/status"] + content)
    #expect(done.status == 0)
    #expect(eventually { watcher.messages.count >= 3 && watcher.messages.last?.hasSuffix(" online") == true })
    #expect(try broker.subscribe("tappet/kiosk-test/status").isOnline)
    test.link.disconnect()
    #expect(eventually { watcher.messages.last?.hasSuffix(" offline") == true })
  }

  @Test func `a status that is replaced repeatedly is republished at most every few seconds`() {
    var status = BrokerLinkStatus()
    status.published(at: Instant(nanoseconds: 0))
    status.received(Array("online".utf8), at: Instant(nanoseconds: 1))
    #expect(status.deadline == nil)
    for time in 1...1_000 { status.received([], at: Instant(nanoseconds: Int64(time))) }
    #expect(status.deadline == Instant(nanoseconds: 0) + Limits.statusIntervalMin)
    status.published(at: Instant(nanoseconds: 0) + Limits.statusIntervalMin)
    #expect(status.deadline == nil)
  }

  @Test func `if a broker disconnects because of a subscription, the link reconnects without it`() throws {
    let broker = try ScriptedBroker(
      serving: """
        async def serve(version, reader, writer):
            writer.write(b"\\x20\\x02\\x00\\x00" if version < 5 else b"\\x20\\x03\\x00\\x00\\x00")
            while True:
                kind, body = await packet(reader)
                if kind >> 4 == 8: return
                if not acknowledge(writer, kind, body): return

        """)
    let test = try LinkUnderTest(
      BrokerSettings(
        endpoints: [BrokerEndpoint(host: "localhost", port: broker.port, usesTLS: true)], clientID: "kiosk-test",
        caFile: TestCertificates.path("ca.pem"), version: .v311))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait { $0 == [.connected(sessionPresent: false), .lost(.closedByBroker)] }, "\(test.log.events)")
    test.link.connect(endpoint: 0)
    let id = EntryID(high: 1, low: 1)
    #expect(test.log.wait { $0.count == 3 })
    test.publish(id)
    #expect(test.log.wait(.acknowledged(id)), "\(test.log.events)")
  }
}

extension TestSubscriber {
  fileprivate var isOnline: Bool { eventually { self.messages.last == "1 1 tappet/kiosk-test/status online" } }
}
