// How a thread shows that it goes on: it is asked for a sign, and gives one when it comes around to it.

import CPlatform
import TappetCore

// Unchecked because the compiler cannot see the mutex: what changes is touched only between lock and unlock.
/// The signs that one thread has given.
///
/// Any thread.
public final class ThreadSigns: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var isAwaited = false
  /// When the thread called what may keep it for long through no fault of ours, as the resolver; nil: it did not.
  private var lentSince: Instant?

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// A sign is wanted; whoever calls this wakes the thread.
  func ask() { locked { isAwaited = true } }

  /// The thread gives it.
  func give() { locked { isAwaited = false } }

  /// The thread goes into other hands; nil: it is back.
  func lend(at now: Instant?) { locked { lentSince = now } }

  /// Whether it has given the sign that it was asked for, or is in other hands for no longer than that may last.
  public func isAlive(at now: Instant) -> Bool {
    locked {
      guard isAwaited else { return true }
      guard let lentSince else { return false }
      return now - lentSince < Limits.resolverPatienceMax
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
