// A broker behind TLS that lets everybody in, takes every message, and denies all subscriptions: Python's ssl, since
// mosquitto's access list grants every subscription and passes nothing on.

import Foundation

package final class TestDenyingBroker {
  private static let program = """
    import asyncio, ssl, sys
    port, certificate, key = sys.argv[1:4]
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
    def filters(body, version):
        place, found = 2, []
        if version == 5: place += 1 + body[2]
        while place < len(body):
            size = int.from_bytes(body[place:place + 2], "big")
            found.append(body[place + 2:place + 2 + size].decode())
            place += 3 + size
        return found
    async def serve(reader, writer):
        try:
            _, connect = await packet(reader)
            version = connect[2 + connect[1]]
            print("version", version, flush=True)
            writer.write(b"\\x20\\x03\\x00\\x00\\x00" if version == 5 else b"\\x20\\x02\\x00\\x00")
            while True:
                await writer.drain()
                kind, body = await packet(reader)
                if kind >> 4 == 3 and kind & 6:
                    place = 2 + int.from_bytes(body[:2], "big")
                    writer.write(b"\\x40\\x02" + body[place:place + 2])
                elif kind >> 4 == 8:
                    denied = filters(body, version)
                    for topic in denied: print("denied", topic, flush=True)
                    answer = body[:2] + (b"\\x00" if version == 5 else b"")
                    answer += (b"\\x87" if version == 5 else b"\\x80") * len(denied)
                    writer.write(bytes([0x90, len(answer)]) + answer)
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

  package init() throws {
    let folder = TestFolder.make("denying-broker")
    port = TestSocket.freePort()
    file = folder + "/log"
    try Self.program.write(toFile: folder + "/broker.py", atomically: true, encoding: .utf8)
    process = try TestProcess(
      try Programs.python(),
      [folder + "/broker.py", "\(port)", TestCertificates.path("server.pem"), TestCertificates.path("server.key")],
      output: file)
    guard eventually(15, { self.log.contains("ready") }) else { throw TestFault("it did not start: \(log)") }
  }

  package var log: String { textSoFar(file) }

  /// The filters of all subscriptions so far.
  package var denied: [String] {
    log.split(separator: "\n").filter { $0.hasPrefix("denied ") }.map { String($0.dropFirst(7)) }
  }
}
