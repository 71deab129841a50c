// 'tappet mqtt connect': every step with its time, and every failure with its cause and an exit status of its own.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTConnectTests {
  private func connect(_ words: String...) throws -> Finished {
    try Programs.run(try Programs.built("tappet"), ["mqtt", "connect"] + words)
  }

  /// The same until it has understood the peer, for whose first words it waits no longer than 1.5 s.
  private func connect(until text: String, _ url: String) throws -> Finished {
    var done = try connect("--url", url)
    for _ in 1...10 where !done.output.contains(text) { done = try connect("--url", url) }
    return done
  }

  @Test func `the kiosk's broker is tested step by step, under a separate client id`() throws {
    let world = try KioskWorld()
    try world.start()
    let done = try world.tappet("mqtt", "connect")
    let steps = done.output.split(separator: "\n").filter { $0.hasPrefix("  ok ") }
      .compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    #expect(done.status == 0 && steps == ["name", "tcp", "tls", "mqtt"], "\(done)")
    #expect(done.output.contains("TLSv1.3") && done.output.contains("days left"), "\(done)")
    #expect(done.output.contains("requests a client certificate: sent "), "\(done)")
    #expect(done.output.contains("accepted as \"tappet-mqtt-"), "\(done)")
    #expect(!world.log.contains("event=broker-lost"), "it took the kiosk's place")
    let other = try world.tappet("mqtt", "connect", "--kiosk", "--url", "mqtts://127.0.0.1:1")
    #expect(other.status == 11 && other.output.contains("nothing listens on that port"), "\(other)")
  }

  @Test func `each failure is reported with its step, cause and exit status`() throws {
    let mutual = try TestBroker()
    let (ca, wrongCA) = (TestCertificates.path("ca.pem"), TestCertificates.path("other-ca.pem"))
    let certificate = ["--certificate", TestCertificates.path("client.pem")]
    let own = certificate + ["--private-key", TestCertificates.path("client.key")]
    let cases: [(words: [String], status: Int32, text: String)] = [
      (["--url", "mqtts://localhost:\(mutual.port)", "--ca", ca] + own, 0, "connected in"),
      (["--url", "mqtts://no-such-host.invalid"], 10, "bad  name"),
      (["--url", "mqtt://127.0.0.1:\(TestSocket.freePort())"], 11, "bad  tcp"),
      (["--url", "mqtts://localhost:\(mutual.port)", "--ca", wrongCA] + own, 13, "bad  tls"),
      (["--url", "mqtts://localhost:\(mutual.port)", "--ca", ca], 14, "client certificate"),
      (["--url", "mqtts://localhost:\(mutual.port)", "--ca", "/nowhere"], 4, "/nowhere"),
    ]
    for (words, status, text) in cases {
      let done = try Programs.run(try Programs.built("tappet"), ["mqtt", "connect"] + words)
      #expect(done.status == status && done.output.contains(text), "\(words): \(done)")
    }
  }

  @Test func `TLS on a plain port, and plain MQTT on a TLS port, are reported as such`() throws {
    let plain = try TestBroker(.plain)
    let wrong = try connect(until: "without TLS", "mqtts://localhost:\(plain.port)")
    #expect(wrong.status == 15, "\(wrong)")
    #expect(wrong.output.contains("this port speaks MQTT without TLS: use mqtt://localhost:\(plain.port)"), "\(wrong)")
    #expect(try connect("--url", "mqtt://localhost:\(plain.port)").status == 0)
    let secure = try TestBroker()
    let naked = try connect(until: "speaks TLS", "mqtt://localhost:\(secure.port)")
    #expect(naked.status == 15, "\(naked)")
    #expect(naked.output.contains("this port speaks TLS: use mqtts://localhost:\(secure.port)"), "\(naked)")
  }

  @Test func `a web server and a silent peer are distinguished`() throws {
    let web = TestPeer(.answerAndHangUp(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
    for scheme in ["mqtt", "mqtts"] {
      let done = try connect(until: "a web server", "\(scheme)://127.0.0.1:\(web.port)")
      #expect(done.status == 15 && done.output.contains("a web server responds on this port"), "\(done)")
    }
    let silent = TestPeer(.silence)
    for (scheme, step) in [("mqtt", "bad  mqtt"), ("mqtts", "bad  tls")] {
      let done = try connect("--url", "\(scheme)://127.0.0.1:\(silent.port)", "--timeout", "3")
      #expect(done.status == 16 && done.output.contains(step), "\(done)")
    }
  }

  @Test(arguments: [
    (1, 18, "version of MQTT"), (2, 18, "client_id"), (3, 18, "unavailable"), (4, 17, "user name"), (5, 17, "allow"),
    (77, 18, "unknown code 77"),
  ])
  func `every CONNACK code is reported with its cause`(_ code: Int, _ status: Int, _ text: String) throws {
    let peer = TestPeer(.answer([0x20, 2, 0, UInt8(code)]))
    let done = try connect("--url", "mqtt://127.0.0.1:\(peer.port)")
    #expect(done.status == Int32(status) && done.output.contains(text), "\(done)")
  }

  @Test func `a password is read from a file, sent only over TLS, and never shown`() throws {
    let broker = try TestBroker(.password(user: "ha", password: "s3cr3t-word"))
    let folder = TestFolder.make("password")
    let (good, bad) = (folder + "/good", folder + "/bad")
    try "s3cr3t-word\n".write(toFile: good, atomically: true, encoding: .utf8)
    try "another-word\n".write(toFile: bad, atomically: true, encoding: .utf8)
    for path in [good, bad] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    let place = ["--url", "mqtts://localhost:\(broker.port)", "--ca", TestCertificates.path("ca.pem")]
    func login(_ file: String, _ words: [String] = place) throws -> Finished {
      try Programs.run(
        try Programs.built("tappet"), ["mqtt", "connect"] + words + ["--username", "ha", "--password-file", file])
    }
    #expect(try login(good).status == 0)
    let refused = try login(bad)
    #expect(refused.status == 17 && !"\(refused)".contains("another-word"), "\(refused)")
    let naked = try login(good, ["--url", "mqtt://localhost:\(broker.port)"])
    #expect(naked.status == 2 && naked.errors.contains("only over TLS"), "\(naked)")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: good)
    let open = try login(good)
    #expect(open.status == 4 && open.errors.contains("chmod 600"), "\(open)")
  }

  @Test func `usage errors and help work as in any command`() throws {
    #expect(try connect("--url", "http://x").errors.contains("--url must be mqtts://HOST"))
    #expect(try connect("--ca", "x").errors.contains("the kiosk uses its own"))
    #expect(try connect("--protocol", "4").errors.contains("--protocol must be 3.1.1 or 5"))
    #expect(try connect("--help").output.hasPrefix("Usage: tappet mqtt connect"))
    let tappet = try Programs.built("tappet")
    #expect(try Programs.run(tappet, ["mqtt", "--help"]).output.contains("mqtt sub"))
    let unknown = try Programs.run(tappet, ["mqtt", "conect"])
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean 'connect'"), "\(unknown)")
  }
}
