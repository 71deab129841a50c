// The machine's clocks, whether the wall clock may be believed, and word of its steps.

import CPlatform
import TappetCore

/// Reads the clocks; the only place that does.
public struct SystemClock: Sendable {
  /// The machine's clocks are what they are: there is nothing to set.
  public init() {}

  /// Both clocks, read one right after the other.
  public func now() -> Moment {
    let instant = SystemClock.nanoseconds(CLOCK_BOOTTIME)
    let wall = SystemClock.nanoseconds(CLOCK_REALTIME)
    return Moment(instant: Instant(nanoseconds: instant), unixMilliseconds: wall / 1_000_000)
  }

  /// CLOCK_MONOTONIC, which stands still during suspend: service managers count by it.
  public var monotonicNanoseconds: Int64 { SystemClock.nanoseconds(CLOCK_MONOTONIC) }

  /// When something happened that the kernel stamped with `nanoseconds` a moment ago, on whichever of its clocks.
  ///
  /// GPIO edges come with CLOCK_MONOTONIC, with CLOCK_REALTIME from kernels before 5.7. Call it right after the stamp was read.
  public func instant(ofStamp nanoseconds: UInt64) -> Instant {
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

  /// Whether the kernel has been told that the wall clock is right, and it is not before the time that this was written.
  ///
  /// A board without a battery clock says no until NTP has answered. Nobody tells of this turning: a small difference is
  /// slewed, not stepped, so while it is false ask again now and then.
  public func isSynchronised() -> Bool {
    var state = timex()
    let result = adjtimex(&state)
    // -1: a sandbox forbids the question. Then nothing vouches for the clock.
    guard result != -1, result != TIME_ERROR, state.status & STA_UNSYNC == 0 else { return false }
    return SystemClock.nanoseconds(CLOCK_REALTIME) / 1_000_000_000 >= Limits.wallClockFloorUnixSeconds
  }

  /// The 16 bytes that the kernel drew at its start: an `Instant` means something only under the same ones.
  ///
  /// Empty when /proc
  /// does not have them, which equals no earlier start.
  public func bootID() -> [UInt8] {
    guard let file = try? checked("open", { tp_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0) })
    else { return [] }
    defer { close(file) }
    // 36 characters, hyphens between five groups of hex digits.
    var text = [UInt8](repeating: 0, count: 64)
    guard let count = try? checked("read", { read(file, &text, 64) }), count >= 36 else { return [] }
    let digits = text[..<36].filter { $0 != UInt8(ascii: "-") }.compactMap(SystemClock.hexDigit)
    guard digits.count == 32 else { return [] }
    return (0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  private static func hexDigit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "both clocks exist since Linux 2.6.39")
    return Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ Int64(time.tv_nsec)
  }
}

/// A descriptor that becomes readable when somebody sets the wall clock; slewing it does not count.
public final class ClockWatch {
  /// For `Reactor.watch`; call `acknowledge` when it is readable.
  public let fileDescriptor: Int32

  /// Watches from now on.
  public init() throws(SystemError) {
    fileDescriptor = try checked("timerfd_create") {
      timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
    }
    do throws(SystemError) { try arm() } catch {
      close(fileDescriptor)
      throw error
    }
  }

  deinit { close(fileDescriptor) }

  /// Whether the clock was set since the last call; watches for the next time.
  public func acknowledge() throws(SystemError) -> Bool {
    var expirations: UInt64 = 0
    // ECANCELED is the word that the clock was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
    guard read(fileDescriptor, &expirations, 8) == -1, tp_errno() == ECANCELED else { return false }
    try arm()
    return true
  }

  /// A timer that never expires, only to be cancelled by a step.
  private func arm() throws(SystemError) {
    var setting = itimerspec()
    setting.it_value.tv_sec = time_t.max
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    try checked("timerfd_settime") { timerfd_settime(fileDescriptor, flags, &setting, nil) }
  }
}
