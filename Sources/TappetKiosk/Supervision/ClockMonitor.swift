// Whether the wall clock can be believed: asked at each step, and now and then while the answer is no, for the kernel
// tells nobody when it changes its mind. A clock that shows less than the latest time that was believed is not: it may
// have been set back over the network.

import TappetCore
import TappetPlatform

/// The kernel's word on the wall clock, and the time below which it is not believed.
///
/// One thread.
final class ClockMonitor {
  private let clock: () -> (now: Moment, isSynchronised: Bool)
  private let steps: ClockWatch
  private var watch: Watch?
  /// The last answer; `nil` before the first.
  private var isSynchronised: Bool?
  /// The latest time that was believed, in seconds since 1970.
  private var latest: Int64?
  private var noteDue: Instant?
  private var note: Int64?
  /// When to ask again.
  private(set) var deadline: Instant?
  /// Number of seconds that the clock is behind; `nil` unless it is not believed for that.
  private(set) var secondsBehind: Int64?

  /// `latest`: the time that an earlier process noted.
  init(
    latest: Int64?,
    clock: @escaping () -> (now: Moment, isSynchronised: Bool) = {
      let clock = SystemClock()
      return (clock.now(), clock.isSynchronised())
    }
  ) throws(SystemError) {
    self.latest = latest
    self.clock = clock
    steps = try ClockWatch()
  }

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
  ///
  /// With `clock: trust` a person says that the clock is right, and what was noted before does not count.
  func check(trusting mayTrust: Bool, hasStepped: Bool = false) -> Event? {
    let (now, isSet) = clock()
    let behind = SystemClock.secondsBehind(now, latest)
    secondsBehind = isSet && !mayTrust ? behind : nil
    let isSynchronised = isSet && secondsBehind == nil
    let isDue = noteDue.map { $0 <= now.instant } ?? true
    if mayTrust ? isDue || behind != nil : isSynchronised && isDue {
      latest = mayTrust ? now.unixSeconds : max(now.unixSeconds, latest ?? 0)
      note = latest
      noteDue = now.instant + Limits.clockNoteInterval
    }
    deadline = isSynchronised || mayTrust ? noteDue : now.instant + Limits.clockCheckInterval
    defer { self.isSynchronised = isSynchronised }
    guard hasStepped || isSynchronised != self.isSynchronised else { return nil }
    return .clockChecked(isSynchronised: isSynchronised)
  }

  /// The time to be written down, once.
  func takeNote() -> Int64? {
    defer { note = nil }
    return note
  }
}
