// Liveness check of a thread: a beat is requested, and the thread confirms it the next time its loop runs.

import CPlatform
import TappetBase

/// Heartbeat of one thread.
///
/// Callable from any thread.
package final class Heartbeat: Sendable {
  private struct State: Sendable {
    var isAwaited = false
    /// Start of a call that may block for a long time for external reasons, such as a resolver call; `nil` outside such
    /// a call.
    var blockedSince: Instant?
  }

  private let state = Mutexed(State())

  package init() {}

  /// Requests a beat; the caller must wake the thread.
  package func request() { state.locked { $0.isAwaited = true } }

  /// Confirms the requested beat.
  package func confirm() { state.locked { $0.isAwaited = false } }

  /// Records the start of a call that may block for a long time.
  package func beginBlockingCall(at now: Instant) { state.locked { $0.blockedSince = now } }

  /// Records the return of the blocking call.
  package func endBlockingCall() { state.locked { $0.blockedSince = nil } }

  /// Whether the thread has confirmed the requested beat, or is in a blocking call that is still within its time limit.
  package func isAlive(at now: Instant) -> Bool {
    state.locked { state in
      guard state.isAwaited else { return true }
      guard let blockedSince = state.blockedSince else { return false }
      return now - blockedSince < Limits.resolverPatienceMax
    }
  }
}
