// The keepalive and the addresses of a link, by a script in seconds.

import TappetCore
import TappetMessages
import Testing

@testable import TappetBroker

private func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }

@Suite struct BrokerLinkKeepaliveTests {
  @Test func `an idle connection is pinged once, and closed if no response arrives`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    #expect(keepalive.deadline == second(10))
    #expect(keepalive.advance(to: second(9)) == .none)
    #expect(keepalive.advance(to: second(10)) == .ping)
    keepalive.pinged(true, at: second(10))
    #expect(keepalive.deadline == second(15))
    #expect(keepalive.advance(to: second(14)) == .none)
    #expect(keepalive.advance(to: second(15)) == .dead)
  }

  @Test func `a ping response has the same timeout as a PUBACK`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(60), at: second(0))
    #expect(keepalive.advance(to: second(60)) == .ping)
    keepalive.pinged(true, at: second(60))
    #expect(keepalive.deadline == second(60) + Limits.acknowledgeTimeout)
  }

  @Test func `bytes from the client delay the ping, but bytes from the broker do not`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    keepalive.sent(at: second(4))
    for time in 5...13 { keepalive.received(at: second(Int64(time))) }
    #expect(keepalive.advance(to: second(13)) == .none)
    #expect(keepalive.advance(to: second(14)) == .ping)
    keepalive.pinged(true, at: second(14))
    #expect(keepalive.deadline == second(23))
  }

  @Test func `a silent broker is detected in time, whatever the client sends`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    for time in 1...9 { keepalive.sent(at: second(Int64(time))) }
    #expect(keepalive.advance(to: second(10)) == .ping)
    keepalive.pinged(true, at: second(10))
    for time in 11...14 { keepalive.sent(at: second(Int64(time))) }
    #expect(keepalive.advance(to: second(15)) == .dead)
  }

  @Test func `a skipped ping is retried, and received bytes extend the deadline`() {
    var keepalive = BrokerLinkKeepalive(interval: .seconds(10), at: second(0))
    keepalive.received(at: second(9))
    #expect(keepalive.advance(to: second(10)) == .ping)
    keepalive.pinged(false, at: second(10))
    #expect(keepalive.deadline == second(11))
    #expect(keepalive.advance(to: second(11)) == .ping)
    keepalive.pinged(true, at: second(11))
    #expect(keepalive.deadline == second(19))
  }

  @Test func `an interval of zero never pings`() {
    var keepalive = BrokerLinkKeepalive(at: second(0))
    #expect(keepalive.deadline == nil)
    #expect(keepalive.advance(to: second(1_000_000)) == .none)
  }
}

@Suite struct BrokerLinkAttemptTests {
  @Test func `each address gets an equal share of the remaining time`() {
    let endpoint = BrokerEndpoint(host: "broker", port: 1883, usesTLS: false)
    var attempt = BrokerLinkAttempt(
      BrokerSettings(endpoints: [endpoint], clientID: "k"), endpoint: endpoint, mqtt5: .unknown,
      addresses: ["a", "b", "c"], deadline: second(30))
    #expect(attempt.nextAddress(at: second(0)) == "a" && attempt.addressDeadline == second(10))
    #expect(attempt.nextAddress(at: second(2)) == "b" && attempt.addressDeadline == second(16))
    #expect(attempt.nextAddress(at: second(16)) == "c" && attempt.addressDeadline == second(30))
    #expect(attempt.nextAddress(at: second(20)) == nil)
  }

  @Test func `a shorter keepalive is tried when MQTT 3.1.1 reports a bad client id`() {
    let endpoint = BrokerEndpoint(host: "broker", port: 1883, usesTLS: false)
    var attempt = BrokerLinkAttempt(
      BrokerSettings(endpoints: [endpoint], clientID: "k", keepaliveSeconds: 120), endpoint: endpoint, mqtt5: .unknown,
      addresses: ["a"], deadline: second(30))
    for seconds: UInt16 in [120, 60, 10] {
      #expect(attempt.nextAddress(at: second(1)) == "a" && attempt.keepaliveSeconds == seconds)
      let isOther = attempt.shortensKeepalive(after: .connack(.notAuthorized))
      let isShorter = attempt.shortensKeepalive(after: .connack(.identifierRejected))
      #expect(!isOther && isShorter == (seconds > 10))
    }
    #expect(LinkFailure.connack(.identifierRejected).sentence.contains("keepalive"))
  }
}
