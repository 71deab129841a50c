// `tappet init` from nothing to a delivered tap: on a pseudo-terminal, with every first answer wrong, and with options
// alone.

import Foundation
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct InitTests {
  private let data = [
    "TAPPET_PRESETS": Repository.root + "/board/presets", "TAPPET_PROFILES": Repository.root + "/board/profiles",
  ]

  private func bundle(_ world: KioskWorld, passphrase: String) throws -> String {
    let path = world.folder + "/kiosk-demo.p12"
    let made = try Programs.run(
      try Programs.installed("openssl"),
      [
        "pkcs12", "-export", "-in", try Certificates.path("client.pem"), "-inkey", try Certificates.path("client.key"),
        "-out", path, "-passout", "pass:" + passphrase,
      ])
    guard made.status == 0 else { throw TestFault(made.errors) }
    return path
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [
    (["--tap", "abc", "--share-file", "-"], "must be whole seconds"),
    (["--tap", "30"], "without a secret, every tag is refused"),
    (["--write-tag", "--reader", "none"], "need a reader"),
  ])
  func `waiting for a first tap that cannot happen is an error`(_ options: [String], _ sentence: String) throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/kiosk.yaml"
    let done = try Programs.run(try Programs.built("tappet"), ["init", "--yes", "--config", path] + options)
    #expect(done.status == 2 && done.errors.contains(sentence), "\(done)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a new kiosk is set up to its first delivered tap, despite a wrong answer to each question`() throws {
    let world = try KioskWorld()
    let passphrase = "correct horse \(UUID().uuidString)"
    let p12 = try bundle(world, passphrase: passphrase)
    let target = world.folder + "/new/kiosk.yaml"
    let key = Signing.key()
    let session = try TypedSession(
      try Programs.built("tappet"), ["init", "--config", target], log: world.folder + "/session", environment: data)

    try session.play([
      "(number or name) [another]: ": "mosquito", "did you mean 'mosquitto'?": nil,
      "(number or name) [another]: ": "mosquitto", "Host": "two words", "'two words' is neither a host": nil,
      "Host": "localhost:\(TestSocket.freePort())",
    ])

    try session.play([
      "CA certificate": "/nowhere.pem", "/nowhere.pem cannot be read: No such file": nil,
      "CA certificate": Certificates.path("ca.key"), "contains no readable certificate": nil,
      "CA certificate": Certificates.path("ca.pem"),
    ])

    try session.play([
      "This kiosk's certificate": Certificates.path("client.pem"),
      "Private key of the certificate": Certificates.path("other-client.key"), "is not the key of": nil,
      "This kiosk's certificate": Certificates.path("expired-client.pem"),
      "Private key of the certificate": Certificates.path("expired-client.key"), "CN=kiosk-demo\" expired": nil,
      "This kiosk's certificate": p12, "Passphrase of": "wrong", "wrong passphrase for": nil,
      "This kiosk's certificate": p12, "Passphrase of": passphrase, "CN=kiosk-demo\", 36": nil,
    ])

    try session.play([
      "Client id, unique on the broker [kiosk-demo]: ": "a/b", "must not contain '/', '+' or '#'": nil, "Client id": "",
      "User name for the broker (or 'none') [none]: ": "", "nothing listens on that port": nil, "Try again (t)": "b",
      "Host": "localhost:\(world.broker.port)", "connected to mqtts://localhost:\(world.broker.port)": nil,
    ])

    try session.play([
      "connection string": "/dev/tty-nowhere", "was not found; plug it in": nil,
      "connection string": "pn532_uart:\(world.folder)/reader", "found: ": nil,
      "Profile of the board's header": "raspberry", "there is no profile 'raspberry'": nil,
      "Profile of the board's header": "none", "Line of the status LED": "", "Line of a button": "",
      "Line of an output": "",
      "Name [light]: ": "gate", "Topic [home/gate/set]: ": "home/#", "a topic must not contain": nil,
      "Topic": "home/gate", "Message": "{\"otp-auth\":\"%T\"}", "Key for %T": "/nowhere.key",
      "/nowhere.key cannot be read": nil, "Key for %T": "new",
    ])
    // Where no time service runs, it asks.
    #expect(eventually { session.text.contains("Trust the clock as it is?") || session.text.contains("Folder") })
    if session.text.contains("Trust the clock as it is?") { try session.answer("Trust the clock as it is?", "y") }
    try session.answer("Folder", "state")

    try session.play([
      "Write a new tag now?": "n", "Share code": "https://example.com", "this is not a share code": nil,
      "Share code": "smpshare://secret?idx=7&key=\(key)", "for action 7, which is not configured": nil,
    ])
    // Nothing is written before the last question.
    #expect(!FileManager.default.fileExists(atPath: target))
    try session.play([
      "Share code": "smpshare://secret?idx=0&key=\(key)&label=Phone", "Broker's CA: ca.pem": nil,
      "Certificate: \"kiosk-demo\"": nil, "Action 'gate': sends '{\"otp-auth\":\"%T\"}' to the topic home/gate": nil,
      "Key for %T: timestamp.key": nil, "First tag: written by the phone app": nil,
      "Write these files?": "", "wrote \(world.folder)/new/kiosk.yaml": nil, "Hold the tag to the reader": nil,
    ])
    let before = world.received.count
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try Signing.url(index: "0", key: key))")
    try session.expect("delivered: gate")
    #expect(try session.status() == 0)
    #expect(session.text.contains("The kiosk works."))
    #expect(eventually { world.received.count > before })
    #expect(world.received.last?.topic == "home/gate")

    // Secrets are only where they belong.
    for secret in [passphrase, key] { #expect(!session.text.contains(secret)) }
    #expect(try mode(target) == 0o640)
    #expect(try mode(world.folder + "/new/kiosk.key") == 0o600)
    #expect(try mode(world.folder + "/new/timestamp.key") == 0o600)
    #expect(try mode(world.folder + "/new/kiosk.pem") == 0o644)
    let names = try FileManager.default.contentsOfDirectory(atPath: world.folder + "/new").sorted()
    #expect(names == ["ca.pem", "kiosk.key", "kiosk.pem", "kiosk.yaml", "state", "timestamp.key"])
    // The kiosk itself accepts it.
    try world.tell("take")
    let check = try Programs.run(try Programs.built("tappet"), ["check", "--config", target])
    #expect(check.output.contains("ok    config") && check.output.contains("ok    broker"), "\(check.output)")
  }

  @Test func `options replace the dialogue, and existing files are kept`() throws {
    let world = try KioskWorld()
    let p12 = try bundle(world, passphrase: "demo")
    let target = world.folder + "/new/kiosk.yaml"
    let key = Signing.key()
    try "demo\n".write(toFile: world.folder + "/passphrase", atomically: true, encoding: .utf8)
    #expect(chmod(world.folder + "/passphrase", 0o600) == 0)
    try "smpshare://secret?idx=0&key=\(key)\n".write(
      toFile: world.folder + "/share", atomically: true, encoding: .utf8)
    let words = [
      "init", "--yes", "--config", target, "--preset", "mosquitto", "--url",
      "localhost:\(world.broker.port)", "--ca", try Certificates.path("ca.pem"), "--certificate", p12,
      "--passphrase-file", world.folder + "/passphrase", "--reader", "pn532_uart:\(world.folder)/reader",
      "--share-file", world.folder + "/share", "--tap", "120",
    ]
    let log = world.folder + "/init.log"
    let tappet = try Service(try Programs.built("tappet"), words, log: log, environment: data)
    #expect(eventually { tappet.text.contains("Hold the tag") || !tappet.isRunning })
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try Signing.url(index: "0", key: key))")
    #expect(eventually { !tappet.isRunning }, "\(tappet.text)")
    #expect(tappet.status == 0, "\(tappet.text)")
    #expect(eventually { world.received.map(\.topic) == ["home/light/set"] })

    let before = try String(contentsOfFile: target, encoding: .utf8)
    let again = try Programs.run(try Programs.built("tappet"), words, environment: data)
    #expect(again.status == 1 && again.errors.contains("already exists; use --force to replace it"), "\(again.errors)")
    #expect(try String(contentsOfFile: target, encoding: .utf8) == before)
  }

  @Test func `init ends once the first tag is written, and that tag then acts on the reader`() throws {
    let world = try KioskWorld()
    let target = world.folder + "/new/kiosk.yaml"
    try world.tell("place ntag213 uid=\(world.freshUID()) empty")
    let log = world.folder + "/init.log"
    let tappet = try Service(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", target, "--preset", "mosquitto", "--url", "localhost:\(world.broker.port)",
        "--ca", try Certificates.path("ca.pem"), "--certificate", try Certificates.path("client.pem"),
        "--private-key", try Certificates.path("client.key"), "--reader", "pn532_uart:\(world.folder)/reader",
        "--write-tag", "--tap", "120",
      ], log: log, environment: data)
    // The tag that still lies there does not act.
    #expect(eventually { tappet.text.contains("hold it to the reader again") }, "\(tappet.text)")
    #expect(world.received.isEmpty)
    try world.tell("take")
    let looks = try world.commandCount()
    #expect(try eventually { try world.commandCount() >= looks + 8 })
    try world.tell("back")
    #expect(eventually { !tappet.isRunning }, "\(tappet.text)")
    #expect(tappet.status == 0, "\(tappet.text)")
    #expect(eventually { world.received.map(\.topic) == ["home/light/set"] }, "\(tappet.text)")
    let listed = try Programs.run(
      try Programs.built("tappet"), ["secret", "list", "--json", "--config", target], environment: data)
    #expect(listed.output.contains("\"times_used\":1") || listed.output.contains("\"times_used\": 1"), "\(listed)")
  }

  @Test func `an unformatted first tag is formatted and then written`() throws {
    let world = try KioskWorld()
    let target = world.folder + "/new/kiosk.yaml"
    let session = try TypedSession(
      try Programs.built("tappet"),
      [
        "init", "--config", target, "--preset", "mosquitto", "--url", "localhost:\(world.broker.port)", "--ca",
        try Certificates.path("ca.pem"), "--certificate", try Certificates.path("client.pem"), "--private-key",
        try Certificates.path("client.key"), "--client-id", "kiosk", "--username", "none", "--reader",
        "pn532_uart:\(world.folder)/reader",
        "--profile", "none", "--action", "gate", "--topic", "home/gate", "--message", "open", "--state", "state",
      ], log: world.folder + "/session", environment: data)
    try session.play(["Line of the status LED": "", "Line of a button": "", "Line of an output": ""])
    try world.tell("place ntag213 blank uid=\(world.freshUID())")
    try session.play([
      "Write a new tag now?": "y", "Write these files?": "", "'tappet tag format'": nil,
      "Try again (t), format the tag permanently": "f", "formatted: NTAG213": nil, "written: gate on NTAG213": nil,
      "Take the tag away, and hold it to the reader again (60 s": nil,
    ])
    try session.interrupt()
    #expect(try session.status() >= 0)
  }

  @Test func `a missing or wrong login ends init before anything is written`() throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let broker = try TestBroker(.password(user: "ha", password: "right"))
    let password = folder.path + "/password"
    try "wrong\n".write(toFile: password, atomically: true, encoding: .utf8)
    #expect(chmod(password, 0o600) == 0)
    let words = [
      "init", "--yes", "--url", "localhost:\(broker.port)", "--ca", TestCertificates.path("ca.pem"), "--reader",
      "none", "--config", folder.path + "/new/kiosk.yaml",
    ]
    for login in [[], ["--username", "ha", "--password-file", password]] {
      let done = try Programs.run(try Programs.built("tappet"), words + login, environment: data)
      #expect(done.status == 1 && done.errors.contains("check the user name and password"), "\(done)")
      #expect(done.errors.contains("nothing was written"), "\(done)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
  }

  @Test func `a repeated init starts with the existing values, and hides the password`() throws {
    let world = try KioskWorld()
    let target = world.folder + "/new/kiosk.yaml"
    let password = "pass \(UUID().uuidString)"
    try (password + "\n").write(toFile: world.folder + "/password", atomically: true, encoding: .utf8)
    #expect(chmod(world.folder + "/password", 0o600) == 0)
    let made = try Programs.run(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", target, "--preset", "mosquitto", "--url", "localhost:\(world.broker.port)",
        "--ca", try Certificates.path("ca.pem"), "--certificate", try Certificates.path("client.pem"),
        "--private-key", try Certificates.path("client.key"), "--client-id", "kiosk", "--username", "ha",
        "--password-file", world.folder + "/password", "--reader", "pn532_uart:\(world.folder)/reader", "--action",
        "gate", "--topic", "home/gate", "--message", "open",
      ], environment: data)
    #expect(made.status == 0, "\(made)")
    var text = try String(contentsOfFile: target, encoding: .utf8)
    #expect(text.contains("username: ha\n") && text.contains("password: {file: broker.password}"), "\(text)")
    #expect(try mode(world.folder + "/new/broker.password") == 0o600)
    text += "  - {name: bell, topic: home/bell, message: ring, cooldown: 5 s}\n"
    try text.write(toFile: target, atomically: true, encoding: .utf8)

    let session = try TypedSession(
      try Programs.built("tappet"), ["init", "--config", target], log: world.folder + "/session", environment: data)
    try session.play([
      "(number or name)": "mosquitto", "[mqtts://localhost:\(world.broker.port)]: ": "", "CA certificate": "",
      "This kiosk's certificate": "", "Private key of the certificate": "", "Client id": "",
      "User name for the broker (or 'none') [ha]: ": "",
      "Password for ha (not shown; Enter keeps the existing one)": "", "connected to": nil,
      "[pn532_uart:\(world.folder)/reader]: ": "", "'virtual' for a panel without hardware": "virtual",
      "Socket of the virtual panel": world.folder + "/panel", "[GPIO17]: ": "", "[GPIO5]: ": "",
      "Line of an output": "", "[gate]: ": "", "[home/gate]: ": "", "[open]: ": "", "Folder": "",
      "Write a new tag now?": "n", "Share code": "",
    ])
    #expect(!FileManager.default.fileExists(atPath: target + ".old"))
    try session.play([
      "Copy of the old file: \(target).old": nil, "Write these files, and replace": "y",
      "'tappet run --config \(target)' to run the kiosk": nil,
    ])
    #expect(try session.status() == 0)
    #expect(try String(contentsOfFile: target + ".old", encoding: .utf8) == text)
    let again = try String(contentsOfFile: target, encoding: .utf8)
    #expect(again.contains("name: bell") && again.contains("username: ha\n") && again.contains("simulator: "))
    #expect(!session.text.contains(password) && !again.contains(password))
    let check = try Programs.run(try Programs.built("tappet"), ["check", "--config", target], environment: data)
    #expect(check.output.contains("ok    config") && check.output.contains("ok    broker"), "\(check.output)")
  }

  /// A wrong option, and the message about it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    var options: [String]
    var sentence: String
    var testDescription: String { options.joined(separator: " ") }
  }

  @Test(arguments: [
    Wrong(options: ["--preset", "aws"], sentence: "unknown preset 'aws'; the presets are aws-iot"),
    Wrong(
      options: ["--preset", "aws-iot", "--url", "h", "--certificate", "none"], sentence: "requires a certificate"),
    Wrong(options: ["--url", "ftp://x"], sentence: "is neither a host nor a mqtts:// or mqtt:// URL"),
    Wrong(options: [], sentence: "--url is missing"),
    Wrong(options: ["--url", "h", "--ca", "/dev/null"], sentence: "/dev/null is empty"),
    Wrong(options: ["--url", "h", "--certificate", "/etc/hostname"], sentence: "contains no readable certificate"),
    Wrong(options: ["--url", "h", "--client-id", "a#"], sentence: "must not contain '/', '+' or '#'"),
    Wrong(
      options: ["--url", "mqtt://127.0.0.1:1", "--username", "u"], sentence: "use mqtts://, or add --plain-password"),
    Wrong(options: ["--url", "mqtt://127.0.0.1:1"], sentence: "nothing listens on that port"),
    Wrong(
      options: ["--url", "mqtt://127.0.0.1:1", "--untested", "--reader", "none", "--topic", "a/+"],
      sentence: "a topic must not contain"),
    Wrong(
      options: ["--url", "mqtt://127.0.0.1:1", "--untested", "--reader", "none", "--state", "/proc/none"],
      sentence: "/proc/none"),
  ])
  func `a wrong option is reported, and nothing is written`(_ wrong: Wrong) throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let done = try Programs.run(
      try Programs.built("tappet"), ["init", "--yes", "--config", folder.path + "/k/kiosk.yaml"] + wrong.options,
      environment: data)
    #expect([1, 2, 4].contains(done.status), "\(done)")
    #expect(done.errors.contains(wrong.sentence), "\(done.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/k"))
  }

  @Test func `a virtual panel gets an absolute path, even if kiosk.yaml is given without one`() throws {
    let folder = try Programs.temporaryFolder().resolvingSymlinksInPath()
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = """
      cd "$1" && exec "$2" init --yes --config k/kiosk.yaml --url mqtt://127.0.0.1:1 --untested --reader none \
        --profile virtual --state "$1/state"
      """
    let tappet = try Programs.built("tappet").path
    let made = try Programs.run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", folder.path, tappet], environment: data)
    #expect(made.status == 0, "\(made)")
    let written = try String(contentsOfFile: folder.path + "/k/kiosk.yaml", encoding: .utf8)
    #expect(written.contains(folder.path + "/k/panel"), "\(written)")
  }

  @Test func `Ctrl-C at any question leaves no files behind, and restores the terminal`() throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.path + "/k/kiosk.yaml"
    let questions: [(typed: KeyValuePairs<String, String?>, next: String)] = [
      ([:], "number or name"), (["number or name": ""], "Host, such as"),
      (["number or name": "", "Host": "mqtt://127.0.0.1:1"], "Client id"),
      (
        ["number or name": "", "Host": "mqtt://127.0.0.1:1", "Client id": "", "User name": "", "Try again": "g"],
        "Device, such as"
      ),
    ]
    for (number, question) in questions.enumerated() {
      let session = try TypedSession(
        try Programs.built("tappet"), ["init", "--config", target], log: folder.path + "/log\(number)",
        environment: data)
      try session.play(question.typed)
      try session.expect(question.next)
      try session.interrupt()
      #expect(try session.status() == 1, "\(session.text)")
      #expect(session.text.contains("Stopped; nothing was written."))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/k"), "\(number)")
    }
  }

  @Test func `messages without %T need no clock, and a certificate request waits for the CA`() throws {
    let folder = try Programs.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.path + "/kiosk.yaml"
    let done = try Programs.run(
      try Programs.built("tappet"),
      [
        "init", "--yes", "--config", target, "--url", "localhost", "--certificate", "request", "--client-id", "kiosk-9",
      ],
      environment: data)
    #expect(done.status == 0 && done.errors.contains("send it to your CA"), "\(done)")
    #expect(try mode(folder.path + "/kiosk.key") == 0o600)
    #expect(!FileManager.default.fileExists(atPath: target))
    let request = try Programs.run(
      try Programs.installed("openssl"),
      ["req", "-in", folder.path + "/kiosk.csr", "-noout", "-verify", "-subject", "-text"])
    #expect(request.status == 0 && request.output.contains("CN = kiosk-9"), "\(request)")
    for part in ["prime256v1", "DNS:kiosk-9", "TLS Web Client Authentication", "Digital Signature"] {
      #expect(request.output.contains(part), "\(part)")
    }
  }
}
