// Decides when to poll a homeserver again. Pure logic, without I/O.

import TappetCore

struct RoomPolling {
  /// Whether the session or another file has to be read again, which only a new process can do.
  private(set) var needsSuccessor = false
  private var askedAt = Instant(nanoseconds: 0)
  private var failures = 0
  /// Number of consecutive responses that were received less than a second after their requests.
  private var hastyCount = 0

  /// Records that a request was sent.
  mutating func asked(at now: Instant) { askedAt = now }

  /// Handles a response, and returns the time of the next request; `isFirst` marks the first response, which is always
  /// immediate.
  ///
  /// A server that responds immediately is polled at most once per second, starting with the first empty response, or
  /// after `Limits.roomHastyAnswersMax` responses with events. With a full page of messages to this device, it is
  /// polled sooner: anyone may have sent these messages, and they must not delay a key.
  mutating func answered(isEmpty: Bool, isFirst: Bool, isFull: Bool = false, at now: Instant) -> Instant {
    failures = 0
    hastyCount = !isFirst && now - askedAt < Limits.roomRetry.first ? hastyCount + 1 : 0
    let isHasty = hastyCount > (isEmpty ? 0 : Limits.roomHastyAnswersMax)
    return now + (isHasty ? (isFull ? Limits.roomPageInterval : Limits.roomRetry.first) : .zero)
  }

  /// Returns the time of the next request after a failure.
  mutating func failed(_ fault: WebhookFault, retryAfter: Duration?, at now: Instant) -> Instant {
    var usual = Limits.roomRetry.pause(after: failures)
    switch fault {
    case .trouble(.tokenRefused, _): (needsSuccessor, usual) = (true, Limits.roomRetry.last)
    // For example, the disk was full, or another process had locked the keys.
    case .trouble(.fileUnusable, _): (needsSuccessor, usual) = (true, Limits.roomFilesRetry)
    case .trouble(.certificateRefused, _), .trouble(.handshakeFailed, _):
      needsSuccessor = failures + 1 >= Limits.roomCertificateTriesMax
    case .trouble, .status: break
    }
    // Never longer, because the kiosk expects regular signs of life.
    failures += 1
    return now + min(max(usual, retryAfter ?? .zero), Limits.roomRetry.last)
  }
}
