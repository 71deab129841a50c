// The thread that requests about secrets are served on, so that a slow card never holds up the lights. It is there only while
// something waits.

import CPlatform
import TappetCore
import TappetDevices

// Unchecked because the compiler cannot see the mutex: everything that changes is touched only under it.
/// Serves requests one after the other.
final class SecretThread: @unchecked Sendable {
  /// An answer, which client waits for it, and what `submit` was told.
  typealias Reply = (client: UInt64, load: Int, answer: SecretAnswer)
  private typealias Work = (client: UInt64, load: Int, request: SecretRequest, desk: SecretDesk)

  private let post: @Sendable (Reply) -> Void
  private let monitor = Monitor()
  private var waiting: [Work] = []
  private var isRunning = false

  /// `post` is called on the thread with each answer, and must not block.
  init(post: @escaping @Sendable (Reply) -> Void) {
    self.post = post
  }

  /// Hands a request over, for the desk of today's configuration; false when too many wait, or there can be no thread.
  ///
  /// `load` comes back with the answer: which secrets were in force.
  func submit(_ request: SecretRequest, of client: UInt64, at desk: SecretDesk, load: Int) -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    guard waiting.count < Limits.secretRequestsMax else { return false }
    waiting.append((client, load, request, desk))
    if isRunning { return true }
    isRunning = start()
    if !isRunning { waiting.removeLast() }
    return isRunning
  }

  /// Waits until nothing is served any more.
  func stop() {
    monitor.lock()
    waiting = []
    while isRunning { monitor.wait() }
    monitor.unlock()
  }

  private func start() -> Bool {
    let thread = try? WorkerThread.start("tappet-secrets", stackSize: Limits.storeThreadStackSize) { self.run() }
    if let thread { pthread_detach(thread) }
    return thread != nil
  }

  private func run() {
    while let next = take() { post((next.client, next.load, next.desk.answer(next.request))) }
  }

  private func take() -> Work? {
    monitor.lock()
    defer { monitor.unlock() }
    if !waiting.isEmpty { return waiting.removeFirst() }
    isRunning = false
    monitor.signal()
    return nil
  }
}
