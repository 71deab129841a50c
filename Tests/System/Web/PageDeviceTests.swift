// The outputs on the page, the log, a backup, and the place where a browser finds the page.

import Foundation
import TappetBase
import TappetJSON
import TestSupport
import Testing

@Suite struct PageDeviceTests {
  private let world: KioskWorld
  private let web: WebWorld

  init() throws {
    let panel = """
      panel:
        simulator: panel
        outputs:
          - {name: lamp, line: LA}
          - {name: latch, line: LB, kind: lock}
          - {name: siren, line: LC}
          - {name: bell, line: LD, pulse: 1 s}
        inputs:
          - {name: front, line: LE, of: latch}
          - {name: handle, line: LF, kind: exit, of: latch}
      """
    world = try KioskWorld.withPage(panel, outputs: ["lamp", "latch"])
    try world.start()
    web = try WebWorld(world)
  }

  private func change(
    _ output: String, _ request: String, id: String = UUID().uuidString, age: Int64 = 0, token: String
  ) throws -> WebWorld.Response {
    let now = try web.request("/api/state", token: token).number("now") - age
    return try web.post("/press", ["output": output, "do": request, "id": id, "at": "\(now)"], token: token)
  }

  private var tools: [pid_t] {
    Kernel.children(of: world.kiosk?.pid ?? 0).filter { Kernel.commandLine($0).contains("--page-socket") }
  }

  private func level(_ output: String) throws -> Substring? {
    try world.tappet("output", "list").output.split(separator: "\n").first { $0.hasPrefix(output) }?
      .split(separator: " ").dropFirst().first
  }

  @Test func `a tablet switches the outputs that kiosk.yaml lists, once per id, and a manager every output`() throws {
    let (tablet, office) = try (web.pair("Hall tablet"), web.pair("Office", level: "manage"))
    let page = try web.request("/", token: tablet).body
    #expect(page.contains("data-output=\"lamp\" data-hint=\"Off\"") && !page.contains("siren"))
    #expect(page.contains(#"name="do" value="pulse""#), "a lock gets a pulse")
    #expect(page.contains("data-output=\"latch\" data-hint=\"Shut\"") && page.contains("#i-power"))
    let stream = try web.stream(token: tablet)
    #expect(try change("lamp", "on", id: "one", token: tablet).text("result") == "switched")
    #expect(try level("lamp")?.hasPrefix("on") == true)
    let lamp = #"{"output":"lamp","do":"off","on":true,"kind":"switch","until":null}"#
    #expect(eventually { stream.text.contains(lamp) })
    #expect(try change("lamp", "off", id: "one", token: tablet).text("result") == "repeated")
    #expect(try level("lamp")?.hasPrefix("on") == true)
    #expect(try change("siren", "on", token: tablet).text("code") == "action-unknown")
    #expect(try change("lamp", "explode", token: tablet).text("code") == "request-malformed")
    for (output, request) in [("latch", "on"), ("latch", "off"), ("latch", "toggle"), ("bell", "on")] {
      #expect(try change(output, request, token: office).text("code") == "action-unknown", "\(output) would stay on")
    }
    #expect(try change("lamp", "toggle", token: office).text("code") == "action-unknown")
    #expect(try change("lamp", "off", age: 6_000, token: tablet).text("code") == "command-late")
    #expect(try change("latch", "pulse", token: tablet).text("result") == "switched")
    #expect(try change("siren", "on", token: office).text("result") == "switched")
    #expect(try level("siren")?.hasPrefix("on") == true)
    #expect(world.log.contains("Hall tablet switched lamp on the page: on"))
    #expect(world.log.contains("Office on the page"), "the output's record names who switched it")
    func rows(_ by: String) throws -> [Substring] {
      try world.tappet("history", "--by", by).output.split(separator: "\n")
    }
    let ends = ["switched-on    lamp  page Hall tablet", "switched-on    latch  page Hall tablet"]
    #expect(try eventually { try rows("page Office").count == 1 })
    #expect(try zip(rows("Hall tablet"), ends).allSatisfy { $0.hasSuffix($1) } && rows("Hall tablet").count == 2)
  }

  @Test func `a contact is shown with its level as it changes, and a pulse with its end`() throws {
    let tablet = try web.pair("Hall tablet")
    let stream = try web.stream(token: tablet)
    #expect(eventually { stream.text.contains(#"{"input":"front","tone":"good","text":"Closed","since":null}"#) })
    #expect(try web.request("/", token: tablet).body.contains("<bdi>front</bdi></b> Closed</span>"))
    #expect(!stream.text.contains("handle"), "an exit is not a contact")
    try world.tell("open front")
    #expect(eventually { stream.text.contains(#""tone":"bad","text":"Forced open","since":"#) }, "\(stream.text)")
    let body = try change("latch", "pulse", token: tablet).body
    #expect(body.contains(#""output":"latch","do":"pulse","on":true"#) && !body.contains(#""until":null"#), "\(body)")
    #expect(try web.request("/", token: tablet).body.contains("data-hint=\"Open\" data-on>"))
  }

