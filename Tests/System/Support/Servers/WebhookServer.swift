// A real HTTPS server, and a kiosk whose buttons post to it.

import Foundation
import TestSupport

/// Tests/System/Faults/webhook-server.py, which answers by the path.
final class WebhookServer {
  /// A request as the server saw it.
  struct Request {
    var path: String
    var method: String
    var headers: [String: String]
    var body: String
    var time: Double
    /// The port of the connection at its other end.
    var port: Int
    var hasCertificate: Bool
    /// The id by which a repetition is known.
    var key: String { headers["idempotency-key"] ?? "" }
  }

  private let service: Service
  let port: Int

  init(in folder: String, certificate: String = "server", clientCA: String? = nil) throws {
    let script = Repository.path("Tests/System/Faults/webhook-server.py")
    var words = [script, try Certificates.path(certificate + ".pem"), try Certificates.path(certificate + ".key")]
    if let clientCA { words.append(try Certificates.path(clientCA)) }
    let service = try Service(
      try Programs.installed("python3"), words, log: folder + "/webhooks-\(UUID().uuidString.prefix(4)).log")
    self.service = service
    guard eventually({ service.text.contains("\n") }), let port = Int(service.text.prefix { $0 != "\n" }) else {
      throw TestFault("no HTTPS server: \(service.text)")
    }
    self.port = port
  }

  deinit { service.end(SIGKILL) }

  func url(_ path: String) -> String { "https://localhost:\(port)/\(path)" }

  /// Ends the server; nobody listens at its port then.
  func stop() { service.end(SIGKILL) }

  var requests: [Request] {
    service.text.split(separator: "\n").compactMap { line in
      guard let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return nil }
      return Request(
        path: json["path"] as? String ?? "", method: json["method"] as? String ?? "",
        headers: json["headers"] as? [String: String] ?? [:], body: json["body"] as? String ?? "",
        time: json["time"] as? Double ?? 0, port: json["port"] as? Int ?? 0,
        hasCertificate: json["client"] as? Bool ?? false)
    }
  }

  func requests(to path: String) -> [Request] { requests.filter { $0.path == "/" + path } }
}

extension KioskWorld {
  /// A kiosk with these webhooks by their actions' names; the first one's button is GPIO5, the next one's GPIO6.
  static func withWebhooks(_ webhooks: [(action: String, rest: String)]) throws -> KioskWorld {
    var more = ""
    for (action, rest) in webhooks { more += "  - {name: \(action), cooldown: 0 s, \(rest)}\n" }
    more += "panel:\n  simulator: panel\n  leds: {status: GPIO17}\n  buttons:\n"
    for (number, webhook) in webhooks.enumerated() {
      more += "    - {line: GPIO\(5 + number), press: \(webhook.action)}\n"
    }
    return try KioskWorld(KioskWorld.KioskConfiguration(more: more))
  }

  func press(_ number: Int = 0) throws {
    let count = log.components(separatedBy: "event=press-accepted").count
    // A kiosk that reads two presses at once, late, takes the second for a bounce.
    for _ in 0..<5 {
      try play("GPIO\(5 + number)")
      if eventually(within: 20, { self.log.components(separatedBy: "event=press-accepted").count > count }) { return }
    }
    throw TestFault("the press was not accepted:\n\(log.suffix(2000))")
  }

  /// A private file in the world's folder.
  func writePrivate(_ name: String, _ text: String) throws {
    let path = folder + "/" + name
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// The process tappet-webhook; `nil` while there is none.
  var webhookProcess: pid_t? {
    guard let kiosk else { return nil }
    return Kernel.children(of: kiosk.pid).first { Kernel.commandLine($0).contains("tappet-webhook") }
  }

  /// The process tappet-matrix; `nil` while there is none.
  var roomProcess: pid_t? {
    guard let kiosk else { return nil }
    return Kernel.children(of: kiosk.pid).first { Kernel.commandLine($0).contains("tappet-matrix") }
  }

  /// The facts of `tappet status --json` about webhooks.
  func webhookStatus() throws -> [String: Any] {
    try tappet("status", "--json").data["webhooks"] as? [String: Any] ?? [:]
  }

  /// How many of `name` the kiosk counts.
  func webhookCount(_ name: String) throws -> Int {
    (try webhookStatus()["counters"] as? [String: Int])?[name] ?? -1
  }
}
