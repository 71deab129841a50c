// How a thread shows that it makes progress: it is asked for a beat, and gives one when it comes around to it.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: what changes is touched only with the monitor locked.
/// The life signs of one thread.
///
/// Any thread.
package final class Heartbeat: @unchecked Sendable {
  private let monitor = Monitor()
  private var isAwaited = false
  /// Since when the thread is in a call that may last long through no fault of ours, as the resolver's; `nil` outside
  /// of one.
  private var blockedSince: Instant?

  /// A thread that has not been asked for a beat.
  package init() {}

  /// Asks for a beat; the caller wakes the thread.
  package func request() { monitor.locked { isAwaited = true } }

  /// Gives the beat that was asked for.
  package func beat() { monitor.locked { isAwaited = false } }

  /// The thread begins a call that may block for long.
  package func beginBlockingCall(at now: Instant) { monitor.locked { blockedSince = now } }

  /// The call has returned.
  package func endBlockingCall() { monitor.locked { blockedSince = nil } }

  /// Whether the thread has given the beat that it was asked for, or is in a blocking call that may last this long.
  package func isAlive(at now: Instant) -> Bool {
    monitor.locked {
      guard isAwaited else { return true }
      guard let blockedSince else { return false }
      return now - blockedSince < Limits.resolverPatienceMax
    }
  }
}
