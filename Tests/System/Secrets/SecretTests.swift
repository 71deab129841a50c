// Secrets through the running kiosk and without it: what acts, at once, who did it, and what bad input changes:
// nothing.

import Foundation
import TappetConfig
import TappetJSON
import Testing
import TestSupport

/// One message to a control socket and its answer, as another user if wanted: by Python, so that it is not our own
/// code.
enum ControlSocket {
  /// The first answer with `word` in it.
  static func ask(_ path: String, _ request: String, user: Int? = nil, until word: String = "") throws -> String {
    let script = """
      import os, socket, sys
      if sys.argv[3] != '-':
        os.setgroups([]); os.setgid(int(sys.argv[3])); os.setuid(int(sys.argv[3]))
      s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      s.settimeout(60)
      s.connect(sys.argv[1])
      s.send(sys.argv[2].encode().replace(b'|', b'\\0'))
      answer = s.recv(65536).decode()
      while answer and sys.argv[4] not in answer:
          answer = s.recv(65536).decode()
      sys.stdout.write(answer)
      """
    let done = try Programs.run(
      try Programs.installed("python3"), ["-c", script, path, request, user.map { "\($0)" } ?? "-", word])
    guard done.status == 0 else { throw TestFault(done.errors) }
    return done.output
  }
}

@Suite(.serialized) struct SecretTests {
  private func secrets(_ world: KioskWorld) throws -> [[String: Any]] {
    let done = try world.tappet("secret", "list", "--json")
    return done.list("secrets")
  }

  private func id(_ done: Finished) -> String { String(done.output.prefix { $0 != " " }) }

  /// The key that a share URL carries.
  private func key(_ world: KioskWorld, _ id: String) throws -> String {
    let url = try world.tappet("secret", "share", id, "--url").output
    return String(
      (URLComponents(string: url.trimmingCharacters(in: .newlines))?.queryItems ?? [])
        .first { $0.name == "key" }?.value ?? "")
  }

  @Test(arguments: [true, false])
  func `new, share, rename, list and remove do the same with and without a running kiosk`(runs: Bool) throws {
    let world = try KioskWorld()
    if runs { try world.start() }
    let made = try world.tappet("secret", "new", "bell", "--label", "  Lobby ")
    #expect(made.status == 0, "\(made.errors)")
    let key = try key(world, id(made))
    #expect(key.utf8.count == 64)
    if !runs { try world.start() }
    let url = try Signing.url(index: "2", key: key)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    if !runs {
      #expect(world.kiosk?.end() == true)
    }
    #expect(try world.tappet("secret", "rename", String(id(made).prefix(8)), "Küche").status == 0)
    let entry = try #require(try secrets(world).first { $0["id"] as? String == id(made) })
    #expect(entry["label"] as? String == "Küche" && entry["action"] as? String == "bell" && entry["index"] as? Int == 2)
    #expect(entry["times_used"] as? Int == 1 && (entry["last_used_at"] as? String ?? "") > "2023-")
    #expect(try world.tappet("secret", "rename", id(made), "").status == 0)
    #expect(try secrets(world).first { $0["id"] as? String == id(made) }?["label"] is NSNull)
    #expect(try world.tappet("secret", "remove", id(made)).status == 0)
    #expect(try world.tappet("secret", "remove", id(made)).errors.contains("there is no secret"))
    if !runs { try world.start() }
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused")
    #expect(refused.received == [])
    try world.goodTap()
  }

