// The pauses between attempts to reach a broker, and the rest after a storm.

import Testing

@testable import TappetCore

@Suite struct RetryPolicyTests {
  @Test func `each of several brokers is tried immediately, and early retries stay fast for an election`() {
    for seed in 1...60 {
      var random = Randomness(seed: (1, UInt64(seed) &* 0x9E37_79B9_7F4A_7C15, 3, 4))
      var policy = RetryPolicy()
      let delays = (0..<36).map { _ in
        policy.connectionFailed(endpointCount: 3, random: &random).wholeMilliseconds
      }
      for (attempt, delay) in delays.enumerated() {
        let ceiling: Int64 = attempt % 3 < 2 ? 100 : attempt < 27 ? 1000 : 1000 << Int64(attempt / 3 - 8)
        #expect((1...ceiling).contains(delay), "\(attempt): \(delay)")
      }
    }
  }

  @Test func `with several brokers a lost connection is retried after a random delay`() {
    let waits = (1...60).map { seed in
      var random = Randomness(seed: (1, UInt64(seed) &* 0x9E37_79B9_7F4A_7C15, 3, 4))
      var policy = RetryPolicy()
      _ = policy.connectionFailed(endpointCount: 3, random: &random)
      let start = Instant(nanoseconds: 0)
      return policy.connectionLost(
        connectedAt: start, at: start + .seconds(60), endpointCount: 3, random: &random)
    }
    let milliseconds = waits.map { if case .retry(let delay) = $0 { delay.wholeMilliseconds } else { Int64(-1) } }
    #expect(milliseconds.allSatisfy { (1...1000).contains($0) } && milliseconds.contains { $0 > 500 })
  }

  @Test func `after a cluster without a leader closes a connection, a dead node costs at most 100 ms`() {
    for seed in 1...60 {
      var random = Randomness(seed: (1, UInt64(seed) &* 0x9E37_79B9_7F4A_7C15, 3, 4))
      var policy = RetryPolicy()
      var now = Instant(nanoseconds: 0)
      for loss in 0..<9 {
        _ = policy.connectionLost(connectedAt: now, at: now + .seconds(4), endpointCount: 3, random: &random)
        now = now + .seconds(4)
        let delay = policy.connectionFailed(endpointCount: 3, random: &random).wholeMilliseconds
        #expect((1...100).contains(delay), "after \(loss + 1) losses: \(delay)")
      }
    }
  }

  @Test func `only a connection that lasted half a minute resets the backoff`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    var policy = RetryPolicy()
    for _ in 0..<5 { _ = policy.connectionFailed(random: &random) }
    let start = Instant(nanoseconds: 0)
    _ = policy.connectionLost(connectedAt: start, at: start + .milliseconds(29_999), random: &random)
    #expect(policy.failures == 6)
    _ = policy.connectionLost(connectedAt: start, at: start + .seconds(30), random: &random)
    #expect(policy.failures == 1)
  }

  @Test func `eleven early losses are a storm, even at the pace of the backoff, and cause a pause`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    var policy = RetryPolicy()
    var now = Instant(nanoseconds: 0)
    for _ in 0..<10 {
      guard case .retry(let delay) = policy.connectionLost(connectedAt: now, at: now, random: &random) else {
        Issue.record("a storm before its time")
        return
      }
      now = now + delay
    }
    #expect(now < Instant(nanoseconds: 0) + Limits.stormWindow)
    #expect(policy.connectionLost(connectedAt: now, at: now, random: &random) == .rest(losses: 11, .seconds(60)))
    #expect(policy.connectionLost(connectedAt: now, at: now, random: &random) != .rest(losses: 1, .seconds(60)))
  }

  @Test func `four elections in ten minutes are not a storm, but two kiosks with one id are`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    var policy = RetryPolicy()
    var now = Instant(nanoseconds: 0)
    for loss in 0..<30 {
      let verdict = policy.connectionLost(
        connectedAt: now, at: now + .seconds(2), endpointCount: 3, random: &random)
      guard case .retry(let delay) = verdict, delay <= Limits.reconnect.last else {
        Issue.record("a storm after \(loss + 1) losses")
        return
      }
      now = now + .seconds(2) + delay
    }
    let last = policy.connectionLost(connectedAt: now, at: now, endpointCount: 3, random: &random)
    #expect(last == .rest(losses: 31, .seconds(60)))
  }

  @Test func `lost connections that had lasted long enough never count as a storm`() {
    var random = Randomness(seed: (1, 2, 3, 4))
    var policy = RetryPolicy()
    for number in 0..<30 {
      let connected = Instant(nanoseconds: 0) + .seconds(31 * number)
      let verdict = policy.connectionLost(connectedAt: connected, at: connected + .seconds(30), random: &random)
      guard case .retry = verdict else {
        Issue.record("taken for a storm: \(verdict)")
        return
      }
    }
  }
}
