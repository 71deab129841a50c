// Whether the wall clock can be believed: asked at each step, and now and then while the answer is no, for the kernel
// tells nobody when it changes its mind.

import TappetCore
import TappetPlatform

/// The kernel's word on the wall clock.
///
/// One thread.
final class ClockMonitor {
  private let clock = SystemClock()
  private let steps: ClockWatch
  private var watch: Watch?
  /// The last answer; `nil` before the first.
  private var isSynchronised: Bool?
  /// When to ask again.
  private(set) var deadline: Instant?

  init() throws(SystemError) { steps = try ClockWatch() }

  /// Calls `onStep` whenever somebody sets the clock.
  func open(_ reactor: Reactor, onStep: @escaping () -> Void) throws(SystemError) {
    watch = try reactor.watch(
      steps.fileDescriptor, for: .readable,
      calling(self) { monitor, _ in
        _ = try? monitor.steps.acknowledge()
        onStep()
      })
  }

  /// Whether nothing speaks against the clock; `mayTrust` is `clock: trust`.
  func isGood(trusting mayTrust: Bool) -> Bool { mayTrust || isSynchronised != false }

  /// Asks the kernel; returns the answer when the core has to know it: the first one, a changed one, and any after a
  /// step.
  func check(trusting mayTrust: Bool, hasStepped: Bool = false) -> Event? {
    let isSynchronised = clock.isSynchronised()
    deadline = !isSynchronised && !mayTrust ? clock.now().instant + Limits.clockCheckInterval : nil
    defer { self.isSynchronised = isSynchronised }
    guard hasStepped || isSynchronised != self.isSynchronised else { return nil }
    return .clockChecked(isSynchronised: isSynchronised)
  }
}
