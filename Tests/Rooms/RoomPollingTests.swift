// When a homeserver is polled again, by a scripted clock.

import TappetCore
import Testing

@testable import TappetRooms

@Suite struct RoomPollingTests {
  private var polling = RoomPolling()
  private var now = Instant(nanoseconds: 1_000_000_000)

  /// One poll, answered after this time; returns the pause until the next one.
  private mutating func poll(after time: Duration, isEmpty: Bool = false) -> Duration {
    polling.asked(at: now)
    now = now + time
    return polling.answered(isEmpty: isEmpty, isFirst: false, at: now) - now
  }

  @Test mutating func `an immediate empty response causes a pause, and a delayed one does not`() {
    #expect(poll(after: .milliseconds(5), isEmpty: true) == .seconds(1))
    #expect(poll(after: .seconds(30), isEmpty: true) == .zero)
  }

  @Test mutating func `a server that always has more is polled once a second, and a busy room immediately`() {
    for _ in 0..<Limits.roomHastyAnswersMax { #expect(poll(after: .milliseconds(5)) == .zero) }
    #expect(poll(after: .milliseconds(5)) == .seconds(1))
    #expect(poll(after: .seconds(2)) == .zero && poll(after: .milliseconds(5)) == .zero)
  }

  @Test mutating func `a flood of messages to the device is polled ten times a second`() {
    for _ in 0...Limits.roomHastyAnswersMax { _ = poll(after: .milliseconds(5)) }
    polling.asked(at: now)
    #expect(polling.answered(isEmpty: false, isFirst: false, isFull: true, at: now) == now + .milliseconds(100))
  }

  @Test mutating func `the pause after a failure doubles up to a minute, and is never shorter than requested`() {
    var pauses: [Duration] = []
    for _ in 0..<8 {
      pauses.append(polling.failed(.status(502), retryAfter: nil, at: now) - now)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(poll(after: .seconds(30)) == .zero)
    let limited = polling.failed(.status(429), retryAfter: .milliseconds(2500), at: now)
    #expect(limited == now + .milliseconds(2500) && !polling.needsSuccessor)
    let refused = polling.failed(.trouble(.tokenRefused, code: 401), retryAfter: nil, at: now)
    #expect(refused == now + .seconds(60) && polling.needsSuccessor)
  }

  @Test mutating func `after unusable files the session's process is replaced, and reads them again`() {
    let due = polling.failed(.trouble(.fileUnusable, code: 28), retryAfter: nil, at: now)
    #expect(due == now + Limits.roomFilesRetry && polling.needsSuccessor)
    polling = RoomPolling()
    for count in 1...Limits.roomCertificateTriesMax {
      _ = polling.failed(.trouble(.certificateRefused, code: 60), retryAfter: nil, at: now)
      #expect(polling.needsSuccessor == (count == Limits.roomCertificateTriesMax), "\(count)")
    }
  }
}
