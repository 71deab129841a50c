// The keepalive and the addresses of a link, by a script in seconds.

import TappetCore
import Testing

@testable import TappetBroker

private func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }

@Suite struct BrokerLinkKeepaliveTests {
  @Test func `a quiet connection is pinged once, and dead without an answer`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    #expect(keepalive.deadline == second(10))
    #expect(keepalive.advance(to: second(9)) == .none)
    #expect(keepalive.advance(to: second(10)) == .ping)
    #expect(keepalive.deadline == second(20))
    #expect(keepalive.advance(to: second(19)) == .none)
    #expect(keepalive.advance(to: second(20)) == .dead)
  }

  @Test func `an answer is awaited no longer than a PUBACK`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(60), at: second(0))
    #expect(keepalive.advance(to: second(60)) == .ping)
    #expect(keepalive.deadline == second(60) + Limits.acknowledgeTimeout)
  }

  @Test func `traffic delays the ping, and only bytes from the broker answer it`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    keepalive.sent(at: second(4))
    keepalive.received(at: second(6))
    #expect(keepalive.advance(to: second(15)) == .none)
    #expect(keepalive.advance(to: second(16)) == .ping)
    keepalive.sent(at: second(18))
    #expect(keepalive.deadline == second(26))
    keepalive.received(at: second(20))
    #expect(keepalive.deadline == second(30))
  }

  @Test func `an interval of zero never pings`() {
    var keepalive = BrokerLinkKeepalive(at: second(0))
    #expect(keepalive.deadline == nil)
    #expect(keepalive.advance(to: second(1_000_000)) == .none)
  }
}

@Suite struct BrokerLinkAttemptTests {
  @Test func `each address gets an equal share of the time that is left`() {
    let endpoint = BrokerEndpoint(host: "broker", port: 1883, usesTLS: false)
    var attempt = BrokerLinkAttempt(
      BrokerSettings(endpoints: [endpoint], clientID: "k"), endpoint: endpoint, mqtt5: .unknown,
      addresses: ["a", "b", "c"], deadline: second(30))
    #expect(attempt.nextAddress(at: second(0)) == "a" && attempt.addressDeadline == second(10))
    #expect(attempt.nextAddress(at: second(2)) == "b" && attempt.addressDeadline == second(16))
    #expect(attempt.nextAddress(at: second(16)) == "c" && attempt.addressDeadline == second(30))
    #expect(attempt.nextAddress(at: second(20)) == nil)
  }
}
