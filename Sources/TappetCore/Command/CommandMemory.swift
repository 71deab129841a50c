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
  /// The start by the wall clock, in whole seconds since 1970; the latest that it ever was, since the clock may be set.
  private var startedUnixSeconds = Int64.min
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
    startedUnixSeconds = max(startedUnixSeconds, now.unixSeconds - (now.instant - startedAt).wholeMilliseconds / 1000)
    guard sentAt > startedUnixSeconds + window else { throw .justStarted }
    forget(before: now.unixSeconds - window)
    let high = proof.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    let low = proof.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard !accepted.contains(where: { $0.high == high && $0.low == low }), sentAt > forgottenUpTo else {
      throw .repeated
    }
    guard accepted.count < Limits.commandsRememberedMax else { throw .memoryFull }
    accepted.append(Proof(high: high, low: low, sentAt: sentAt))
  }

  private mutating func forget(before second: Int64) {
    for proof in accepted where proof.sentAt < second { forgottenUpTo = max(forgottenUpTo, proof.sentAt) }
    accepted.removeAll { $0.sentAt < second }
  }
}
