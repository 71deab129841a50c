// What threads share is touched under a mutex; who has to wait for a change of it waits on the condition that belongs to it.

import CPlatform

/// A mutex, and a condition to wait on while holding it.
///
/// Any thread. The kernel's objects have their own places in memory: a Swift variable has no address that lasts.
public final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// Free, with nobody waiting.
  public init() {
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
  public func lock() { pthread_mutex_lock(mutex) }

  /// Gives the lock back; by the thread that has it.
  public func unlock() { pthread_mutex_unlock(mutex) }

  /// Runs `body` with the lock held.
  public func locked<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }

  /// Gives the lock away until somebody signals, or for no reason: what was waited for is to be looked at again.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes one who waits.
  public func signal() { pthread_cond_signal(condition) }
}
