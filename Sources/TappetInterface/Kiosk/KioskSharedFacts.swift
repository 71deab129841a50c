// Facts about a kiosk that any thread may ask for while another one runs it.

import TappetCore
import TappetKiosk
import TappetPlatform

// Unchecked because the compiler cannot see the mutex: everything is touched only with the monitor locked.

/// A kiosk's facts, as of the last moment at which its own thread stored them.
final class SharedFacts: @unchecked Sendable {
  private let monitor = Monitor()
  private var actions: [String] = []
  private var running = false
  private var latest = (counters: Counters(), waiting: 0)
  private var outputs: [OutputState] = []

  /// Numbers of this run, or of the last one.
  var counts: (counters: Counters, waiting: Int) { monitor.locked { latest } }

  /// Whether a run has been started and has not ended.
  var isRunning: Bool { monitor.locked { running } }

  /// Stores the facts of `runtime` as they are now.
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

  /// The output at `position`; `nil` when there are not that many.
  func output(at position: Int) -> OutputState? {
    monitor.locked { outputs.indices.contains(position) ? outputs[position] : nil }
  }
}
