// How often somebody may tap. Forged tags cost the UID that they came with and nobody else; a genuine one cannot flood the
// broker. Bounded: of too many tags the one that is nearest to being free again is forgotten.

/// So many at once, and so many a minute from then on: what was used comes back evenly.
struct Allowance: Sendable {
  /// When all of it is back.
  private(set) var fullAt = Instant(nanoseconds: .min)

  /// How long until one more is free; nil: it is.
  func wait(perMinute count: Int, at now: Instant) -> Duration? {
    guard fullAt > now else { return nil }
    let remaining = (fullAt - now) + Allowance.interval(count) - Allowance.window
    return remaining > .zero ? remaining : nil
  }

  mutating func use(perMinute count: Int, at now: Instant) {
    // Nobody has to wait for longer than a minute, whatever others did.
    fullAt = min(max(fullAt, now) + Allowance.interval(count), now + Allowance.window)
  }

  private static let window: Duration = .seconds(60)

  private static func interval(_ count: Int) -> Duration { .nanoseconds(60_000_000_000 / Int64(count)) }
}

/// What each tag, and all of them together, have used lately.
struct TapRates: Sendable {
  /// One tag that was refused or accepted within the minute.
  private struct Tag: Sendable {
    var uid: TagUID
    var refused = Allowance()
    var accepted = Allowance()

    var fullAt: Instant { max(refused.fullAt, accepted.fullAt) }
  }

  private var tags: [Tag] = []
  private var refused = Allowance()
  private var accepted = Allowance()

  /// How long this tag is not even looked at; nil: it is.
  ///
  /// While too many are refused altogether, a tag that was refused waits until all that it used is back. One that was not is
  /// looked at whatever the others do.
  func waitToBeVerified(_ uid: TagUID, at now: Instant) -> Duration? {
    guard let tag = tags.first(where: { $0.uid == uid }), tag.refused.fullAt > now else { return nil }
    if refused.wait(perMinute: Limits.refusedTapsMax, at: now) != nil { return tag.refused.fullAt - now }
    return tag.refused.wait(perMinute: Limits.refusedTapsPerTagMax, at: now)
  }

  /// The tag was read and did not prove itself.
  mutating func noteRefused(_ uid: TagUID, at now: Instant) {
    refused.use(perMinute: Limits.refusedTapsMax, at: now)
    let index = place(of: uid, at: now)
    tags[index].refused.use(perMinute: Limits.refusedTapsPerTagMax, at: now)
  }

  /// How long no tap of this tag is accepted, though it is genuine; nil: it is.
  func waitToBeAccepted(_ uid: TagUID, at now: Instant) -> Duration? {
    if let wait = accepted.wait(perMinute: Limits.acceptedTapsMax, at: now) { return wait }
    guard let tag = tags.first(where: { $0.uid == uid }) else { return nil }
    return tag.accepted.wait(perMinute: Limits.acceptedTapsPerTagMax, at: now)
  }

  mutating func noteAccepted(_ uid: TagUID, at now: Instant) {
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
    // Whoever has everything back is as one who never came.
    guard tags.count >= Limits.tapRatesMax || (!tags.isEmpty && tags[oldest].fullAt <= now) else {
      tags.append(Tag(uid: uid))
      return tags.count - 1
    }
    tags[oldest] = Tag(uid: uid)
    return oldest
  }
}
