// State that threads share is touched with a monitor locked; a thread that needs a change of it waits on the monitor's
// condition.

import CPlatform

/// A mutex, and a condition to wait on while holding it.
///
/// Any thread. The kernel's objects have their own places in memory: a Swift variable has no lasting address.
package final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// Unlocked, with nobody waiting.
  @export(interface)
  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Takes the lock; blocks while another thread has it.
  package func lock() { pthread_mutex_lock(mutex) }

  /// Unlocks, on the thread that has the lock.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the lock held.
  package func locked<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }

  /// Releases the lock until a signal, or for no reason: look again at what was waited for.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes one thread that waits.
  package func signal() { pthread_cond_signal(condition) }
}
