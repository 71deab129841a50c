// `tappet cert`: openssl makes the files and checks ours.

import Foundation
import TappetJSON
import TappetTLS
import Testing
import TestSupport

@Suite(.serialized) struct CertTests {
  private let folder: String
  private let here: URL

  init() throws {
    here = try Programs.temporaryFolder()
    folder = here.path
    try "geheim\n".write(toFile: folder + "/right", atomically: true, encoding: .utf8)
    try "falsch\n".write(toFile: folder + "/wrong", atomically: true, encoding: .utf8)
    for name in ["/right", "/wrong"] { #expect(chmod(folder + name, 0o600) == 0) }
  }

  private func tappet(_ words: [String], environment: [String: String] = [:]) throws -> Finished {
    try Programs.run(try Programs.built("tappet"), ["cert"] + words, environment: environment)
  }

  @discardableResult
  private func openssl(_ words: String...) throws -> String {
    let done = try Programs.run(try Programs.installed("openssl"), words)
    guard done.status == 0 else { throw TestFault("openssl \(words): \(done.errors)") }
    return done.output
  }

  private func bundle(_ name: String, _ options: String..., certificate: String = "client.pem") throws -> String {
    let path = folder + "/" + name
    let words = [
      "pkcs12", "-export", "-out", path, "-passout", "pass:geheim", "-in", try Certificates.path(certificate),
    ]
    let done = try Programs.run(try Programs.installed("openssl"), words + options)
    guard done.status == 0 else { throw TestFault(done.errors) }
    return path
  }

  private func clean() { try? FileManager.default.removeItem(at: here) }

  @Test func `a p12 file becomes PEM files with the right modes`() throws {
    defer { clean() }
    let p12 = try bundle("a.p12", "-inkey", try Certificates.path("client.key"))
    let pair = ["--certificate", folder + "/k.pem", "--private-key", folder + "/k.key"]
    let done = try tappet(["import", p12, "--passphrase-file", folder + "/right"] + pair)
    #expect(done.status == 0, "\(done)")
    #expect(
      try openssl("x509", "-in", folder + "/k.pem", "-noout", "-fingerprint")
        == openssl("x509", "-in", try Certificates.path("client.pem"), "-noout", "-fingerprint"))
    #expect(
      try openssl("pkey", "-in", folder + "/k.key") == openssl("pkey", "-in", try Certificates.path("client.key")))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/k.key")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try tappet(["check", folder + "/k.pem", folder + "/k.key"]).status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `root writes outside the configuration's folder only if its own kiosk.yaml or an option says so`() throws {
    defer { clean() }
    let p12 = try bundle("a.p12", "-inkey", try Certificates.path("client.key"))
    let (home, elsewhere) = (folder + "/home", folder + "/elsewhere")
    for path in [home, elsewhere] { #expect(mkdir(path, 0o755) == 0) }
    #expect(symlink(elsewhere, home + "/link") == 0)
    let configuration = home + "/kiosk.yaml"
    func run(_ name: String, owner: uid_t, _ more: String...) throws -> Finished {
      let text = "broker: {certificate: '\(name).pem', private_key: '\(name).key'}\n"
      try text.write(toFile: configuration, atomically: true, encoding: .utf8)
      #expect(chown(configuration, owner, 0) == 0)
      for path in [home + "/in", elsewhere + "/out"] { for end in [".pem", ".key"] { unlink(path + end) } }
      let words = ["import", p12, "--passphrase-file", folder + "/right", "--config", configuration]
      return try tappet(words + more)
    }
    for name in [elsewhere + "/out", "../elsewhere/out", "link/out"] {
      let refused = try run(name, owner: 65_534)
      #expect(refused.status == 1 && refused.errors.contains("root will not write to that file"), "\(name): \(refused)")
      #expect(access(elsewhere + "/out.pem", F_OK) != 0 && access(elsewhere + "/out.key", F_OK) != 0)
      #expect(try run(name, owner: 0).status == 0)
      let (certificate, key) = (elsewhere + "/out.pem", elsewhere + "/out.key")
      #expect(try run(name, owner: 65_534, "--certificate", certificate, "--private-key", key).status == 0)
    }
    #expect(try run("in", owner: 65_534).status == 0)
  }

