// State of a kiosk that any thread can query while another thread runs the kiosk.

import TappetCore
import TappetKiosk
import TappetPlatform

/// A kiosk's state as last stored by the thread that runs the kiosk.
final class SharedFacts: Sendable {
  private struct Facts: Sendable {
    var actions: [String] = []
    var isRunning = false
    var counts = (counters: Counters(), waiting: 0)
    var outputs: [OutputState] = []
  }

  private let facts = Mutexed(Facts())

  /// Counters of the current run, or of the last run if the kiosk is not running.
  var counts: (counters: Counters, waiting: Int) { facts.locked { $0.counts } }

  /// Whether the kiosk has been started and has not ended.
  var isRunning: Bool { facts.locked { $0.isRunning } }

  /// Stores the current state of `runtime`.
  func note(_ runtime: Runtime) {
    let (counts, states) = (runtime.counts, runtime.outputs)
    facts.locked { ($0.counts, $0.outputs) = (counts, states) }
  }

  /// Stores the counters of `runtime`, and the states of its outputs where `report` may be about a change of them.
  func note(_ runtime: Runtime, after report: Report) {
    switch report {
    case .output, .panel: note(runtime)
    default:
      let counts = runtime.counts
      facts.locked { $0.counts = counts }
    }
  }

  func setRunning(_ isRunning: Bool) { facts.locked { $0.isRunning = isRunning } }

  func setActions(_ names: [String]) { facts.locked { $0.actions = names } }

  func hasAction(_ name: String) -> Bool { facts.locked { $0.actions.contains(name) } }

  func hasOutput(_ name: String) -> Bool { facts.locked { $0.outputs.contains { $0.name == name } } }

  /// Returns the output at `position`; `nil` if the position is out of range.
  func output(at position: Int) -> OutputState? {
    facts.locked { $0.outputs.indices.contains(position) ? $0.outputs[position] : nil }
  }
}
