// A broker behind TLS whose answers a test writes, in Python: mosquitto gives only good ones.

import Foundation

/// A broker of a few lines of Python, with the usual certificates.
package final class ScriptedBroker {
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
    def acknowledge(writer, kind, body):
        if kind >> 4 == 3 and kind & 6:
            place = 2 + int.from_bytes(body[:2], "big")
            writer.write(b"\\x40\\x02" + body[place:place + 2])
        elif kind >> 4 == 12: writer.write(b"\\xd0\\x00")
        return kind >> 4 != 14
    async def take(reader, writer):
        try:
            _, connect = await packet(reader)
            version = connect[2 + connect[1]]
            print("version", version, flush=True)
            await serve(version, reader, writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError): pass
        finally: writer.close()
    async def main():
        server = await asyncio.start_server(take, "127.0.0.1", int(port), ssl=context)
        print("ready", flush=True)
        await server.serve_forever()

    """

  package let port: UInt16
  private let file: String
  private let process: TestProcess

  /// A broker that serves each connection with `serving`, which defines `serve(version, reader, writer)`, and finds
  /// `arguments` from `sys.argv[4]` on.
  package init(serving: String, _ arguments: [String] = []) throws {
    let folder = TestFolder.make("scripted-broker")
    port = TestSocket.freePort()
    file = folder + "/log"
    let program = Self.program + serving + "\nasyncio.run(main())\n"
    try program.write(toFile: folder + "/broker.py", atomically: true, encoding: .utf8)
    process = try TestProcess(
      try Programs.python(),
      [folder + "/broker.py", "\(port)", TestCertificates.path("server.pem"), TestCertificates.path("server.key")]
        + arguments, output: file)
    guard eventually({ self.log.contains("ready") }) else { throw TestFault("it did not start: \(log)") }
  }

  package var log: String { textSoFar(file) }

  /// The rest of each line of its output that begins with `word`.
  package func notes(_ word: String) -> [String] {
    log.split(separator: "\n").filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
  }
}
