// Signals: held back for a while, ignored for good, or read from a descriptor.

import CPlatform

/// Signals that this thread does not receive while this object exists; released on the same thread.
package final class SignalMask {
  private var previous = sigset_t()

  /// Holds back `numbers`.
  package init(_ numbers: [Int32]) {
    var set = sigset_t(numbers)
    pthread_sigmask(SIG_BLOCK, &set, &previous)
  }

  /// Holds back every signal that can be held back.
  package init() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
  }

  deinit { pthread_sigmask(SIG_SETMASK, &previous, nil) }

  /// Calls `body`, which ignores SIGPIPE in the whole process, and then restores what the process does about it.
  package static func keepingSIGPIPE<Result>(_ body: () -> Result) -> Result {
    var own = sigaction()
    tp_keep_sigpipe(&own)
    defer { tp_restore_sigpipe(&own) }
    return body()
  }

  /// Ignores `numbers` in the whole process from now on.
  package static func ignore(_ numbers: [Int32]) { for number in numbers { tp_ignore_signal(number) } }

  /// Has a write report its failure instead of ending the process: a reader that is gone (SIGPIPE), a limit on a file's
  /// size (SIGXFSZ).
  package static func ignoreFailedWrites() { ignore([SIGPIPE, SIGXFSZ]) }
}

/// Signals as something to read.
package final class SignalDescriptor {
  private let descriptor: FileDescriptor

  private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Holds back `numbers` on this thread and on those that it starts, for good, and makes them readable.
  ///
  /// Before any other thread is started: one on which they are not held back would die of them.
  package static func open(_ numbers: [Int32]) throws(SystemError) -> SignalDescriptor {
    var set = sigset_t(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    return SignalDescriptor(try .make("signalfd") { signalfd(-1, &set, tp_sfd_flags()) })
  }

  /// Readable when a signal has arrived.
  package var fileDescriptor: Int32 { descriptor.number }

  /// The next signal that has arrived, `nil` when there is none.
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
