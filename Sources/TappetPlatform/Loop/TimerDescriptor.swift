// One deadline as a descriptor. The reactor has one, and the lights have a separate one, so that other timers do not
// disturb their rhythm.

import CPlatform
import TappetBase

/// A descriptor that becomes readable at a given instant.
///
/// Must be used on one thread only.
package final class TimerDescriptor {
  private let descriptor: FileDescriptor
  private var deadline: Instant?

  /// Creates a timer that is not set.
  package init() throws(SystemError) {
    descriptor = try .make("timerfd_create") {
      timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    }
  }

  /// Descriptor for `Reactor.watch`; call `acknowledge` when it is readable.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Sets the timer to expire at `instant`, or immediately if `instant` has passed; `nil` unsets the timer.
  @export(interface)
  package func set(at instant: Instant?) {
    guard instant != deadline else { return }
    deadline = instant
    var setting = itimerspec()
    if let instant {
      // All zeros would disarm the timer, and a negative time is an error: both mean "now" here.
      let nanoseconds = max(instant.nanoseconds, 1)
      setting.it_value.tv_sec = time_t(clamping: nanoseconds / 1_000_000_000)
      setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    }
    let result = timerfd_settime(fileDescriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    precondition(result == 0, "timerfd_settime refuses only what we never pass")
  }

  /// Returns whether the timer has expired; an expired timer is no longer set.
  package func acknowledge() -> Bool {
    var expirations: UInt64 = 0
    guard read(fileDescriptor, &expirations, 8) == 8 else { return false }
    deadline = nil
    return true
  }
}
