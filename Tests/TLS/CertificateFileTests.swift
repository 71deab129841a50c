// Files of every form, in one piece and in many; openssl makes them.

import Foundation
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetTLS
import TestSupport
import Testing

@Suite struct CertificateFileTests {
  private let folder = TestFolder.make("files")

  private func text(_ text: String) -> SecretBytes {
    var bytes = Array(text.utf8)
    return SecretBytes(taking: &bytes)
  }

  private func openssl(_ words: String...) throws {
    let done = try Programs.run(Programs.installed("openssl"), words)
    try #require(done.status == 0, "\(done.errors)")
  }

  private func bundle(_ name: String, passphrase: String, _ options: String...) throws -> String {
    let path = folder + "/" + name
    let made = try Programs.run(
      Programs.installed("openssl"),
      [
        "pkcs12", "-export", "-out", path, "-passout", "pass:" + passphrase, "-in", TestCertificates.path("client.pem"),
        "-inkey", TestCertificates.path("client.key"),
      ] + options)
    try #require(made.status == 0, "\(made.errors)")
    return path
  }

  private func read(_ paths: [String], _ passphrase: String? = nil) -> Result<ClientIdentity, CertificateProblem> {
    var asked = 0
    defer { #expect(asked <= 1) }
    do throws(CertificateProblem) {
      return .success(
        try ClientIdentity.read(paths) { _ in
          asked += 1
          return passphrase.map { text($0) }
        })
    } catch { return .failure(error) }
  }

  private func problem(_ paths: [String], _ passphrase: String? = nil) -> CertificateProblem? {
    if case .failure(let problem) = read(paths, passphrase) { return problem }
    return nil
  }

  @Test func `the same identity is read from PEM, DER and PKCS12, with and without a passphrase`() throws {
    try openssl("x509", "-in", TestCertificates.path("client.pem"), "-outform", "DER", "-out", folder + "/c.der")
    try openssl("pkey", "-in", TestCertificates.path("client.key"), "-outform", "DER", "-out", folder + "/k.der")
    try openssl(
      "pkcs8", "-topk8", "-in", TestCertificates.path("client.key"), "-outform", "DER", "-out", folder + "/k8.der",
      "-passout", "pass:demo", "-v2", "aes256")
    let forms: [([String], String?)] = [
      ([TestCertificates.path("client.pem"), TestCertificates.path("client.key")], nil),
      ([TestCertificates.path("client.key"), TestCertificates.path("client.pem")], nil),
      ([TestCertificates.path("client.pem"), TestCertificates.path("encrypted.key")], "demo"),
      ([folder + "/c.der", folder + "/k.der"], nil), ([folder + "/c.der", folder + "/k8.der"], "demo"),
      ([try bundle("a.p12", passphrase: "demo")], "demo"), ([try bundle("b.p12", passphrase: "")], nil),
      ([try bundle("c.p12", passphrase: "", "-keypbe", "NONE", "-certpbe", "NONE", "-nomac")], nil),
      ([try bundle("d.p12", passphrase: "ü ☂ demo")], "ü ☂ demo"),
    ]
    let expected = try read(forms[0].0).get()
    let key = try expected.keyPEM()
    for (paths, passphrase) in forms {
      let identity = try read(paths, passphrase).get()
      #expect(try identity.keyPEM().isEqual(to: key), "\(paths)")
      #expect(identity.commonName == "kiosk-demo")
      // A DER certificate comes without a chain.
      if !paths[0].hasSuffix(".der") { #expect(identity.certificatePEM() == expected.certificatePEM(), "\(paths)") }
    }
  }

  @Test func `each fault is distinguished, and a passphrase is requested once`() throws {
    let locked = try bundle("a.p12", passphrase: "demo")
    #expect(problem([locked]) == .bundleEncrypted(path: locked))
    #expect(problem([locked], "Demo") == .passphraseWrong(path: locked))
    #expect(
      problem([locked], "") == .bundleEncrypted(path: locked) || problem([locked], "") == .passphraseWrong(path: locked)
    )
    let encrypted = TestCertificates.path("encrypted.key")
    let certificate = TestCertificates.path("client.pem")
    #expect(problem([certificate, encrypted]) == .keyEncrypted(path: encrypted))
    #expect(problem([certificate, encrypted], "x") == .passphraseWrong(path: encrypted))
    let other = TestCertificates.path("other-client.key")
    #expect(problem([certificate, other]) == .keyMismatch(certificate: certificate, key: other))
    #expect(problem([certificate]) == .bundleWithoutKey(path: certificate))
    #expect(problem([other]) == .bundleWithoutCertificate(path: other))
    try openssl(
      "req", "-new", "-key", other, "-subj", "/CN=x", "-out", folder + "/r.csr")
    #expect(problem([folder + "/r.csr"]) == .request(path: folder + "/r.csr"))
  }

  @Test func `a truncated or changed file is refused or read, without further effects`() throws {
    let key = TestCertificates.path("client.key")
    var random = Randomness(seed: (1, 2, 3, 4))
    for (name, passphrase) in [("a.p12", "demo"), ("b.p12", "")] {
      let path = try bundle(name, passphrase: passphrase)
      let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      for length in stride(from: 0, to: whole.count, by: 7) {
        let cut = folder + "/cut"
        try Data(whole.prefix(length)).write(to: URL(fileURLWithPath: cut))
        #expect(problem([cut], passphrase) != nil, "\(length)")
      }
      for place in stride(from: 0, to: whole.count, by: 23) {
        var changed = whole
        changed[place] ^= UInt8.random(in: 1...255, using: &random)
        try Data(changed).write(to: URL(fileURLWithPath: folder + "/changed"))
        // The check value of a bundle covers its content; the bytes around it may change without harm.
        if case .success(let identity) = read([folder + "/changed"], passphrase) {
          let genuine = try read([TestCertificates.path("client.pem"), key]).get()
          #expect(try identity.keyPEM().isEqual(to: genuine.keyPEM()))
        }
      }
    }
  }

  @Test func `a p12 without a passphrase makes a context, and one with a passphrase is a configuration error`() throws {
    let open = try bundle("kiosk.p12", passphrase: "")
    let endpoint = BrokerEndpoint(host: "localhost", port: 8883, usesTLS: true)
    let settings = BrokerSettings(endpoints: [endpoint], clientID: "x", certificateFile: open)
    _ = try Certificates.makeContext(settings, endpoint: endpoint)
    #expect(Certificates.inspect(settings).contains(.keyMatches(certificate: open, key: open)))
    let certificate = TestCertificates.path("client.pem")
    #expect(throws: CertificateProblem.certificateWithoutKey(certificate: certificate)) {
      try Certificates.makeContext(
        BrokerSettings(endpoints: [endpoint], clientID: "x", certificateFile: certificate), endpoint: endpoint)
    }

    _ = try bundle("locked.p12", passphrase: "demo")
    func sentences(_ broker: String) -> [String] {
      let yaml = "broker: {url: 'mqtts://h', client_id: k, \(broker)}\nactions: [{name: a, topic: a, message: b}]\n"
      let parsed = ConfigurationParser.parse(Array(yaml.utf8), name: "k.yaml", folder: folder)
      guard case .refused(let problems) = parsed else { return [] }
      return problems.map(\.sentence)
    }
    #expect(sentences("certificate: kiosk.p12") == [])
    #expect(
      sentences("certificate: locked.p12") == [
        "k.yaml:1:55: \(folder)/locked.p12 is protected by a passphrase, for which a kiosk cannot prompt: "
          + "run 'tappet cert import \(folder)/locked.p12'"
      ])
    let encrypted = TestCertificates.path("encrypted.key")
    let found = sentences("certificate: \(certificate), private_key: \(encrypted)")
    #expect(found.count == 1 && found[0].contains("is encrypted, and a kiosk cannot prompt"), "\(found)")
    #expect(sentences("certificate: x.pem").first?.contains("'certificate' also needs 'private_key'") == true)
    #expect(sentences("alpn: ''").first?.contains("broker.alpn") == true)
    #expect(sentences("alpn: \(String(repeating: "a", count: 256))").first?.contains("1 to 255 bytes") == true)
  }

  @Test func `several files are replaced together, or none is`() throws {
    let first = folder + "/first"
    let second = folder + "/second"
    try "old".write(toFile: first, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: false)
    let set = AtomicFiles()
    try set.add(first, Array("new".utf8), mode: 0o644)
    try set.add(folder + "/third", Array("new".utf8), mode: 0o640)
    try set.add(second, Array("new".utf8), mode: 0o644)
    #expect(throws: AtomicFilesError.self) { try set.commit() }
    #expect(try String(contentsOfFile: first, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["first", "second"])

    try FileManager.default.removeItem(atPath: second)
    let again = AtomicFiles()
    try again.add(first, Array("new".utf8), mode: 0o644)
    try again.add(second, text("secret"))
    try again.commit()
    #expect(try String(contentsOfFile: first, encoding: .utf8) == "new")
    let mode = try FileManager.default.attributesOfItem(atPath: second)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["first", "second"])
    #expect(throws: AtomicFilesError.self) { try AtomicFiles().add(folder + "/no/where", [], mode: 0o644) }
    // A set that was begun and not committed leaves nothing behind.
    do {
      let forgotten = AtomicFiles()
      try forgotten.add(folder + "/fourth", [1], mode: 0o644)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["first", "second"])
  }

  @Test func `replaced files can be restored until the change is final`() throws {
    let first = folder + "/first"
    try "old".write(toFile: first, atomically: true, encoding: .utf8)
    for isSettled in [false, true] {
      let set = AtomicFiles()
      try set.add(first, Array("new".utf8), mode: 0o644)
      try set.add(folder + "/second", Array("new".utf8), mode: 0o644)
      try set.place()
      #expect(try String(contentsOfFile: first, encoding: .utf8) == "new")
      if isSettled { set.settle() }
      set.discard()
      #expect(try String(contentsOfFile: first, encoding: .utf8) == (isSettled ? "new" : "old"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == (isSettled ? ["first", "second"] : ["first"]), "\(names)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
  func `files that root writes for the service are owned like the folder or the previous file`() throws {
    let nobody: uid_t = 65_534
    chown(folder, nobody, nobody)
    func owner(_ name: String) throws -> uid_t {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return uid_t(try #require(attributes[.ownerAccountID] as? Int))
    }
    let set = AtomicFiles(isForService: true)
    try set.add(folder + "/key", text("secret"))
    try set.commit()
    #expect(try owner("key") == nobody)
    let plain = AtomicFiles()
    try plain.add(folder + "/mine", [1], mode: 0o600)
    try plain.add(folder + "/key", [1], mode: 0o600)
    try plain.commit()
    #expect(try owner("mine") == 0)
    #expect(try owner("key") == nobody)
  }
}
