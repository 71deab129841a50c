// The proofs that were accepted on a topic, so that no proof is accepted twice: a proof is remembered within its window
// and is too old afterwards, and proofs from before the start are accepted only if those of the previous run are known.

/// The accepted tokens and signatures, including at least those within the window.
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

  /// The longest window, in seconds, among the topics on which one proof may be valid.
  private var window: Int64
  private let startedAt: Instant
  /// The wall-clock time of the start, in milliseconds because whole seconds would drift.
  private var start: Moment?
  /// Tolerance added to the start, because two readings of the clocks differ by rounding.
  private static let clockTolerance = Duration.milliseconds(20)
  private var accepted: [Proof] = []
  /// Time up to which proofs were forgotten; such proofs stay rejected, because the clock may be set back.
  private var forgottenUpTo = Int64.min

  init(window: Int64, startedAt: Instant) {
    self.window = window
    self.startedAt = startedAt
  }

  /// Extends the window if the given one is longer; accepted proofs are kept.
  mutating func widen(to window: Int64) { self.window = max(self.window, window) }

  /// Accepts a proof of at least 16 bytes that was created at `sentAt`, if the proof is new and from after the start.
  mutating func accept(_ proof: [UInt8], sentAt: Int64, at now: Moment) throws(CommandRefusal) {
    // The previous run may have accepted proofs that were ahead of its clock by a whole window.
    guard sentAt > startedUnixSeconds(at: now) + window else { throw .justStarted }
    if knows(proof, sentAt: sentAt) { throw .repeated }
    try makeRoom(at: now)
    accepted.append(Proof(proof, sentAt: sentAt))
  }

  /// Remembers a proof that must not be accepted, replacing the oldest one if the cache is full.
  mutating func blockProof(_ proof: [UInt8], sentAt: Int64) {
    if accepted.count >= Limits.commandsRememberedMax { accepted.removeFirst() }
    accepted.append(Proof(proof, sentAt: sentAt))
  }

  /// Whether the proof was accepted before, or may have been.
  func knows(_ bytes: [UInt8], sentAt: Int64) -> Bool {
    let proof = Proof(bytes, sentAt: sentAt)
    return sentAt <= forgottenUpTo || accepted.contains { $0.high == proof.high && $0.low == proof.low }
  }

  /// Pins the start time using a trusted clock, so that a later clock error cannot shift it.
  mutating func clockIsGood(at now: Moment) { _ = startedUnixSeconds(at: now) }

  /// Returns the start time by the wall clock, which is stable: an accepted proof does not become too old later.
  ///
  /// If the clock is set ahead soon after the start, the start time also moves ahead. After two windows, it no longer
  /// moves: by then, proofs from before the start have expired, and a clock that is a day ahead for a minute must not
  /// cause refusals for a day.
  private mutating func startedUnixSeconds(at now: Moment) -> Int64 {
    let uptime = now.instant - startedAt
    if let start, uptime > .seconds(2 * window) { return start.unixSeconds }
    let reading = now.later(by: startedAt - now.instant + ReplayCache.clockTolerance)
    if let start, reading.unixMilliseconds <= start.unixMilliseconds { return start.unixSeconds }
    start = reading
    return reading.unixSeconds
  }

  /// If the cache is full, forgets the oldest proof, provided that it is too old to be accepted.
  ///
  /// A proof is not forgotten earlier, because it would be in time again once a clock that was ahead is corrected.
  private mutating func makeRoom(at now: Moment) throws(CommandRefusal) {
    guard accepted.count >= Limits.commandsRememberedMax else { return }
    var oldest = 0
    for index in accepted.indices where accepted[index].sentAt < accepted[oldest].sentAt { oldest = index }
    guard accepted[oldest].sentAt < now.unixSeconds - window else { throw .memoryFull }
    forgottenUpTo = max(forgottenUpTo, accepted[oldest].sentAt)
    accepted.remove(at: oldest)
  }
}
