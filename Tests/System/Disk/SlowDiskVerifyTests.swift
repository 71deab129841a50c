// A disk whose every sync takes half a second: what people do to secrets and tags meanwhile is slow, but no light is.

import Foundation
import TestSupport
import Testing

// It compares milliseconds with the machine's own, which needs a machine that does nothing else: not for the gate.
@Suite(.serialized) struct SlowDiskVerifyTests {
  /// The time of every step of the lasting lights in this test.
  private let step: Int64 = 100_000_000
  private let latenessMax: Int64 = 20_000_000

  private func configuration() -> KioskWorld.KioskConfiguration {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = """
      panel:
        simulator: panel
        leds: {status: GPIO17, result: GPIO27}
        lights: {ready: "green 100, off 100", writing: "blue 100, off 100"}
      """
    return configuration
  }

  /// The longest time in which nothing was shown, beyond the step that a light may last.
  ///
  /// The status LED shows a lasting light alone, and each of them changes it with each step; a light that follows
  /// another one begins with its first step.
  private func lateness(_ trace: ArraySlice<(time: Int64, what: String)>) -> Int64 {
    let times = trace.filter { !$0.what.hasPrefix("result=") }.map(\.time)
    return (zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .max) - step
  }

  private func awaitExit(_ service: Service) { #expect(eventually { !service.isRunning }) }

  /// Does all that needs the database, one after the other.
  private func useDatabase(_ world: KioskWorld, round: Int) throws {
    #expect(try world.tappet("secret", "list").status == 0)
    let made = try world.tappet("secret", "new", "bell")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try world.tappet("secret", "remove", String(made.output.prefix { $0 != " " })).status == 0)
    let log = world.log.utf8.count
    world.kiosk?.signal(SIGHUP)
    #expect(
      eventually { String(decoding: world.log.utf8.dropFirst(log), as: UTF8.self).contains("event=reloaded") })
    let lights = world.lights.count
    // The first one makes the key for the tags' passwords, too.
    let writing = try Service(
      try Programs.built("tappet"), ["tag", "write", "bell", "--protect", "--config", world.configPath],
      log: world.folder + "/tag\(round).log")
    try world.awaitLight("writing", after: lights)
    try world.tell("place ntag213 uid=\(world.freshUID())")
    awaitExit(writing)
    #expect(writing.text.contains("written: bell"), "\(writing.text)")
    try world.takeAway()
    #expect(eventually { world.lights.last == "ready" })
  }

  @Test func `lights are on time even if the disk syncs slowly`() throws {
    let world = try KioskWorld(configuration())
    try world.start(environment: try Faults.slowSyncs(milliseconds: 500))
    var late: [(light: Int64, machine: Int64)] = []
    // A machine that is busy with other things may be late once; a disk that holds the lights up does it each time.
    for round in 1...3 {
      let before = world.trace.count
      let metronome = Metronome()
      let began = Date()
      try useDatabase(world, round: round)
      let took = Date().timeIntervalSince(began)
      // The disk was slow: a new secret and its removal, the tag's secret, and their replicas, two syncs each at least.
      #expect(took > 3, "\(took) s")
      let trace = world.trace[before...]
      #expect(trace.contains { $0.what.hasPrefix("status=") })
      // A light can be no more punctual than the machine.
      let result = (light: lateness(trace), machine: metronome.stop())
      if result.light <= latenessMax + result.machine { return }
      late.append(result)
    }
    Issue.record("late by \(late.map { ($0.light / 1_000_000, $0.machine / 1_000_000) }) ms, and the machine")
  }
}

/// A thread that wakes every 10 ms, to find out how late this machine is by itself.
// Unchecked: everything that changes is touched only under the lock.
private final class Metronome: @unchecked Sendable {
  private let lock = NSLock()
  private var isStopping = false
  private var worst: Int64 = 0

  init() { Thread.detachNewThread { while self.beat() {} } }

  private func beat() -> Bool {
    let before = DispatchTime.now().uptimeNanoseconds
    poll(nil, 0, 10)
    let late = Int64(DispatchTime.now().uptimeNanoseconds - before) - 10_000_000
    return lock.withLock {
      worst = max(worst, late)
      return !isStopping
    }
  }

  /// Ends the thread; returns its worst lateness in nanoseconds.
  func stop() -> Int64 {
    lock.withLock {
      isStopping = true
      return worst
    }
  }
}
