// The thread that requests about secrets are served on, so that a slow card never holds up the lights. It is there only while
// something waits.

import CPlatform
import TappetCore
import TappetDevices

// Unchecked because the compiler cannot see the mutex: everything that changes is touched only under it.
/// Serves requests one after the other.
final class SecretThread: @unchecked Sendable {
  /// Who waits for an answer.
  enum Asker: Sendable {
    case client(UInt64)
    /// The job whose tag is written: what it asks for is done, come what may.
    case tagJob
  }

  /// An answer, who waits for it, and what `submit` was told.
  typealias Reply = (asker: Asker, load: Int, answer: SecretAnswer)
  private typealias Work = (asker: Asker, load: Int, answer: @Sendable () -> SecretAnswer)

  private let post: @Sendable (Reply) -> Void
  private let monitor = Monitor()
  private var waiting: [Work] = []
  private var isRunning = false

  /// `post` is called on the thread with each answer, and must not block.
  init(post: @escaping @Sendable (Reply) -> Void) {
    self.post = post
  }

  /// Hands work over, which blocks on the disk; false when too much waits, or there can be no thread.
  ///
  /// `load` comes back with the answer: which secrets were in force.
  func submit(for asker: Asker, load: Int, _ answer: @escaping @Sendable () -> SecretAnswer) -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    guard waiting.count < Limits.secretRequestsMax else { return false }
    waiting.append((asker, load, answer))
    if isRunning { return true }
    isRunning = start()
    if !isRunning { waiting.removeLast() }
    return isRunning
  }

  /// Waits until nothing is served any more; clients that wait are let go.
  func stop() {
    monitor.lock()
    waiting.removeAll { if case .client = $0.asker { true } else { false } }
    while isRunning { monitor.wait() }
    monitor.unlock()
  }

  private func start() -> Bool {
    let thread = try? WorkerThread.start("tappet-secrets", stackSize: Limits.storeThreadStackSize) { self.run() }
    if let thread { pthread_detach(thread) }
    return thread != nil
  }

  private func run() {
    while let next = take() { post((next.asker, next.load, next.answer())) }
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
