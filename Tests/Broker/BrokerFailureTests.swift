import Foundation
import TappetCore
import TappetMessages
import TestSupport
import Testing

@Suite(.serialized) struct BrokerFailureTests {
  private func settings(_ peer: TestPeer, usesTLS: Bool = false, version: MQTTVersion = .v311) -> BrokerSettings {
    BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: usesTLS)], clientID: "kiosk-test",
      caFile: usesTLS ? TestCertificates.path("ca.pem") : nil, version: version)
  }

  /// The same settings with little patience.
  private func impatient(_ settings: BrokerSettings) -> BrokerSettings {
    var settings = settings
    settings.answerTimeout = .seconds(1)
    return settings
  }

  private func failure(_ settings: BrokerSettings) throws -> LinkFailure? {
    try LinkUnderTest(settings).failure()
  }

  // MARK: Certificates, ours and the broker's

  @Test func `a broker whose CA has a different root is refused`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.caFile = TestCertificates.path("other-ca.pem")
    let failure = try failure(settings)
    guard case .tls(.untrustedIssuer) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `without a CA file a broker with a private CA is refused`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.caFile = nil
    let failure = try failure(settings)
    guard case .tls(.untrustedIssuer) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test(arguments: ["intermediate.pem", "server-leaf.pem"])
  func `pinning an intermediate certificate is enough`(_ file: String) throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.caFile = TestCertificates.path(file)
    #expect(try LinkUnderTest(settings).connected(broker))
  }

  @Test func `a pinned certificate must still match the host`() throws {
    let broker = try TestBroker(.mutual(server: "wrong-name"))
    var settings = broker.settings()
    settings.caFile = TestCertificates.path("wrong-name.pem")
    let failure = try failure(settings)
    guard case .tls(.hostMismatch("localhost", _, _)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a server's certificate for a different name is refused`(_ host: String) throws {
    let broker = try TestBroker(.mutual(server: "wrong-name"))
    let failure = try failure(broker.settings(host: host))
    guard case .tls(.hostMismatch(host, let subject, let names)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(subject.contains("elsewhere.example") && names.contains("DNS:elsewhere.example"))
  }

  @Test func `a common name is not accepted as a host name`() throws {
    let path = TestCertificates.path("common-name")
    let made = try Programs.run(
      Programs.installed("openssl"),
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-out", path + ".pem", "-keyout",
        path + ".key",
      ])
    try #require(made.status == 0, "\(made.errors)")
    let broker = try TestBroker(.mutual(server: "common-name"))
    var settings = broker.settings()
    settings.caFile = path + ".pem"
    #expect(try failure(settings) == .tls(.hostMismatch(expected: "localhost", subject: "CN=localhost", names: "")))
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate's names and addresses are both accepted`(_ host: String) throws {
    let broker = try TestBroker()
    #expect(try LinkUnderTest(broker.settings(host: host)).connected(broker))
  }

  @Test func `an expired server certificate is reported as expired`() throws {
    let broker = try TestBroker(.mutual(server: "expired-server"))
    let failure = try failure(broker.settings())
    guard case .tls(.expired(let subject)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(subject.contains("localhost"))
  }

  @Test func `a server certificate that is not yet valid is refused as such`() throws {
    let broker = try TestBroker(.mutual(server: "future-server"))
    let failure = try failure(broker.settings())
    guard case .tls(.notYetValid) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  /// The alert can be lost to the reset that follows it; then only the end of the connection can be reported.
  private func expectRefusal(_ settings: BrokerSettings, alerts: [TLSAlert]) throws {
    let given = settings.certificateFile != nil
    let failure = try failure(settings)
    let wanted: [LinkFailure] =
      alerts.map { .tls(.alert($0)) } + [.closedBeforeConnack(usesTLS: true, clientCertificateGiven: given)]
    #expect(failure.map { wanted.contains($0) } == true, "\(String(describing: failure))")
  }

  @Test func `a missing client certificate is reported if the broker requires one`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.certificateFile = nil
    settings.privateKeyFile = nil
    try expectRefusal(settings, alerts: [.certificateRequired])
    #expect(
      LinkFailure.closedBeforeConnack(usesTLS: true, clientCertificateGiven: false).sentence.contains(
        "requires a client certificate"))
  }

  @Test func `a client certificate of another CA is reported as such`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.certificateFile = TestCertificates.path("other-client.pem")
    settings.privateKeyFile = TestCertificates.path("other-client.key")
    try expectRefusal(settings, alerts: [.unknownCA, .decryptError])
  }

  @Test func `an expired client certificate is reported as such`() throws {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.certificateFile = TestCertificates.path("expired-client.pem")
    settings.privateKeyFile = TestCertificates.path("expired-client.key")
    try expectRefusal(settings, alerts: [.certificateExpired])
  }

  @Test func `unusable certificate and key files are reported before anything is sent`() throws {
    let broker = try TestBroker()
    let key = TestCertificates.path("second-client.key")
    let certificate = TestCertificates.path("client.pem")
    var settings = broker.settings()
    settings.privateKeyFile = key
    #expect(try failure(settings) == .files(.keyMismatch(certificate: certificate, key: key)))
    settings.privateKeyFile = TestCertificates.path("encrypted.key")
    #expect(try failure(settings) == .files(.keyEncrypted(path: TestCertificates.path("encrypted.key"))))
    settings.privateKeyFile = nil
    #expect(try failure(settings) == .files(.certificateWithoutKey(certificate: certificate)))
  }

  @Test func `files replaced on disk are used at the link's next connect`() throws {
    let broker = try TestBroker()
    let folder = TestFolder.make("replaced")
    var settings = broker.settings()
    settings.certificateFile = folder + "/own.pem"
    settings.privateKeyFile = folder + "/own.key"
    settings.caFile = folder + "/ca.pem"
    func install(_ client: String, ca: String) throws {
      for (from, to) in [(client + ".pem", "own.pem"), (client + ".key", "own.key"), (ca + ".pem", "ca.pem")] {
        let text = try Data(contentsOf: URL(fileURLWithPath: TestCertificates.path(from)))
        try text.write(to: URL(fileURLWithPath: folder + "/" + to))
      }
    }
    try install("client", ca: "ca")
    let test = try LinkUnderTest(settings)
    #expect(test.connected(broker))
    #expect(eventually { broker.log.contains("u'kiosk-demo'") })
    try install("second-client", ca: "ca")
    test.link.disconnect()
    #expect(test.log.wait(.disconnected))
    #expect(test.connected(broker))
    #expect(eventually { broker.log.contains("u'kiosk-second'") })
    try install("client", ca: "other-ca")
    test.link.disconnect()
    #expect(test.log.wait { $0.last == .disconnected })
    let failure = test.failure()
    guard case .tls(.untrustedIssuer) = failure else {
      Issue.record("\(String(describing: failure)), \(test.log.events)")
      return
    }
  }

  @Test func `new settings apply from the next connect`() throws {
    let broker = try TestBroker()
    let test = try LinkUnderTest(BrokerSettings(endpoints: [], clientID: "x"))
    #expect(test.failure() == .settingsRefused(code: 0))
    test.link.update(settings: broker.settings("renamed"))
    #expect(test.connected(broker))
    #expect(eventually { broker.log.contains("as renamed ") })
  }

  // MARK: Strangers

  @Test func `a closed port is reported as refused, and a name without an address is reported as such`() throws {
    var settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: TestSocket.freePort(), usesTLS: false)], clientID: "x")
    #expect(try failure(settings) == .connectionRefused)
    settings.endpoints[0].host = "no-such-host.invalid"
    let failure = try failure(settings)
    guard case .nameNotResolved("no-such-host.invalid", _, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `a peer that closes the connection is reported with and without TLS`() throws {
    let peer = TestPeer(.hangUp)
    #expect(try failure(settings(peer)) == .closedBeforeConnack(usesTLS: false, clientCertificateGiven: false))
    #expect(try failure(settings(peer, usesTLS: true)) == .closedWithoutTLS)
  }

  @Test func `TLS to a real broker's port without TLS is not reported as a certificate fault`() throws {
    let broker = try TestBroker(.plain)
    let settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: broker.port, usesTLS: true)], clientID: "kiosk-test",
      caFile: TestCertificates.path("ca.pem"), certificateFile: TestCertificates.path("client.pem"),
      privateKeyFile: TestCertificates.path("client.key"))
    #expect(try failure(settings) == .closedWithoutTLS)
  }

  @Test func `a connection reset is reported like a closed connection`() throws {
    let peer = TestPeer(.reset)
    #expect(try failure(settings(peer)) == .closedBeforeConnack(usesTLS: false, clientCertificateGiven: false))
    #expect(try failure(settings(peer, usesTLS: true)) == .closedWithoutTLS)
  }

  @Test(arguments: 1...5)
  func `each reason for refusing CONNECT is reported by name`(_ code: UInt8) throws {
    let peer = TestPeer(.answerAndHangUp([0x20, 0x02, 0x00, code]))
    let name = try #require(ConnackCode(rawValue: code))
    #expect(try failure(settings(peer)) == .connack(name))
  }

  @Test func `an unknown reason for refusing CONNECT is reported by number`() throws {
    let peer = TestPeer(.answer([0x20, 0x02, 0x00, 0x2A]))
    #expect(try failure(settings(peer)) == .connackUnknown(code: 0x2A))
  }

  @Test func `an MQTT 5 reason for refusing CONNECT is reported by name`() throws {
    let peer = TestPeer(.answer([0x20, 0x03, 0x00, 0x8A, 0x00]))
    #expect(try failure(settings(peer, version: .v5)) == .refused(.banned))
  }

  @Test func `with MQTT 5 the broker's reason for disconnecting is reported`() throws {
    let peer = TestPeer(.answer([0x20, 0x03, 0x00, 0x00, 0x00, 0xE0, 0x01, 0x8E]))
    let test = try LinkUnderTest(settings(peer, version: .v5))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.lost(.disconnectedByBroker(.sessionTakenOver))), "\(test.log.events)")
  }

  @Test func `garbage instead of CONNACK is a violation`() throws {
    let peer = TestPeer(.answerAndHangUp(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
    switch try failure(settings(peer)) {
    case .protocolViolated, .closedBeforeConnack: break
    case let other: Issue.record("\(String(describing: other))")
    }
    #expect(try failure(settings(peer, usesTLS: true)) == .tls(.notTLS))
  }

  @Test func `a PUBACK before CONNACK is a violation, not a delivery`() throws {
    let peer = TestPeer(.answer([0x40, 0x02, 0x00, 0x01]))
    let failure = try failure(settings(peer))
    guard case .protocolViolated = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test func `PUBACKs for messages that were never sent are ignored`() throws {
    // CONNACK, a second CONNACK, PUBACKs for 0x1234 and 0x0002; the end shows that they were read.
    let peer = TestPeer(.answerAndHangUp([0x20, 2, 0, 0, 0x20, 2, 0, 0, 0x40, 2, 0x12, 0x34, 0x40, 2, 0, 2]))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait { $0.contains { if case .lost = $0 { true } else { false } } }, "\(test.log.events)")
    #expect(test.log.events.first == .connected(sessionPresent: false))
    #expect(!test.log.events.contains { if case .acknowledged = $0 { true } else { false } }, "\(test.log.events)")
  }

  @Test func `an aborted connection attempt ends with a single event`() throws {
    let peer = TestPeer(.silence)
    let test = try LinkUnderTest(settings(peer, usesTLS: true))
    test.link.connect(endpoint: 0)
    test.link.disconnect()
    #expect(test.log.wait(.disconnected))
    test.link.connect(endpoint: 0)
    test.link.shutdown()
    test.log.wait { $0.count > 1 }
    #expect(test.log.events == [.disconnected, .disconnected])
  }

  @Test func `the connect timeout expires if a peer never answers, with and without TLS`() throws {
    let peer = TestPeer(.silence)
    let plain = try LinkUnderTest(impatient(settings(peer)))
    let other = TestPeer(.silence)
    let secure = try LinkUnderTest(impatient(settings(other, usesTLS: true)))
    plain.link.connect(endpoint: 0)
    secure.link.connect(endpoint: 0)
    #expect(plain.log.wait(.failed(.noConnack)))
    #expect(secure.log.wait(.failed(.handshakeTimedOut)))
  }

  @Test func `a connection without acknowledgements is closed`() throws {
    let peer = TestPeer(.answer([0x20, 2, 0, 0]))
    let test = try LinkUnderTest(impatient(settings(peer)))
    test.link.connect(endpoint: 0)
    test.publish(EntryID(high: 1, low: 2))
    #expect(test.log.wait(.lost(.acknowledgeExpired)))
  }

  @Test func `shutting down does not wait for a silent peer`() throws {
    let peer = TestPeer(.answer([0x20, 2, 0, 0]))
    let test = try LinkUnderTest(settings(peer))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait(.connected(sessionPresent: false)))
    // The peer never says another word: that this returns is the test.
    test.link.shutdown()
    #expect(test.log.wait(.disconnected))
    #expect(test.log.events == [.connected(sessionPresent: false), .disconnected])
  }
}
