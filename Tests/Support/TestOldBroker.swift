// A broker behind TLS that speaks MQTT 3.1.1 only: Python's ssl, since no mosquitto can be told to refuse MQTT 5.

import Foundation
import TappetCore

package final class TestOldBroker {
  /// Its answer to MQTT 5.
  package enum Manner: String, CaseIterable, Sendable {
    case refusesInMQTT311 = "20020001"
    case refusesInMQTT5 = "2003008400"
    /// A CONNACK as of 3.1.1, with a reason that does not say why.
    case answersInMQTT311 = "20020005"
    case hangsUp = ""

    /// Whether it names the reason.
    package var isClear: Bool { self == .refusesInMQTT311 || self == .refusesInMQTT5 }
  }

  private static let program = """
    import asyncio, ssl, sys
    port, certificate, key, answer, other = sys.argv[1:6]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    async def packet(reader):
        head, size, shift = await reader.readexactly(1), 0, 0
        while True:
            byte = (await reader.readexactly(1))[0]
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128: break
        return head[0], await reader.readexactly(size)
    async def serve(reader, writer):
        try:
            _, connect = await packet(reader)
            version = connect[2 + connect[1]]
            print("version", version, flush=True)
            writer.write(bytes.fromhex(answer if version == 5 else other))
            await writer.drain()
            if version == 5 or other != "20020000": return
            while True:
                kind, body = await packet(reader)
                if kind >> 4 == 3 and kind & 6:
                    place = 2 + int.from_bytes(body[:2])
                    writer.write(b"\\x40\\x02" + body[place:place + 2])
                elif kind >> 4 == 12: writer.write(b"\\xd0\\x00")
                elif kind >> 4 == 14: return
        except (asyncio.IncompleteReadError, ConnectionError): pass
        finally: writer.close()
    async def main():
        server = await asyncio.start_server(serve, "127.0.0.1", int(port), ssl=context)
        print("ready", flush=True)
        await server.serve_forever()
    asyncio.run(main())
    """

  package let port: UInt16
  private let file: String
  private let process: TestProcess

  /// With `refusesAll` it lets nobody in with 3.1.1 either.
  package init(_ manner: Manner, refusesAll: Bool = false) throws {
    let folder = TestFolder.make("old-broker")
    port = TestSocket.freePort()
    file = folder + "/log"
    try Self.program.write(toFile: folder + "/broker.py", atomically: true, encoding: .utf8)
    process = try TestProcess(
      try Programs.python(),
      [
        folder + "/broker.py", "\(port)", TestCertificates.path("server.pem"), TestCertificates.path("server.key"),
        manner.rawValue, refusesAll ? "20020005" : "20020000",
      ], output: file)
    guard eventually(15, { self.log.contains("ready") }) else { throw TestFault("it did not start: \(log)") }
  }

  package var log: String { textSoFar(file) }

  /// The protocol levels of all CONNECTs so far: `5`, and `4` for 3.1.1.
  package var versions: [String] {
    log.split(separator: "\n").filter { $0.hasPrefix("version ") }.map { String($0.dropFirst(8)) }
  }

  /// Settings with the usual version.
  package var settings: BrokerSettings {
    BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: port, usesTLS: true)], clientID: "kiosk-test",
      caFile: TestCertificates.path("ca.pem"))
  }
}
