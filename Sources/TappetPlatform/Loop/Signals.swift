// Signals: blocked temporarily, ignored permanently, or read from a descriptor.

import CPlatform

/// Set of signals that is blocked on this thread while the object exists; must be released on the same thread.
package final class SignalMask {
  private var previous = sigset_t()

  /// Blocks the signals in `numbers`.
  package init(_ numbers: [Int32]) {
    var set = sigset_t(numbers)
    pthread_sigmask(SIG_BLOCK, &set, &previous)
  }

  /// Blocks all signals that can be blocked.
  package init() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
  }

  deinit { pthread_sigmask(SIG_SETMASK, &previous, nil) }

  /// Calls `body`, which ignores SIGPIPE in the whole process, and then restores the previous handling of SIGPIPE.
  package static func keepingSIGPIPE<Result>(_ body: () -> Result) -> Result {
    var own = sigaction()
    tp_keep_sigpipe(&own)
    defer { tp_restore_sigpipe(&own) }
    return body()
  }

  /// Ignores the signals in `numbers` in the whole process from now on.
  package static func ignore(_ numbers: [Int32]) { for number in numbers { tp_ignore_signal(number) } }

  /// Makes failed writes return an error instead of ending the process: if the reader is gone (SIGPIPE), or a file size
  /// limit is exceeded (SIGXFSZ).
  package static func ignoreFailedWrites() { ignore([SIGPIPE, SIGXFSZ]) }
}

/// Signals that are read from a descriptor.
package final class SignalDescriptor {
  private let descriptor: FileDescriptor

  private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Permanently blocks the signals in `numbers` on this thread and on threads that it starts, and makes them readable.
  ///
  /// Must be called before any other thread is started: a thread on which the signals are not blocked could receive
  /// them, which would end the process.
  package static func open(_ numbers: [Int32]) throws(SystemError) -> SignalDescriptor {
    var set = sigset_t(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    return SignalDescriptor(try .make("signalfd") { signalfd(-1, &set, tp_sfd_flags()) })
  }

  /// Descriptor that is readable when a signal has arrived.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Returns the next signal that has arrived; `nil` if there is none.
  package func next() -> Int32? {
    var information = signalfd_siginfo()
    let count = try? checked("read") { read(fileDescriptor, &information, MemoryLayout<signalfd_siginfo>.size) }
    return count == MemoryLayout<signalfd_siginfo>.size ? Int32(bitPattern: information.ssi_signo) : nil
  }
}

extension sigset_t {
  fileprivate init(_ numbers: [Int32]) {
    self.init()
    sigemptyset(&self)
    for number in numbers { sigaddset(&self, number) }
  }
}
