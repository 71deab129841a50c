// The reader process: starts and stops it as the core requests, and receives its messages.

import CPlatform
import TappetCore
import TappetPlatform

/// The parent's end of tappet-reader.
///
/// Confined to one thread.
final class ReaderHost {
  /// A message from the process, or the exit of the process.
  enum Notice {
    /// The time is that of sending.
    case message(ReaderMessage, sentAt: Instant)
    case malformed(WireError)
    case ended(ProcessEnd)
  }

  private var process: ReaderProcess?
  private var watch: Watch?
  private let clock = SystemClock()
  /// Time of the last sign of activity of the process or its supervision.
  private(set) var lastSign = Instant(nanoseconds: 0)
  /// Called with each event of the process, in order.
  var onNotice: (Notice) -> Void = { _ in }

  /// PID of the process; `nil` if none is running.
  var processID: pid_t? { process?.pid }

  /// Starts tappet-reader on `device`; throws if the process cannot be started.
  func start(device: String?, _ reactor: Reactor) throws(SystemError) {
    recordSign()
    let started = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device)
    watch = try reactor.watch(started.fileDescriptor, for: .readable, calling(self) { host, _ in host.receive() })
    process = started
  }

  func kill() { process?.kill() }

  func stop() { process?.stop() }

  /// Sends an order; returns false if no reader accepts the order.
  func send(_ order: ReaderOrder) -> Bool { process?.send(order) ?? false }

  /// Records that the reader's supervision is active.
  func recordSign() { lastSign = clock.now().instant }

  private func receive() {
    recordSign()
    while let process {
      switch process.receive() {
      case .message(let message): onNotice(.message(message, sentAt: process.sentAt))
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
