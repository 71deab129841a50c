// Starts the threads that wait where the reactor may not: on the disk, on the network.

import CPlatform
import TappetCore

/// A thread beside the reactor's.
public enum WorkerThread {
  /// Runs `body` on a new thread of this name (at most 15 bytes); whoever calls joins it or detaches it.
  ///
  /// Signals are the reactor's: with all of them blocked here the kernel never picks this thread for one.
  public static func start(
    _ name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(name, body))
    let code = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    return thread
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
