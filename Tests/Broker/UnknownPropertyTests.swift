// Properties that no version of MQTT 5 has: libmosquitto 2.0.11 to 2.0.20 asserts at one, and the process must live.

import TappetCore
import TappetMessages
import TestSupport
import Testing

@Suite(.serialized) struct UnknownPropertyTests {
  private static let connack: [UInt8] = [0x20, 3, 0, 0, 0]
  private static let unknown: [UInt8] = [2, 0, 0]

  private func settings(_ peer: TestPeer) -> BrokerSettings {
    BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: false)], clientID: "kiosk-test",
      version: .v5)
  }

  /// The first packet of a connection, and what may come at any time.
  private static let packets: [(name: String, bytes: [UInt8])] = [
    ("PUBLISH", [0x30, 6, 0, 1, 0x61] + unknown), ("PUBACK", [0x40, 6, 0, 1, 0] + unknown),
    ("SUBACK", [0x90, 6, 0, 1] + unknown + [0]), ("DISCONNECT", [0xE0, 4, 0] + unknown),
  ]

  @Test(arguments: ["200500000200ff", "20050000020000", "20060000037f0000"])
  func `an unknown property in CONNACK ends the attempt`(_ text: String) throws {
    let peer = TestPeer(.answer(try #require(Hex.decode(text))))
    let test = try LinkUnderTest(settings(peer))
    for _ in 1...3 { #expect(test.failure() == .propertyUnknown) }
    #expect(LinkFailure.propertyUnknown.sentence.contains("set broker.protocol to 3.1.1"))
  }

  @Test(arguments: packets.map { $0.name })
  func `an unknown property in any other packet ends the connection`(_ name: String) throws {
    let bytes = try #require(Self.packets.first { $0.name == name }).bytes
    let peer = TestPeer(.answer(Self.connack + bytes))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.lost(.propertyUnknown)), "\(test.log.events)")
    #expect(!test.log.events.contains(.didFallBack(.propertyUnknown)), "protocol: 5 has no way back")
  }

  @Test func `a connection without a fixed version is retried with 3.1.1`() throws {
    let broker = try ScriptedBroker(
      serving: """
        async def serve(version, reader, writer):
            writer.write(bytes.fromhex("20030000003006000161020000"))
            await writer.drain()
            await packet(reader)
        """)
    let endpoint = BrokerEndpoint(host: "localhost", port: broker.port, usesTLS: true)
    let test = try LinkUnderTest(
      BrokerSettings(endpoints: [endpoint], clientID: "kiosk-test", caFile: TestCertificates.path("ca.pem")))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.lost(.propertyUnknown)), "\(test.log.events)")
    #expect(test.log.events.suffix(2) == [.didFallBack(.propertyUnknown), .lost(.propertyUnknown)])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `MQTT 5 packets with flipped bits at worst end the connection`(_ seed: UInt64) throws {
    var random = Randomness(seed: (seed, 5, 5, 5))
    let good: [[UInt8]] =
      [[0x20, 8, 0, 0, 5, 0x13, 0, 30, 0x25, 0], [0xE0, 2, 0x8E, 0], [0x40, 4, 0, 1, 0x10, 0], [0xD0, 0]]
      + Self.packets.map { $0.bytes }
      + [[0x30, 20, 0, 1, 0x61, 14, 3, 0, 2, 0x6A, 0x6B, 9, 0, 1, 7, 2, 0, 0, 0, 9, 0x78, 0x79]]
    for _ in 1...100 {
      var bytes = good.randomElement(using: &random) ?? []
      for _ in 1...Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      let isFirst = Bool.random(using: &random)
      let peer = TestPeer(.answerAndHangUp(isFirst ? bytes : Self.connack + bytes))
      let test = try LinkUnderTest(settings(peer))
      test.link.connect(endpoint: 0)
      let hasEnded = test.log.wait { events in
        events.contains {
          switch $0 {
          case .failed, .lost: true
          default: false
          }
        }
      }
      #expect(hasEnded, "\(bytes): \(test.log.events)")
    }
  }
}
