// Webhooks through the shipped programs, against a real HTTPS server.

import Foundation
import TestSupport
import Testing

extension WebhookServer {
  /// A webhook to a path of it, as an action has it.
  func webhook(_ path: String, _ more: String = "") throws -> String {
    "webhook: {url: '\(url(path))', ca: \(try Certificates.path("ca.pem"))\(more.isEmpty ? "" : ", " + more)}"
  }
}

@Suite(.serialized) struct WebhookTests {
  private let folder: TemporaryFolder
  private let server: WebhookServer

  init() throws {
    folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    server = try WebhookServer(in: folder.path)
  }

  @Test func `a press is posted over HTTPS with its id, and then removed`() throws {
    // A button each: a contact that moves too soon after its last move is taken for one that bounces.
    let rest = "message: '{\"id\": \"%I\"}', \(try server.webhook("ok"))"
    let world = try KioskWorld.withWebhooks(["one", "two", "three"].map { ($0, rest) })
    try world.start()
    #expect(world.webhookProcess == nil, "nothing is due yet")
    for number in 1...3 {
      try world.press(number - 1)
      #expect(try eventually { try world.webhookCount("delivered") == number }, "\(world.log.suffix(1000))")
    }
    for request in server.requests {
      #expect(request.method == "POST" && request.body == "{\"id\": \"\(request.key)\"}")
      #expect(request.headers["content-type"] == "application/json" && request.key.count == 32)
    }
    #expect(Set(server.requests.map(\.key)).count == 3)
    #expect(Set(server.requests.map(\.port)).count == 1, "the connection is kept")
    #expect(try eventually { try world.webhookCount("delivered") == 3 })
    #expect(eventually { world.lights.contains("delivered-by-button") && world.log.contains("destination=webhook") })
    #expect(try world.tappet("outbox", "list").output == "")
    #expect(try world.tappet("status").status == 0)
    let kiosk = try #require(world.kiosk)
    #expect(!textSoFar("/proc/\(kiosk.pid)/maps").contains("libcurl"))
  }

