// Signals that would end the process, held back while it has something to tidy up first.

import CPlatform
import TappetCore
import TappetPlatform

/// Holds signals back until it is released; they are readable as events meanwhile.
final class HeldSignals {
  /// The signals that end a program from outside.
  static var ending: [Int32] { [SIGINT, SIGTERM, SIGHUP] }
  /// The same, and those of a terminal's keys.
  static var typed: [Int32] { ending + [SIGQUIT, SIGTSTP] }

  /// Readable when a signal has come.
  let fileDescriptor: Int32
  private var before = sigset_t()

  init(_ numbers: [Int32] = HeldSignals.ending) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, &before)
    fileDescriptor = signalfd(-1, &set, tp_sfd_flags())
    // Nobody would notice them.
    if fileDescriptor < 0 { pthread_sigmask(SIG_SETMASK, &before, nil) }
  }

  deinit {
    guard fileDescriptor >= 0 else { return }
    // They were answers to us, and have had their effect.
    _ = consume()
    close(fileDescriptor)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Whether a signal has come that nobody has consumed.
  var hasArrived: Bool {
    if case .signal = wait(for: -1, until: .zero) { true } else { false }
  }

  /// Takes the signals that have come; false when there were none.
  func consume() -> Bool {
    var information = signalfd_siginfo()
    var found = false
    while read(fileDescriptor, &information, MemoryLayout<signalfd_siginfo>.size) > 0 { found = true }
    return found
  }

  /// Why `wait` returned.
  enum Wakeup {
    case readable, signal, timeUp
  }

  /// Waits until `file` is readable, a signal has come, or the time is up; `file` may be -1.
  func wait(for file: Int32, until limit: Duration?) -> Wakeup {
    var entries = [
      pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: file, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map { Int32(clamping: max(0, $0.wholeMilliseconds)) } ?? -1
    guard let count = try? checked("poll", { poll(&entries, 2, milliseconds) }) else { return .signal }
    if count == 0 { return .timeUp }
    return entries[0].revents != 0 ? .signal : .readable
  }
}
