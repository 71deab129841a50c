// A broker that speaks MQTT 3.1.1 only: no mosquitto can be told to refuse MQTT 5.

import TappetCore

package final class TestOldBroker {
  /// Its answer to MQTT 5.
  package enum Manner: String, CaseIterable, Sendable {
    case refusesInMQTT311 = "20020001"
    case refusesInMQTT5 = "2003008400"
    /// A CONNACK as of 3.1.1, with a reason that does not say why.
    case answersInMQTT311 = "20020005"
    case hangsUp = ""
    /// A property that no version of MQTT 5 has: libmosquitto asserts.
    case hasUnknownProperty = "200500000200ff"

    /// Whether it names the reason.
    package var isClear: Bool { self == .refusesInMQTT311 || self == .refusesInMQTT5 }
  }

  private static let serving = """
    answer, other = sys.argv[4:6]
    async def serve(version, reader, writer):
        writer.write(bytes.fromhex(answer if version == 5 else other))
        await writer.drain()
        while version != 5 and other == "20020000" and acknowledge(writer, *await packet(reader)):
            await writer.drain()
    """

  private let broker: ScriptedBroker

  /// With `refusesAll` it lets nobody in with 3.1.1 either.
  package init(_ manner: Manner, refusesAll: Bool = false) throws {
    broker = try ScriptedBroker(serving: Self.serving, [manner.rawValue, refusesAll ? "20020005" : "20020000"])
  }

  package var port: UInt16 { broker.port }
  package var log: String { broker.log }
  /// The protocol levels of all CONNECTs so far: `5`, and `4` for 3.1.1.
  package var versions: [String] { broker.notes("version") }

  /// Settings with the usual version.
  package var settings: BrokerSettings {
    BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: port, usesTLS: true)], clientID: "kiosk-test",
      caFile: TestCertificates.path("ca.pem"))
  }
}
