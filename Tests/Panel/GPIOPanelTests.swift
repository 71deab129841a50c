// The panel on a machine without a chip. Tests that need one use a kernel's chip (Tests/VirtualBoard).

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPanel
@testable import TappetPlatform

@Suite struct GPIOPanelTests {
  private final class Record {
    var events: [GPIOEvent] = []
  }

  private func panel(
    _ reactor: Reactor, _ record: Record, inputs: [PanelLine], outputs: [PanelLine] = [], folder: String
  ) -> GPIOPanel {
    GPIOPanel(inputs: inputs, outputs: outputs, chip: nil, profile: nil, reactor: reactor, folder: folder) {
      record.events.append($0)
    }
  }

  @Test func `without a chip each line fails once, and again only when retried`() throws {
    let folder = try TemporaryFolder()
    let (reactor, record) = (try Reactor(), Record())
    let panel = panel(
      reactor, record, inputs: [PanelLine(address: .name("GPIO17")), PanelLine(address: .pin(11))],
      outputs: [PanelLine(address: .name("GPIO27"))], folder: folder.path)
    let expected: [GPIOEvent] = [
      .failed(line: .input(0), .noChips), .failed(line: .input(1), .wrongPin(.noProfile)),
      .failed(line: .output(0), .noChips),
    ]
    panel.open()
    #expect(record.events == expected)
    #expect(try reactor.turn(timeout: .zero) == 0)
    panel.set(output: 0, isOn: true)
    panel.set(output: 1, isOn: true)
    #expect(record.events == expected)
    panel.retry()
    // A pin without a profile needs another configuration, so a retry is useless.
    #expect(record.events == expected + [expected[0], expected[2]])
    panel.close()
    panel.retry()
  }

  @Test(.enabled(if: geteuid() == 0, "only root may make a device node"))
  func `a device node that appears is tried immediately, and a failure is reported once`() throws {
    let folder = try TemporaryFolder()
    let (reactor, record) = (try Reactor(), Record())
    let panel = panel(reactor, record, inputs: [PanelLine(address: .name("GPIO17"))], folder: folder.path)
    panel.open()
    #expect(record.events == [.failed(line: .input(0), .noChips)])
    // A device that is not a GPIO chip: libgpiod refuses it.
    #expect(mknod(folder.path + "/gpiochip0", S_IFCHR | 0o600, 1 << 8 | 3) == 0)
    try reactor.turn(timeout: .seconds(5))
    #expect(record.events.count == 1)
    #expect(try reactor.turn(timeout: .zero) == 0)
    panel.close()
    unlink(folder.path + "/gpiochip0")
    #expect(try reactor.turn(timeout: .zero) == 0)
  }

  @Test func `a panel without lines waits for no events`() throws {
    let (reactor, record) = (try Reactor(), Record())
    let panel = panel(reactor, record, inputs: [], folder: "/nowhere")
    panel.open()
    panel.set(output: 0, isOn: true)
    panel.pause(input: 0)
    panel.resume(input: -1)
    panel.retry()
    panel.close()
    #expect(record.events.isEmpty)
  }

  @Test func `nodes that appear and vanish are reported in order, by name`() throws {
    let folder = try TemporaryFolder()
    let nodes = try DeviceNodes(folder: folder.path)
    #expect(nodes.read().isEmpty)
    let path = folder.path + "/gpiochip3"
    try Data().write(to: URL(filePath: path))
    chmod(path, 0o660)
    rename(path, folder.path + "/other")
    unlink(folder.path + "/other")
    #expect(
      nodes.read() == [
        .appeared(name: "gpiochip3"), .appeared(name: "gpiochip3"), .vanished(name: "gpiochip3"),
        .appeared(name: "other"), .vanished(name: "other"),
      ])
    #expect(nodes.read().isEmpty)
    #expect(throws: SystemError(call: "inotify_add_watch", code: ENOENT)) {
      try DeviceNodes(folder: folder.path + "/no")
    }
  }

  // MARK: Stamps

  private func instant(_ stamp: Int64, monotonic: Int64, realtime: Int64, boottime: Int64) -> Int64 {
    SystemClock.instant(ofStamp: stamp, monotonic: monotonic, realtime: realtime, boottime: boottime).nanoseconds
  }

  @Test func `an edge's timestamp is converted to the clock that runs during suspend`() {
    let day: Int64 = 86_400_000_000_000
    // Up for a day, an hour of it suspended; the wall clock shows 2026.
    let (monotonic, boottime, realtime) = (day, day + day / 24, 20_000 * day)
    #expect(instant(monotonic - 5000, monotonic: monotonic, realtime: realtime, boottime: boottime) == boottime - 5000)
    #expect(instant(realtime - 7000, monotonic: monotonic, realtime: realtime, boottime: boottime) == boottime - 7000)
  }

  @Test func `a timestamp is never in the future or before the start, and never traps`() {
    #expect(instant(1001, monotonic: 1000, realtime: 1 << 60, boottime: 2000) == 2000)
    #expect(instant(0, monotonic: 5000, realtime: 1 << 60, boottime: 2000) == 0)
    for stamp in [Int64.min, -1, 0, .max] {
      for clock in [Int64.min, 0, .max] {
        #expect((0...2000).contains(instant(stamp, monotonic: clock, realtime: clock, boottime: 2000)))
      }
    }
    let before = SystemClock().now().instant
    let stamp = UInt64(clamping: clock_gettime_nsec())
    let mine = SystemClock().instant(ofStamp: stamp)
    #expect(mine >= before && mine <= SystemClock().now().instant)
  }

  private func clock_gettime_nsec() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
