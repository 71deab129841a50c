import Foundation
import TappetCore
import TappetPlatform
import TappetTLS
import TestSupport
import Testing

@Suite struct CertificateTests {
  private let endpoint = BrokerEndpoint(host: "localhost", port: 8883, usesTLS: true)

  private func settings(ca: String? = nil, certificate: String? = nil, key: String? = nil) -> BrokerSettings {
    BrokerSettings(
      endpoints: [endpoint], clientID: "x", caFile: ca, certificateFile: certificate, privateKeyFile: key)
  }

  private func file(_ text: String) throws -> String {
    let path = TestFolder.make("certificate") + "/file.pem"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func problem(_ settings: BrokerSettings, host: String = "localhost") -> CertificateProblem? {
    do throws(CertificateProblem) {
      _ = try Certificates.makeContext(
        settings, endpoint: BrokerEndpoint(host: host, port: 8883, usesTLS: true))
      return nil
    } catch { return error }
  }

  @Test func `valid files make a context`() {
    #expect(
      problem(
        settings(
          ca: TestCertificates.path("ca.pem"), certificate: TestCertificates.path("client.pem"),
          key: TestCertificates.path("client.key"))) == nil)
    #expect(problem(settings()) == nil)
  }

  @Test func `PEM is read in the forms that editors, YAML, JSON and Windows write`() throws {
    let certificate = try String(contentsOfFile: TestCertificates.path("client.pem"), encoding: .utf8)
    let key = try String(contentsOfFile: TestCertificates.path("client.key"), encoding: .utf8)
    let forms: [(String) -> [UInt8]] = [
      { Array($0.replacing("\n", with: "\n    ").utf8) }, { Array(("\t" + $0.replacing("\n", with: " \r\n\t")).utf8) },
      { Array($0.replacing("\n", with: "\r").utf8) }, { Array(("\u{FEFF}" + $0).utf8) },
      { Array(("\"" + $0.replacing("\n", with: "\\n") + "\"").utf8) },
      { [0xFF, 0xFE] + $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } },
      { [0xFE, 0xFF] + $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } },
    ]
    for (number, form) in forms.enumerated() {
      let (certificateFile, keyFile) = (try file(""), try file(""))
      try Data(form(certificate)).write(to: URL(fileURLWithPath: certificateFile))
      try Data(form(key)).write(to: URL(fileURLWithPath: keyFile))
      #expect(problem(settings(ca: certificateFile, certificate: certificateFile, key: keyFile)) == nil, "\(number)")
    }
  }

  @Test func `the key's own certificate is found even after that of its authority`() throws {
    let blocks = try String(contentsOfFile: TestCertificates.path("client.pem"), encoding: .utf8)
      .components(separatedBy: "-----END CERTIFICATE-----\n").filter { $0.contains("BEGIN") }
      .map { $0 + "-----END CERTIFICATE-----\n" }
    #expect(blocks.count == 2)
    let reversed = try file(blocks.reversed().joined())
    let key = TestCertificates.path("client.key")
    #expect(problem(settings(certificate: reversed, key: key)) == nil)
    let facts = Certificates.inspect(settings(certificate: reversed, key: key))
    let details = facts.compactMap { if case .certificate(let details) = $0 { details } else { nil } }
    #expect(details.first?.role == .client && details.first?.subject == "O=Tappet demo, CN=kiosk-demo")
    #expect(facts.last == .keyMatches(certificate: reversed, key: key))
    let both = try file(blocks.reversed().joined() + String(contentsOfFile: key, encoding: .utf8))
    #expect(problem(settings(certificate: both)) == nil)
    let foreign = try file(blocks[1])
    #expect(problem(settings(certificate: foreign, key: key)) == .keyMismatch(certificate: foreign, key: key))
  }

  @Test func `each kind of bad file is distinguished`() throws {
    let missing = "/nonexistent/ca.pem"
    guard case .unreadable(missing, let system) = problem(settings(ca: missing)) else {
      Issue.record("a missing file was read")
      return
    }
    #expect(system.code == ENOENT)
    let empty = try file("")
    #expect(problem(settings(ca: empty)) == .empty(path: empty))
    let text = try file("hello")
    #expect(problem(settings(ca: text)) == .notPEM(path: text))
    #expect(problem(settings(ca: "/tmp")).map { if case .unreadable = $0 { true } else { false } } == true)
    let certificate = TestCertificates.path("client.pem")
    #expect(problem(settings(certificate: certificate, key: text)) == .keyNotPEM(path: text))
    let encrypted = TestCertificates.path("encrypted.key")
    #expect(problem(settings(certificate: certificate, key: encrypted)) == .keyEncrypted(path: encrypted))
    #expect(problem(settings(key: encrypted)) == .keyWithoutCertificate(key: encrypted))
    let large = try file(String(repeating: "x", count: Limits.certificateFileSizeMax + 1))
    #expect(problem(settings(ca: large)) == .tooLarge(path: large))
  }

  @Test func `a damaged certificate after a valid one is not skipped`() throws {
    let good = try String(contentsOfFile: TestCertificates.path("ca.pem"), encoding: .utf8)
    let damaged = try file(good + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    #expect(problem(settings(ca: damaged)) == .notPEM(path: damaged))
  }

  @Test func `a host that cannot be checked is refused`() {
    #expect(problem(settings(), host: "") == .unusableHost(""))
    #expect(problem(settings(), host: ".") == .unusableHost(""))
  }

  @Test func `an encrypted key does not prompt for a passphrase`() throws {
    let encrypted = TestCertificates.path("encrypted.key")
    let settings = settings(certificate: TestCertificates.path("client.pem"), key: encrypted)
    // A prompt without a terminal reads standard input, where it would find the passphrase.
    let words = try FileDescriptor.open(file("demo\n"), O_RDONLY)
    let input = dup(STDIN_FILENO)
    dup2(words.number, STDIN_FILENO)
    defer {
      dup2(input, STDIN_FILENO)
      close(input)
    }
    #expect(problem(settings) == .keyEncrypted(path: encrypted))
  }

  @Test func `inspection reports the subject, the issuer, the expiry, and whether the key matches`() throws {
    let certificate = TestCertificates.path("client.pem")
    let key = TestCertificates.path("client.key")
    let facts = Certificates.inspect(
      settings(ca: TestCertificates.path("ca.pem"), certificate: certificate, key: key))
    let details = facts.compactMap { if case .certificate(let details) = $0 { details } else { nil } }
    #expect(details.map(\.role) == [.authority, .client, .clientChain])
    #expect(details[1].subject == "O=Tappet demo, CN=kiosk-demo")
    #expect(details[1].issuer == "O=Tappet demo, CN=Tappet demo intermediate")
    let now = Int64(Date().timeIntervalSince1970)
    #expect((363...365).contains(details[1].daysLeft(atUnixSeconds: now)))
    #expect(details[1].notBeforeUnixSeconds < now)
    #expect(facts.last == .keyMatches(certificate: certificate, key: key))
  }

  @Test func `remaining days are rounded down, even after the expiry`() {
    let details = CertificateDetails(
      role: .client, path: "", subject: "", issuer: "", notBeforeUnixSeconds: 0, notAfterUnixSeconds: 86_400 * 10)
    #expect(details.daysLeft(atUnixSeconds: 86_400 * 9) == 1)
    #expect(details.daysLeft(atUnixSeconds: 86_400 * 9 + 1) == 0)
    #expect(details.daysLeft(atUnixSeconds: 86_400 * 10) == 0)
    #expect(details.daysLeft(atUnixSeconds: 86_400 * 10 + 1) == -1)
    #expect(details.daysLeft(atUnixSeconds: 86_400 * 11 + 1) == -2)
    #expect(details.daysLeft(atUnixSeconds: .min) == .max)
  }

  @Test func `an expired authority is not needed as long as another one is valid`() {
    func fact(_ role: CertificateDetails.Role, _ days: ClosedRange<Int64>) -> CertificateFact {
      .certificate(
        CertificateDetails(
          role: role, path: "ca", subject: "s\(days)", issuer: "", notBeforeUnixSeconds: days.lowerBound * 86_400,
          notAfterUnixSeconds: days.upperBound * 86_400))
    }
    let (expired, valid, future) = (fact(.authority, 0...9), fact(.authority, 0...20), fact(.authority, 15...30))
    func needed(_ facts: CertificateFact...) -> [CertificateFact] {
      Certificates.needed(facts, atUnixSeconds: 86_400 * 10)
    }
    #expect(needed(expired, valid, future) == [valid, future])
    #expect(needed(expired) == [expired] && needed(expired, future) == [expired, future])
    // A certificate of the kiosk's own stands in for none.
    let (own, chain) = (fact(.client, 0...9), fact(.clientChain, 0...20))
    #expect(needed(expired, own, chain) == [expired, own, chain] && needed(valid, own) == [valid, own])
  }

  @Test func `inspection reports each fault`() throws {
    let certificate = TestCertificates.path("client.pem")
    let open = try file(try String(contentsOfFile: TestCertificates.path("second-client.key"), encoding: .utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
    let facts = Certificates.inspect(settings(certificate: certificate, key: open))
    #expect(facts.first == .systemTrustStore)
    #expect(facts.contains(.keyOpenToOthers(path: open, mode: 0o644)))
    #expect(facts.contains(.problem(.keyMismatch(certificate: certificate, key: open))))
    #expect(
      Certificates.inspect(settings(certificate: certificate)).contains(
        .problem(.certificateWithoutKey(certificate: certificate))))
  }
}