  @Test func `each bad file has its own message, and existing files are kept`() throws {
    defer { clean() }
    let key = try Certificates.path("client.key")
    let good = try bundle("good.p12", "-inkey", key)
    let whole = try Data(contentsOf: URL(fileURLWithPath: good))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: folder + "/half.p12"))
    // The first byte of DER would make it a damaged certificate.
    let noise = Data([0x7F] + (0..<5000).map { _ in UInt8.random(in: 0...255) })
    try noise.write(to: URL(fileURLWithPath: folder + "/noise"))
    try "old".write(toFile: folder + "/k.pem", atomically: true, encoding: .utf8)
    try "old".write(toFile: folder + "/k.key", atomically: true, encoding: .utf8)
    let right = ["--passphrase-file", folder + "/right"]
    let open = folder + "/open"
    try "geheim\n".write(toFile: open, atomically: true, encoding: .utf8)
    #expect(chmod(open, 0o644) == 0)
    let cases: [(files: [String], options: [String], sentence: String)] = [
      ([good], ["--passphrase-file", folder + "/wrong"], "wrong passphrase for \(good)"),
      (
        [good], [],
        "\(good) has a passphrase, which was not entered: run this command on a terminal, or specify a file with mode "
          + "0600 with --passphrase-file"
      ),
      ([good], ["--passphrase-file", open], "\(open) can be read by others; run: chmod 600 \(open)"),
      ([try bundle("bare.p12", "-nokeys")], right, folder + "/k.key"),
      ([folder + "/half.p12"], right, "neither PEM nor a complete certificate, key or .p12 file"),
      ([folder + "/noise"], right, "contains no readable certificate"),
      ([try Certificates.path("client.pem"), try Certificates.path("other-client.key")], [], "is not the key of"),
      ([try Certificates.path("client.pem"), try Certificates.path("encrypted.key")], [], "has a passphrase"),
      ([folder + "/absent"], [], "No such file or directory"),
      (
        [try Certificates.path("expired-client.pem"), try Certificates.path("expired-client.key")], [],
        " ago; replace it; nothing was changed"
      ),
    ]
    for (files, options, sentence) in cases {
      let done = try tappet(
        ["import"] + files + options + [
          "--force", "--certificate", folder + "/k.pem", "--private-key", folder + "/k.key",
        ])
      #expect(done.status == 1 && done.errors.contains(sentence), "\(sentence): \(done.errors)")
    }
    for name in ["/k.pem", "/k.key"] { #expect(try String(contentsOfFile: folder + name, encoding: .utf8) == "old") }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!left.contains { $0.contains(".tappet") }, "\(left)")
  }

  @Test
  func `an import orders the leaf before its chain, and omits and reports a root`()
    throws
  {
    defer { clean() }
    // The root first, and a stranger among them.
    let pile = folder + "/pile.pem"
    var text = ""
    for name in ["ca.pem", "intermediate.pem", "other-client.pem", "client.pem", "client.key"] {
      text += try String(contentsOfFile: try Certificates.path(name), encoding: .utf8)
    }
    try text.write(toFile: pile, atomically: true, encoding: .utf8)
    let done = try tappet([
      "import", pile, "--certificate", folder + "/k.pem", "--private-key", folder + "/k.key", "--ca",
      folder + "/ca.pem",
    ])
    #expect(done.status == 0, "\(done)")
    #expect(done.errors.contains("which the certificate's chain does not need"))
    let written = try String(contentsOfFile: folder + "/k.pem", encoding: .utf8)
    #expect(written.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
    #expect(try openssl("x509", "-in", folder + "/k.pem", "-noout", "-subject").contains("kiosk-demo"))
    #expect(
      try openssl("verify", "-CAfile", folder + "/ca.pem", "-untrusted", folder + "/k.pem", folder + "/k.pem").contains(
        "OK"))
    let shuffled = try tappet(["check", pile])
    #expect(
      shuffled.status == 1 && shuffled.output.contains("must be the first certificate in the file"),
      "\(shuffled.output)")
  }

  @Test func `the CA's response to a request is stored next to the key that never left the board`() throws {
    defer { clean() }
    let (certificate, key) = (folder + "/k.pem", folder + "/k.key")
    let pair = ["--certificate", certificate, "--private-key", key]
    let asked = try tappet(["request", "--private-key", key, "--name", "kiosk-demo", "--out", folder + "/k.csr"])
    #expect(asked.status == 0, "\(asked.errors)")
    try openssl(
      "x509", "-req", "-in", folder + "/k.csr", "-CA", Certificates.path("ca.pem"), "-CAkey",
      Certificates.path("ca.key"),
      "-CAcreateserial", "-CAserial", folder + "/serial", "-days", "90", "-out", folder + "/back.pem")
    let before = try Data(contentsOf: URL(fileURLWithPath: key))
    let done = try tappet(["import", folder + "/back.pem"] + pair)
    #expect(done.status == 0 && done.output.contains("kiosk-demo"), "\(done)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: key)) == before)
    #expect(try tappet(["check", certificate, key]).status == 0)
    // The next one, a year later: only the certificate is replaced.
    let refused = try tappet(["import", folder + "/back.pem"] + pair)
    #expect(refused.status == 1 && refused.errors.contains("\(certificate) already exists; use --force to replace it"))
    #expect(try tappet(["import", folder + "/back.pem", "--force"] + pair).status == 0)
    // One that was made for another key.
    let stranger = try tappet(["import", Certificates.path("client.pem"), "--force"] + pair)
    #expect(stranger.status == 1 && stranger.errors.contains("\(key) is not the key of"), "\(stranger.errors)")
  }

  @Test func `boards write their requests into one folder, each to its own file`() throws {
    defer { clean() }
    let share = folder + "/share"
    try FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: false)
    func request(_ name: String, _ more: String...) throws -> Finished {
      try tappet(["request", "--private-key", "\(folder)/\(name).key", "--name", name, "--output", share] + more)
    }
    for name in ["door-1", "door-2"] {
      let done = try request(name)
      #expect(done.status == 0 && done.output == "", "\(done)")
      #expect(try openssl("req", "-in", "\(share)/\(name).csr", "-noout", "-subject").contains("CN = \(name)"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: share).sorted() == ["door-1.csr", "door-2.csr"])
    let again = try request("door-1")
    #expect(again.status == 1 && again.errors.contains("door-1.csr already exists; use --force to replace it"))
    #expect(try request("door-1", "--force").status == 0)
    let outside = try tappet([
      "request", "--private-key", folder + "/x.key", "--name", "../door", "--output", share,
    ])
    #expect(outside.status == 2 && outside.errors.contains("cannot be a file name"), "\(outside)")
    #expect(!FileManager.default.fileExists(atPath: folder + "/x.key"))
    let absent = try tappet([
      "request", "--private-key", folder + "/x.key", "--name", "door-3", "--output", folder + "/absent",
    ])
    #expect(absent.status == 4 && absent.errors.contains("No such file or directory; nothing was changed"))
    #expect(!FileManager.default.fileExists(atPath: folder + "/x.key"))
  }

  @Test func `RC2 of old exports is read if OpenSSL supports it, and explained if not`() throws {
    defer { clean() }
    let old = try bundle(
      "old.p12", "-inkey", try Certificates.path("client.key"), "-legacy", "-certpbe", "PBE-SHA1-RC2-40")
    let unread = try tappet(["check", old, "--passphrase-file", "/nowhere"])
    #expect(unread.status == 1 && unread.output.isEmpty, "\(unread)")
    #expect(unread.errors.contains("/nowhere cannot be read"), "\(unread)")
    let words = ["check", old, "--passphrase-file", folder + "/right"]
    #expect(try tappet(words).status == 0)
    let without = try tappet(words, environment: ["OPENSSL_MODULES": folder])
    #expect(without.status == 1 && without.output.contains("install openssl-provider-legacy"), "\(without)")
  }

  @Test func `cert check reports use, strength, chain, names and days left, as text and as JSON`() throws {
    defer { clean() }
    try openssl(
      "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", folder + "/weak.key", "-out", folder + "/weak.pem",
      "-subj", "/CN=weak", "-days", "30", "-addext", "extendedKeyUsage=serverAuth", "-addext",
      "basicConstraints=CA:FALSE",
      "-addext", "keyUsage=keyEncipherment")
    let weak = try tappet(["check", folder + "/weak.pem"])
    #expect(weak.status == 1)
    for part in ["lacks clientAuth", "lacks digitalSignature", "has a weak key (RSA 1024)", " days left"] {
      #expect(weak.output.contains(part), "\(part): \(weak.output)")
    }
    let server = try Certificates.path("server.pem")
    #expect(try tappet(["check", server, "--host", "localhost"]).status == 0)
    let other = try tappet(["check", server, "--host", "elsewhere.example"])
    #expect(other.status == 1 && other.output.contains("not for elsewhere.example"))
    let json = try tappet([
      "check", "--json", try Certificates.path("expired-client.pem"), try Certificates.path("expired-client.key"),
      try Certificates.path("ca.pem"),
    ])
    let findings = json.list("findings")
    #expect(json.status == 1)
    let days = (findings.first?["certificate"] as? [String: Any])?["days_left"] as? Int
    #expect(days == -2 || days == -1)
    #expect(findings.contains { $0["kind"] as? String == "chain" && $0["good"] as? Bool == true })
  }

  @Test func `a kiosk accepts a p12 without a passphrase, and one with a passphrase is a configuration error`() throws {
    defer { clean() }
    let world = try KioskWorld()
    let path = world.folder + "/kiosk.p12"
    func export(passphrase: String) throws {
      try openssl(
        "pkcs12", "-export", "-out", path, "-passout", "pass:" + passphrase, "-in", Certificates.path("client.pem"),
        "-inkey", Certificates.path("client.key"))
      #expect(chmod(path, 0o600) == 0)
    }
    try export(passphrase: "")
    let config = try String(contentsOfFile: world.configPath, encoding: .utf8)
    let lines = config.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("private_key") }
      .map { $0.contains("certificate:") ? "  certificate: kiosk.p12" : String($0) }
    try lines.joined(separator: "\n").write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let check = try world.tappet("check")
    #expect(check.status == 0 && check.output.contains("kiosk.p12 belongs to the certificate"), "\(check)")
    try world.start()
    try world.goodTap()
    #expect(world.kiosk?.end() == true)

    try export(passphrase: "geheim")
    let refused = try world.tappet("check")
    #expect(refused.status == 3, "\(refused)")
    #expect(refused.errors.contains("kiosk.yaml:5:16: "), "\(refused.errors)")
    #expect(refused.errors.contains("cannot prompt: run 'tappet cert import"), "\(refused.errors)")
  }
}
