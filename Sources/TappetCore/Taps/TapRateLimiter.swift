// Limits how often a tag may tap. Forged tags block only their own UIDs; a genuine tag cannot flood the broker. Memory
// is bounded: if there are too many tags, the tag whose record would expire first is dropped.

/// A rate limit: allows a burst of uses, then the same number per minute, refilled evenly.
struct TokenBucket: Sendable {
  /// Time at which the bucket is full again.
  private(set) var fullAt = Instant(nanoseconds: .min)

  /// Returns the time until the next use is available; `nil` if it is available now.
  func wait(perMinute count: Int, at now: Instant) -> Duration? {
    guard fullAt > now else { return nil }
    let remaining = (fullAt - now) + TokenBucket.interval(count) - TokenBucket.window
    return remaining > .zero ? remaining : nil
  }

  /// Consumes a use, or returns the time until a use is available.
  mutating func takeUse(perMinute count: Int, at now: Instant) -> Duration? {
    if let wait = wait(perMinute: count, at: now) { return wait }
    use(perMinute: count, at: now)
    return nil
  }

  mutating func use(perMinute count: Int, at now: Instant) {
    // The wait never exceeds a minute, regardless of other uses.
    fullAt = min(max(fullAt, now) + TokenBucket.interval(count), now + TokenBucket.window)
  }

  private static let window: Duration = .seconds(60)

  private static func interval(_ count: Int) -> Duration { .nanoseconds(60_000_000_000 / Int64(count)) }
}

/// The recent taps of each tag and of all tags together, and the recent scans.
struct TapRateLimiter: Sendable {
  /// A tag that was refused or accepted within the last minute.
  private struct Tag: Sendable {
    var uid: TagUID
    var refused = TokenBucket()
    var accepted = TokenBucket()

    var fullAt: Instant { max(refused.fullAt, accepted.fullAt) }
  }

  private var tags: [Tag] = []
  private var refused = TokenBucket()
  private var accepted = TokenBucket()
  /// Counted separately, so that a scanner that repeats itself does not stop the tags.
  private var scans = TokenBucket()

  /// Returns the time until the given tag may be verified; `nil` if it may be verified now.
  ///
  /// While too many taps are refused in total, a refused tag waits until its own bucket is full again. A tag that was
  /// not refused is verified regardless of other tags.
  func waitToBeVerified(_ uid: TagUID, at now: Instant) -> Duration? {
    guard let tag = tags.first(where: { $0.uid == uid }), tag.refused.fullAt > now else { return nil }
    if refused.wait(perMinute: Limits.refusedTapsMax, at: now) != nil { return tag.refused.fullAt - now }
    return tag.refused.wait(perMinute: Limits.refusedTapsPerTagMax, at: now)
  }

  /// Counts a tap of a tag that was read but not authenticated.
  mutating func recordRefused(_ uid: TagUID, at now: Instant) {
    refused.use(perMinute: Limits.refusedTapsMax, at: now)
    let index = place(of: uid, at: now)
    tags[index].refused.use(perMinute: Limits.refusedTapsPerTagMax, at: now)
  }

  /// Returns the time until a tap of the genuine tag may be accepted; `nil` if it may be accepted now.
  func waitToBeAccepted(_ uid: TagUID, at now: Instant) -> Duration? {
    if let wait = accepted.wait(perMinute: Limits.acceptedTapsMax, at: now) { return wait }
    guard let tag = tags.first(where: { $0.uid == uid }) else { return nil }
    return tag.accepted.wait(perMinute: Limits.acceptedTapsPerTagMax, at: now)
  }

  /// Counts a scanned code, or returns the time until one may be handled.
  mutating func takeScan(at now: Instant) -> Duration? { scans.takeUse(perMinute: Limits.scansMax, at: now) }

  mutating func recordAccepted(_ uid: TagUID, at now: Instant) {
    accepted.use(perMinute: Limits.acceptedTapsMax, at: now)
    let index = place(of: uid, at: now)
    tags[index].accepted.use(perMinute: Limits.acceptedTapsPerTagMax, at: now)
  }

  private mutating func place(of uid: TagUID, at now: Instant) -> Int {
    var oldest = 0
    for index in tags.indices {
      if tags[index].uid == uid { return index }
      if tags[index].fullAt < tags[oldest].fullAt { oldest = index }
    }
    // A full bucket is indistinguishable from a new one.
    guard tags.count >= Limits.tapRatesMax || (!tags.isEmpty && tags[oldest].fullAt <= now) else {
      tags.append(Tag(uid: uid))
      return tags.count - 1
    }
    tags[oldest] = Tag(uid: uid)
    return oldest
  }
}