  @Test func `a CA certificate that an editor has indented is read`() throws {
    let world = try KioskWorld.withWebhooks([("ring", "message: ring, webhook: {url: '\(server.url("ok"))', ca: ca}")])
    let lines = textSoFar(try Certificates.path("ca.pem")).split(separator: "\n")
    try world.writePrivate("ca", "\u{FEFF}" + lines.map { "    \($0)\r\n" }.joined())
    try world.start()
    try world.press(0)
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(1000))")
  }

  @Test func `a secret is in the request, and nowhere else`() throws {
    let world = try KioskWorld.withWebhooks([
      (
        "ring",
        "message: ring, webhook: {url: {file: url}, ca: \(try Certificates.path("ca.pem")), secret: {file: signing}, "
          + "headers: {Authorization: {file: token}, X-Kiosk: door}}"
      ),
      ("wrong", "message: ring, \(try server.webhook("missing/SECRETPATH?k=SECRETQUERY"))"),
    ])
    try world.writePrivate("url", server.url("ok/with/key/SECRETKEY") + "\n")
    try world.writePrivate("token", "Bearer SECRETTOKEN\n")
    let signing = Data((0..<32).map { UInt8($0) })
    try world.writePrivate("signing", "whsec_" + signing.base64EncodedString() + "\n")
    try world.start()
    try world.press(0)
    try world.press(1)
    #expect(eventually { server.requests.count == 2 && world.log.contains("event=webhook-given-up") })
    let request = try #require(server.requests.first { $0.path.hasPrefix("/ok") })
    #expect(request.path == "/ok/with/key/SECRETKEY" && request.headers["authorization"] == "Bearer SECRETTOKEN")
    #expect(request.headers["x-kiosk"] == "door" && request.headers["webhook-id"] == request.key)
    // openssl judges the signature.
    let text = "\(request.key).\(request.headers["webhook-timestamp"] ?? "").ring"
    let code = try Signing.signature(of: text, key: signing.map { String(format: "%02x", $0) }.joined())
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(code.dropFirst($0).prefix(2), radix: 16) }
    #expect(request.headers["webhook-signature"] == "v1," + Data(bytes).base64EncodedString())
    let process = try #require(world.webhookProcess)
    let said =
      world.log + Kernel.commandLine(process) + (try world.tappet("status").output)
      + (try world.tappet("outbox", "list").output) + (try world.tappet("check", "--config-only").output)
    #expect(!said.contains("SECRET"), "\(said)")
  }

  @Test func `a client certificate is sent to a server that requires it, and a missing one is reported`() throws {
    let strict = try WebhookServer(in: folder.path, clientCA: "broker-ca.pem")
    let certificate =
      "certificate: \(try Certificates.path("client.pem")), private_key: \(try Certificates.path("client.key"))"
    let world = try KioskWorld.withWebhooks([
      ("known", "message: a, \(try strict.webhook("ok", certificate))"),
      ("unknown", "message: b, \(try strict.webhook("ok"))"),
    ])
    try world.start()
    try world.press(0)
    #expect(eventually { strict.requests.contains { $0.hasCertificate && $0.body == "a" } })
    try world.press(1)
    #expect(eventually { world.log.contains("event=webhook-waiting") })
    #expect(!strict.requests.contains { $0.body == "b" } && world.lights.contains("offline"))
  }

  @Test func `check connects to the servers, but posts to no webhook`() throws {
    let strict = try WebhookServer(in: folder.path, clientCA: "broker-ca.pem")
    let certificate =
      "certificate: \(try Certificates.path("client.pem")), private_key: \(try Certificates.path("client.key"))"
    let world = try KioskWorld.withWebhooks([
      ("known", "message: a, \(try strict.webhook("SECRET", certificate))"),
      ("filed", "message: b, webhook: {url: {file: url}, ca: \(try Certificates.path("ca.pem"))}"),
    ])
    try world.writePrivate("url", server.url("SECRET") + "\n")
    let good = try world.tappet("check")
    for (action, port) in [("known", strict.port), ("filed", server.port)] {
      let line = "\(action): https://localhost:\(port) responds; whether it accepts the POST was not tried"
      #expect(good.output.contains("ok    webhook        " + line), "\(good)")
    }
    server.stop()
    let bad = try world.tappet("check", "--json")
    #expect(bad.status == 1 && bad.output.contains("webhook-unreachable"), "\(bad)")
    #expect((server.requests + strict.requests).allSatisfy { $0.method == "GET" && $0.path == "/" })
    #expect(!(good.output + bad.output).contains("SECRET"))
  }

  @Test func `an entry that a server refuses for good is given up, listed with the reason, and dropped`() throws {
    let world = try KioskWorld.withWebhooks([
      ("missing", "message: a, \(try server.webhook("missing"))"),
      ("gone", "message: b, \(try server.webhook("gone"))"),
      ("file", "message: c, \(try server.webhook("to-file", "redirects: 3"))"),
      ("self", "message: d, \(try server.webhook("to-itself", "redirects: 3"))"),
      ("plain", "message: e, \(try server.webhook("to-plain", "redirects: 3"))"),
      ("unfollowed", "message: f, \(try server.webhook("to-ok"))"),
      ("followed", "message: g, \(try server.webhook("to-ok", "redirects: 1"))"),
    ])
    try world.start()
    for number in 0..<7 { try world.press(number) }
    #expect(try eventually { try world.webhookCount("given_up") == 6 }, "\(world.log.suffix(2000))")
    #expect(eventually { server.requests(to: "ok").map(\.body) == ["g"] })
    #expect(server.requests(to: "to-itself").count == 4 && server.requests(to: "missing").count == 1)
    let list = try world.tappet("outbox", "list").output
    for words in ["refused the request with 404", "responded with 410", "redirects in a loop", "responded with 307"] {
      #expect(list.contains(words), "\(list)")
    }
    #expect(list.split(separator: "\n").count == 6)
    #expect(try world.tappet("outbox", "drop", "--all").errors.contains("6 entries dropped"))
    #expect(try world.tappet("outbox", "list").output == "")
  }

  @Test func `a webhook that has worked loses no tap while its proxy refuses, even across a restart`() throws {
    let world = try KioskWorld.withWebhooks([("ring", "message: a, \(try server.webhook("deployed"))")])
    try world.start()
    try world.press(0)
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(2000))")
    #expect(world.kiosk?.end() == true)
    try world.start()
    try world.press(0)
    #expect(eventually { server.requests(to: "deployed").count == 5 }, "\(world.log.suffix(2000))")
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(2000))")
    #expect(Set(server.requests(to: "deployed").dropFirst().map(\.key)).count == 1)
    #expect(!world.log.contains("event=webhook-given-up"))
  }

  @Test func `an entry that was given up is sent again on request`() throws {
    let world = try KioskWorld.withWebhooks([("ring", "message: '%I', \(try server.webhook("made-later"))")])
    try world.start()
    try world.press(0)
    #expect(try eventually { try world.webhookCount("given_up") == 1 }, "\(world.log.suffix(2000))")
    let id = try #require(server.requests.first?.key)
    let listed = try world.tappet("outbox", "list", "--json")
    #expect(listed.data["given_up_at"] != nil && listed.data["id"] as? String == id, "\(listed)")
    #expect(JSONPromise("outbox list", try JSONSchema()).mistakes(listed.data) == [], "\(listed)")
    let unknown = try world.tappet("outbox", "retry", String(repeating: "0", count: 32))
    #expect(unknown.status == 1 && unknown.errors.contains("was not given up"), "\(unknown.errors)")
    let retried = try world.tappet("outbox", "retry", id, "--json")
    #expect(retried.data as? [String: Int] == ["retried": 1], "\(retried.output)\(retried.errors)")
    #expect(try eventually { try world.webhookCount("delivered") == 1 }, "\(world.log.suffix(2000))")
    #expect(server.requests.map(\.key) == [id, id] && world.log.contains("code=retried"))
    #expect(try world.tappet("outbox", "retry", "--all").errors.contains("0 entries"))
  }

  @Test func `a server with the wrong certificate gets no request`() throws {
    let other = try WebhookServer(in: folder.path, certificate: "other-server")
    let named = try WebhookServer(in: folder.path, certificate: "wrong-name")
    let world = try KioskWorld.withWebhooks([
      ("other", "message: a, \(try other.webhook("ok"))"), ("named", "message: b, \(try named.webhook("ok"))"),
    ])
    try world.start()
    try world.press(0)
    try world.press(1)
    #expect(
      eventually { world.log.components(separatedBy: "code=webhook-certificate").count > 2 },
      "\(world.log.suffix(1500))")
    #expect(other.requests.isEmpty && named.requests.isEmpty)
    let status = try world.webhookStatus()
    #expect(status["good"] as? Bool == false && status["waiting"] as? Int == 2)
    #expect(try world.tappet("status").status == 1)
  }

  @Test func `neither broker nor webhook delays the other, and one tap reaches both with one id`() throws {
    let world = try KioskWorld.withWebhooks([
      ("both", "topic: home/both, message: '%I', \(try server.webhook("ok"))")
    ])
    world.broker.stop()
    try world.start(until: "offline")
    try world.press()
    #expect(eventually { server.requests.count == 1 }, "the broker keeps it not back")
    #expect(try world.tappet("status", "--json").data["outbox"] as? Int == 1)
    try world.restartBroker()
    #expect(eventually { world.received.map(\.payload) == server.requests.map(\.key) })
    server.stop()
    try world.press()
    #expect(eventually { world.received.count == 2 && world.log.contains("code=webhook-unreachable") })
    #expect(try world.webhookStatus()["waiting"] as? Int == 1)
  }
}
