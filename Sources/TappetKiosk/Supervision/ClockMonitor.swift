// Monitors whether the wall clock is reliable. The clock is checked whenever it is set, and periodically while it is
// unreliable, because the kernel does not report a change. A clock behind the latest reliable time is unreliable: it
// may have been set back over the network.

import TappetCore
import TappetPlatform

/// The kernel's state of the wall clock, and the latest reliable time.
///
/// Confined to one thread.
final class ClockMonitor {
  private let clock: () -> (now: Moment, isSynchronized: Bool)
  private let steps: ClockWatch
  private var watch: Watch?
  /// The last result; `nil` before the first check.
  private var isSynchronized: Bool?
  /// Latest time at which the clock was reliable, in seconds since 1970.
  private var latest: Int64?
  private var recordDue: Instant?
  private var note: Int64?
  /// Time of the next check.
  private(set) var deadline: Instant?
  /// Number of seconds that the clock is behind; `nil` unless the clock is unreliable for this reason.
  private(set) var secondsBehind: Int64?

  /// Creates a monitor; `latest` is the time recorded by an earlier process.
  init(
    latest: Int64?,
    clock: @escaping () -> (now: Moment, isSynchronized: Bool) = {
      let clock = SystemClock()
      return (clock.now(), clock.isSynchronized())
    }
  ) throws(SystemError) {
    self.latest = latest
    self.clock = clock
    steps = try ClockWatch()
  }

  /// Calls `onStep` whenever the clock is set.
  func open(_ reactor: Reactor, onStep: @escaping () -> Void) throws(SystemError) {
    watch = try reactor.watch(
      steps.fileDescriptor, for: .readable,
      calling(self) { monitor, _ in
        _ = try? monitor.steps.acknowledge()
        onStep()
      })
  }

  /// Returns whether the clock is not known to be unreliable; `mayTrust` is true for `clock: trust`.
  func isGood(trusting mayTrust: Bool) -> Bool { mayTrust || isSynchronized != false }

  /// Checks the clock; returns an event if the core needs the result: the first result, a change, or any result after a
  /// step.
  ///
  /// With `clock: trust`, the user confirms that the clock is correct, and the recorded time is ignored.
  func check(trusting mayTrust: Bool, hasStepped: Bool = false) -> Event? {
    let (now, isSet) = clock()
    let behind = SystemClock.secondsBehind(now, latest)
    secondsBehind = isSet && !mayTrust ? behind : nil
    let isSynchronized = isSet && secondsBehind == nil
    let isDue = recordDue.map { $0 <= now.instant } ?? true
    if mayTrust ? isDue || behind != nil : isSynchronized && isDue {
      latest = mayTrust ? now.unixSeconds : max(now.unixSeconds, latest ?? 0)
      note = latest
      recordDue = now.instant + Limits.clockNoteInterval
    }
    deadline = isSynchronized || mayTrust ? recordDue : now.instant + Limits.clockCheckInterval
    defer { self.isSynchronized = isSynchronized }
    guard hasStepped || isSynchronized != self.isSynchronized else { return nil }
    return .clockChecked(isSynchronized: isSynchronized)
  }

  /// Returns the time to be recorded; returns each time only once.
  func takeNote() -> Int64? {
    defer { note = nil }
    return note
  }
}
