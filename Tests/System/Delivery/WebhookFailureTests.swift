// Webhooks whose server fails or hangs, and a kiosk that is killed meanwhile, against a real HTTPS server.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct WebhookFailureTests {
  private let folder: TemporaryFolder
  private let server: WebhookServer

  init() throws {
    folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    server = try WebhookServer(in: folder.path)
  }

  @Test func `a failed request is retried with the same key, at the time that the server requests`() throws {
    let world = try KioskWorld.withWebhooks([
      ("fails", "message: a, \(try server.webhook("fail-once"))"),
      ("later", "message: b, \(try server.webhook("later"))"),
      ("date", "message: c, \(try server.webhook("date"))"),
    ])
    try world.start()
    for number in 0..<3 { try world.press(number) }
    for path in ["fail-once", "later", "date"] {
      #expect(eventually { server.requests(to: path).count == 2 }, "\(path): \(world.log.suffix(1500))")
      #expect(Set(server.requests(to: path).map(\.key)).count == 1)
    }
    let pauses = ["later", "date"].map { path in
      let requests = server.requests(to: path)
      return requests.count < 2 ? 0 : requests[1].time - requests[0].time
    }
    // A date has whole seconds.
    #expect(pauses[0] >= 2.9 && pauses[1] >= 2.5, "\(pauses)")
    #expect(try eventually { try world.webhookCount("delivered") == 3 })
    #expect(try world.webhookCount("again") == 3 && eventually { world.log.contains("event=webhook-good") })
    #expect(eventually { world.log.contains("code=webhook-too-many") && world.log.contains("status=500") })
  }

  @Test func `a server that hangs, closes or floods does no harm, and delays no other webhook`() throws {
    let world = try KioskWorld.withWebhooks([
      ("hang", "message: a, \(try server.webhook("hang", "timeout: 2 s"))"),
      ("close", "message: b, \(try server.webhook("close", "timeout: 20 s"))"),
      ("flood", "message: c, \(try server.webhook("flood", "timeout: 20 s"))"),
      ("stream", "message: d, \(try server.webhook("stream", "timeout: 20 s"))"),
      ("fine", "message: e, \(try server.webhook("ok"))"),
    ])
    try world.start()
    for number in 0..<5 { try world.press(number) }
    #expect(eventually { server.requests(to: "ok").count == 1 })
    #expect(try eventually { try world.webhookCount("delivered") == 5 }, "\(world.log.suffix(2000))")
    #expect(Set(server.requests(to: "hang").map(\.key)).count == 1)
    #expect(eventually { world.log.contains("code=webhook-timeout") } && server.requests(to: "flood").count == 1)
  }

  @Test(arguments: ["headers", "trailers", "hints"])
  func `endless headers are cut off without using memory, and the request is retried later`(_ path: String) throws {
    let world = try KioskWorld.withWebhooks([("a", "message: a, \(try server.webhook(path, "timeout: 60 s"))")])
    try world.start()
    try world.press()
    #expect(eventually { world.log.contains("code=webhook-headers") }, "\(world.log.suffix(2000))")
    let process = try #require(world.webhookProcess)
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropLast().last
    #expect(try #require(peak.flatMap { Int($0) }) < 32 * 1024, "\(status)")
    #expect(try world.webhookCount("given_up") == 0 && eventually { world.log.contains("event=webhook-waiting") })
  }

  @Test func `a kiosk that is killed before the response repeats the request with the same key`() throws {
    let world = try KioskWorld.withWebhooks([("hang", "message: a, \(try server.webhook("hang", "timeout: 20 s"))")])
    try world.start()
    try world.press()
    #expect(eventually { server.requests.count == 1 })
    world.kiosk?.end(SIGKILL)
    try world.start()
    #expect(eventually { server.requests.count >= 2 })
    #expect(Set(server.requests.map(\.key)).count == 1 && eventually { world.log.contains("event=outbox-restored") })
    #expect(try eventually { try world.webhookCount("delivered") == 1 })
  }
}
