// 'tappet init --web': a browser that is curl answers the questions.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SetupPageTests {
  private let folder = TemporaryFolder()
  private let port = TestSocket.freePort()
  private var path: String { folder.path + "/new/kiosk.yaml" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
  }

  /// Starts a set-up whose questions are mostly answered by options, and waits for its page.
  private func start() throws -> Service {
    let options = [
      "--state", "state", "--preset", "none", "--send-to", "https://web.example/tap", "--untested", "--reader", "none",
      "--profile", "none", "--led", "", "--button", "", "--relay", "none",
    ]
    let service = try Service(
      try Programs.built("tappet"), ["init", "--web", "127.0.0.1:\(port)", "--config", path] + options,
      log: folder.path + "/init.log",
      environment: [
        "TAPPET_PRESETS": Repository.root + "/board/presets", "TAPPET_PROFILES": Repository.root + "/board/profiles",
        "TAPPET_PAGES": Repository.path("board/web"),
      ])
    guard eventually({ service.text.contains("serving the page") }) else { throw TestFault(service.text) }
    return service
  }

  /// The exit status once it has ended; `nil` if it does not.
  private func ended(_ service: Service) -> Int32? { eventually { !service.isRunning } ? service.status : nil }

  private func code(of service: Service) throws -> String {
    let lines = service.text.split(separator: "\n").map { String($0) }
    return try #require(lines.first { $0.filter { $0 != " " }.allSatisfy(\.isNumber) && !$0.isEmpty }, "\(lines)")
  }

  /// The status, the token and the body of a response to a form.
  private func post(_ path: String, _ fields: [String: String], token: String? = nil) throws -> (Int, String?, String) {
    let form = fields.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
    let cookie = token.map { ["--cookie", "__Host-tappet-\(port)=\($0)"] } ?? []
    let done = try Programs.run(
      try Programs.installed("curl"),
      [
        "--silent", "--insecure", "--include", "--http1.1", "--header", "Sec-Fetch-Site: same-origin", "--header",
        "Accept: application/json",
      ] + cookie + (form.isEmpty ? ["--data", ""] : form) + ["https://127.0.0.1:\(port)\(path)"])
    let status = done.output.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let made = done.output.firstMatch(of: /__Host-tappet-[0-9]+=([0-9a-f]{64});/).map { String($0.1) }
    return (status, made, done.output)
  }

  private func follow(_ token: String) throws -> Service {
    try Service(
      try Programs.installed("curl"),
      [
        "--silent", "--insecure", "--no-buffer", "--header", "Sec-Fetch-Site: same-origin", "--cookie",
        "__Host-tappet-\(port)=\(token)", "--data", "", "https://127.0.0.1:\(port)/api/setup",
      ], log: folder.path + "/stream-\(UUID().uuidString)")
  }

  private func answer(_ question: String, with text: String, _ stream: Service, _ token: String, count: Int = 1) throws
  {
    let asked = try Regex("\"question\":\"\(NSRegularExpression.escapedPattern(for: question)).*?\"number\":([0-9]+)")
    guard eventually({ stream.text.matches(of: asked).count >= count }),
      let number = stream.text.matches(of: asked).last?.output[1].substring
    else { throw TestFault(stream.text) }
    let (status, _, body) = try post("/api/setup/answer", ["answer": text, "number": String(number)], token: token)
    #expect(status == 200, "\(body)")
  }

  @Test func `the browser that types the code answers the questions, and no other one sees them`() throws {
    let setup = try start()
    #expect(try post("/api/setup", [:]).0 == 403)
    #expect(try post("/pair", ["code": "00000000"]).0 == 403)
    let (_, token, body) = try post("/pair", ["code": try code(of: setup)])
    let mine = try #require(token, "\(body)")
    #expect(try post("/pair", ["code": try code(of: setup)]).0 == 403)
    #expect(try post("/api/setup", [:], token: String(repeating: "0", count: 64)).0 == 403)
    #expect(try post("/press", ["action": "x", "id": "1", "at": "1"], token: mine).0 == 403)
    let stream = try follow(mine)
    try answer("Name", with: "bell", stream, mine)
    try answer("Message", with: "<", stream, mine)
    try answer("Name", with: "gong", stream, mine, count: 2)
    // An answer to a former question, as from a page that was left open, is refused; an empty one means the default.
    #expect(try post("/api/setup/answer", ["answer": "late", "number": "1"], token: mine).0 == 409)
    try answer("Message", with: "", stream, mine, count: 2)
    try answer("Write these files?", with: "y", stream, mine)
    #expect(eventually { stream.text.contains("\"result\":0") }, "\(stream.text)")
    #expect(ended(setup) == 0, "\(setup.text)")
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(written.contains("  - name: gong\n") && written.contains("\nweb: {}"), "\(written)")
  }

  @Test func `a browser that returns sees the question again, and a signal at the terminal writes nothing`() throws {
    let setup = try start()
    let token = try #require(try post("/pair", ["code": try code(of: setup)]).1)
    let first = try follow(token)
    try answer("Name", with: "bell", first, token)
    first.end(SIGKILL)
    let second = try follow(token)
    #expect(eventually { second.text.contains("\"question\":\"Message") }, "\(second.text)")
    #expect(second.text.contains(#"{"asked":"Name","answer":"bell"}"#), "\(second.text)")
    setup.signal(SIGINT)
    #expect(ended(setup) != 0)
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!TestSocket.answers(port))
  }

  @Test func `five wrong codes refuse the browser, and do not end the set-up`() throws {
    let setup = try start()
    for _ in 0..<5 { _ = try post("/pair", ["code": "00000000"]) }
    let refused = try post("/pair", ["code": try code(of: setup)])
    #expect(refused.1 == nil && refused.2.contains("typed wrong too often"), "\(refused.2)")
    #expect(!Kernel.children(of: setup.pid).isEmpty)
  }

  @Test func `a killed set-up leaves no process`() throws {
    let setup = try start()
    let children = Kernel.children(of: setup.pid)
    #expect(children.count == 2)
    setup.end(SIGKILL)
    #expect(eventually { children.allSatisfy { Kernel.commandLine($0).isEmpty } })
  }

  @Test(arguments: ["0", "99999", "::1", "x", "1.2.3.4:", ":8443", "8443:", "localhost:8443", "127.0.0.1:+8443"])
  func `a wrong place for the page is refused`(_ place: String) throws {
    let done = try Programs.run(try Programs.built("tappet"), ["init", "--web", place, "--config", path])
    #expect(done.status == 2 && done.errors.contains("--web needs a port"), "\(done)")
  }

  @Test func `without tappet-web, the set-up ends and writes nothing`() throws {
    let setup = try start()
    let web = try #require(
      Kernel.children(of: setup.pid).first { Kernel.commandLine($0).contains("tappet-web") })
    let status = try String(contentsOfFile: "/proc/\(web)/status", encoding: .utf8)
    let user = geteuid() == 0 ? 65534 : geteuid()
    #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\n"), "\(status)")
    kill(web, SIGKILL)
    #expect(ended(setup) != 0)
    #expect(setup.text.contains("tappet-web has ended"), "\(setup.text)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
