// Signals that would end the process, held back while it has something to tidy up first.

import CPlatform
import TappetCore
import TappetPlatform

/// Holds signals back until it is released; they are readable as events meanwhile.
package final class HeldSignals {
  /// The signals that end a program from outside.
  static var ending: [Int32] { [SIGINT, SIGTERM, SIGHUP] }
  /// The same, and those of a terminal's keys.
  package static var typed: [Int32] { ending + [SIGQUIT, SIGTSTP] }

  /// `nil` when signals cannot be read; then none is held back, since nobody would notice it.
  private let signals: SignalDescriptor?
  private let mask: SignalMask?

  package init(_ numbers: [Int32] = HeldSignals.ending) {
    let mask = SignalMask(numbers)
    signals = try? SignalDescriptor.open(numbers)
    self.mask = signals == nil ? nil : mask
  }

  // They were answers to us, and have had their effect.
  deinit { _ = consume() }

  /// Readable when a signal has come; -1 when none is held back.
  package var fileDescriptor: Int32 { signals?.fileDescriptor ?? -1 }

  /// Whether a signal has come that nobody has consumed.
  var hasArrived: Bool {
    if case .signal = wait(for: -1, until: .zero) { true } else { false }
  }

  /// Takes the signals that have come; false when there were none.
  package func consume() -> Bool {
    var found = false
    while signals?.next() != nil { found = true }
    return found
  }

  /// Why `wait` returned.
  package enum Wakeup {
    case readable, signal, timeUp
  }

  /// Waits until `file` is readable, a signal has come, or the time is up; `file` may be -1.
  package func wait(for file: Int32, until limit: Duration?) -> Wakeup {
    let ready = Poll.wait([(fileDescriptor, .readable), (file, .readable)], for: limit)
    if !ready[0].isEmpty { return .signal }
    return ready[1].isEmpty ? .timeUp : .readable
  }
}
