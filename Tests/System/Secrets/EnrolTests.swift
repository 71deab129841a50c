// `tappet cert enrol` against stand-ins of AWS IoT and of EST servers: what is put in place, and what never is.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct EnrolTests {
  // MARK: AWS IoT

  @Test func `a board gets a certificate from AWS IoT, and is registered with its parameters`() throws {
    let fleet = try FleetStandIn()
    let board = try EnrolBoard()
    let done = try board.enrol(
      "throttled", fleet.options() + ["--parameter", "Location=hall", "--parameter", "SerialNumber=0042", "--json"])
    #expect(done.status == 0, "\(done)")
    #expect(done.errors.contains("localhost is busy (TooManyRequests)"))
    #expect(try board.isGood())
    #expect(board.files == ["kiosk.key", "kiosk.pem"])
    #expect(board.mode(board.key) == 0o600 && board.mode(board.certificate) == 0o644)
    #expect(try JSONPromise("cert enrol", JSONSchema()).mistakes(done.data) == [])
    #expect(done.data["thing_name"] as? String == "thing-0042")
    #expect((done.data["device_configuration"] as? [String: String])?["Location"] == "hall")
    let requests = fleet.requests
    #expect(requests.count == 3, "\(requests)")
    let last = requests.last?["request"] as? [String: Any]
    #expect(last?["certificateOwnershipToken"] as? String == "token-of-throttled")
    #expect(!done.output.contains("token-of") && !done.errors.contains("token-of"))

    // Again, with the same key: the certificate is replaced, and only after a yes.
    let (key, old) = (board.content(board.key), board.content(board.certificate))
    let asked = try board.enrol("again", fleet.options())
    #expect(asked.status == 1 && asked.errors.contains("kiosk.pem already exists; use --force to replace it"))
    let again = try board.enrol("again", fleet.options() + ["--force"])
    #expect(again.status == 0 && again.output.contains("Greeting: hello\\u{1b}[2J"), "\(again)")
    #expect(again.output.contains("thing: thing-") && again.errors.contains("Next: tappet init --certificate"))
    #expect(board.content(board.key) == key && board.content(board.certificate) != old)
    #expect(try board.isGood())
  }

  @Test func `a refusal or an invalid response of AWS IoT leaves nothing in the folder`() throws {
    let fleet = try FleetStandIn()
    let cases: [(name: String, template: String, claim: String, status: Int32, sentence: String)] = [
      ("rejected", "kiosks", "client", 1, #"The CSR\u{1b}[2J is not valid (InvalidCertificateSigningRequest, 400)"#),
      ("crowded", "kiosks", "client", 1, "Rate exceeded (TooManyRequests, 429)"),
      ("good", "missing", "client", 1, "There is no template missing (ResourceNotFound, 404)"),
      ("garbage", "kiosks", "client", 4, "does not match AWS's documentation"),
      ("halved", "kiosks", "client", 4, "does not match AWS's documentation"),
      ("huge", "kiosks", "client", 4, "localhost"),
      ("noise", "kiosks", "client", 1, "the certificate from localhost"),
      ("stranger", "kiosks", "client", 1, "is not the key of the certificate from localhost"),
      ("expired", "kiosks", "client", 1, "certificate has expired; check the clock here"),
      ("silent", "kiosks", "client", 4, "did not respond"),
      ("good", "mute", "client", 4, "did not respond"),
      ("good", "kiosks", "other-client", 4, "localhost"),
      ("good", "kiosks", "node", 1, "does not allow the claim certificate"),
    ]
    for (name, template, claim, status, sentence) in cases {
      let board = try EnrolBoard()
      let seconds = name == "crowded" ? "6" : name == "silent" || template == "mute" ? "4" : "60"
      let done = try board.enrol(name, fleet.options(template, claim: claim) + ["--wait", seconds])
      #expect(done.status == status && done.errors.contains(sentence), "\(name) \(template) \(claim): \(done)")
      #expect(done.errors.contains("nothing was changed"), "\(name) \(template) \(claim): \(done)")
      #expect(board.files == [], "\(name) \(template) \(claim)")
    }
  }

  @Test func `a silent broker fails the command after the specified time`() throws {
    let peer = TestPeer(.silence)
    let board = try EnrolBoard()
    let options = [
      "--aws", "kiosks", "--url", "localhost:\(peer.port)", "--claim", TestCertificates.path("client.pem"),
      "--claim-key", TestCertificates.path("client.key"), "--wait", "1", "--json",
    ]
    let done = try board.enrol("kiosk", options)
    #expect(done.status == 4 && done.errors.contains("nothing was changed: mqtts://localhost:"), "\(done)")
    #expect((done.envelope["error"] as? [String: Any])?["code"] as? String == "timed-out")
    #expect(board.files == [])
  }

  // MARK: EST

  @Test func `a board gets a certificate from an EST server, and renews it with that certificate`() throws {
    let server = try ESTStandIn()
    let board = try EnrolBoard()
    let password = board.folder + "/password"
    try "geheim\n".write(toFile: password, atomically: true, encoding: .utf8)
    #expect(chmod(password, 0o600) == 0)
    let user = ["--est-username", "board", "--est-password-file", password, "--roots", board.folder + "/roots.pem"]
    let done = try board.enrol("kiosk-1", server.options("basic") + user + ["--json"])
    #expect(done.status == 0, "\(done)")
    #expect(try board.isGood())
    #expect(board.files == ["kiosk.key", "kiosk.pem", "password", "roots.pem"])
    #expect(board.mode(board.key) == 0o600)
    #expect(try JSONPromise("cert enrol", JSONSchema()).mistakes(done.data) == [])
    #expect(
      try board.openssl("x509", "-in", board.folder + "/roots.pem", "-outform", "DER", "-out", "/dev/null") == "")
    let first = try #require(server.requests("basic").last)
    let headers = first["headers"] as? [String: String] ?? [:]
    #expect(headers["content-type"] == "application/pkcs10" && headers["content-transfer-encoding"] == "base64")
    #expect(first["path"] as? String == "/basic/simpleenroll" && first["client"] is NSNull)

    let (key, old) = (board.content(board.key), board.content(board.certificate))
    let renewed = try board.enrol("another-name", server.options("busy-once") + ["--force", "--json"])
    #expect(renewed.status == 0 && renewed.errors.contains("responded with 503; retrying in 1 s"), "\(renewed)")
    #expect(renewed.data["is_renewal"] as? Bool == true && renewed.data["subject"] as? String == "CN=kiosk-1")
    let last = try #require(server.requests("busy-once").last)
    #expect(last["path"] as? String == "/busy-once/simplereenroll" && last["client"] as? String == "kiosk-1")
    #expect(board.content(board.key) == key && board.content(board.certificate) != old)
    #expect(try board.isGood())
  }

  @Test func `an undecided CA is queried again with the same request`() throws {
    let server = try ESTStandIn()
    let board = try EnrolBoard()
    let first = try board.enrol("kiosk-2", server.options("pending"))
    #expect(first.status == 5 && first.errors.contains("run the same command again in 900 s"), "\(first)")
    #expect(board.files == ["kiosk.key", "kiosk.pem.csr"] && board.mode(board.key) == 0o600)
    let second = try board.enrol("kiosk-2", server.options("pending"))
    #expect(second.status == 0, "\(second)")
    #expect(try board.isGood())
    #expect(board.files == ["kiosk.key", "kiosk.pem"])
    let bodies = server.requests("pending").compactMap { $0["body"] as? String }.filter { !$0.isEmpty }
    #expect(bodies.count == 2 && Set(bodies).count == 1)
  }

  @Test func `a refusal or an invalid response of an EST server changes nothing`() throws {
    let server = try ESTStandIn()
    let board = try EnrolBoard()
    // A certificate that has expired, with its key: it is not renewed, and it is not lost either.
    for (name, path) in [("expired-client.pem", board.certificate), ("expired-client.key", board.key)] {
      try FileManager.default.copyItem(atPath: TestCertificates.path(name), toPath: path)
    }
    let before = [board.content(board.certificate), board.content(board.key)]
    let cases: [(word: String, status: Int32, sentence: String)] = [
      ("absent", 1, "responded with 404 to /absent/cacerts: there is no such service; check the path in --est"),
      ("basic", 1, "it requires a user name and a password (--est-username), or a certificate (--claim)"),
      ("forbidden", 1, "responded with 403"), ("refused", 1, #""the key\\u{1b}[2J is too short""#),
      ("busy", 4, "is busy (503); try again in 900 s"),
      ("html", 4, "contains no certificates; check that this is an EST server"),
      ("huge", 4, "contains no certificates"), ("empty", 4, "contains no certificates"),
      ("halved", 4, "contains no certificates"), ("moved", 1, "it redirects"), ("hang", 4, "did not respond in time"),
      ("stranger", 1, "is not the key of the certificate from https://localhost:"),
      ("expired", 1, "certificate has expired; check the clock here"),
      ("foreign", 1, "is not signed by its stated issuer"),
    ]
    for (word, status, sentence) in cases {
      let wait = word == "hang" ? ["--wait", "4"] : []
      let done = try board.enrol("kiosk", server.options(word) + ["--force"] + wait)
      #expect(done.status == status && done.errors.contains(sentence), "\(word): \(done)")
      #expect(done.errors.contains("nothing was changed"), "\(word): \(done)")
      #expect([board.content(board.certificate), board.content(board.key)] == before, "\(word)")
      #expect(board.files == ["kiosk.key", "kiosk.pem"], "\(word)")
    }
    // A server whose certificate is another CA's.
    let options = server.options("good").dropLast() + [TestCertificates.path("other-ca.pem"), "--force"]
    let untrusted = try board.enrol("kiosk", Array(options))
    #expect(untrusted.status == 4 && untrusted.errors.contains("is not trusted, has expired"), "\(untrusted)")
    #expect(server.requests("good").isEmpty)
  }

  // MARK: Both

  @Test(.enabled(if: SmallDisk.isPossible, "only root may mount a file system"))
  func `a full disk leaves everything unchanged, and the board is not registered`() throws {
    let disk = try SmallDisk()
    let fleet = try FleetStandIn()
    let board = try EnrolBoard(in: disk.path)
    try disk.fill()
    let done = try board.enrol("kiosk", fleet.options())
    #expect(done.status == 4 && done.errors.contains("No space left on device; nothing was changed"), "\(done)")
    #expect(board.files == ["filler"] && fleet.requests.count == 1)
    disk.empty()
    #expect(try board.enrol("kiosk", fleet.options()).status == 0)
    #expect(try board.isGood())
  }

  @Test func `one file answers for all boards, and a table adds the differences`() throws {
    let fleet = try FleetStandIn()
    let board = try EnrolBoard()
    let host = try Programs.run(try Programs.installed("uname"), ["-n"]).output.trimmingCharacters(in: .newlines)
    try "hostname,door\nelsewhere,back\n\(host),front\n".write(
      toFile: board.folder + "/boards.csv", atomically: true, encoding: .utf8)
    try """
    # For 'init' and 'cert enrol'.
    preset: aws-iot
    url: localhost:\(fleet.broker.port)
    ca: \(TestCertificates.path("ca.pem"))
    client-id: "door-%{board.door}"
    aws: kiosks
    claim: \(TestCertificates.path("client.pem"))
    claim-key: \(TestCertificates.path("client.key"))
    parameter: ["SerialNumber=%{board.door}-1", "Location=%{board.door}"]
    certificate: kiosk.pem
    private-key: kiosk.key
    boards: boards.csv

    """.write(toFile: board.folder + "/site.yaml", atomically: true, encoding: .utf8)
    let words = ["cert", "enrol", "--answers", board.folder + "/site.yaml", "--parameter", "Location=hall"]
    let done = try Programs.run(try Programs.built("tappet"), words)
    #expect(done.status == 0 && done.output.contains("thing: thing-front-1"), "\(done)")
    #expect(done.output.contains("Location: hall"))
    #expect(try board.isGood())
    #expect(try board.openssl("x509", "-in", board.certificate, "-noout", "-subject").contains("door-front"))
  }

  @Test func `each error in the options has its own message`() throws {
    let board = try EnrolBoard()
    let claim = ["--claim", "c", "--claim-key", "k"]
    for (options, sentence) in [
      ([], "specify --aws TEMPLATE or --est URL"), (["--aws", "a", "--est", "https://h"], "cannot be combined"),
      (["--aws", "a/b"], "--aws must be the name of a provisioning template"),
      (["--aws", "a"], "--aws needs --claim and --claim-key"),
      (["--aws", "a", "--claim", "c"], "--claim and --claim-key must be used together"),
      (["--aws", "a", "--parameter", "x"] + claim, "--parameter must be NAME=VALUE, not \"x\""),
      (["--aws", "a", "--url", "mqtt://h"] + claim, "--url must be HOST, HOST:PORT or mqtts://HOST[:PORT]"),
      (["--est", "http://h"], "--est must be https://HOST[:PORT][/PATH]"),
      (["--est", "https://h", "--alpn", "x"], "--alpn requires --aws"),
      (["--est", "https://h", "--est-password-file", "f"], "--est-password-file needs --est-username"),
    ] {
      let done = try board.enrol("kiosk", options)
      #expect(done.status == 2 && done.errors.contains(sentence), "\(options): \(done)")
    }
  }
}
