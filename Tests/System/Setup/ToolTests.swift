// The command-line tool as it ships: options, exit codes, messages, secrets.

import Foundation
import TappetConfig
import TestSupport
import Testing

@Suite(.serialized) struct ToolTests {
  private func run(_ words: String..., input: String = "") throws -> Finished {
    try Programs.run(try Programs.built("tappet"), words, input: input)
  }

  @Test func `help and version are written to stdout, and an unknown command is a usage error`() throws {
    let version = try run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("tappet "))
    let overview = try run("--help")
    #expect(overview.status == 0 && overview.output.hasPrefix("Usage: tappet COMMAND"))
    for words in [["help"], ["-h"], ["help", "--help"], ["help", "-h"], ["help", "help"]] {
      let same = try Programs.run(try Programs.built("tappet"), words)
      #expect(same.status == 0 && same.output == overview.output && same.errors.isEmpty, "\(words): \(same)")
    }
    #expect(try run("run", "--help").output.contains("--light-trace"))
    #expect(try run("secret").errors.contains("missing command; the commands are list, new"))
    let group = try run("help", "secret")
    #expect(group.status == 0 && group.output.contains("secret share") && group.output.contains("secret rekey"))
    #expect(try run("secret", "--help").output == group.output)
    #expect(try run("help", "secret", "share").output.hasPrefix("Usage: tappet secret share [--url | --out FILE] ID\n"))
    let nothing = try run("help", "secret", "shrae")
    #expect(nothing.status == 2 && nothing.errors.contains("did you mean 'share'?"), "\(nothing)")
    let unknown = try run("rnu")
    #expect(unknown.status == 2 && unknown.output.isEmpty && unknown.errors.contains("unknown command 'rnu'"))
    for (typed, meant) in [
      ("restart", "'sudo systemctl restart tappet'"), ("doctor", "'tappet check'"), ("users", "'tappet person list'"),
      ("chek", "'check'"),
    ] {
      #expect(try run(typed).errors.contains("did you mean \(meant)?"))
    }
    #expect(try !run("stoop").errors.contains("did you mean"))
    let short = try run("inventory", "import", "--for", "csv", "x")
    #expect(short.status == 2 && short.errors.contains("unknown option '--for' (did you mean '--format'?)"))
    let far = try run("history", "--for", "2d")
    #expect(far.status == 2 && far.errors.contains("unknown option '--for'; see"), "\(far)")
    #expect(try run("history", "--untill", "2d").errors.contains("unknown option '--untill' (did you mean '--until'?)"))
    #expect(unknown.errors.contains("did you mean 'run'?"))
    let part = try run("tag", "wirte")
    #expect(
      part.status == 2 && part.errors.contains("unknown command 'wirte' (did you mean 'write'?)"), "\(part.errors)")
    #expect(try run().status == 2)
    let nowhere = try run("status", "--config", "/nowhere/kiosk.yaml")
    #expect(nowhere.status == 3 && nowhere.errors.hasPrefix("/nowhere/kiosk.yaml cannot be read: No such file"))
    #expect(nowhere.errors.contains("'tappet init'"), "\(nowhere.errors)")
  }

  @Test func `the configuration is named before the command, after it, or by the environment`() throws {
    let world = try KioskWorld(withBroker: false)
    let path = world.configPath
    for words in [["--config", path, "secret", "list"], ["--config=" + path, "secret", "list"]] {
      let done = try Programs.run(try Programs.built("tappet"), words)
      #expect(done.status == 0 && !done.output.isEmpty, "\(words): \(done)")
    }
    #expect(try run("--config", path, "status").errors.contains("no kiosk is running"))
    let variable = ["TAPPET_CONFIG": path]
    let named = try Programs.run(try Programs.built("tappet"), ["secret", "list"], environment: variable)
    #expect(named.status == 0 && !named.output.isEmpty, "\(named)")
    // The option counts more.
    let other = try Programs.run(
      try Programs.built("tappet"), ["secret", "list", "--config", "/nowhere"], environment: variable)
    #expect(other.status == 3 && other.errors.contains("/nowhere"), "\(other)")
  }

  /// A pipe that is closed early is not a failure: its reader has enough.
  @Test func `output that cannot be written to a full disk or closed stream is reported as a failure`() throws {
    let world = try KioskWorld(withBroker: false)
    let tappet = try Programs.built("tappet").path
    func sh(_ line: String) throws -> Finished {
      try Programs.run(URL(fileURLWithPath: "/bin/bash"), ["-c", "set -o pipefail; " + line])
    }
    for words in ["--version", "--help", "secret list --json --config \(world.configPath)"] {
      let full = try sh("\(tappet) \(words) >/dev/full")
      #expect(full.status == 4 && full.errors.contains("No space left on device"), "\(words): \(full.errors)")
      let closed = try sh("\(tappet) \(words) >&-")
      #expect(closed.status == 4 && closed.errors.contains("Bad file descriptor"), "\(words): \(closed.errors)")
    }
    let piped = try sh("for i in {1..60}; do echo --help; done | xargs -n 1 \(tappet) | head -n 1")
    #expect(piped.output.contains("Usage") && piped.errors.isEmpty, "\(piped.errors)")
    // No file that is opened replaces a closed stream.
    #expect(try sh("\(tappet) secret new light --config \(world.configPath) <&- >&- 2>&-").status == 4)
    let listed = try world.tappet("secret", "list", "--json")
    #expect(listed.status == 0, "\(listed.errors)")
  }

  @Test func `every error in a configuration is listed with its place, and the status is 3`() throws {
    let world = try KioskWorld(withBroker: false)
    try "broker:\n  url: mqtts://localhost:1\n  client_id: k\nactions:\n  - {name: a, topc: t, message: m}\nstat: x\n"
      .write(
        toFile: world.configPath, atomically: true, encoding: .utf8)
    for command in ["run", "check", "status"] {
      let done = try world.tappet(command)
      #expect(done.status == 3, "\(command)")
      #expect(done.errors.contains("kiosk.yaml:5:"), "\(done.errors)")
      #expect(done.errors.contains("did you mean 'topic'?"))
      #expect(done.errors.contains("kiosk.yaml:6:1: unknown key 'stat'"))
    }
  }

  @Test func `check reports each fault, and succeeds if there is none`() throws {
    let world = try KioskWorld()
    let good = try world.tappet("check", "--json")
    #expect(
      good.status == 0 && good.list("findings").contains { $0["part"] as? String == "broker" },
      "\(good.output)\(good.errors)")
    try world.write(KioskWorld.KioskConfiguration(ca: "other-ca.pem"))
    let wrongCA = try world.tappet("check")
    #expect(wrongCA.status == 1 && wrongCA.output.contains("not trusted"), "\(wrongCA.output)")
    try world.write(KioskWorld.KioskConfiguration(port: TestSocket.freePort(), certificate: "expired-client"))
    try world.tell("unplug")
    let bad = try world.tappet("check")
    #expect(bad.status == 1)
    for sentence in [
      "expired-client.pem: \"O=Tappet demo, CN=kiosk-demo\" expired", "nothing listens on that port",
      "/reader was not found",
    ] {
      #expect(bad.output.contains(sentence), "\(sentence): \(bad.output)")
    }
  }

  @Test func `secrets are read from stdin or a file, listed without keys, and refused with a reason`() throws {
    let world = try KioskWorld(.init(more: "max_secrets: 3"), withBroker: false)
    let list = try world.tappet("secret", "list", "--json")
    #expect(list.status == 0)
    #expect(list.list("secrets").count == 2)
    for key in world.keys { #expect(!list.output.contains(key)) }
    func refusal(_ share: String) throws -> String {
      let done = try world.tappet("secret", "import", input: share)
      #expect(done.status == 1)
      return done.errors
    }
    #expect(try refusal("smpshare://secret?idx=9&key=\(Signing.key())").contains("action 9, which is not configured"))
    #expect(try refusal("smpshare://secret?idx=0&key=\(world.keys[0])").contains("this secret already exists"))
    #expect(try refusal("https://example.com").contains("not a share code"))
    #expect(try refusal("").contains("there is no share code in standard input"))
    try "smpshare://secret?idx=0&key=\(Signing.key())\n".write(
      toFile: world.folder + "/share", atomically: true, encoding: .utf8)
    #expect(try world.tappet("secret", "import", "--file", world.folder + "/share").status == 0)
    try world.importSecret(index: 0, key: Signing.key())
    #expect(try refusal("smpshare://secret?idx=0&key=\(Signing.key())").contains("garage already has 3 secrets"))
    let shown = try world.tappet("secret", "import", "smpshare://secret?idx=0&key=\(Signing.key())")
    #expect(shown.status == 2 && shown.errors.contains("other users can read the command line"))
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder + "/state") {
      let mode = try FileManager.default.attributesOfItem(atPath: world.folder + "/state/" + name)[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(name)")
    }
  }

  @Test func `a removed secret refuses exactly its tags, in the running kiosk, immediately`() throws {
    let world = try KioskWorld()
    let second = Signing.key()
    let id = try world.importSecret(index: 1, key: second)
    try world.start()
    let url = try Signing.url(index: "1", key: second)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    #expect(try world.tappet("secret", "remove", id).status == 0)
    let refused = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "refused")
    #expect(refused.log.contains("or its secret was removed") && refused.received == [])
    try world.goodTap()
    #expect(try world.tappet("secret", "remove", id).status == 1)
  }

  @Test func `status describes the running kiosk, or reports that there is none`() throws {
    let world = try KioskWorld()
    let none = try world.tappet("status")
    #expect(none.status == 4 && none.errors.contains("no kiosk is running"))
    try world.start()
    try world.goodTap()
    let status = try world.tappet("status", "--json")
    #expect(status.status == 0 && status.data["light"] as? String == "ready")
    #expect((status.data["counters"] as? [String: Int])?["delivered"] == 1)
  }

  @Test func `tag read reports the same directly and through the running kiosk`() throws {
    let world = try KioskWorld()
    try world.tell("place ntag213 url=\(try world.url(1))")
    let direct = try world.tappet("tag", "read", "--timeout", "60")
    #expect(direct.status == 0 && direct.output.contains("works here: light"), "\(direct.output)\(direct.errors)")
    try world.tell("take")
    #expect(try world.tappet("tag", "read", "--timeout", "1").status == 1)
    try world.start()
    // It is on the reader already when it is asked for, or comes later: both are read.
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
    try world.awaitLight("delivered-by-tag", after: 0)
    let lying = try world.tappet("tag", "read", "--timeout", "60")
    #expect(lying.status == 0 && lying.output.contains("works here: light"), "\(lying)")
    try world.tell("take")
    #expect(
      eventually {
        (try? world.tappet("tag", "read", "--timeout", "1"))?.errors.contains("in time; if a tag") == true
      }
    )
    let asking = try Service(
      try Programs.built("tappet"), ["tag", "read", "--timeout", "60", "--config", world.configPath],
      log: world.folder + "/asked")
    // Tap until the question has reached the kiosk: there is no other sign that it has.
    #expect(
      try eventually {
        guard asking.isRunning else { return true }
        _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "delivered-by-tag")
        return !asking.isRunning
      })
    #expect(asking.text.contains("works here: light"), "\(asking.text)")
    for text in [direct.output, asking.text] { #expect(!text.contains(try world.url(1).suffix(64))) }
  }

  @Test func `a token sealed by hand can be opened again, but only with the right key`() throws {
    let world = try KioskWorld(withBroker: false)
    let token = try world.tappet("token", "seal", "--time", "1770000000").output.trimmingCharacters(in: .newlines)
    #expect(try world.tappet("token", "open", token).output.hasPrefix("1770000000 "))
    // One strange key in 256 fits a token's checksum; this one does not fit this token.
    let fixed = "bbfe79bbf1f387918ad71cbb62fc06a8"
    func open(_ key: String) throws -> Finished {
      let path = world.folder + "/\(key.prefix(4)).key"
      try key.write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o600)
      return try run("token", "open", "--key-file", path, fixed)
    }
    #expect(try open("00112233445566778899aabbccddeeff").output.hasPrefix("1770000000 "))
    let other = try open("ffeeddccbbaa99887766554433221100")
    #expect(other.status == 1 && other.errors.contains("another key"), "\(other)")
  }
}
