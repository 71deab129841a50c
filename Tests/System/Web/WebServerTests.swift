// tappet-web in front of a real kiosk: the panel, presses, and everything that is refused.

import Foundation
import TestSupport
import Testing

@Suite struct WebServerTests {
  private let web: WebWorld

  init() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    web = try WebWorld(world)
  }

  @Test func `a paired browser sees the panel, presses and hears the outcome`() throws {
    let token = try web.pair("Hall tablet")
    let page = try web.request("/", token: token)
    #expect(page.status == 200 && page.body.contains("<bdi>Front door</bdi>"), "\(page)")
    #expect(page.headers["set-cookie"]?.contains("=\(token); Secure; ") == true, "each visit keeps the cookie")
    #expect(page.body.contains("<bdi>Alarm &lt;b&gt;</bdi>") && !page.body.contains("Alarm <b>"))
    let stream = try web.stream(token: token)
    #expect(eventually { stream.text.contains("event: state\ndata: {") && stream.text.contains("=\(token); ") })
    #expect(try web.press("light", id: "one", token: token).text("result") == "sent")
    #expect(try web.press("light", id: "one", token: token).text("result") == "repeated")
    let late = try web.press("light", age: 6_000, token: token)
    #expect(late.status == 409 && late.text("code") == "command-late")
    #expect(eventually { stream.text.contains(#""result":"delivered""#) && stream.text.contains(#""mine":true"#) })
    #expect(try web.kiosk.settled().map { $0.topic } == ["home/light"])
  }

  @Test func `without script, a form presses, and the page asks and shows the answer`() throws {
    let token = try web.pair("Hall tablet")
    func form(_ action: String, in page: String) throws -> [String] {
      let form = try #require(page.components(separatedBy: "<form").first { $0.contains("action=\"\(action)\"") })
      let fields = form.matches(of: /name="(\w+)" value="([^"]*)"/).map { "\($0.1)=\($0.2)" }
      return ["--header", "Origin: https://127.0.0.1:\(web.port)"] + fields.flatMap { ["--data-urlencode", $0] }
    }
    func alarm(in page: String) -> String {
      "<form" + (page.components(separatedBy: "<form").first { $0.contains("data-action=\"alarm\"") } ?? "")
    }
    let page = try web.request("/", token: token).body
    let pressed = try form("/press", in: alarm(in: page))
    let answer = try web.request("/press", token: token, pressed)
    #expect(answer.status == 303 && answer.headers["location"] == "/")
    #expect(try web.request("/press", token: token, pressed).status == 303)
    let asking = try web.request("/", token: token).body
    #expect(asking.contains("are you sure?"))
    #expect(try web.request("/confirm", token: token, try form("/confirm", in: asking)).status == 303)
    #expect(try web.kiosk.received(1).map { $0.topic } == ["home/alarm"])
    let after = try web.request("/confirm", token: token, try form("/confirm", in: asking))
    #expect(after.status == 409 && after.body.contains("This question is over"))
  }

  @Test func `a question is not answered by another browser`() throws {
    let (first, second) = try (web.pair("A"), web.pair("B"))
    let asked = try web.press("alarm", token: first)
    let number = (asked.object("question")["number"] as? NSNumber)?.stringValue ?? ""
    #expect(asked.text("result") == "asked" && !number.isEmpty)
    let now = try web.request("/api/state", token: second).number("now")
    for path in ["/confirm", "/cancel"] {
      #expect(try web.post(path, ["question": number, "at": "\(now)"], token: second).status == 409)
    }
    #expect(try web.post("/cancel", ["question": number], token: first).text("result") == "cancelled")
    #expect(try web.kiosk.settled().isEmpty)
  }

  @Test func `a removed or stolen cookie is out, and a browser without one can only pair`() throws {
    let token = try web.pair("Hall tablet")
    let stream = try web.stream(token: token)
    #expect(eventually { stream.text.contains("event: state") })
    #expect(try web.kiosk.tappet("web", "remove", "Hall tablet").status == 0)
    #expect(eventually { !stream.isRunning && stream.text.hasSuffix("event: gone\ndata: null\n\n") })
    for token in [token, nil, String(repeating: "f", count: 64), "short"] {
      #expect(try web.request("/", token: token).body.contains("Pair this browser"))
      #expect(try web.request("/api/state", token: token).status == 403)
      #expect(try web.request("/events", token: token).status == 403)
      #expect(try web.post("/press", ["action": "light", "id": "1", "at": "1"], token: token).status == 403)
    }
    let wrong = try web.post("/pair", ["code": "12345678"], token: nil)
    #expect(wrong.status == 403 && wrong.text("code") == "code-over")
  }

  @Test func `a manager reads the log and the people, and adds one`() throws {
    let (office, tablet) = try (web.pair("Office", level: "manage"), web.pair("Hall tablet"))
    #expect(try web.press("light", token: office).text("result") == "sent")
    _ = try web.kiosk.received(1)
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let span = "?from=\(now - 60_000)&until=\(now + 60_000)&before="
    #expect(try web.request("/api/taps" + span, token: office).body.contains(#""result":"accepted""#))
    #expect(try web.request("/api/hours" + span, token: office).status == 200)
    #expect(try web.post("/api/person/add", ["name": "Ada <b>"], token: office).text("name") == "Ada <b>")
    #expect(try web.post("/api/person/add", ["name": "Ada <b>"], token: office).status == 400)
    #expect(try web.request("/api/people", token: office).body.contains("Ada <b>"))
    for path in ["/api/taps" + span, "/api/hours" + span, "/api/people", "/api/secrets"] {
      #expect(try web.request(path, token: tablet).text("code") == "not-allowed", "\(path)")
      #expect(try web.request(path).text("code") == "not-allowed", "\(path)")
    }
    #expect(try web.post("/api/person/suspend", ["name": "Ada <b>"], token: tablet).status == 403)
  }

  @Test func `a tag is written for a person, its progress is sent, and a browser that leaves ends a job`() throws {
    let office = try web.pair("Office", level: "manage")
    _ = try web.post("/api/person/add", ["name": "Ada"], token: office)
    #expect(try web.post("/api/tag", ["action": "light"], token: office).text("code") == "again")
    #expect(try web.kiosk.tappet("web", "password", input: "correct horse\n").status == 0)
    #expect(try web.post("/api/again", ["password": "correct horse"], token: office).status == 200)
    let refused = try web.post("/api/tag", ["action": "gate"], token: office)
    #expect(refused.body.contains(#"{"result":{"done":false,"refused":true,"code":"action-unknown""#))
    let leaver = try web.job(["action": "light"], token: office)
    #expect(eventually { leaver.text.contains("waiting") })
    let busy = try web.post("/api/tag", ["action": "light"], token: office)
    #expect(busy.text("error")?.contains("another tag is being written") == true)
    leaver.end(SIGKILL)
    #expect(eventually { web.kiosk.log.contains("code=cancelled") })
    // The page is closed while a browser waits for a tag.
    let last = try web.job(["action": "light"], token: office)
    #expect(eventually { last.text.contains("waiting") })
    for socket in ["elsewhere", "web"] {
      try web.kiosk.write(.init(more: KioskWorld.pageLines(socket: socket)))
      web.kiosk.kiosk?.signal(SIGHUP)
      #expect(eventually { FileManager.default.fileExists(atPath: web.kiosk.folder + "/" + socket) })
    }
    #expect(eventually { !last.isRunning } && web.kiosk.kiosk?.isRunning == true)
    #expect(try web.post("/api/again", ["password": "correct horse"], token: office).status == 200)
    // The person is removed while their tag is to be written.
    _ = try web.post("/api/person/add", ["name": "Eva"], token: office)
    let vain = try web.job(["action": "light", "person": "Eva"], token: office)
    #expect(eventually { vain.text.contains("waiting") })
    #expect(try web.post("/api/person/remove", ["name": "Eva"], token: office).status == 200)
    try web.kiosk.tell("place ntag213 empty uid=\(web.kiosk.freshUID())")
    #expect(eventually { vain.text.contains(#""code":"secret-not-saved""#) && !vain.isRunning })
    try web.kiosk.takeAway()
    let job = try web.job(["action": "light", "label": "Ring", "person": "Ada"], token: office)
    #expect(eventually { job.text.contains("waiting") })
    try web.kiosk.tell("place ntag213 empty")
    #expect(eventually { job.text.contains(#"{"result":{"done":true"#) && !job.isRunning })
    #expect(try web.request("/api/secrets", token: office).body.contains(#""label":"Ring","person":"Ada""#))
    let tablet = try web.pair("Hall tablet")
    #expect(try web.post("/api/tag", ["action": "light"], token: tablet).status == 403)
    #expect(try web.kiosk.tappet("audit").output.contains("Office"))
  }

  @Test func `a key is shown, and a tag removed, only after the password, whose attempts are limited`() throws {
    let (office, other) = try (web.pair("Office", level: "manage"), web.pair("Other", level: "manage"))
    let listed = try web.kiosk.tappet("secret", "list").output
    let id = try #require(listed.split(separator: " ").first.map { String($0) })
    func again(_ password: String, _ token: String) throws -> String? {
      try web.post("/api/again", ["password": password], token: token).text("code")
    }
    #expect(try again("correct horse", office) == "password-missing")
    #expect(try web.kiosk.tappet("web", "password", input: "too short\n").status == 1)
    #expect(try web.kiosk.tappet("web", "password", input: "correct horse\n").status == 0)
    #expect(try web.post("/api/share", ["id": id], token: office).text("code") == "again")
    #expect(try again("wrong horse!", office) == "password-wrong")
    #expect(try again("correct horse", office) == nil)
    let code = try web.post("/api/share", ["id": id], token: office)
    #expect(code.number("width") > 30 && code.text("path")?.hasPrefix("M") == true && !code.body.contains("smpshare"))
    #expect(try web.post("/api/share", ["id": id, "for": "backup"], token: office).status == 200)
    #expect(try web.post("/api/share", ["id": id], token: other).text("code") == "again")
    for _ in 1...5 { #expect(try again("wrong horse!", other) == "password-wrong") }
    #expect(try again("correct horse", other) == "too-many" && again("correct horse", office) == nil)
    #expect(try web.post("/api/secret/remove", ["id": id], token: other).status == 403)
    #expect(try web.post("/api/secret/remove", ["id": id], token: office).status == 200)
    #expect(try !web.kiosk.tappet("secret", "list").output.contains(id))
    let audit = try web.kiosk.tappet("audit").output
    #expect(audit.contains("secret-shared") && audit.contains("Office") && !web.kiosk.log.contains("horse"))
  }

  @Test func `the form for a code is shown to any browser, and does not empty itself`() throws {
    let page = try web.request("/pair")
    #expect(page.status == 200 && page.body.contains("Pair this browser") && !page.body.contains("http-equiv"))
  }

  @Test func `requests of other pages, hosts and methods are refused`() throws {
    let token = try web.pair("Hall tablet")
    for host in ["evil.example", "evil.example:\(web.port)", "127.0.0.1.evil.example"] {
      #expect(try web.request("/", token: token, "--header", "Host: \(host)").status == 421, "\(host)")
    }
    for host in ["door.example", "DOOR.example.:443", "[::1]:8443", "localhost"] {
      #expect(try web.request("/", token: token, "--header", "Host: \(host)").status == 200, "\(host)")
    }
    #expect(try web.request("/", token: token, "--header", "Host;").status == 421)
    let body = ["--data", "action=light&id=1&at=1"]
    for header in ["X: y", "Origin: https://evil.example", "Origin: null", "Origin: http://127.0.0.1:\(web.port)"] {
      #expect(try web.request("/press", token: token, ["--header", header] + body).status == 403, "\(header)")
    }
    for site in ["cross-site", "same-site", "none"] {
      let headers = ["--header", "Sec-Fetch-Site: \(site)", "--header", "Origin: https://127.0.0.1:\(web.port)"]
      #expect(try web.request("/press", token: token, headers + body).status == 403, "\(site)")
    }
    #expect(try web.request("/events", token: token, "--header", "Sec-Fetch-Site: cross-site").status == 403)
    #expect(try web.request("/press", token: token).status == 405)
    #expect(try web.request("/", token: token, "--request", "DELETE").status == 405)
    for path in ["/../../etc/passwd", "/%2e%2e/key.pem", "/index.html"] {
      #expect(try web.request(path, token: token, "--path-as-is").status == 404, "\(path)")
    }
    #expect(try web.kiosk.settled().isEmpty)
  }

  @Test func `every response has the headers that keep foreign text harmless`() throws {
    for path in ["/", "/style.css", "/app.js", "/nothing", "/api/state"] {
      let headers = try web.request(path).headers
      let policy = headers["content-security-policy"] ?? ""
      #expect(policy.hasPrefix("default-src 'none'") && policy.contains("trusted-types 'none'"), "\(path)")
      #expect(headers["x-content-type-options"] == "nosniff" && headers["cross-origin-opener-policy"] == "same-origin")
      #expect(headers["access-control-allow-origin"] == nil && headers["server"] == nil, "\(headers)")
    }
  }

  @Test func `a killed kiosk ends streams at once, is reported, and is found again`() throws {
    let token = try web.pair("Hall tablet")
    let stream = try web.stream(token: token)
    #expect(eventually { stream.text.contains("event: state") })
    web.kiosk.kiosk?.end(SIGKILL)
    #expect(eventually { stream.text.hasSuffix("event: gone\ndata: null\n\n") && !stream.isRunning })
    let away = try web.request("/", token: token)
    #expect(away.status == 503 && away.body.contains("The kiosk does not respond") && away.body.contains("refresh"))
    #expect(try web.post("/press", ["action": "light", "id": "1", "at": "1"], token: token).status == 503)
    try web.kiosk.start()
    #expect(try web.request("/api/state", token: token).object("data")["device"] as? String == "Hall tablet")
  }

  @Test func `a form with a NUL or broken UTF-8 is refused as a whole`() throws {
    let world = try KioskWorld.withPage(open: "look")
    try world.start()
    let web = try WebWorld(world)
    let token = try web.pair("Hall tablet")
    for value in ["a%00b", "%ff"] {
      let answer = try web.request(
        "/press", token: token, "--header", "Sec-Fetch-Site: same-origin", "--data", "action=light&id=\(value)")
      #expect(answer.status == 400 && answer.body.contains("not UTF-8"), "\(answer)")
    }
  }

  @Test func `a stopped kiosk is away after 3 s, and takes no press afterwards`() throws {
    let token = try web.pair("Hall tablet")
    let question = try web.press("alarm", token: token).object("question")
    let number = (question["number"] as? NSNumber)?.stringValue ?? ""
    let now = try web.request("/api/state", token: token).number("now")
    web.kiosk.kiosk?.signal(SIGSTOP)
    defer { web.kiosk.kiosk?.signal(SIGCONT) }
    let fields = ["action": "light", "id": "1", "at": "\(now)"]
    #expect(try web.post("/press", fields, token: token).status == 503)
    #expect(try web.post("/confirm", ["question": number, "at": "\(now)"], token: token).status == 503)
    #expect(try web.request("/style.css", token: token).status == 200)
    // More than 5 s after the press.
    #expect(try web.post("/press", fields, token: token).status == 503)
    web.kiosk.kiosk?.signal(SIGCONT)
    #expect(eventually { (try? web.request("/api/state", token: token).status) == 200 })
    #expect(try web.kiosk.settled().isEmpty)
  }
}
