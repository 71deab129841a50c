// Blocks termination signals, so that the process can clean up before it exits.

import CPlatform
import TappetCore
import TappetPlatform

/// Blocks signals until the object is released; in the meantime, they are readable as events.
package final class HeldSignals {
  /// The signals that other processes send to terminate a program.
  static var ending: [Int32] { [SIGINT, SIGTERM, SIGHUP] }
  /// The same signals, plus those that a terminal's keys send.
  package static var typed: [Int32] { ending + [SIGQUIT, SIGTSTP] }

  /// `nil` if signals cannot be read; in that case, none are blocked, because they would go unnoticed.
  private let signals: SignalDescriptor?
  private let mask: SignalMask?

  package init(_ numbers: [Int32] = HeldSignals.ending) {
    let mask = SignalMask(numbers)
    signals = try? SignalDescriptor.open(numbers)
    self.mask = signals == nil ? nil : mask
  }

  // Discards pending signals, which were meant for the operation that has just ended.
  deinit { _ = consume() }

  /// Descriptor that is readable when a signal has arrived; -1 if no signals are blocked.
  package var fileDescriptor: Int32 { signals?.fileDescriptor ?? -1 }

  /// Whether an unconsumed signal has arrived.
  var hasArrived: Bool {
    if case .signal = wait(for: -1, until: .zero) { true } else { false }
  }

  /// Consumes pending signals; returns false if there were none.
  package func consume() -> Bool {
    var found = false
    while signals?.next() != nil { found = true }
    return found
  }

  /// The reason why `wait` returned.
  package enum Wakeup {
    case readable, signal, timeUp
  }

  /// Waits until `file` is readable, a signal has arrived, or the time limit expires; `file` may be -1.
  package func wait(for file: Int32, until limit: Duration?) -> Wakeup {
    let ready = Poll.wait([(fileDescriptor, .readable), (file, .readable)], for: limit)
    if !ready[0].isEmpty { return .signal }
    return ready[1].isEmpty ? .timeUp : .readable
  }
}