  @Test(arguments: [true, false])
  func `invalid input is refused with its own message, and changes nothing`(runs: Bool) throws {
    let world = try KioskWorld(.init(more: "max_secrets: 3"))
    if runs { try world.start() }
    for _ in 1...2 { try world.importSecret(index: 1, key: Signing.key()) }
    let before = try world.tappet("secret", "list").output
    func refusal(_ status: Int32, _ words: String..., input: String = "") throws -> String {
      let done = try Programs.run(
        try Programs.built("tappet"), ["secret"] + words + ["--config", world.configPath], input: input)
      #expect(done.status == status && done.output.isEmpty, "\(words): \(done.status) \(done.output)\(done.errors)")
      return done.errors
    }
    let share = "smpshare://secret?idx=0&key=\(Signing.key())"
    let long = String(repeating: "ü", count: 2048)
    #expect(
      try refusal(1, "new", "garage", "--label", long).contains("the label is 4096 bytes long; the maximum is 128"))
    #expect(try refusal(1, "import", "--label", long, input: share).contains("the label is 4096 bytes"))
    #expect(
      try refusal(1, "import", input: share + "&label=" + String(repeating: "x", count: 129)).contains("129 bytes"))
    #expect(try refusal(1, "new", "garage", "--label", "a\u{1B}[2Jb").contains("character 2 of the label, U+001B,"))
    #expect(try refusal(1, "import", input: share + "&label=%1B%5B2J").contains("U+001B, is invisible"))
    #expect(try refusal(1, "import", input: share + "&label=%C2%9B2J").contains("U+009B, is invisible"))
    #expect(try refusal(1, "new", "light").contains("light already has 3 secrets"))
    #expect(
      try refusal(1, "import", input: "smpshare://secret?idx=1&key=\(Signing.key())").contains("already has 3 secrets"))
    #expect(
      try refusal(1, "import", input: "smpshare://secret?idx=1&key=\(world.keys[1])").contains("secret already exists"))
    #expect(try refusal(1, "import", "--action", "light", input: share).contains("is for garage, not for light"))
    #expect(try refusal(1, "import", input: "smpshare://secret?idx=7&key=\(Signing.key())").contains("not configured"))
    #expect(try refusal(1, "new", "gate").contains("there is no action 'gate'"))
    #expect(try refusal(1, "rename", "nobody", "x").contains("there is no secret 'nobody'"))
    #expect(try refusal(1, "share", "nobody", "--url").contains("there is no secret 'nobody'"))
    #expect(try refusal(1, "remove", "").contains("specify a secret"))
    #expect(try refusal(2, "remove").contains("missing ID"))
    #expect(try refusal(2, "new").contains("missing ACTION"))
    #expect(try refusal(2, "import", "--tag", "--file", "x").contains("cannot be combined"))
    #expect(
      try refusal(4, "import", input: String(repeating: "x", count: 100_000)).contains("cannot read a share code"))
    #expect(try refusal(4, "import", "--file", "/nowhere").contains("/nowhere"))
    #expect(try refusal(1, "import", input: "\0\0\0").contains("share code"))
    #expect(try world.tappet("secret", "list").output == before)
  }

  @Test func `garbage on the control socket gets an error response, and the kiosk keeps running`() throws {
    let world = try KioskWorld()
    try world.start()
    let socket = world.folder + "/state/control"
    for (request, answer) in [
      ("x", "not valid JSON"), ("|", "not valid JSON"), ("{}|smpshare://", "does not contain 'request'"),
      (#"{"request":"secret-add"}"#, "not a share code"), (#"{"request":"secret-add"}|"#, "not a share code"),
      (#"{"request":"secret-add"}|smpshare://secret?idx=0|&key="#, "not a whole number"),
      (#"{"request":"secret-remove","id":7}"#, "specify a secret"),
      (#"{"request":"secret-remove","id":{}}"#, "specify a secret"),
      (#"{"request":"secret-list","from":-5}"#, #""secrets":["#),
      (#"{"request":"secret-list","from":9007199254740991}"#, #""secrets":[]"#),
      (#"{"request":"value-keep","name":"check"}|0011"#, "only the timestamp key"),
      (#"{"request":"value-keep","name":"timestamp-key"}|0011"#, "32, 48 or 64"),
      (#"{"request":"value-reveal","name":"check"}"#, "error"),
      (#"{"request":"secret-new","action":["garage"]}"#, "there is no action ''"),
      (#"{"request":"audit","after":-1}"#, "entries"),
    ] {
      let said = try ControlSocket.ask(socket, request)
      #expect(said.contains(answer), "\(request): \(said)")
    }
    try world.goodTap()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
  func `another user of the socket's group can change secrets, which is recorded, but sees no key`() throws {
    let world = try KioskWorld()
    let control = try Programs.temporaryFolder().path
    defer { try? FileManager.default.removeItem(atPath: control) }
    try world.write(KioskWorld.KioskConfiguration(more: "control: \(control)/control"))
    try world.start()
    chmod(control, 0o755)
    #expect(chown(control + "/control", 0, 65534) == 0)
    let socket = control + "/control"
    let id = try #require(try secrets(world).first?["id"] as? String)
    for request in [
      #"{"request":"secret-share","id":"\#(id)"}"#, #"{"request":"secret-rekey"}"#,
      #"{"request":"value-reveal","name":"timestamp-key"}"#,
      #"{"request":"value-keep","name":"timestamp-key"}|\#(Signing.key())"#,
    ] {
      let said = try ControlSocket.ask(socket, request, user: 65534)
      #expect(
        said.contains("only root and the kiosk's own user (0) can see keys") && !said.contains("smpshare"), "\(said)")
    }
    for kind in ["lock", "erase", "format"] {
      let said = try ControlSocket.ask(socket, #"{"request":"tag-job","kind":"\#(kind)"}"#, user: 65534)
      #expect(said.contains("only root and the kiosk's own user can \(kind) tags"), "\(said)")
    }
    let renamed = try ControlSocket.ask(
      socket, #"{"request":"secret-rename","id":"\#(id)","label":"by nobody"}"#, user: 65534)
    #expect(renamed.contains("by nobody"))
    #expect(throws: TestFault.self) { try ControlSocket.ask(socket, #"{"request":"status"}"#, user: 12345) }
    let audit = try world.tappet("audit").output.split(separator: "\n").filter { $0.contains("user 65534") }
    #expect(audit.count == 5 && audit.contains { $0.contains("refused  secret-share") })
    #expect(audit.last?.contains("python3") == true && audit.last?.contains("secret-renamed  \(id)  (") == true)
    #expect(eventually { world.log.contains("event=secret-renamed") && world.log.contains("by_user=65534") })
  }

  @Test func `a job for a tag ends on time even if its client still waits, and taps count again`() throws {
    let world = try KioskWorld()
    try world.start()
    let request = #"{"request":"tag-job","kind":"write","action":"light","limit_s":1}"#
    let said = try ControlSocket.ask(world.folder + "/state/control", request, until: "result")
    #expect(said.contains(#""code":"no-tag""#), "\(said)")
    try world.goodTap()
  }

  @Test func `the log and the audit record who did what and when, without the secret`() throws {
    let world = try KioskWorld()
    try world.start()
    let made = id(try world.tappet("secret", "new", "bell", "--label", "Front door"))
    let key = try key(world, made)
    try world.tappet("secret", "rekey")
    try world.tappet("secret", "remove", made)
    let entries = try world.tappet("audit", "--json").list("entries")
    #expect(
      entries.suffix(4).compactMap { $0["operation"] as? String } == [
        "secret-made", "secret-shared", "rekeyed", "secret-removed",
      ])
    for entry in entries.suffix(4) {
      #expect(entry["user"] as? Int == Int(geteuid()) && (entry["program"] as? String)?.hasPrefix("tappet") == true)
      let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      let time = try format.parse(entry["time"] as? String ?? "")
      #expect(abs(time.timeIntervalSinceNow) < 60)
    }
    for name in ["secret-made", "secret-shared", "rekeyed", "secret-removed"] {
      #expect(eventually { world.log.contains("event=\(name)") }, "\(name)")
    }
    #expect(world.log.contains("label=\"Front door\"") && !world.log.contains(key))
  }

  @Test func `a secret is shared between kiosks by code and by tag, and revoked on one of them only`() throws {
    let (first, second) = (try KioskWorld(), try KioskWorld())
    try first.start()
    try second.start()
    let made = id(try first.tappet("secret", "new", "bell", "--label", "Lobby"))
    let key = try key(first, made)
    let url = try Signing.url(index: "2", key: key)
    func tap(_ world: KioskWorld, _ url: String, _ light: String) throws -> KioskWorld.Outcome {
      try world.tap(
        "ntag215 uid=\(world.freshUID()) url=\(url)", until: light, messages: light == "refused" ? 0 : 1)
    }
    #expect(try tap(second, url, "refused").received == [])
    // By a picture of the code.
    let (drawing, photo) = (first.folder + "/code.svg", first.folder + "/photo.png")
    #expect(try first.tappet("secret", "share", made, "--out", drawing).status == 0)
    #expect(try Programs.run(try Programs.installed("rsvg-convert"), [drawing, "-o", photo]).status == 0)
    let read = try Programs.run(try Programs.installed("zbarimg"), ["--quiet", "--raw", photo])
    let imported = try second.tappet("secret", "import", input: read.output)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try second.tappet("secret", "list").output.contains("Lobby"))
    for world in [first, second] { #expect(try tap(world, url, "delivered-by-tag").received.count == 1) }
    // By a tag that carries its key, through the running kiosk, which refuses it as a tap until it is imported.
    #expect(try second.tappet("secret", "remove", id(imported)).status == 0)
    let carrying = try Signing.url(index: "2", key: key, carriesKey: true)
    let asking = try Service(
      try Programs.built("tappet"),
      ["secret", "import", "--tag", "--label", "by tag", "--timeout", "120", "--config", second.configPath],
      log: second.folder + "/asked")
    #expect(
      try eventually {
        guard asking.isRunning else { return true }
        _ = try tap(second, carrying, "refused")
        return !asking.isRunning
      })
    #expect(asking.status == 0 && !asking.text.contains(key), "\(asking.text)")
    for world in [first, second] { #expect(try tap(world, url, "delivered-by-tag").received.count == 1) }
    // Revoked on one.
    #expect(try first.tappet("secret", "remove", made).status == 0)
    #expect(try tap(first, url, "refused").received == [])
    #expect(try tap(second, url, "delivered-by-tag").received.count == 1)
  }

  @Test func `a tag without its key, or with a different one, is not imported`() throws {
    let world = try KioskWorld(withBroker: false)
    let (key, other) = (Signing.key(), Signing.key())
    let plain = try Signing.url(index: "2", key: key)
    for (url, sentence) in [
      (plain, "does not contain its key"), (plain + "&key=\(other)", "does not match the key on it"),
      (plain + "&key=00", "is not 64 hexadecimal digits long"), ("https://example.org", "does not start with smp://"),
    ] {
      try world.tell("place ntag216 uid=\(world.freshUID()) url=\(url)")
      let done = try world.tappet("secret", "import", "--tag", "--timeout", "60")
      #expect(done.status == 1 && done.errors.contains(sentence), "\(done.errors)")
      try world.tell("take")
    }
    #expect(try secrets(world).count == 2)
    try world.tell("place ntag216 uid=\(world.freshUID()) url=\(plain)&key=\(key)")
    #expect(try world.tappet("secret", "import", "--tag", "--timeout", "60").status == 0)
    #expect(try secrets(world).count == 3)
  }
}
