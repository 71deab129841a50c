// Certificates whose makers mean harm, or made a mistake that looks like it.

import Foundation
import TappetConfig
import TappetCore
import TappetMessages
import TappetTLS
import TestSupport
import Testing

@Suite struct HostileCertificateTests {
  private let folder = TestFolder.make("hostile")

  private func openssl(_ words: String...) throws {
    let done = try Programs.run(Programs.installed("openssl"), words)
    try #require(done.status == 0, "\(done.errors)")
  }

  private func replace(_ old: [UInt8], by new: [UInt8], in path: String) throws -> Int {
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var count = 0
    for place in bytes.indices.dropLast(old.count) where Array(bytes[place..<place + old.count]) == old {
      bytes.replaceSubrange(place..<place + old.count, with: new)
      count += 1
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return count
  }

  /// A self-signed certificate with this subject, in DER, and its key.
  private func certificate(_ subject: String, _ options: String...) throws -> String {
    let path = folder + "/certificate.der"
    let made = try Programs.run(
      Programs.installed("openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-utf8", "-subj", subject,
        "-outform", "DER", "-out", path, "-keyout", folder + "/key.pem", "-addext",
        "basicConstraints=critical,CA:FALSE",
      ] + options)
    try #require(made.status == 0, "\(made.errors)")
    return path
  }

  private func sentences(_ paths: [String], host: String? = nil) -> [String] {
    CertificatesReport(paths, host: host) { _ in nil }.findings.map { $0.sentence(at: 0) }
  }

  @Test func `a certificate with an unknown type of key is reported wherever a certificate is read`() throws {
    let path = try certificate("/CN=kiosk")
    let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    #expect(try replace(ecPublicKey, by: ecPublicKey.dropLast() + [0x7F], in: path) > 0)
    let key = folder + "/key.pem"
    let found = sentences([path, key])
    #expect(
      found.contains { $0.contains("\"CN=kiosk\" contains a damaged key, or a key type that") }, "\(found)")
    #expect(found.contains { $0.contains("does not match any of these certificates") }, "\(found)")

    let endpoint = BrokerEndpoint(host: "localhost", port: 8883, usesTLS: true)
    var settings = BrokerSettings(
      endpoints: [endpoint], clientID: "x", caFile: path, certificateFile: path, privateKeyFile: key)
    #expect(throws: CertificateProblem.unknownKey(path: path)) {
      try Certificates.makeContext(settings, endpoint: endpoint)
    }
    #expect(!Certificates.mistakes(settings).isEmpty)
    settings.certificateFile = nil
    settings.privateKeyFile = nil
    _ = try Certificates.makeContext(settings, endpoint: endpoint)
    #expect(throws: CertificateProblem.self) { try ClientIdentity.read([path, key]) { _ in nil } }
  }

  @Test func `a subject is quoted, and cannot control a terminal or imitate other output`() throws {
    let path = try certificate("/CN=a event=tap-accepted id=\"q \u{9B}31m\u{202E}\u{7F}ü")
    let found = sentences([path])
    #expect(found.first?.contains(#""CN=a event=tap-accepted id=\"q \\u{9b}31m\\u{202e}\\u{7f}ü""#) == true, "\(found)")
    #expect(found.allSatisfy { $0.isPrintable })
  }

  @Test func `a common name is not accepted as a host name`() throws {
    let path = try certificate("/CN=kiosk.example")
    #expect(sentences([path], host: "kiosk.example").contains { $0.contains("has no subjectAltName") })
    let named = try certificate("/CN=x", "-addext", "subjectAltName=DNS:kiosk.example")
    #expect(sentences([named], host: "kiosk.example").contains { $0.contains("was issued for kiosk.example") })
  }

  @Test(arguments: [
    ["pkcs12", "-export", "-in", "client.pem", "-inkey", "client.key", "-passout", "pass:x", "-iter", "65535"],
    ["pkcs8", "-topk8", "-in", "client.key", "-passout", "pass:x", "-iter", "65535", "-outform", "DER"],
    ["pkcs8", "-topk8", "-in", "client.key", "-passout", "pass:x", "-iter", "1000001"],
  ])
  func `a file with too many iterations is refused before any are computed`(_ words: [String]) throws {
    let path = folder + "/slow"
    let words = words.map { $0.hasPrefix("client.") ? TestCertificates.path($0) : $0 }
    let made = try Programs.run(Programs.installed("openssl"), words + ["-out", path])
    try #require(made.status == 0, "\(made.errors)")
    if words.last != "1000001" {
      #expect(try replace([0x02, 0x03, 0x00, 0xFF, 0xFF], by: [0x02, 0x03, 0x7F, 0xFF, 0xFF], in: path) > 0)
    }
    let problem = #expect(throws: CertificateProblem.self) {
      try ClientIdentity.read([path]) { _ in
        var bytes = Array("x".utf8)
        return SecretBytes(taking: &bytes)
      }
    }
    #expect(
      problem?.sentence.contains("iterations to open, more than 1000000") == true, "\(String(describing: problem))")
  }

  /// The salt and 2,147,483,647 iterations, after and inside elements that hide them from a simpler parser.
  @Test(arguments: [
    [0x30, 0x80, 0x04, 1, 0, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0],
    [0x30, 0x80, 0x20, 0, 0x24, 0x80, 0x04, 1, 0, 0, 0, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0],
    [0x30, 13, 0xBF, 0x81, 0x01, 0, 0x04, 1, 0, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF],
    [0x30, 17, 0x04, 0x84, 0, 0, 0, 11, 0x30, 9, 0x04, 1, 0, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF],
  ])
  func `the number of iterations is found in every BER encoding`(_ bytes: [UInt8]) throws {
    let path = folder + "/hidden"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let problem = #expect(throws: CertificateProblem.self) { try ClientIdentity.read([path]) { _ in nil } }
    #expect(problem == .bundleSlow(path: path, iterations: 0x7FFF_FFFF), "\(String(describing: problem))")
  }
}
