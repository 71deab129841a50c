// A monitor for shared state, which is accessed only with the monitor locked; a thread that needs the state to change
// waits on the monitor's condition.

import CPlatform

/// A mutex with a condition that threads can wait on.
///
/// Callable from any thread. The kernel's objects are allocated separately, because a Swift variable has no stable
/// address.
package final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

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

  /// Takes the lock; blocks while another thread holds it.
  package func lock() { pthread_mutex_lock(mutex) }

  /// Releases the lock; must be called on the thread that holds it.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the lock held.
  package func locked<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }

  /// Releases the lock and waits for a signal; the caller must check its condition again, as wake-ups can be spurious.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes one waiting thread.
  package func signal() { pthread_cond_signal(condition) }
}
