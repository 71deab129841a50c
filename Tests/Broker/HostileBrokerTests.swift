// Brokers that send what nobody asked for: what they get us to take in is what they get us to keep in memory.

import Foundation
import TappetCore
import TappetMessages
import TestSupport
import Testing

@Suite(.serialized) struct HostileBrokerTests {
  private static let connack: [UInt8] = [0x20, 2, 0, 0]
  /// A PUBLISH of 256 MB: MQTT's largest remaining length, and the beginning of a topic.
  private static let hugeHead: [UInt8] = [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x61]
  /// The bytes that a client without subscriptions takes, and those that wait in the sockets of the loopback.
  private static let sizeMax = 16 * 1024 * 1024

  private func settings(_ peer: TestPeer) -> BrokerSettings {
    BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: false)], clientID: "kiosk-test")
  }

  /// PUBLISH with QoS 2, a packet id and a payload each, as many as there are ids.
  private static let secondQualityFlood: [UInt8] = (1...65_535).flatMap { (id: Int) -> [UInt8] in
    [0x34, 13, 0, 1, 0x61, UInt8(id >> 8), UInt8(id & 0xFF)] + [UInt8](repeating: 0x78, count: 8)
  }

  /// The packets that a flood consists of.
  enum Flood: String, CaseIterable {
    case hugePublish, secondQuality, hugePuback

    var head: [UInt8] {
      switch self {
      case .hugePublish: connack + hugeHead
      case .secondQuality: connack
      case .hugePuback: connack + [0x40, 0xFF, 0xFF, 0xFF, 0x7F]
      }
    }

    var body: [UInt8] {
      switch self {
      case .hugePublish: [UInt8](repeating: 0x78, count: 64 * 1024)
      case .secondQuality: secondQualityFlood
      case .hugePuback: [UInt8](repeating: 0, count: 64 * 1024)
      }
    }
  }

  /// Whether the link gave the broker up: for what it sent, or because libmosquitto refused the packet first.
  private func isGivenUp(_ failure: LinkFailure) -> Bool {
    switch failure {
    case .sentUnasked, .protocolViolated: true
    default: false
    }
  }

  @Test(arguments: Flood.allCases)
  func `a link without subscriptions is closed before a flood fills the memory`(_ flood: Flood) throws {
    let peer = TestPeer(.flood(flood.head, with: flood.body))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    let isLost = test.log.wait { events in
      events.contains { if case .lost(let failure) = $0 { isGivenUp(failure) } else { false } }
    }
    #expect(isLost, "\(test.log.events)")
    test.link.shutdown()
    #expect(peer.floodedSize < Self.sizeMax, "\(peer.floodedSize)")
    // The same failure ends a link with command topics or a site's that are flooded.
    let sentence = LinkFailure.sentUnasked.sentence
    #expect(sentence.contains("never requested, or more than its topics allow"), "\(sentence)")
  }

  @Test func `a flood instead of CONNACK ends the attempt`() throws {
    let peer = TestPeer(.flood([0x20, 0xFF, 0xFF, 0xFF, 0x7F], with: [UInt8](repeating: 0, count: 64 * 1024)))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    let hasEnded = test.log.wait { events in
      events.contains {
        switch $0 {
        case .failed(let failure), .lost(let failure): isGivenUp(failure)
        default: false
        }
      }
    }
    #expect(hasEnded, "\(test.log.events)")
    test.link.shutdown()
    #expect(peer.floodedSize < Self.sizeMax, "\(peer.floodedSize)")
  }

  @Test(arguments: 0...1)
  func `a single small unsolicited message is also a violation`(_ quality: UInt8) throws {
    let id: [UInt8] = quality == 0 ? [] : [0, 1]
    let message: [UInt8] = [0x30 | quality << 1, 5 + UInt8(id.count), 0, 1, 0x61] + id + [0x78, 0x79]
    let peer = TestPeer(.answer(Self.connack + message))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.lost(.sentUnasked)), "\(test.log.events)")
  }

  @Test func `a subscribed link receives large messages`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    #expect(test.link.subscribe(request: 1, filter: "kiosk/large", qos: 1))
    let large = String(repeating: "x", count: 1024 * 1024)
    let id = EntryID(high: 1, low: 1)
    test.publish(id, "kiosk/large", large)
    #expect(test.log.wait(.acknowledged(id)))
    test.publish(EntryID(high: 1, low: 2), "kiosk/large", large)
    #expect(test.log.wait(.acknowledged(EntryID(high: 1, low: 2))))
  }

  @Test func `thousands of PUBACKs are not taken for a flood`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(broker.settings())
    #expect(test.connected(broker))
    let ids = (0..<10_000).map { EntryID(high: 2, low: $0) }
    for batch in stride(from: 0, to: ids.count, by: 500) {
      for id in ids[batch..<batch + 500] { test.publish(id) }
      #expect(test.log.wait(.acknowledged(ids[batch + 499])))
    }
  }
}
