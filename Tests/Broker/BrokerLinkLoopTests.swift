// Deadlines of the link's loop that pass together, without a broker and without its thread.

import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetBroker

@Suite struct BrokerLinkLoopTests {
  @Test func `a lost connection is reported once, even if a status and the keepalive are both due`() throws {
    let log = LinkLog()
    let settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: 1, usesTLS: false)], clientID: "kiosk-test")
    let loop = BrokerLinkLoop(
      settings, window: 1, commands: try Mailbox(), heartbeat: Heartbeat(), post: { log.take($0) }, receive: { _ in })
    let long = Instant(nanoseconds: 0)
    loop.session = try BrokerLinkSession(settings, .v311, tls: nil, window: 1)
    loop.phase = .up
    loop.status.received([], at: long)
    loop.keepalive = BrokerLinkKeepalive(interval: .milliseconds(1), at: long)
    #expect(loop.keepalive.advance(to: long + .milliseconds(2)) == .ping)
    loop.checkDeadlines()
    loop.events.deliver()
    #expect(log.events.count == 1, "\(log.events)")
    guard case .lost? = log.events.first else {
      Issue.record("\(log.events)")
      return
    }
  }
}
