// State of a kiosk that any thread can query while another thread runs the kiosk.

import TappetCore
import TappetKiosk
import TappetPlatform

// Unchecked because the compiler cannot verify the monitor, which is locked for every access.

/// A kiosk's state as last stored by the thread that runs the kiosk.
final class SharedFacts: @unchecked Sendable {
  private let monitor = Monitor()
  private var actions: [String] = []
  private var running = false
  private var latest = (counters: Counters(), waiting: 0)
  private var outputs: [OutputState] = []

  /// Counters of the current run, or of the last run if the kiosk is not running.
  var counts: (counters: Counters, waiting: Int) { monitor.locked { latest } }

  /// Whether the kiosk has been started and has not ended.
  var isRunning: Bool { monitor.locked { running } }

  /// Stores the current state of `runtime`.
  func note(_ runtime: Runtime) {
    let (counts, states) = (runtime.counts, runtime.outputs)
    monitor.locked {
      latest = counts
      outputs = states
    }
  }

  func setRunning(_ isRunning: Bool) { monitor.locked { running = isRunning } }

  func setActions(_ names: [String]) { monitor.locked { actions = names } }

  func hasAction(_ name: String) -> Bool { monitor.locked { actions.contains(name) } }

  func hasOutput(_ name: String) -> Bool { monitor.locked { outputs.contains { $0.name == name } } }

  /// Returns the output at `position`; `nil` if the position is out of range.
  func output(at position: Int) -> OutputState? {
    monitor.locked { outputs.indices.contains(position) ? outputs[position] : nil }
  }
}
