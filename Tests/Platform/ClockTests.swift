// Without Foundation: its C library module and CPlatform do not go into one file.

import CPlatform
import TappetCore
import TappetPlatform
import Testing

@Suite struct ClockTests {
  private static func text(_ path: String) -> String {
    let file = tp_open(path, O_RDONLY, 0)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  @Test func `both clocks match those of the machine`() {
    func uptime() -> Double { Double(Self.text("/proc/uptime").split(separator: " ").first ?? "") ?? 0 }
    let before = (wall: Int64(time(nil)), up: uptime())
    let moment = SystemClock().now()
    let after = (wall: Int64(time(nil)), up: uptime())
    #expect((before.wall...after.wall + 1).contains(moment.unixSeconds))
    #expect((before.up - 5...after.up + 5).contains(Double(moment.instant.nanoseconds) / 1e9))
  }

  @Test func `the clock is synchronized exactly if the kernel's flag says so`() {
    var state = timex()
    let result = adjtimex(&state)
    let isSet = result >= 0 && result != TIME_ERROR && state.status & STA_UNSYNC == 0
    #expect(SystemClock().isSynchronized() == isSet)
  }

  @Test func `without the kernel's flag, timesyncd's file determines whether the clock is set`() {
    #expect(SystemClock.hasBeenSet(accordingTo: "/proc/self/stat"))
    #expect(!SystemClock.hasBeenSet(accordingTo: "/proc/self/no-such-file"))
  }

  @Test func `the boot id is the kernel's, and does not change`() {
    let text = Self.text("/proc/sys/kernel/random/boot_id")
    let id = SystemClock().bootID()
    let digits = id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digits.count == 32)
    #expect(digits == text.filter(\.isHexDigit))
    #expect(SystemClock().bootID() == id)
  }

  @Test func `a clock watch does not fire unless the clock is set`() throws {
    let watch = try ClockWatch()
    var entry = pollfd(fd: watch.fileDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 20) == 0)
    #expect(try watch.acknowledge() == false)
  }
}
