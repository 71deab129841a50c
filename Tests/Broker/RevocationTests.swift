// Revocation lists against a real mosquitto, and a server that asks for another handshake.

import Foundation
import TappetBroker
import TappetCore
import TappetMessages
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct RevocationTests {
  private let folder = TestFolder.make("revocation")

  /// A list of the intermediate's, of a day or of yesterday; with the server's certificate on it, or empty.
  private func list(revoked: Bool = false, expired: Bool = false, issuer: String = "intermediate") throws -> String {
    let path = folder + "/\(issuer)-\(revoked)-\(expired).pem"
    let settings = """
      [ca]
      default_ca = any
      [any]
      database = \(folder)/index
      default_md = sha256
      crlnumber = \(folder)/number

      """
    try settings.write(toFile: folder + "/ca.cnf", atomically: true, encoding: .utf8)
    try "".write(toFile: folder + "/index", atomically: true, encoding: .utf8)
    try "01\n".write(toFile: folder + "/number", atomically: true, encoding: .utf8)
    let authority = [
      "-config", folder + "/ca.cnf", "-cert", TestCertificates.path(issuer + ".pem"), "-keyfile",
      TestCertificates.path(issuer + ".key"),
    ]
    if revoked { try openssl(["ca"] + authority + ["-revoke", TestCertificates.path("server-leaf.pem")]) }
    let life =
      expired ? ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200102000000Z"] : ["-crldays", "1"]
    try openssl(["ca"] + authority + ["-gencrl", "-out", path] + life)
    return path
  }

  private func openssl(_ words: [String]) throws {
    let done = try Programs.run(Programs.installed("openssl"), words)
    guard done.status == 0 else { throw TestFault(done.errors) }
  }

  private func outcome(_ settings: BrokerSettings) throws -> LinkEvent? {
    let log = LinkLog()
    let link = try BrokerLink(settings: settings) { log.take($0) }
    defer { link.shutdown() }
    link.connect(endpoint: 0)
    return log.event(1)
  }

  @Test func `a valid list accepts a broker, and a revoked certificate, an expired or a missing list is refused`()
    throws
  {
    let broker = try TestBroker()
    var settings = broker.settings()
    settings.crlFile = try list()
    #expect(try outcome(settings) == .connected(sessionPresent: false))
    let cases: [(String, String)] = [
      (try list(revoked: true), "was revoked"), (try list(expired: true), "has expired"),
      (try list(issuer: "ca"), "no revocation list from the issuer"), (folder + "/none", "cannot be read"),
      (TestCertificates.path("ca.pem"), "no readable revocation list"),
    ]
    for (path, sentence) in cases {
      settings.crlFile = path
      guard case .failed(let failure)? = try outcome(settings) else { throw TestFault("\(path) let it in") }
      #expect(failure.sentence.contains(sentence), "\(path): \(failure.sentence)")
    }
  }

  @Test func `check detects an expired list before connecting, and reads a list in DER`() throws {
    var settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: 8883, usesTLS: true)], clientID: "x",
      caFile: TestCertificates.path("ca.pem"))
    let good = try list()
    settings.crlFile = good
    #expect(Certificates.mistakes(settings).isEmpty)
    try openssl(["crl", "-in", good, "-outform", "DER", "-out", folder + "/list.der"])
    settings.crlFile = folder + "/list.der"
    #expect(Certificates.inspect(settings).contains(.revocationLists(path: folder + "/list.der", count: 1)))
    settings.crlFile = try list(expired: true)
    let mistakes = Certificates.mistakes(settings).map { $0.sentence }
    #expect(mistakes.count == 1 && mistakes[0].contains("has expired"), "\(mistakes)")
  }

  @Test func `a server's request to renegotiate TLS is refused`() throws {
    let port = TestSocket.freePort()
    let output = folder + "/server"
    let server = try TestProcess(
      try Programs.installed("openssl"),
      [
        "s_server", "-accept", "\(port)", "-cert", TestCertificates.path("server.pem"), "-cert_chain",
        TestCertificates.path("server.pem"), "-key", TestCertificates.path("server.key"), "-tls1_2", "-msg",
      ], input: .typed, output: output)
    defer { server.stop(SIGTERM) }
    try #require(eventually { textSoFar(output).contains("ACCEPT") }, "\(textSoFar(output))")
    var settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: port, usesTLS: true)], clientID: "kiosk-test",
      caFile: TestCertificates.path("ca.pem"))
    settings.version = .v311
    let link = try BrokerLink(settings: settings) { _ in }
    defer { link.shutdown() }
    link.connect(endpoint: 0)
    try #require(eventually { textSoFar(output).contains("CIPHER is") }, "\(textSoFar(output))")
    try server.type("r\n")
    #expect(eventually { textSoFar(output).contains("no_renegotiation") }, "\(textSoFar(output))")
    #expect(textSoFar(output).components(separatedBy: "ClientHello").count == 2)
  }
}
