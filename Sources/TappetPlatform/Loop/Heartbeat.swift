// Liveness check of a thread: a beat is requested, and the thread confirms it the next time its loop runs.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: mutable state is accessed only with the monitor locked.
/// Heartbeat of one thread.
///
/// Callable from any thread.
package final class Heartbeat: @unchecked Sendable {
  private let monitor = Monitor()
  private var isAwaited = false
  /// Start of a call that may block for a long time for external reasons, such as a resolver call; `nil` outside such a
  /// call.
  private var blockedSince: Instant?

  package init() {}

  /// Requests a beat; the caller must wake the thread.
  package func request() { monitor.locked { isAwaited = true } }

  /// Confirms the requested beat.
  package func confirm() { monitor.locked { isAwaited = false } }

  /// Records the start of a call that may block for a long time.
  package func beginBlockingCall(at now: Instant) { monitor.locked { blockedSince = now } }

  /// Records the return of the blocking call.
  package func endBlockingCall() { monitor.locked { blockedSince = nil } }

  /// Whether the thread has confirmed the requested beat, or is in a blocking call that is still within its time limit.
  package func isAlive(at now: Instant) -> Bool {
    monitor.locked {
      guard isAwaited else { return true }
      guard let blockedSince else { return false }
      return now - blockedSince < Limits.resolverPatienceMax
    }
  }
}
