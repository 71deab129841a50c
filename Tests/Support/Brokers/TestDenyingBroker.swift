// A broker that lets everybody in, takes every message, and denies all subscriptions: mosquitto's access list grants
// every subscription and passes nothing on.

package final class TestDenyingBroker {
  private static let serving = """
    def filters(body, version):
        place, found = 2, []
        if version == 5: place += 1 + body[2]
        while place < len(body):
            size = int.from_bytes(body[place:place + 2], "big")
            found.append(body[place + 2:place + 2 + size].decode())
            place += 3 + size
        return found
    async def serve(version, reader, writer):
        writer.write(b"\\x20\\x03\\x00\\x00\\x00" if version == 5 else b"\\x20\\x02\\x00\\x00")
        while True:
            await writer.drain()
            kind, body = await packet(reader)
            if not acknowledge(writer, kind, body): return
            if kind >> 4 != 8: continue
            denied = filters(body, version)
            for topic in denied: print("denied", topic, flush=True)
            answer = body[:2] + (b"\\x00" if version == 5 else b"")
            answer += (b"\\x87" if version == 5 else b"\\x80") * len(denied)
            writer.write(bytes([0x90, len(answer)]) + answer)
    """

  private let broker: ScriptedBroker

  package init() throws { broker = try ScriptedBroker(serving: Self.serving) }

  package var port: UInt16 { broker.port }
  package var log: String { broker.log }
  /// The filters of all subscriptions so far.
  package var denied: [String] { broker.notes("denied") }
}
