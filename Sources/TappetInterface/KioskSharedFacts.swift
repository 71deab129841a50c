// Facts about a kiosk that any thread may ask for while another one runs it.

import TappetCore
import TappetPlatform

// Unchecked because the compiler cannot see the mutex: everything is touched only with the monitor locked.

/// A kiosk's facts, as of the last moment at which its own thread stored them.
final class SharedFacts: @unchecked Sendable {
  private let monitor = Monitor()
  private var actions: [String] = []
  private var running = false
  private var latest = (counters: Counters(), waiting: 0)

  /// Numbers of this run, or of the last one.
  var counts: (counters: Counters, waiting: Int) { monitor.locked { latest } }

  /// Whether a run has been started and has not ended.
  var isRunning: Bool { monitor.locked { running } }

  func setCounts(_ counts: (counters: Counters, waiting: Int)) { monitor.locked { latest = counts } }

  func setRunning(_ isRunning: Bool) { monitor.locked { running = isRunning } }

  func setActions(_ names: [String]) { monitor.locked { actions = names } }

  func hasAction(_ name: String) -> Bool { monitor.locked { actions.contains(name) } }
}
