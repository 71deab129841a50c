// MQTT 5 unless the broker does not take it: what a PUBACK says there, and the way back to 3.1.1.

import Foundation
import TappetCore
import TestSupport
import Testing

@Suite(.serialized) struct MQTTVersionTests {
  private let id = EntryID(high: 3, low: 1)

  /// A mosquitto whose access list lets nobody publish to kiosk/denied.
  private func strictBroker() throws -> TestBroker {
    let list = TestFolder.make("access") + "/list"
    try "pattern readwrite kiosk/open\npattern readwrite tappet/#\n".write(
      toFile: list, atomically: true, encoding: .utf8)
    return try TestBroker(more: "acl_file \(list)\n")
  }

  private func settings(_ broker: TestBroker, _ version: MQTTVersion? = nil) -> BrokerSettings {
    var settings = broker.settings()
    settings.version = version
    return settings
  }

  @Test func `MQTT 5 is used over TLS, and 3.1.1 without TLS`() throws {
    for (security, version) in [(TestBroker.Security.mutual(server: "server"), "(p5,"), (.plain, "(p2,")] {
      let broker = try TestBroker(security)
      let test = try LinkUnderTest(settings(broker))
      #expect(test.connected(broker))
      #expect(eventually { broker.log.contains("as kiosk-test " + version) }, "\(broker.log)")
    }
  }

  @Test func `a message that an access list denies is refused with MQTT 5, and acknowledged with 3.1.1`() throws {
    let broker = try strictBroker()
    let answers: [(MQTTVersion?, LinkEvent)] = [
      (nil, .publishRefused(id, code: 0x87)), (.v5, .publishRefused(id, code: 0x87)), (.v311, .acknowledged(id)),
    ]
    for (version, answer) in answers {
      let test = try LinkUnderTest(settings(broker, version))
      #expect(test.connected(broker))
      test.publish(id, "kiosk/denied")
      #expect(test.log.wait(answer), "\(test.log.events)")
    }
  }

  @Test func `with MQTT 5 a message without subscribers is reported as such`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(settings(broker))
    #expect(test.connected(broker))
    test.publish(id, "kiosk/open")
    #expect(test.log.wait(.acknowledgedUnheard(id)), "\(test.log.events)")
    let subscriber = try broker.subscribe("kiosk/open")
    let heard = EntryID(high: 3, low: 2)
    test.publish(heard, "kiosk/open")
    #expect(test.log.wait(.acknowledged(heard)), "\(test.log.events)")
    #expect(eventually { subscriber.messages.count == 1 })
  }

  @Test(arguments: TestOldBroker.Manner.allCases)
  func `a broker without MQTT 5 is retried immediately with 3.1.1`(_ manner: TestOldBroker.Manner) throws {
    let broker = try TestOldBroker(manner)
    let test = try LinkUnderTest(broker.settings)
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.connected(sessionPresent: false)), "\(test.log.events)\(broker.log)")
    #expect(broker.versions == ["5", "4"])
    guard case .didFallBack(let failure)? = test.log.events.first else {
      Issue.record("\(test.log.events)")
      return
    }
    #expect(failure.mayRefuseMQTT5 && failure.refusesMQTT5 == manner.isClear, "\(failure)")
    test.publish(id)
    #expect(test.log.wait(.acknowledged(id)))
    test.link.disconnect()
    #expect(test.log.wait(.disconnected))
    test.link.connect(endpoint: 0, mqtt5: .absent)
    #expect(test.log.wait { $0.last == .connected(sessionPresent: false) })
    #expect(broker.versions == ["5", "4", "4"])
  }

  @Test(arguments: [MQTTVersion.v311, .v5])
  func `only the configured MQTT version is tried`(_ version: MQTTVersion) throws {
    let broker = try TestOldBroker(.refusesInMQTT5)
    var settings = broker.settings
    settings.version = version
    let test = try LinkUnderTest(settings)
    test.link.connect(endpoint: 0)
    let event = try #require(test.log.event(1))
    #expect(
      event == (version == .v5 ? .failed(.refused(.unsupportedProtocolVersion)) : .connected(sessionPresent: false)))
    #expect(broker.versions == [version == .v5 ? "5" : "4"])
  }

  @Test func `a lost MQTT 5 connection is not retried with 3.1.1`() throws {
    let cut = try TestOldBroker(.hangsUp)
    let test = try LinkUnderTest(cut.settings)
    test.link.connect(endpoint: 0, mqtt5: .present)
    guard case .failed(.closedBeforeConnack)? = test.log.event(1) else {
      Issue.record("\(test.log.events)")
      return
    }
    #expect(cut.versions == ["5"])
    let refusing = try TestOldBroker(.refusesInMQTT5)
    let other = try LinkUnderTest(refusing.settings)
    other.link.connect(endpoint: 0, mqtt5: .present)
    #expect(other.log.wait { $0.last == .connected(sessionPresent: false) }, "\(other.log.events)")
    #expect(refusing.versions == ["5", "4"])
  }

  @Test func `the first MQTT 5 response is reported, unless support was already known`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(settings(broker))
    for known in [MQTT5Support.unknown, .present] {
      let before = test.log.events.count
      test.link.connect(endpoint: 0, mqtt5: known)
      #expect(test.log.wait { $0.last == .connected(sessionPresent: false) && $0.count > before })
      #expect(test.log.events.dropFirst(before).contains(.foundMQTT5) == (known == .unknown))
      test.link.disconnect()
      #expect(test.log.wait { $0.last == .disconnected })
    }
  }

  @Test func `a broker that supports neither version is reported with its last response`() throws {
    let broker = try TestOldBroker(.hangsUp, refusesAll: true)
    let test = try LinkUnderTest(broker.settings)
    #expect(test.failure() == .connack(.notAuthorized))
    #expect(broker.versions == ["5", "4"])
  }
}
