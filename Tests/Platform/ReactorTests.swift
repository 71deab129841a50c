import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@Suite struct ReactorTests {
  private func pipePair() -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `a readable descriptor triggers its handler`() throws {
    let reactor = try Reactor()
    let (reading, writing) = pipePair()
    defer { [reading, writing].forEach { close($0) } }
    var seen: [Readiness] = []
    let watch = try reactor.watch(reading, for: .readable) { seen.append($0) }
    defer { withExtendedLifetime(watch) {} }
    try reactor.turn(timeout: .zero)
    #expect(seen.isEmpty)
    #expect(write(writing, "x", 1) == 1)
    try reactor.turn(timeout: .seconds(5))
    #expect(seen == [.readable])
  }

  @Test func `a handler that ends another watch prevents the delivery of its pending event`() throws {
    let reactor = try Reactor()
    let pipes = [pipePair(), pipePair()]
    defer { pipes.forEach { [$0.reading, $0.writing].forEach { close($0) } } }
    var calls = 0
    var watches: [Watch?] = [nil, nil]
    for index in 0...1 {
      watches[index] = try reactor.watch(pipes[index].reading, for: .readable) { _ in
        calls += 1
        watches[1 - index] = nil
      }
      #expect(write(pipes[index].writing, "x", 1) == 1)
    }
    #expect(try reactor.turn(timeout: .seconds(5)) == 2)
    #expect(calls == 1)
  }

  @Test func `a reused descriptor number does not receive the old descriptor's event`() throws {
    let reactor = try Reactor()
    let pipes = [pipePair(), pipePair()]
    let replacement = pipePair()
    defer { [pipes[0].writing, pipes[1].writing, replacement.reading, replacement.writing].forEach { close($0) } }
    var stale = 0
    var isReplaced = false
    var watches: [Watch?] = [nil, nil]
    for index in 0...1 {
      let own = pipes[index].reading
      let other = pipes[1 - index].reading
      watches[index] = try reactor.watch(own, for: .readable) { _ in
        guard !isReplaced else {
          stale += 1
          return
        }
        isReplaced = true
        watches[1 - index] = nil
        // The same number is now the silent replacement.
        #expect(dup2(replacement.reading, other) == other)
        do throws(SystemError) {
          watches[1 - index] = try reactor.watch(other, for: .readable) { _ in stale += 1 }
        } catch { Issue.record("\(error)") }
      }
      #expect(write(pipes[index].writing, "x", 1) == 1)
    }
    #expect(try reactor.turn(timeout: .seconds(5)) == 2)
    #expect(isReplaced)
    #expect(stale == 0)
    pipes.forEach { close($0.reading) }
  }

  @Test func `a handler can end its own watch`() throws {
    let reactor = try Reactor()
    let (reading, writing) = pipePair()
    defer { [reading, writing].forEach { close($0) } }
    var calls = 0
    var watch: Watch?
    watch = try reactor.watch(reading, for: .readable) { _ in
      calls += 1
      watch = nil
    }
    #expect(write(writing, "x", 1) == 1)
    try reactor.turn(timeout: .seconds(5))
    try reactor.turn(timeout: .zero)
    #expect(calls == 1 && watch == nil)
  }

  @Test func `ending a replaced watch leaves its successor active`() throws {
    let reactor = try Reactor()
    let (reading, writing) = pipePair()
    defer { [reading, writing].forEach { close($0) } }
    var seen: [String] = []
    var first: Watch? = try reactor.watch(reading, for: .readable) { _ in seen.append("first") }
    let second = try reactor.watch(reading, for: .readable) { _ in seen.append("second") }
    defer { withExtendedLifetime(second) {} }
    withExtendedLifetime(first) {}
    first = nil
    #expect(write(writing, "x", 1) == 1)
    try reactor.turn(timeout: .seconds(5))
    #expect(seen == ["second"])
  }

  @Test func `an ended watch is removed from the kernel`() throws {
    let reactor = try Reactor()
    let (reading, writing) = pipePair()
    defer { [reading, writing].forEach { close($0) } }
    var watch: Watch? = try reactor.watch(reading, for: .readable) { _ in }
    withExtendedLifetime(watch) {}
    watch = nil
    #expect(write(writing, "x", 1) == 1)
    #expect(try reactor.turn(timeout: .zero) == 0)
  }

  @Test func `a closed peer is reported as such`() throws {
    let reactor = try Reactor()
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    defer { close(ends[0]) }
    var seen: Readiness = []
    let watch = try reactor.watch(ends[0], for: .readable) { seen.formUnion($0) }
    defer { withExtendedLifetime(watch) {} }
    close(ends[1])
    try reactor.turn(timeout: .seconds(5))
    #expect(seen.contains(.hungUp))
  }

  @Test func `the timer fires once, and not early`() throws {
    let reactor = try Reactor()
    let clock = SystemClock()
    let due = clock.now().instant + .milliseconds(30)
    var fired: [Instant] = []
    reactor.onTimer = { fired.append(clock.now().instant) }
    reactor.setTimer(at: due)
    while fired.isEmpty { try reactor.turn(timeout: .seconds(5)) }
    #expect(try #require(fired.first) >= due)
    #expect(try reactor.turn(timeout: .milliseconds(50)) == 0)
    #expect(fired.count == 1)
  }

  @Test func `a timer in the past fires immediately, and the same instant can be set again`() throws {
    let reactor = try Reactor()
    var fired = 0
    reactor.onTimer = { fired += 1 }
    for instant in [Instant(nanoseconds: 0), Instant(nanoseconds: -5), Instant(nanoseconds: 0)] {
      reactor.setTimer(at: instant)
      try reactor.turn(timeout: .seconds(5))
    }
    #expect(fired == 3)
  }

  @Test func `an unset timer does not fire`() throws {
    let reactor = try Reactor()
    var fired = 0
    reactor.onTimer = { fired += 1 }
    reactor.setTimer(at: SystemClock().now().instant + .milliseconds(10))
    reactor.setTimer(at: nil)
    #expect(try reactor.turn(timeout: .milliseconds(60)) == 0)
    #expect(fired == 0)
  }

  @Test func `run ends when a handler that another thread's mailbox has woken stops it`() throws {
    let reactor = try Reactor()
    let mailbox = try Mailbox<Int>(capacity: 4)
    var received: [Int] = []
    let watch = try reactor.watch(mailbox.fileDescriptor, for: .readable) { _ in
      received += mailbox.drain()
      if received.contains(3) { reactor.stop() }
    }
    defer { withExtendedLifetime(watch) {} }
    Thread.detachNewThread { for value in 1...3 { mailbox.post(value) } }
    try reactor.run()
    #expect(received == [1, 2, 3])
  }

  @Test func `an idle reactor does not wake`() throws {
    let reactor = try Reactor()
    reactor.setTimer(at: SystemClock().now().instant + .seconds(3600))
    // A machine short of memory adds switches of its own: one quiet turn is enough.
    let isQuiet = try eventually {
      let before = voluntarySwitches()
      guard try reactor.turn(timeout: .milliseconds(500)) == 0 else { return false }
      return voluntarySwitches() - before <= 2
    }
    #expect(isQuiet)
  }

  private func voluntarySwitches() -> Int {
    let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? -1
  }
}
