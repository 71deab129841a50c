// The thread that requests about secrets are served on, so that a slow card never holds up the lights. It is there only while
// something waits.

import CPlatform
import TappetCore
import TappetDevices

// Unchecked because the compiler cannot see the mutex: everything that changes is touched only under it.
/// Serves requests one after the other.
final class SecretThread: @unchecked Sendable {
  /// An answer, and which client waits for it.
  typealias Reply = (client: UInt64, answer: SecretAnswer)

  private let desk: SecretDesk
  private let post: @Sendable (Reply) -> Void
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let finished: UnsafeMutablePointer<pthread_cond_t>
  private var waiting: [(client: UInt64, request: SecretRequest)] = []
  private var isRunning = false

  /// `post` is called on the thread with each answer, and must not block.
  init(_ desk: SecretDesk, post: @escaping @Sendable (Reply) -> Void) {
    self.desk = desk
    self.post = post
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    finished = .allocate(capacity: 1)
    finished.initialize(to: pthread_cond_t())
    pthread_cond_init(finished, nil)
  }

  deinit {
    pthread_cond_destroy(finished)
    finished.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Hands a request over; false when too many wait, or there can be no thread.
  func submit(_ request: SecretRequest, of client: UInt64) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard waiting.count < Limits.secretRequestsMax else { return false }
    waiting.append((client, request))
    if isRunning { return true }
    isRunning = start()
    if !isRunning { waiting.removeLast() }
    return isRunning
  }

  /// Waits until nothing is served any more.
  func stop() {
    pthread_mutex_lock(mutex)
    waiting = []
    while isRunning { pthread_cond_wait(finished, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Signals are the reactor's: the thread starts with all of them blocked.
  private func start() -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Limits.storeThreadStackSize)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var started = pthread_t()
    let this = Unmanaged.passRetained(self)
    let code = pthread_create(
      &started, &attributes,
      { context in
        if let context { Unmanaged<SecretThread>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, this.toOpaque())
    if code != 0 { this.release() }
    return code == 0
  }

  private func run() {
    pthread_setname_np(pthread_self(), "tappet-secrets")
    while let next = take() { post((next.client, desk.answer(next.request))) }
  }

  private func take() -> (client: UInt64, request: SecretRequest)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if !waiting.isEmpty { return waiting.removeFirst() }
    isRunning = false
    pthread_cond_signal(finished)
    return nil
  }
}
