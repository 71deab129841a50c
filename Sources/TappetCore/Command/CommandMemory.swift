// The proofs that have acted, so that none of them acts twice: within their window by memory, after it by their age,
// and from before the start because nothing that old is accepted.

/// The accepted tokens and signatures of the last seconds.
struct CommandMemory: Sendable {
  private struct Proof: Sendable {
    var high: UInt64
    var low: UInt64
    var sentAt: Int64
  }

  /// The longest window of all topics, in seconds: one proof may fit several topics.
  private var window: Int64
  private let startedAt: Instant
  /// The start by the wall clock; the latest that it ever was, since the clock may be set.
  private var start: Moment?
  /// Added to it: two readings of the clocks differ by rounding.
  private static let clockTolerance = Duration.milliseconds(20)
  private var accepted: [Proof] = []
  /// Proofs up to this second were forgotten: the clock may be set back, and none of them may act again.
  private var forgottenUpTo = Int64.min

  init(window: Int64, startedAt: Instant) {
    self.window = window
    self.startedAt = startedAt
  }

  /// Handles other topics: what was accepted stays.
  mutating func widen(to window: Int64) { self.window = max(self.window, window) }

  /// Accepts a proof of at least 16 bytes that was made at this second, if it is new.
  mutating func accept(_ proof: [UInt8], sentAt: Int64, at now: Moment) throws(CommandRefusal) {
    // The run before this one may have accepted what was ahead of its clock by a whole window.
    guard sentAt > startedUnixSeconds(at: now) + window else { throw .justStarted }
    forget(before: now.unixSeconds - window)
    let high = proof.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    let low = proof.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard !accepted.contains(where: { $0.high == high && $0.low == low }), sentAt > forgottenUpTo else {
      throw .repeated
    }
    guard accepted.count < Limits.commandsRememberedMax else { throw .memoryFull }
    accepted.append(Proof(high: high, low: low, sentAt: sentAt))
  }

  /// The same from one proof to the next, unless the clock was set ahead: a proof that has acted is not too old later.
  private mutating func startedUnixSeconds(at now: Moment) -> Int64 {
    let reading = now.later(by: startedAt - now.instant)
    if let start, reading.unixMilliseconds <= start.unixMilliseconds { return start.unixSeconds }
    let latest = reading.later(by: CommandMemory.clockTolerance)
    start = latest
    return latest.unixSeconds
  }

  private mutating func forget(before second: Int64) {
    for proof in accepted where proof.sentAt < second { forgottenUpTo = max(forgottenUpTo, proof.sentAt) }
    accepted.removeAll { $0.sentAt < second }
  }
}