  @Test func `while the buttons are locked, no output is switched`() throws {
    let locked = try KioskWorld.withPage(
      """
      panel:
        simulator: panel
        lock_after: 1 h
        unlock_code: [A, A, A, A]
        buttons: [{name: A, line: LD, press: light}]
        outputs: [{name: lamp, line: LA}]
      """, outputs: ["lamp"])
    try locked.start(until: "locked")
    let tablet = try locked.browser(try locked.pair("Hall tablet", level: "press"))
    let facts: KeyValuePairs<String, JSON> = [
      "output": .string("lamp"), "do": .string("on"), "id": .string("one"),
      "at": .number(Instant.now().wholeMilliseconds),
    ]
    #expect(try tablet.ask("press", facts)["code"]?.text == "locked")
    #expect(try locked.tappet("output", "list").output.contains("off"))
  }

  @Test func `a manager reads the log, and nobody else`() throws {
    let (tablet, office) = try (web.pair("Hall tablet"), web.pair("Office", level: "manage"))
    #expect(try web.press("light", token: tablet).text("result") == "sent")
    let log = try web.request("/api/log", token: office).body
    #expect(log.contains("Hall tablet pressed light on the page") && log.contains(#""event":"page-press""#), "\(log)")
    #expect(try web.request("/api/log", token: tablet).text("code") == "not-allowed")
  }

  @Test func `a manager sees all kiosks of the broker`() throws {
    let office = try web.pair("Office", level: "manage")
    let job = try web.job([:], at: "/api/fleet", token: office)
    let listed = #"{"result":{"kiosks":[{"client_id":"kiosk","online":true"#
    #expect(eventually { job.text.contains(listed) }, "\(job.text)")
    #expect(eventually { !job.isRunning })
  }

  @Test func `a backup needs the password, is in the audit, and restores the kiosk`() throws {
    let office = try web.pair("Office", level: "manage")
    let phrase = ["passphrase": "four words are enough"]
    #expect(try web.post("/api/backup", phrase, token: office).text("code") == "again")
    #expect(try world.tappet("web", "password", input: "correct horse\n").status == 0)
    #expect(try web.post("/api/again", ["password": "correct horse"], token: office).status == 200)
    let short = try web.job(["passphrase": "short"], at: "/api/backup", token: office)
    #expect(eventually { short.text.contains("the passphrase is 5 bytes long") && !short.isRunning }, "\(short.text)")
    let lines = try web.job(["passphrase": "two\nlines of it"], at: "/api/backup", token: office)
    #expect(eventually { lines.text.contains("must be one line") && !lines.isRunning }, "\(lines.text)")
    #expect(!world.log.contains("makes a backup"))
    let left = try web.job(phrase, at: "/api/backup", token: office)
    #expect(eventually { left.text.contains("begun") })
    left.end(SIGKILL)
    #expect(eventually { tools.isEmpty }, "the process of a browser that has left ends")
    let job = try web.job(phrase, at: "/api/backup", token: office)
    #expect(eventually { job.text.contains(#"{"result":{"summary":"2 secrets"#) && !job.isRunning }, "\(job.text)")
    let digits = job.text.matches(of: /"part":"([0-9a-f]+)"/).map { String($0.1) }.joined()
    var file = Data()
    for place in stride(from: 0, to: digits.count, by: 2) {
      let start = digits.utf8.index(digits.utf8.startIndex, offsetBy: place)
      file.append(try #require(UInt8(digits[start..<digits.utf8.index(start, offsetBy: 2)], radix: 16)))
    }
    let (path, other) = (world.folder + "/page.backup", world.folder + "/other")
    FileManager.default.createFile(atPath: path, contents: file, attributes: [.posixPermissions: 0o600])
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    // Only what the former kiosk.yaml names, too, may be written outside its folder.
    let yaml = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try ("# former\n" + yaml).write(toFile: other + "/kiosk.yaml", atomically: true, encoding: .utf8)
    let done = try Programs.run(
      try Programs.built("tappet"), ["restore", path, "--yes", "--config", other + "/kiosk.yaml"],
      input: "four words are enough\n")
    #expect(done.status == 0, "\(done)")
    #expect(try String(contentsOfFile: other + "/kiosk.yaml", encoding: .utf8) == yaml)
    let audit = try world.tappet("audit").output
    #expect(audit.contains("page-backup") && audit.contains("page: Office") && !world.log.contains("four words"))
  }

  @Test func `the terminal shows where to pair, and the certificate's SHA-256`() throws {
    #expect(try !world.tappet("web", "pair", "Early").errors.contains("https://"))
    #expect(try web.request("/", token: nil).status == 200)
    let fingerprint = try #require(web.server.text.firstMatch(of: /SHA-256 of its certificate: ([0-9A-F:]{95})/)?.1)
    let pairing = try world.tappet("web", "pair", "Phone")
    #expect(pairing.errors.contains("'ssh -L \(web.port):localhost:\(web.port) USER@door.example'"), "\(pairing)")
    #expect(pairing.errors.contains(fingerprint))
    #expect(try world.tappet("status").output.contains("page      good; SHA-256 of its certificate: \(fingerprint)"))
  }
}
