// tappet-web in front of a kiosk, and browsers that are curl.

import Foundation
import TestSupport

/// A running tappet-web.
final class WebWorld {
  let kiosk: KioskWorld
  let port = TestSocket.freePort()
  private let scheme: String
  private(set) var server: Service

  /// Starts tappet-web for the kiosk, which need not run; with `credentials`, a folder with its certificate.
  init(_ kiosk: KioskWorld, isBehindProxy: Bool = false, credentials: String? = nil) throws {
    self.kiosk = kiosk
    scheme = isBehindProxy ? "http" : "https"
    let state = kiosk.folder + "/web-state"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    server = try Service(
      try Programs.built("tappet-web"),
      [
        "--kiosk", kiosk.folder + "/web", "--state", state, "--listen", "127.0.0.1:\(port)", "--pages",
        Repository.path("board/web"),
      ] + (isBehindProxy ? ["--behind-proxy"] : []), log: kiosk.folder + "/web.log",
      environment: credentials.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
    guard eventually({ self.server.text.contains("serving the page") }) else { throw TestFault(server.text) }
  }

  deinit { server.end(SIGKILL) }

  /// A response: its status, its headers in lower case, and its body.
  struct Response {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  /// Makes a request, with a device's token and more of curl's options.
  func request(_ path: String, token: String? = nil, _ options: String..., limit: Double = patience) throws -> Response
  {
    try request(path, token: token, options, limit: limit)
  }

  func request(_ path: String, token: String?, _ options: [String], limit: Double = patience) throws -> Response {
    let cookie = token.map { ["--cookie", "\(cookieName)=\($0)"] } ?? []
    let done = try Programs.run(
      try Programs.installed("curl"),
      ["--silent", "--insecure", "--include", "--http1.1"] + cookie + options
        + ["\(scheme)://127.0.0.1:\(port)\(path)"],
      limit: limit)
    let parts = done.output.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = (parts.first ?? "").split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw TestFault("curl ended with \(done.status): \(done.output) \(done.errors) \(server.text)")
    }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let words = line.split(separator: ":", maxSplits: 1)
      headers[words[0].lowercased()] = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
    }
    return Response(status: status, headers: headers, body: parts.count > 1 ? String(parts[1]) : "")
  }

  /// Sends a form as the page's script does.
  func post(_ path: String, _ fields: [String: String], token: String?, _ options: String...) throws -> Response {
    let form = WebWorld.form(fields)
    let headers = ["--header", "Sec-Fetch-Site: same-origin", "--header", "Accept: application/json"]
    return try request(path, token: token, headers + form + options)
  }

  private static func form(_ fields: [String: String]) -> [String] {
    fields.isEmpty ? ["--data", ""] : fields.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
  }

  /// Presses a button as the page's script does.
  func press(_ action: String, id: String = UUID().uuidString, age: Int64 = 0, token: String?) throws -> Response {
    let now = try request("/api/state", token: token).number("now") - age
    return try post("/press", ["action": action, "id": id, "at": "\(now)"], token: token)
  }

  /// A device's token, from the cookie that the page sets when the code is typed.
  func pair(_ name: String, level: String = "press") throws -> String {
    let done = try kiosk.tappet("web", "pair", name, "--level", level)
    guard done.status == 0 else { throw TestFault(done.errors) }
    let answer = try request(
      "/pair", token: nil,
      ["--header", "Origin: https://127.0.0.1:\(port)", "--data-urlencode", "code=\(done.output)"])
    guard answer.status == 303, let cookie = answer.headers["set-cookie"],
      let token = cookie.firstMatch(of: #/^(.*)=([0-9a-f]{64}); Secure; HttpOnly; SameSite=Strict; Path=/; /#),
      token.1 == cookieName
    else { throw TestFault("\(answer)") }
    return String(token.2)
  }

  /// The cookie belongs to the port, too.
  private var cookieName: String { "__Host-tappet-\(port)" }

  /// A stream of events, as text that grows until the stream is closed.
  func stream(token: String?) throws -> Service { try response("/events", token: token, []) }

  /// The notices of a job that writes a tag.
  func job(_ fields: [String: String], at path: String = "/api/tag", token: String?) throws -> Service {
    let form = WebWorld.form(fields)
    return try response(path, token: token, ["--header", "Sec-Fetch-Site: same-origin"] + form)
  }

  private func response(_ path: String, token: String?, _ options: [String]) throws -> Service {
    try Service(
      try Programs.installed("curl"),
      ["--silent", "--insecure", "--no-buffer", "--include"]
        + (token.map { ["--cookie", "\(cookieName)=\($0)"] } ?? []) + options
        + ["\(scheme)://127.0.0.1:\(port)\(path)"], log: kiosk.folder + "/response-\(UUID().uuidString)")
  }
}

extension WebWorld.Response {
  private var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
  }

  func text(_ name: String) -> String? { json[name] as? String }
  func number(_ name: String) -> Int64 { (json[name] as? NSNumber)?.int64Value ?? -1 }
  func object(_ name: String) -> [String: Any] { json[name] as? [String: Any] ?? [:] }
}
