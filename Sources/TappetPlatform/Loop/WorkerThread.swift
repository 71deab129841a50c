// Threads for blocking work that the reactor must not do, such as waiting for the disk or the network.

import CPlatform
import TappetBase

/// Threads in addition to the reactor's.
package enum WorkerThread {
  /// Runs `body` on a new thread named `name`, at most 15 bytes long; the caller must join the thread.
  ///
  /// All signals are blocked on the new thread, so that the kernel delivers them only to the reactor's thread.
  @export(interface)
  package static func start(
    _ name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(name, body))
    let mask = SignalMask()
    let code = withExtendedLifetime(mask) {
      pthread_create(
        &thread, &attributes,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, work.toOpaque())
    }
    guard code == 0 else {
      work.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    return thread
  }

  /// Waits at most `limit` for the thread to end; detaches the thread if it is still running.
  package static func join(_ thread: pthread_t, limit: Duration) {
    let end = SystemClock().monotonicNanoseconds + limit.wholeNanoseconds
    var deadline = timespec(tv_sec: time_t(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    if pthread_clockjoin_np(thread, nil, CLOCK_MONOTONIC, &deadline) != 0 { pthread_detach(thread) }
  }

  private final class Work: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    func run() {
      pthread_setname_np(pthread_self(), name)
      body()
    }
  }
}
