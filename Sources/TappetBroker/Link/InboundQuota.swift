// How much a broker may send. libmosquitto takes a PUBLISH of 256 MB, and any number of QoS 2 messages, from a broker
// that was never asked for one (2.0.11 to 2.0.20), so what comes is counted in the kernel.

import TappetCore

/// The bytes that a broker may send on one connection.
struct InboundQuota {
  /// `nil` once the owner has subscribed: then it may send what it likes.
  private var allowed: Int64? = Limits.linkUnaskedSizeMax
  /// Until when `allowed` counts what commands may take; `nil` while there are none.
  private var refilledAt: Instant?
  private var receivedBefore: Int64 = 0
  /// Bytes that may come at once.
  private var atOnce = Limits.commandBytesMax

  /// Whether the owner has subscribed to anything.
  var hasSubscribed: Bool { allowed == nil }

  /// Notes that a packet was sent which the broker will answer.
  mutating func asked() { allowed? += Limits.linkAnswerSizeMax }

  /// Handles a subscription of the owner's.
  mutating func subscribed() { allowed = nil }

  /// Handles subscriptions to commands, which are small and few, and to a site.
  mutating func subscribedToCommands(at now: Instant, ofSite: Bool = false) {
    if ofSite { atOnce = Limits.siteBytesMax }
    allowed? += atOnce
    refilledAt = now
  }

  /// Whether this many bytes in all are more than it may send.
  mutating func isExceeded(by received: Int64, at now: Instant) -> Bool {
    guard let allowed else { return false }
    if let refilledAt {
      let seconds = (now - refilledAt).wholeMilliseconds / 1000
      if seconds > 0 {
        // An allowance that is not used is lost: a day without commands does not allow a flood.
        let refilled = allowed + min(seconds, 3600) * Limits.commandBytesPerSecond
        self.allowed = max(allowed, min(refilled, receivedBefore + atOnce))
        self.refilledAt = now
      }
    }
    receivedBefore = received
    return received > self.allowed ?? .max
  }
}

/// The commands that the link passes on in each second: of each topic by itself, since a topic is a sender.
struct CommandRateLimiter {
  enum Judgement {
    case passed
    /// The first of a second that is thrown away.
    case firstTooMany
    case tooMany
  }

  private var secondBeganAt: Instant?
  private var counts: [String: Int] = [:]
  private var isFull = false

  /// `topic` is one of the few that were subscribed to.
  mutating func admit(_ topic: String, at now: Instant) -> Judgement {
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
