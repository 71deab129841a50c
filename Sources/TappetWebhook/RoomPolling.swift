// Decides when a homeserver is polled again. Pure decision logic.

import TappetCore

struct RoomPolling {
  /// Time of the next request; `nil` before the first one, and while one is in flight.
  private(set) var dueAt: Instant?
  /// Whether the homeserver no longer accepts the session.
  private(set) var isRefused = false
  private var askedAt = Instant(nanoseconds: 0)
  private var failures = 0
  /// Number of consecutive answers that were received less than a second after their requests.
  private var hastyCount = 0

  /// Requests the next poll immediately.
  mutating func askNow(_ now: Instant) { dueAt = now }

  /// Notes that a request was sent.
  mutating func asked(at now: Instant) { (dueAt, askedAt) = (nil, now) }

  /// Handles an answer; `isFirst` means that it is always immediate.
  ///
  /// A server that answers immediately is polled at most once per second: from the first empty answer on, or after
  /// `Limits.roomHastyAnswersMax` answers with events.
  mutating func answered(isEmpty: Bool, isFirst: Bool, at now: Instant) {
    failures = 0
    hastyCount = !isFirst && now - askedAt < Limits.roomRetry.first ? hastyCount + 1 : 0
    let isHasty = hastyCount > (isEmpty ? 0 : Limits.roomHastyAnswersMax)
    dueAt = now + (isHasty ? Limits.roomRetry.first : .zero)
  }

  /// Schedules the next poll after a failure.
  mutating func failed(_ fault: WebhookFault, retryAfter: Duration?, at now: Instant) {
    if case .trouble(.tokenRefused, _) = fault { isRefused = true }
    let usual = isRefused ? Limits.roomRetry.last : Limits.roomRetry.pause(after: failures)
    // Never longer: the kiosk waits for a sign of life.
    dueAt = now + min(max(usual, retryAfter ?? .zero), Limits.roomRetry.last)
    failures += 1
  }
}
