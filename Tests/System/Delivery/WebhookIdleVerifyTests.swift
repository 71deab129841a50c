// The process tappet-webhook when it has nothing to do, against a real HTTPS server.

import Foundation
import TestSupport
import Testing

// It waits for the whole time of idleness, half a minute: not for the gate.
@Suite(.serialized) struct WebhookIdleVerifyTests {
  private let folder: TemporaryFolder
  private let server: WebhookServer

  init() throws {
    folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    server = try WebhookServer(in: folder.path)
  }

  @Test func `tappet-webhook ends when idle, and is started again for the next tap`() throws {
    let world = try KioskWorld.withWebhooks([("ring", "message: a, \(try server.webhook("ok"))")])
    try world.start()
    try world.press()
    #expect(eventually { server.requests.count == 1 })
    #expect(try eventually { try world.webhookCount("delivered") == 1 })
    let first = try #require(world.webhookProcess)
    // Nothing is lost with a process that is killed; a request brings the next one.
    kill(first, SIGKILL)
    #expect(eventually { world.webhookProcess == nil && world.log.contains("event=webhooks-lost") })
    try world.press()
    #expect(eventually { server.requests.count == 2 }, "\(world.log.suffix(2000))")
    #expect(eventually { world.webhookProcess == nil })
    #expect(!world.log.contains("code=webhooks-silent"))
  }
}
