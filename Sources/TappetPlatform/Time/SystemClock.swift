// The machine's clocks, whether the wall clock can be trusted, and notice of its steps.

import CPlatform
import TappetCore

/// Reads the clocks; the only place that does.
package struct SystemClock: Sendable {
  /// The machine's clocks.
  package init() {}

  /// Both clocks, read one right after the other.
  package func now() -> Moment {
    let instant = Instant.now()
    return Moment(instant: instant, unixMilliseconds: SystemClock.nanoseconds(CLOCK_REALTIME) / 1_000_000)
  }

  /// CLOCK_MONOTONIC, which stops during suspend: service managers count by it.
  package var monotonicNanoseconds: Int64 { SystemClock.nanoseconds(CLOCK_MONOTONIC) }

  /// When something happened that the kernel stamped with `nanoseconds` a moment ago, on whichever of its clocks.
  ///
  /// GPIO edges come with CLOCK_MONOTONIC, with CLOCK_REALTIME from kernels before 5.7. Call it right after the stamp
  /// was read.
  package func instant(ofStamp nanoseconds: UInt64) -> Instant {
    SystemClock.instant(
      ofStamp: Int64(clamping: nanoseconds), monotonic: SystemClock.nanoseconds(CLOCK_MONOTONIC),
      realtime: SystemClock.nanoseconds(CLOCK_REALTIME), boottime: SystemClock.nanoseconds(CLOCK_BOOTTIME))
  }

  /// The stamp belongs to the clock that it is closest to, and is never in the future.
  static func instant(ofStamp stamp: Int64, monotonic: Int64, realtime: Int64, boottime: Int64) -> Instant {
    let sinceMonotonic = monotonic.subtractingReportingOverflow(stamp).partialValue
    let sinceRealtime = realtime.subtractingReportingOverflow(stamp).partialValue
    let age = sinceMonotonic.magnitude <= sinceRealtime.magnitude ? sinceMonotonic : sinceRealtime
    return Instant(nanoseconds: boottime - min(max(0, age), boottime))
  }

  /// Whether the kernel takes the wall clock for right, and it is not before the time that this was written.
  ///
  /// A board without a battery clock says no until NTP has answered. No event reports the change: a small difference is
  /// slewed, not stepped, so ask again from time to time while it is false.
  package func isSynchronised() -> Bool {
    let isSet = isKernelSynchronised() ?? SystemClock.hasBeenSet(accordingTo: "/run/systemd/timesync/synchronized")
    return isSet && SystemClock.nanoseconds(CLOCK_REALTIME) / 1_000_000_000 >= Limits.wallClockFloorUnixSeconds
  }

  /// How far the wall clock is behind a time that it has shown before; `nil` when that is not much.
  package static func secondsBehind(_ now: Moment, _ latest: Int64?) -> Int64? {
    guard let latest, latest - now.unixSeconds > Limits.clockBehindMax.wholeMilliseconds / 1000 else { return nil }
    return latest - now.unixSeconds
  }

  /// `nil` where a sandbox forbids the question: systemd's ProtectClock does, because the same call sets the clock.
  private func isKernelSynchronised() -> Bool? {
    var state = timex()
    let result = adjtimex(&state)
    guard result != -1 else { return nil }
    return result != TIME_ERROR && state.status & STA_UNSYNC == 0
  }

  /// systemd-timesyncd makes this file when it has set the clock for the first time since the machine's start.
  package static func hasBeenSet(accordingTo file: String) -> Bool { access(file, F_OK) == 0 }

  /// The 16 bytes that the kernel drew at its start: an `Instant` means something only under the same ones.
  ///
  /// Empty when /proc does not have them, which equals no earlier start.
  package func bootID() -> [UInt8] {
    guard case .success(let file) = TextFile.read("/proc/sys/kernel/random/boot_id", sizeMax: 64) else { return [] }
    // Hyphens between five groups of hex digits.
    let bytes = Hex.decode(file.firstLine.filter { $0 != UInt8(ascii: "-") }) ?? []
    return bytes.count == 16 ? bytes : []
  }

  fileprivate static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "both clocks exist since Linux 2.6.39")
    return Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(time.tv_nsec)
  }
}

extension Instant {
  /// CLOCK_BOOTTIME, which also counts during suspend and is never set.
  package static func now() -> Instant { Instant(nanoseconds: SystemClock.nanoseconds(CLOCK_BOOTTIME)) }
}

/// A descriptor that becomes readable when somebody sets the wall clock; slewing it does not count.
package final class ClockWatch {
  private let descriptor: FileDescriptor

  /// Watches from now on.
  package init() throws(SystemError) {
    let descriptor = try FileDescriptor.make("timerfd_create") {
      timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    }
    try ClockWatch.arm(descriptor)
    self.descriptor = descriptor
  }

  /// For `Reactor.watch`; call `acknowledge` when it is readable.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Whether the clock was set since the last call; watches for the next time.
  @export(interface)
  package func acknowledge() throws(SystemError) -> Bool {
    var expirations: UInt64 = 0
    do throws(SystemError) { try checked("read") { read(fileDescriptor, &expirations, 8) } } catch {
      // The clock was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
      guard error.code == ECANCELED else { return false }
      try ClockWatch.arm(descriptor)
      return true
    }
    return false
  }

  /// A timer that never expires, only to be cancelled by a step.
  private static func arm(_ descriptor: FileDescriptor) throws(SystemError) {
    var setting = itimerspec()
    setting.it_value.tv_sec = time_t.max
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    try checked("timerfd_settime") { timerfd_settime(descriptor.number, flags, &setting, nil) }
  }
}
