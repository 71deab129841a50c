// The machine's clocks, the check whether the wall clock can be trusted, and notification when it is set.

import CPlatform
import TappetBase

/// The only type that reads the clocks.
package struct SystemClock: Sendable {
  package init() {}

  /// Reads both clocks, one right after the other.
  package func now() -> Moment {
    let instant = Instant.now()
    return Moment(instant: instant, unixMilliseconds: SystemClock.nanoseconds(CLOCK_REALTIME) / 1_000_000)
  }

  /// Nanoseconds of CLOCK_MONOTONIC, which stops during suspend and is the clock that service managers use.
  package var monotonicNanoseconds: Int64 { SystemClock.nanoseconds(CLOCK_MONOTONIC) }

  /// Returns the instant of a recent kernel timestamp, `nanoseconds`, regardless of the clock it was taken from.
  ///
  /// GPIO edges are stamped with CLOCK_MONOTONIC, or with CLOCK_REALTIME by kernels before 5.7. Must be called right
  /// after the timestamp was read.
  package func instant(ofStamp nanoseconds: UInt64) -> Instant {
    SystemClock.instant(
      ofStamp: Int64(clamping: nanoseconds), monotonic: SystemClock.nanoseconds(CLOCK_MONOTONIC),
      realtime: SystemClock.nanoseconds(CLOCK_REALTIME), boottime: SystemClock.nanoseconds(CLOCK_BOOTTIME))
  }

  /// Converts a timestamp, assuming the clock that it is closest to; the result is never in the future.
  static func instant(ofStamp stamp: Int64, monotonic: Int64, realtime: Int64, boottime: Int64) -> Instant {
    let sinceMonotonic = monotonic.subtractingReportingOverflow(stamp).partialValue
    let sinceRealtime = realtime.subtractingReportingOverflow(stamp).partialValue
    let age = sinceMonotonic.magnitude <= sinceRealtime.magnitude ? sinceMonotonic : sinceRealtime
    return Instant(nanoseconds: boottime - min(max(0, age), boottime))
  }

  /// Whether the kernel regards the wall clock as synchronized, and the time is not before this code was written.
  ///
  /// On a board without a battery-backed clock, this is false until NTP has answered. No event reports the change,
  /// because a small difference is slewed, not stepped: poll while this is false.
  package func isSynchronized() -> Bool {
    let isSet = isKernelSynchronized() ?? SystemClock.hasBeenSet(accordingTo: "/run/systemd/timesync/synchronized")
    return isSet && SystemClock.nanoseconds(CLOCK_REALTIME) / 1_000_000_000 >= Limits.wallClockFloorUnixSeconds
  }

  /// Returns by how many seconds the wall clock is behind a time that it has shown; `nil` if the difference is small.
  package static func secondsBehind(_ now: Moment, _ latest: Int64?) -> Int64? {
    guard let latest, latest - now.unixSeconds > Limits.clockBehindMax.wholeMilliseconds / 1000 else { return nil }
    return latest - now.unixSeconds
  }

  /// Whether the kernel regards the clock as synchronized; `nil` if a sandbox forbids the query, as systemd's
  /// ProtectClock does, because the same call sets the clock.
  private func isKernelSynchronized() -> Bool? {
    var state = timex()
    let result = adjtimex(&state)
    guard result != -1 else { return nil }
    return result != TIME_ERROR && state.status & STA_UNSYNC == 0
  }

  /// Whether `file` exists, which systemd-timesyncd creates when it first sets the clock after boot.
  package static func hasBeenSet(accordingTo file: String) -> Bool { access(file, F_OK) == 0 }

  /// Returns the 16 random bytes of the kernel's boot ID; an `Instant` is valid only within one boot.
  ///
  /// Empty if /proc does not provide the boot ID; an empty ID never matches an earlier one.
  package func bootID() -> [UInt8] {
    guard case .success(let file) = TextFile.read("/proc/sys/kernel/random/boot_id", sizeMax: 64) else { return [] }
    // The text consists of five groups of hex digits, separated by hyphens.
    let bytes = Hex.decode(file.bytes.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }) ?? []
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
  /// Returns the time of CLOCK_BOOTTIME, which also counts during suspend and is never set.
  package static func now() -> Instant { Instant(nanoseconds: SystemClock.nanoseconds(CLOCK_BOOTTIME)) }
}

/// A descriptor that becomes readable when the wall clock is set, but not when it is slewed.
package final class ClockWatch {
  private let descriptor: FileDescriptor

  /// Starts watching the clock.
  package init() throws(SystemError) {
    let descriptor = try FileDescriptor.make("timerfd_create") {
      timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    }
    try ClockWatch.arm(descriptor)
    self.descriptor = descriptor
  }

  /// Descriptor for `Reactor.watch`; call `acknowledge` when it is readable.
  package var fileDescriptor: Int32 { descriptor.number }

  /// Returns whether the clock was set since the last call, and continues to watch it.
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

  /// Arms a timer that never expires, and is only cancelled when the clock is set.
  private static func arm(_ descriptor: FileDescriptor) throws(SystemError) {
    var setting = itimerspec()
    setting.it_value.tv_sec = time_t.max
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    try checked("timerfd_settime") { timerfd_settime(descriptor.number, flags, &setting, nil) }
  }
}
