// The wall clock as a monitor believes it, played: set back, set right, and trusted.

import TappetCore
import Testing

@testable import TappetKiosk

@Suite struct ClockMonitorTests {
  /// The answer for the core, and the time to be written down.
  private struct Answer: Equatable {
    var isGood: Bool?
    var note: Int64?

    init(_ isGood: Bool?, _ note: Int64?) {
      self.isGood = isGood
      self.note = note
    }
  }

  /// A clock that shows what a test sets.
  private final class Played {
    var monitor: ClockMonitor?
    var seconds: Int64 = 0
    var unix: Int64 = 1_790_000_000
    var isSynchronized = true

    init(latest: Int64? = nil) throws {
      monitor = try ClockMonitor(latest: latest) { [unowned self] in
        let instant = Instant(nanoseconds: self.seconds * 1_000_000_000)
        return (Moment(instant: instant, unixMilliseconds: self.unix * 1000), self.isSynchronized)
      }
    }

    func pass(_ seconds: Int64) {
      self.seconds += seconds
      unix += seconds
    }

    func check(trusting: Bool = false, hasStepped: Bool = true) -> Answer {
      let event = monitor?.check(trusting: trusting, hasStepped: hasStepped)
      var answer = Answer(nil, monitor?.takeNote())
      if case .clockChecked(let isGood)? = event { answer.isGood = isGood }
      return answer
    }
  }

  private let start: Int64 = 1_790_000_000

  @Test(
    arguments: [(-3 * 86_400, false), (-3_601, false), (-3_600, true), (-60, true), (86_400, true)] as [(Int64, Bool)])
  func `a clock over an hour behind the recorded time is not trusted, even after a restart`(
    _ step: Int64, _ isBelieved: Bool
  ) throws {
    let clock = try Played(latest: start)
    clock.unix = start + step
    #expect(clock.check().isGood == isBelieved)
    #expect(clock.monitor?.secondsBehind == (isBelieved ? nil : -step))
    // Set right, it is believed again.
    clock.unix = start + max(step, 0)
    #expect(clock.check().isGood == true && clock.monitor?.secondsBehind == nil)
  }

  @Test func `the time is recorded at the start and each hour, but not during a glitch`() throws {
    let clock = try Played()
    #expect(clock.check() == Answer(true, start))
    clock.pass(600)
    clock.unix += 86_400
    #expect(clock.check() == Answer(true, nil))
    clock.unix -= 86_400
    #expect(clock.check() == Answer(true, nil))
    #expect(clock.monitor?.deadline == Instant(nanoseconds: 3_600_000_000_000))
    clock.pass(3_000)
    #expect(clock.check(hasStepped: false) == Answer(nil, start + 3_600))
    // Step by step nobody gets further back than an hour.
    for _ in 0..<3 {
      clock.pass(3_600)
      clock.unix -= 7_000
      _ = clock.check()
    }
    #expect(clock.monitor?.secondsBehind != nil)
  }

  @Test func `trusting the clock replaces the recorded time`() throws {
    let clock = try Played(latest: start + 10 * 86_400)
    #expect(clock.check() == Answer(false, nil))
    #expect(clock.check(trusting: true) == Answer(true, start) && clock.monitor?.secondsBehind == nil)
    #expect(clock.check() == Answer(true, nil))
  }

  @Test func `a clock that was never set is not recorded`() throws {
    let clock = try Played(latest: start)
    (clock.isSynchronized, clock.unix) = (false, 100)
    #expect(clock.check() == Answer(false, nil) && clock.monitor?.secondsBehind == nil)
    #expect(clock.monitor?.deadline == Instant(nanoseconds: 2_000_000_000))
  }
}
