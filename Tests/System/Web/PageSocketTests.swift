// The kiosk's socket for the page, as tappet-web uses it.

import Foundation
import TappetJSON
import TestSupport
import Testing

@Suite struct PageSocketTests {
  @Test func `a paired device presses once per id, and never late`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    #expect(tablet.entered["device"]?.text == "Hall tablet" && tablet.entered["level"]?.text == "press")
    let watcher = try world.browser(try world.pair("Phone", level: "look"))
    #expect(try watcher.watch()["name"]?.text == "Front door")
    #expect(try tablet.press("light", id: "one")["result"]?.text == "sent")
    #expect(try tablet.press("light", id: "one")["result"]?.text == "repeated")
    #expect(try tablet.press("light", id: "two", age: 6_000)["code"]?.text == "command-late")
    #expect(try tablet.press("garage")["code"]?.text == "action-unknown")
    _ = try world.received(1)
    #expect(try world.settled().map { $0.topic } == ["home/light"])
    let outcome = try watcher.event("outcome") { $0["result"]?.text == "delivered" }
    #expect(outcome["action"]?.text == "light" && outcome["mine"] == .bool(false) && outcome["tone"]?.text == "good")
    #expect(try tablet.state["last"]?["mine"] == .bool(true))
    #expect(try watcher.event("beat") == .null)
    #expect(world.log.contains("event=page-press") && world.log.contains("Hall tablet"))
  }

  @Test func `a kiosk whose page cannot be opened says so, and works without it`() throws {
    let world = try KioskWorld(.init(more: "web: {panel: [light], socket: missing/web}"))
    try world.start()
    #expect(eventually { world.log.contains("event=page-lost") })
    #expect(try world.tappet("web", "pair", "Phone").errors.contains("'page-lost'"))
    let status = try world.tappet("status")
    #expect(status.status == 1 && status.output.contains("page      its socket"), "\(status)")
    try world.goodTap()
    #expect(try world.received(1).count == 1)
  }

  @Test func `a question is answered by the device that asked, once, and a second press does not answer it`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let (first, second) = try (
      world.browser(world.pair("A", level: "press")), world.browser(world.pair("B", level: "press"))
    )
    let asked = try first.press("alarm")
    let number = try #require(asked["question"]?["number"])
    #expect(asked["result"]?.text == "asked")
    #expect(try first.press("alarm")["result"]?.text == "asked")
    #expect(try second.confirm(number)["code"]?.text == "question-over")
    #expect(try second.ask("cancel", ["question": number])["code"]?.text == "question-over")
    #expect(try second.state["question"]?["mine"] == .bool(false))
    #expect(try first.confirm(.number(1))["code"]?.text == "question-over")
    #expect(try first.confirm(number, age: 6_000)["code"]?.text == "command-late")
    #expect(try first.confirm(number)["result"]?.text == "sent")
    #expect(try world.received(1).map { $0.topic } == ["home/alarm"])
    #expect(try first.confirm(number)["code"]?.text == "question-over")
    let again = try #require(try first.press("alarm")["question"]?["number"])
    #expect(try first.ask("cancel", ["question": again])["result"]?.text == "cancelled")
    #expect(try first.state["question"] == .null)
    #expect(try world.settled().count == 1)
  }

  @Test func `each level is refused what is above it, and names stay below manage`() throws {
    let world = try KioskWorld.withPage(open: "look")
    try world.start()
    let secret = try #require(try world.tappet("secret", "list").output.split(separator: " ").first)
    #expect(try world.tappet("person", "add", "Ada").status == 0)
    #expect(try world.tappet("person", "assign", "Ada", String(secret)).status == 0)
    let stranger = try world.browser()
    #expect(stranger.entered["level"]?.text == "look" && stranger.entered["device"] == .null)
    let token = try world.pair("Office", level: "manage")
    let manager = try world.browser(token)
    _ = try (stranger.watch(), manager.watch())
    let uid = world.freshUID()
    try world.tell("place ntag213 uid=\(uid) url=\(world.url(0))")
    let full = try manager.event("outcome") { $0["result"]?.text == "accepted" }
    #expect(full["person"]?.text == "Ada" && full["uid"]?.text == "…" + uid.suffix(4))
    let part = try stranger.event("outcome") { $0["result"]?.text == "accepted" }
    #expect(part["person"] == .null && part["uid"] == .null && part["id"] == .null)
    let other = try world.browser()
    #expect(try other.press("light")["code"]?.text == "not-allowed")
    let office = try world.browser(token)
    for request in ["next-tag", "watch", "audit", "person-import", "secret-rekey", "value-reveal", "output"] {
      #expect(try office.ask(request)["code"]?.text == "not-allowed", "\(request)")
    }
    for request in ["person-remove", "secret-remove", "secret-share", "web-remove", "web-tag"] {
      #expect(try office.ask(request)["code"]?.text == "again", "\(request)")
    }
  }

  @Test func `a manager sees the day's taps with names, and suspends a person under the device's name`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let secret = try #require(try world.tappet("secret", "list").output.split(separator: " ").first)
    _ = try world.tappet("person", "add", "Ada")
    _ = try world.tappet("person", "assign", "Ada", String(secret))
    let office = try world.browser(try world.pair("Office", level: "manage"))
    func touch() throws { try world.tell("place ntag213 uid=\(world.freshUID()) url=\(world.url(0))") }
    try touch()
    _ = try world.received(1)
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let day: KeyValuePairs<String, JSON> = ["from": .number(now - 3_600_000), "until": .number(now + 3_600_000)]
    func taps() throws -> [JSON] { try office.ask("web-taps", day)["taps"]?.elements ?? [] }
    #expect(try eventually { try taps().map { $0["result"]?.text } == ["delivered", "accepted"] })
    let tap = try #require(try taps().last)
    #expect(tap["by"]?.text == "Ada")
    #expect(tap["person"]?.text == "Ada" && tap["trigger"]?.text == "tag" && tap["title"]?.text != nil)
    #expect(try taps().first?["id"] == tap["id"] && tap["id"] != .null)
    let hours = try office.ask("web-hours", day)
    let counts = (hours["hours"]?.elements ?? []).map { $0.elements?.first?.wholeNumber ?? 0 }
    #expect(counts.count == 2 && counts.reduce(0, +) == 1 && hours["delivered"] == .number(1))
    let (watcher, stranger) = try (
      world.browser(world.pair("Laptop", level: "manage")), world.browser(world.pair("Phone", level: "press"))
    )
    _ = try (watcher.watch(), stranger.watch())
    #expect(try office.ask("person-suspend", ["name": .string("Ada")])["suspended"] == .bool(true))
    #expect(try watcher.event("people") == .null)
    #expect(try stranger.next(before: "beat").allSatisfy { $0 != "people" })
    #expect(try office.ask("person-list")["people"]?.elements?.first?["suspended"] == .bool(true))
    #expect(try world.tappet("audit").output.contains("Office"))
    try touch()
    #expect(try eventually { try taps().first?["code"]?.text == "person-suspended" })
    let tablet = try world.browser(try world.pair("Hall tablet", level: "press"))
    for request in ["web-taps", "web-hours", "person-list", "secret-list", "person-suspend"] {
      #expect(try tablet.ask(request, day)["code"]?.text == "not-allowed", "\(request)")
    }
  }

  @Test func `without a log, the page says so`() throws {
    let world = try KioskWorld.withPage("history: none")
    try world.start()
    let office = try world.browser(try world.pair("Office", level: "manage"))
    #expect(try office.ask("web-taps", ["from": .number(0), "until": .number(9)])["code"]?.text == "history-off")
  }

  @Test func `an unknown token, an unknown host and a missing first request get nothing`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let stranger = try world.browser(String(repeating: "0", count: 64))
    #expect(stranger.entered["level"] == .null)
    #expect(try stranger.ask("web-state")["code"]?.text == "not-allowed")
    #expect(try world.browser(host: "evil.example").entered["code"]?.text == "host-unknown")
    let silent = try PageClient(world.folder + "/web")
    #expect(try silent.ask("web-state")["code"]?.text == "request-malformed")
    #expect(try world.tappet("web", "list").output.isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0)) func `another user's process gets no response`() throws {
    let world = try KioskWorld.withPage(open: "look")
    try world.start()
    let script = """
      import os, socket
      os.setuid(65534)
      client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      client.connect("\(world.folder)/web")
      try:
          client.send(b'{"request":"enter","host":"localhost"}')
          print(len(client.recv(512)))
      except OSError:
          print(0)
      """
    let done = try Programs.run(try Programs.installed("python3"), ["-c", script])
    #expect(done.output == "0\n", "\(done.errors)")
  }

  @Test func `a code pairs one device, and no more than five wrong ones are accepted from a network`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let done = try world.tappet("web", "pair", "Hall tablet")
    #expect(done.status == 0 && done.errors.contains("within 5 minutes"))
    let browser = try world.browser()
    for _ in 1...5 { #expect(try browser.ask("pair", secret: "00000000")["code"]?.text == "code-wrong") }
    #expect(try browser.ask("pair", secret: done.output)["code"]?.text == "code-over")
    let other = try world.browser(from: "192.0.2.8")
    #expect(try other.ask("pair", secret: done.output)["device"]?.text == "Hall tablet")
    #expect(try other.ask("pair", secret: done.output)["code"]?.text == "code-over")
    #expect(world.log.contains("event=page-code-refused") && !world.log.contains(done.output.prefix(4)))
    let twice = try world.tappet("web", "pair", "Hall tablet")
    #expect(twice.status == 1 && twice.errors.contains("already paired"))
    #expect(try world.tappet("web", "pair", " ").errors.contains("needs a name"))
    _ = try world.tappet("web", "pair", "Phone")
    #expect(try world.tappet("web", "pair", "Office").errors.contains(#"The code for "Phone" is no longer valid."#))
  }

  @Test func `a device stays paired over a restart, and its connections end when it is removed`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let token = try world.pair("Hall tablet", level: "press")
    world.kiosk?.end(SIGKILL)
    try world.start()
    let tablet = try world.browser(token)
    _ = try tablet.watch()
    let listed = try world.tappet("web", "list").output
    #expect(listed.hasPrefix("Hall tablet  press  since ") && listed.contains(", last used on 2"), "\(listed)")
    #expect(try world.tappet("web", "remove", "Hall tablet").status == 0)
    #expect(throws: TestFault.self) { try tablet.event("never") }
    #expect(try world.browser(token).entered["level"] == .null)
    let audit = try world.tappet("audit").output
    #expect(audit.contains("device-paired") && audit.contains("device-removed"))
    #expect(try world.tappet("web", "remove", "Hall tablet").errors.contains("no device named"))
  }

  @Test func `a reload opens the page and closes it, and without web: there is no socket`() throws {
    let world = try KioskWorld()
    try world.start()
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/web"))
    #expect(try world.tappet("web", "pair", "Phone").errors.contains("add 'web:'"))
    try world.write(KioskWorld.KioskConfiguration(more: "web: {open: look, socket: web}"))
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { (try? world.browser(host: "localhost").entered["level"]?.text) == "look" })
    let browser = try world.browser(host: "localhost")
    _ = try browser.watch()
    // A path at which nothing can listen closes the page, and the former one opens it again.
    try world.write(KioskWorld.KioskConfiguration(more: "web: {open: look, socket: missing/web}"))
    world.kiosk?.signal(SIGHUP)
    #expect(throws: TestFault.self) { try browser.event("never") }
    try world.write(KioskWorld.KioskConfiguration(more: "web: {open: look, socket: web}"))
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { (try? world.browser(host: "localhost").entered["level"]?.text) == "look" })
    let again = try world.browser(host: "localhost")
    _ = try again.watch()
    try world.write(KioskWorld.KioskConfiguration(more: "web: {open: nothing, socket: web}"))
    world.kiosk?.signal(SIGHUP)
    #expect(throws: TestFault.self) { try again.event("never") }
    #expect(try world.browser(host: "localhost").entered["level"] == .null)
    try world.write(KioskWorld.KioskConfiguration())
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { !FileManager.default.fileExists(atPath: world.folder + "/web") })
  }
}
