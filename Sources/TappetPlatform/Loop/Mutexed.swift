// State that threads share, which is accessed only with its mutex locked; a thread that needs the state to change waits
// on a condition.

import CPlatform

// Unchecked because the compiler cannot see the mutex: `value` is accessed only with the mutex locked.
/// A value with a mutex, and a condition that threads can wait on.
///
/// Callable from any thread. The kernel's objects are allocated separately, because a Swift variable has no stable
/// address.
package final class Mutexed<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
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

  /// Runs `body` with the mutex locked; blocks while another thread has locked it.
  package func locked<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Runs `body` with the mutex locked, again after each signal until it returns a result.
  package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      // The access ends before the wait, in which other threads change the value: an access that lasted, as that of
      // `locked`, would let the compiler keep what it has read, and write it back over their changes.
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Wakes one waiting thread; a thread that is woken while the mutex is locked would block on it again.
  package func signal() { pthread_cond_signal(condition) }
}
