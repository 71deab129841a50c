// The proofs that have acted on a topic, so that none of them acts twice: within their window by memory, after it by
// their age, and from before the start because nothing that old is accepted.

/// The accepted tokens and signatures: those of the window at least.
struct ReplayCache: Sendable {
  private struct Proof: Sendable {
    var high: UInt64
    var low: UInt64
    var sentAt: Int64

    init(_ bytes: [UInt8], sentAt: Int64) {
      high = UInt64(bigEndianBytes: bytes.prefix(8))
      low = UInt64(bigEndianBytes: bytes.dropFirst(8).prefix(8))
      self.sentAt = sentAt
    }
  }

  /// The longest window of all topics that one proof may fit, in seconds.
  private var window: Int64
  private let startedAt: Instant
  /// The start by the wall clock, in milliseconds: whole seconds would drift.
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
    if knows(proof, sentAt: sentAt) { throw .repeated }
    try makeRoom(at: now)
    accepted.append(Proof(proof, sentAt: sentAt))
  }

  /// Remembers a proof that must not act, in place of the first one if there are too many.
  mutating func note(_ proof: [UInt8], sentAt: Int64) {
    if accepted.count >= Limits.commandsRememberedMax { accepted.removeFirst() }
    accepted.append(Proof(proof, sentAt: sentAt))
  }

  /// Whether the proof has acted, or may have.
  func knows(_ bytes: [UInt8], sentAt: Int64) -> Bool {
    let proof = Proof(bytes, sentAt: sentAt)
    return sentAt <= forgottenUpTo || accepted.contains { $0.high == proof.high && $0.low == proof.low }
  }

  /// Fixes the start by a clock that is believed, before a later mistake of that clock can move it.
  mutating func clockIsGood(at now: Moment) { _ = startedUnixSeconds(at: now) }

  /// The same from one proof to the next: a proof that has acted is not too old later.
  ///
  /// A clock that is set ahead soon after the start moves it. After two windows nothing from before the start is in
  /// time any more, and a clock that is a day ahead for a minute must not refuse commands for a day.
  private mutating func startedUnixSeconds(at now: Moment) -> Int64 {
    let uptime = now.instant - startedAt
    if let start, uptime > .seconds(2 * window) { return start.unixSeconds }
    let reading = now.later(by: startedAt - now.instant + ReplayCache.clockTolerance)
    if let start, reading.unixMilliseconds <= start.unixMilliseconds { return start.unixSeconds }
    start = reading
    return reading.unixSeconds
  }

  /// Forgets the oldest proof when there are too many, if it is too old to act.
  ///
  /// Not before: a clock that was ahead and is right again would find that it has forgotten what is in time now.
  private mutating func makeRoom(at now: Moment) throws(CommandRefusal) {
    guard accepted.count >= Limits.commandsRememberedMax else { return }
    var oldest = 0
    for index in accepted.indices where accepted[index].sentAt < accepted[oldest].sentAt { oldest = index }
    guard accepted[oldest].sentAt < now.unixSeconds - window else { throw .memoryFull }
    forgottenUpTo = max(forgottenUpTo, accepted[oldest].sentAt)
    accepted.remove(at: oldest)
  }
}
