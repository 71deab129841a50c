// How a thread shows that it goes on: it is asked for a sign, and gives one when it comes around to it.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: what changes is touched only between lock and unlock.
/// The signs that one thread has given.
///
/// Any thread.
public final class ThreadSigns: @unchecked Sendable {
  private let monitor = Monitor()
  private var isAwaited = false
  /// When the thread called what may keep it for long through no fault of ours, as the resolver; nil: it did not.
  private var lentSince: Instant?

  /// A sign is wanted; whoever calls this wakes the thread.
  func ask() { monitor.locked { isAwaited = true } }

  /// The thread gives it.
  func give() { monitor.locked { isAwaited = false } }

  /// The thread goes into other hands; nil: it is back.
  func lend(at now: Instant?) { monitor.locked { lentSince = now } }

  /// Whether it has given the sign that it was asked for, or is in other hands for no longer than that may last.
  public func isAlive(at now: Instant) -> Bool {
    monitor.locked {
      guard isAwaited else { return true }
      guard let lentSince else { return false }
      return now - lentSince < Limits.resolverPatienceMax
    }
  }
}
