// The proofs that have acted, and the start, by clocks that are rounded.

import Testing

@testable import TappetCore

@Suite struct ReplayCacheTests {
  @Test func `once a token has acted, tokens of later seconds also act, despite rounded clocks`() throws {
    for offset in stride(from: 0, to: 1000, by: 10) as StrideTo<Int64> {
      var memory = ReplayCache(window: 5, startedAt: Instant(nanoseconds: 0))
      var hasActed = false
      for time in stride(from: 5000, to: 9000, by: 333) as StrideTo<Int64> {
        // The instant is read a little later than the wall clock, or a little earlier.
        let instant = Instant(nanoseconds: time * 1_000_000 + (time % 2 == 0 ? 900_000 : 0))
        let now = Moment(instant: instant, unixMilliseconds: 1_790_000_000_000 + offset + time)
        let proof = [UInt8](repeating: UInt8(time / 333 % 256), count: 16)
        do throws(CommandRefusal) {
          try memory.accept(proof, sentAt: now.unixSeconds, at: now)
          hasActed = true
        } catch { #expect(!hasActed && error == .justStarted) }
      }
      #expect(hasActed)
    }
  }

  @Test func `a proof that has acted is refused as repeated, despite rounded clocks`() throws {
    let start = Instant(nanoseconds: 500_000)
    for offset in stride(from: 0, to: 1200, by: 5) as StrideTo<Int64> {
      var memory = ReplayCache(window: 0, startedAt: start)
      // The wall clock is between two milliseconds; both are read rounded down.
      let first = Moment(instant: start + .milliseconds(1500), unixMilliseconds: 1_790_000_001_500 + offset)
      let sentAt = first.unixSeconds
      guard (try? memory.accept([UInt8](repeating: 1, count: 16), sentAt: sentAt, at: first)) != nil else { continue }
      for later in stride(from: 0, to: 3000, by: 97) as StrideTo<Int64> {
        for rounding in 0...1 as ClosedRange<Int64> {
          let now = Moment(
            instant: first.instant + .milliseconds(later) + .microseconds(400),
            unixMilliseconds: first.unixMilliseconds + later + rounding)
          #expect(throws: CommandRefusal.repeated) {
            try memory.accept([UInt8](repeating: 1, count: 16), sentAt: sentAt, at: now)
          }
        }
      }
    }
  }

  @Test func `no further token is accepted while 1,024 are in their window`() throws {
    var memory = ReplayCache(window: 5, startedAt: Instant(nanoseconds: 0))
    let now = Moment(instant: Instant(nanoseconds: 100_000_000_000), unixMilliseconds: 1_790_000_000_000)
    for number in 0..<Limits.commandsRememberedMax {
      let proof = [UInt8](repeating: UInt8(number >> 8), count: 8) + [UInt8](repeating: UInt8(number & 255), count: 8)
      try memory.accept(proof, sentAt: now.unixSeconds, at: now)
    }
    let further = [UInt8](repeating: 0xAA, count: 16)
    #expect(throws: CommandRefusal.memoryFull) { try memory.accept(further, sentAt: now.unixSeconds, at: now) }
    let later = now.later(by: .seconds(6))
    try memory.accept(further, sentAt: later.unixSeconds, at: later)
  }
}
