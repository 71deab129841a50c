// `broker.alpn` against a TLS endpoint that tells MQTT from other protocols by it, as AWS IoT Core does on port 443:
// Python's ssl ends the TLS, wants the client's certificate and the protocol's name, and hands on to a real mosquitto.

import Foundation
import TappetConfig
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct ALPNTests {
  private static let terminator = """
    import asyncio, ssl, sys
    port, upstream, ca, certificate, key = sys.argv[1:6]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(ca)
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["x-amzn-mqtt-ca"])
    async def pump(reader, writer):
        while data := await reader.read(4096):
            writer.write(data)
            await writer.drain()
        writer.close()
    async def serve(reader, writer):
        chosen = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        print("chosen", chosen, flush=True)
        if chosen != "x-amzn-mqtt-ca":
            return writer.close()
        far = await asyncio.open_connection("127.0.0.1", int(upstream))
        await asyncio.gather(pump(reader, far[1]), pump(far[0], writer), return_exceptions=True)
    async def main():
        server = await asyncio.start_server(serve, "127.0.0.1", int(port), ssl=context)
        print("ready", flush=True)
        await server.serve_forever()
    asyncio.run(main())
    """

  @Test func `a message passes an endpoint that requires ALPN, and without ALPN the cause is logged`()
    throws
  {
    let world = try KioskWorld(withBroker: false)
    let port = TestSocket.freePort()
    let plain = TestSocket.freePort()
    try "listener \(plain) 127.0.0.1\nallow_anonymous true\n".write(
      toFile: world.folder + "/plain.conf", atomically: true, encoding: .utf8)
    let mosquitto = try Service(
      URL(fileURLWithPath: "/usr/sbin/mosquitto"), ["-c", world.folder + "/plain.conf"],
      log: world.folder + "/plain.log")
    defer { mosquitto.end() }
    try Self.terminator.write(toFile: world.folder + "/terminator.py", atomically: true, encoding: .utf8)
    let terminator = try Service(
      try Programs.python(),
      [
        world.folder + "/terminator.py", "\(port)", "\(plain)", try Certificates.path("broker-ca.pem"),
        try Certificates.path("server.pem"), try Certificates.path("server.key"),
      ], log: world.folder + "/terminator.log")
    defer { terminator.end() }
    #expect(eventually { terminator.text.contains("ready") && TestSocket.answers(plain) }, "\(terminator.text)")

    func check(_ alpn: String?) throws -> Finished {
      try world.write(KioskWorld.KioskConfiguration(port: port))
      if let alpn {
        let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
        try text.replacingOccurrences(of: "  client_id: kiosk\n", with: "  client_id: kiosk\n  alpn: \(alpn)\n").write(
          toFile: world.configPath, atomically: true, encoding: .utf8)
      }
      return try world.tappet("check")
    }
    let without = try check(nil)
    #expect(without.status == 1 && without.output.contains("dropped the connection"), "\(without.output)")
    #expect(terminator.text.contains("chosen None"))
    let good = try check("x-amzn-mqtt-ca")
    #expect(good.output.contains("ok    broker         connected to"), "\(good.output)")
    #expect(terminator.text.contains("chosen x-amzn-mqtt-ca"))

    let subscriber = try Service(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["stdbuf", "-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(plain)", "-t", "home/#", "-v", "-d"],
      log: world.folder + "/sub.log")
    defer { subscriber.end() }
    #expect(eventually { subscriber.text.contains("Subscribed (mid") })
    try world.start()
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
    #expect(eventually { subscriber.text.contains("home/light ") }, "\(world.log)")
    #expect(world.kiosk?.end() == true)

    // A name of 256 bytes does not fit its field.
    #expect(try check(String(repeating: "a", count: 256)).status == 3)
  }

  @Test func `an endpoint without the protocol reports that by an alert, which the message mentions`() throws {
    let world = try KioskWorld(withBroker: false)
    let port = TestSocket.freePort()
    let server = try Service(
      try Programs.installed("openssl"),
      [
        "s_server", "-accept", "127.0.0.1:\(port)", "-alpn", "other", "-quiet", "-cert",
        try Certificates.path("server.pem"),
        "-key", try Certificates.path("server.key"),
      ], log: world.folder + "/server.log")
    defer { server.end(SIGKILL) }
    #expect(eventually { TestSocket.answers(port) })
    try world.write(KioskWorld.KioskConfiguration(port: port))
    let text = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try text.replacingOccurrences(of: "  client_id: kiosk\n", with: "  client_id: kiosk\n  alpn: mqtt\n").write(
      toFile: world.configPath, atomically: true, encoding: .utf8)
    let done = try world.tappet("check")
    #expect(done.status == 1 && done.output.contains("protocol"), "\(done.output)")
  }
}
