// Facts about a kiosk that any thread can query while another thread runs the kiosk.

import TappetCore
import TappetKiosk
import TappetPlatform

// Unchecked because the compiler cannot verify the monitor, which is locked for every access.

/// A kiosk's facts at the time when its own thread last stored them.
final class SharedFacts: @unchecked Sendable {
  private let monitor = Monitor()
  private var actions: [String] = []
  private var running = false
  private var latest = (counters: Counters(), waiting: 0)
  private var outputs: [OutputState] = []

  /// Counters of this run, or of the last one.
  var counts: (counters: Counters, waiting: Int) { monitor.locked { latest } }

  /// Whether the kiosk has been started and has not ended.
  var isRunning: Bool { monitor.locked { running } }

  /// Stores the current facts of `runtime`.
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
