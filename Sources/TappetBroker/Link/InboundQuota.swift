// Limits on the data that a broker may send. Even without any subscription, libmosquitto accepts a PUBLISH of 256 MB
// and any number of QoS 2 messages (2.0.11 to 2.0.20), so received bytes are counted in the kernel.

import TappetCore

/// The number of bytes that a broker may send on one connection.
struct InboundQuota {
  /// Total number of bytes allowed; `nil`, which means no limit, once the owner has subscribed.
  private var allowed: Int64? = Limits.linkUnaskedSizeMax
  /// Time up to which the rate for commands has been added to `allowed`; `nil` if there are no own topics.
  private var refilledAt: Instant?
  private var receivedBefore: Int64 = 0
  /// Maximum number of bytes in one burst.
  private var burstMax: Int64 = 0

  /// Whether the owner has subscribed to anything.
  var hasSubscribed: Bool { allowed == nil }

  /// Handles a sent packet to which the broker will respond.
  mutating func asked() { allowed? += Limits.linkAnswerSizeMax }

  /// Handles a subscription by the owner, which lifts the limit.
  mutating func subscribed() { allowed = nil }

  /// Handles a subscription to own topics, whose messages have `size` bytes at most in one burst.
  mutating func subscribed(upTo size: Int64, at now: Instant) {
    burstMax += size
    allowed? += size
    refilledAt = now
  }

  /// Returns whether `received` bytes in total exceed the allowance.
  mutating func isExceeded(by received: Int64, at now: Instant) -> Bool {
    guard let allowed else { return false }
    if let refilledAt {
      let seconds = (now - refilledAt).wholeMilliseconds / 1000
      if seconds > 0 {
        // Unused allowance expires: a day without commands must not permit a flood.
        let refilled = allowed + min(seconds, 3600) * Limits.commandBytesPerSecond
        self.allowed = max(allowed, min(refilled, receivedBefore + burstMax))
        self.refilledAt = now
      }
    }
    receivedBefore = received
    return received > self.allowed ?? .max
  }
}

/// Limits the number of commands per second that the link passes on, separately for each topic, that is, each sender.
struct CommandRateLimiter {
  enum Decision {
    case passed
    /// The first command discarded within a second.
    case firstTooMany
    case tooMany
  }

  private var secondBeganAt: Instant?
  private var counts: [String: Int] = [:]
  private var isFull = false

  /// Decides whether to pass on a command.
  ///
  /// `counts` stays small, because `topic` is always one of the few subscribed topics.
  mutating func admit(_ topic: String, at now: Instant) -> Decision {
    if secondBeganAt.map({ now - $0 >= .seconds(1) }) ?? true {
      secondBeganAt = now
      (counts, isFull) = ([:], false)
    }
    let count = counts[topic, default: 0] + 1
    counts[topic] = count
    if count <= Limits.commandsPerSecondMax { return .passed }
    defer { isFull = true }
    return isFull ? .tooMany : .firstTooMany
  }
}
