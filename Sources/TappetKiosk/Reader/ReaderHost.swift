// The reader's process: started and ended as the core orders, heard when it speaks.

import CPlatform
import TappetCore
import TappetPlatform

/// The parent of tappet-reader.
///
/// One thread.
final class ReaderHost {
  /// Something that came from the process, or its end.
  enum Notice {
    case message(ReaderMessage)
    case malformed(ReaderMessageError)
    case ended(ProcessEnd)
  }

  private var process: ReaderProcess?
  private var watch: Watch?
  private let clock = SystemClock()
  /// When the process, or its supervision, was last seen to do something.
  private(set) var lastSign = Instant(nanoseconds: 0)
  /// Called with everything that the process does, in order.
  var onNotice: (Notice) -> Void = { _ in }

  /// The process's id; `nil` while none runs.
  var processID: pid_t? { process?.pid }

  /// Starts tappet-reader on `device`; throws when the process cannot be started.
  func start(device: String?, _ reactor: Reactor) throws(SystemError) {
    noteSign()
    let started = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device)
    watch = try reactor.watch(started.fileDescriptor, for: .readable, calling(self) { host, _ in host.receive() })
    process = started
  }

  func kill() { process?.kill() }

  func stop() { process?.stop() }

  /// Whether there is a reader that takes the order.
  func send(_ order: ReaderOrder) -> Bool { process?.send(order) ?? false }

  /// Notes that the reader's supervision is at work.
  func noteSign() { lastSign = clock.now().instant }

  private func receive() {
    noteSign()
    while let process {
      switch process.receive() {
      case .message(let message): onNotice(.message(message))
      case .malformed(let error): onNotice(.malformed(error))
      case .nothing: return
      case .closed:
        watch = nil
        self.process = nil
        return onNotice(.ended(process.finish()))
      }
    }
  }
}
